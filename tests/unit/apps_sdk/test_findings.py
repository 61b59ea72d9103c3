from pathlib import Path
from random import Random
from typing import get_args

import pytest

from apps.sdk.codes import CODES, GROUPS, Code
from apps.sdk.findings import MAX_PER_FILE, Finding, Position, group_findings, report
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


def list_hints(file: str, count: int) -> list[Finding]:
    return [report("no-examples", Position(file, line), "m") for line in range(1, count + 1)]


def test_as_many_findings_as_are_shown_are_shown_as_they_are() -> None:
    """Each once, by place, whatever the order in which they were found."""
    hints = list_hints("a", MAX_PER_FILE)
    found = [*hints, *hints]
    Random(1).shuffle(found)
    assert group_findings(found) == {"a": tuple(hints)}


def test_of_too_many_findings_the_gravest_are_shown_and_the_others_counted() -> None:
    """Per file: an error after thousands of hints is there; the last finding says how many are not, and where they begin."""
    error, warning = report("missing-key", Position("a", 9_000), "m"), report("unknown-key", Position("a", 8_000), "m")
    extra = report("opaque-key", Position("a", 1), "x")
    others = [report("missing-key", Position("b", 3), "m")]
    grouped = group_findings([*list_hints("a", 5_000), extra, warning, error, *others])
    *shown, more = grouped["a"]
    hints = list_hints("a", MAX_PER_FILE - 2)
    assert shown == [*hints, warning, error]
    assert (more.code, more.severity, more.position) == ("findings-more", "hint", Position("a", 1))
    hidden = 5_000 + 1 - len(hints)
    assert f" {hidden:,} more" in more.message
    assert grouped["b"] == tuple(others)


def test_what_only_strict_lint_shows_is_counted_only_there() -> None:
    """So that nobody is told of findings that the same command never shows."""
    extras = [report("opaque-key", Position("a", line), "m") for line in range(9, 99)]
    *shown, more = group_findings([*list_hints("a", MAX_PER_FILE), *extras])["a"]
    assert shown == list_hints("a", MAX_PER_FILE)
    assert more.is_extra
    assert " 90 more" in more.message


def test_a_hostile_file_has_few_findings_in_the_catalog_and_its_app(tmp_path: Path) -> None:
    """A file of 40,000 empty skills, beside an app that is fine: as many findings as for any other file with too many."""
    (tmp_path / "many").mkdir()
    (tmp_path / "many" / "app.yml").write_text("description: no\nskills:\n" + "- {}\n" * 40_000)
    write_echo_app(tmp_path, "one", "a")
    catalog = load_catalog([tmp_path])
    found = catalog.by_app["many"].findings
    assert len(found) == MAX_PER_FILE + 1
    assert {finding.severity for finding in found[:-1]} == {"error"}
    assert found[-1].code == "findings-more"
    assert [finding for finding in catalog.findings if finding.position.file == found[0].position.file] == list(found)
    assert list(catalog.skills) == ["one-a"]
