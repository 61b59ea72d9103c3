"""The files made from code are fresh, and what they say is so."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from service.settings import ROOT, Settings
from tests.support.generated import find_stale, render_env_example, render_files, tell_remedy


def test_the_generated_files_are_fresh() -> None:
    """`.env.example`, `service/openapi.json` and `apps/sdk/app.schema.json`; the message says how to mend it."""
    assert [tell_remedy(path) for path in find_stale()] == []


def test_each_stale_file_has_its_remedy() -> None:
    """The schema's is a command that authors have, too."""
    told = [tell_remedy(path) for path in render_files()]
    assert sum(line.endswith("run shortlist schema --write") for line in told) == 1
    assert "apps/sdk/app.schema.json is stale: run shortlist schema --write" in told


def test_the_example_holds_the_defaults(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With every line switched on, the settings are those of an empty environment."""
    for name in [name for name in os.environ if name.startswith("SHORTLIST_")]:
        monkeypatch.delenv(name)
    monkeypatch.chdir(ROOT)
    switched_on = tmp_path / "env"
    switched_on.write_text(render_env_example().replace("\n#SHORTLIST_", "\nSHORTLIST_"))
    written, plain = Settings(_env_file=switched_on), Settings(_env_file=None)
    resolved = {"apps_dirs": tuple(str(Path(path).resolve()) for path in written.apps_dirs)}
    paths = {name: getattr(written, name).resolve() for name in ("base_instructions", "toolsets")}
    assert {**written.model_dump(), **resolved, **paths} == plain.model_dump()


@pytest.mark.parametrize("name", Settings.model_fields)
def test_every_setting_is_described(name: str) -> None:
    """And stands in the example, with nothing of this machine in it."""
    assert Settings.model_fields[name].description
    example = render_env_example()
    assert f"#SHORTLIST_{name.upper()}=" in example
    assert str(ROOT) not in example
