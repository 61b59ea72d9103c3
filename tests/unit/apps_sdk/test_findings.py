from pathlib import Path
from typing import get_args

import pytest

from apps.sdk.codes import CODES, GROUPS, Code
from apps.sdk.findings import Position, report
from apps.sdk.loader import load_catalog
from tests.support.apps import write_echo_app
from tests.support.author_reference import render_codes
from tests.support.code_samples import SAMPLES, write_sample

SDK = Path(__file__).parents[3] / "apps" / "sdk"


def test_every_code_is_explained() -> None:
    """Once, in one group."""
    assert set(get_args(Code)) == set(CODES)
    assert sum(len(group) for group in GROUPS.values()) == len(CODES)


@pytest.mark.parametrize("code", sorted(CODES))
def test_every_code_is_found_in_its_sample(tmp_path: Path, code: Code) -> None:
    """Each code has a folder that shows it, with the severity of the table and a place inside a file of the app."""
    folders = [write_sample(tmp_path / "a", SAMPLES[code])]
    if code == "app-duplicate":
        folders = [tmp_path / "a", tmp_path / "b"]
        for folder in folders:
            write_echo_app(folder, "one", "a")
    found = [finding for finding in load_catalog(folders).findings if finding.code == code]
    assert len(found) == 1
    assert found[0].severity == CODES[code].severity
    assert found[0].position.file.startswith(str(tmp_path))
    assert found[0].message.isprintable()


def test_every_sample_is_of_a_code() -> None:
    assert set(SAMPLES) == set(CODES)


def test_codes_are_documented() -> None:
    """CODES.md, which is made from the table, has a row for each, with what it means and how to mend it."""
    written = (SDK / "lint" / "CODES.md").read_text(encoding="utf-8")
    assert written == render_codes()
    for code, entry in CODES.items():
        assert f"| `{code}` | {entry.severity} | {entry.meaning} | {entry.mend} |\n" in written
        assert entry.meaning.endswith(".")
        assert entry.mend.endswith(".")


def test_codes_are_frozen() -> None:
    with pytest.raises(TypeError):
        CODES["new"] = CODES["app-id"]  # type: ignore[index]


def test_severity_comes_from_the_code() -> None:
    assert report("unknown-key", Position("a"), "m").severity == "warning"
    assert report("opaque-key", Position("a"), "m").is_extra
    assert not report("no-examples", Position("a"), "m").is_extra
