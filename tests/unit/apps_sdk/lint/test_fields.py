from pathlib import Path

import pytest

from apps.sdk.jsontypes import Json
from tests.support.apps import write_echo_app
from tests.support.loading import list_findings


def test_excluded_fields_must_be_in_the_example(tmp_path: Path) -> None:
    """case 36: a path that `output_example` does not have is a warning at its place, with the path that was meant."""
    example = {"results": [{"hash": "x", "meta_url": {"favicon": "f"}}]}
    paths = ["results.hash", "results.*.hash", "results.meta_url.favicn"]
    write_echo_app(tmp_path, "one", "a", exclude_fields_for_llm=paths, output_example=example)
    (finding,) = list_findings(tmp_path, "exclude-path")
    assert (finding.severity, finding.suggestion) == ("warning", "did you mean 'results.meta_url.favicon'?")
    assert "favicn" in finding.message


def test_lint_knows_the_paths_that_the_executor_knows(tmp_path: Path) -> None:
    """case 36: a list's index hides nothing, so it is a warning; a key that holds a dot is hidden, so it is none."""
    example = {"results": [{"thumb": "t"}], "a.b": 1}
    write_echo_app(tmp_path, "one", "a", exclude_fields_for_llm=["results.0.thumb", "a.b"], output_example=example)
    (finding,) = list_findings(tmp_path, "exclude-path")
    assert "results.0.thumb" in finding.message


@pytest.mark.timeout(20)
def test_a_path_of_many_stars_does_not_hang_a_load(tmp_path: Path) -> None:
    """A path of stars through nested lists is walked once for each field, not once for each way to read it."""
    example: Json = {"a": 1}
    for _ in range(40):
        example = [example]
    write_echo_app(tmp_path, "one", "a", exclude_fields_for_llm=["*." * 60 + "gone"], output_example={"x": example})
    assert len(list_findings(tmp_path, "exclude-path")) == 1


def test_excluded_fields_without_an_example_are_believed(tmp_path: Path) -> None:
    write_echo_app(tmp_path, "one", "a", exclude_fields_for_llm=["x"])
    assert list_findings(tmp_path, "exclude-path") == []
