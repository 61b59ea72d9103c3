from pathlib import Path

from apps.sdk.loader import load_catalog
from tests.support.apps import write_echo_app
from tests.support.loading import list_findings


def test_names_that_differ_only_in_separators_are_a_warning(tmp_path: Path) -> None:
    """`get-user` beside `get_user`: both work, but a misspelt call to either cannot be repaired."""
    write_echo_app(tmp_path, "one", "get-user", "get_user")
    (finding,) = list_findings(tmp_path, "similar-names")
    assert "'one-get-user'" in finding.message
    assert len(load_catalog([tmp_path]).skills) == 2
