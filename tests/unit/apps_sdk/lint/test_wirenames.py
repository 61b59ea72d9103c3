from dataclasses import replace
from pathlib import Path

import pytest

from apps.sdk.lint.wirenames import check_names
from apps.sdk.loader import load_catalog
from apps.sdk.loading.app import load_app
from tests.support.apps import write_echo_app
from tests.support.loading import list_findings


def test_names_that_differ_only_in_separators_are_a_warning(tmp_path: Path) -> None:
    """`get-user` beside `get_user`: both work, but a misspelt call to either cannot be repaired."""
    write_echo_app(tmp_path, "one", "get-user", "get_user")
    (finding,) = list_findings(tmp_path, "similar-names")
    assert "'one-get-user'" in finding.message
    assert len(load_catalog([tmp_path]).skills) == 2


def test_names_that_differ_only_in_case_are_a_warning(tmp_path: Path) -> None:
    """Ids of imported tools keep their capitals: `GetUser` beside `getuser` works, but a misspelt call means neither."""
    write_echo_app(tmp_path, "one", "getuser", "other")
    loaded = load_app(tmp_path / "one", "app.yml")
    capital = replace(loaded.app.skills[1], tool_name="one-GetUser", skill_id="GetUser")
    places = {**loaded.places, ("skills", "one-GetUser"): loaded.places["skills", "one-other"]}
    changed = replace(loaded, app=replace(loaded.app, skills=(loaded.app.skills[0], capital)), places=places)
    assert [finding.code for finding in check_names([loaded])] == []
    (finding,) = check_names([changed])
    assert (finding.code, finding.message) == (
        "similar-names",
        "'one-GetUser' and 'one-getuser' differ only in case or separators",
    )


@pytest.mark.parametrize(("length", "codes"), [(60, []), (61, ["tool-name-long"]), (62, ["tool-name-long"])])
def test_a_name_that_some_clients_do_not_take_is_a_hint(tmp_path: Path, length: int, codes: list[str]) -> None:
    """hostile A: a combined name of 62 characters is legal, and its author is told where it stands."""
    write_echo_app(tmp_path, "one", "s" * (length - len("one-")))
    findings = list_findings(tmp_path, "tool-name-long")
    assert [finding.code for finding in findings] == codes
    assert all(finding.severity == "hint" and finding.position.line for finding in findings)
