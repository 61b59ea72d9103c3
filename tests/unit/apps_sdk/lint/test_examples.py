from pathlib import Path

from tests.support.apps import write_echo_app
from tests.support.loading import list_findings


def test_examples_are_asked_for(tmp_path: Path) -> None:
    write_echo_app(tmp_path, "one", "a", examples=None)
    (finding,) = list_findings(tmp_path, "no-examples")
    assert finding.severity == "hint"


def test_the_same_example_with_two_skills_is_a_hint(tmp_path: Path) -> None:
    """Whatever its case and blanks; one skill may repeat itself."""
    write_echo_app(tmp_path, "one", "a", examples=["Find  it", "find it"])
    write_echo_app(tmp_path, "two", "b", examples=["other", "find IT "])
    (finding,) = list_findings(tmp_path, "same-example")
    assert (finding.severity, "'one-a'" in finding.message) == ("hint", True)
    assert finding.position.file.endswith(str(Path("two", "app.yml")))
