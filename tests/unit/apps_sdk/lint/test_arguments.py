from pathlib import Path

import pytest

from tests.support.loading import find, list_places, load_schema


@pytest.mark.parametrize(
    ("requests", "found"),
    [
        ("{type: object, properties: {}}", "one object"),
        ("{properties: {q: {}}}", "one object"),
        ("{type: array, items: {type: string}}", "a list of something else"),
        ("{type: array}", "a list of something else"),
        ("{description: d}", "of no type"),
    ],
)
def test_requests_that_are_no_list_of_objects(tmp_path: Path, requests: str, found: str) -> None:
    """A warning at the key: such requests do not run one by one."""
    problem = find(load_schema(tmp_path, f"type: object\nproperties:\n  requests: {requests}\n"), "schema-requests")
    assert problem.severity == "warning"
    assert found in problem.message
    assert (problem.position.line, problem.position.column) == (9, 7)


@pytest.mark.parametrize("requests", ["{type: array, items: {type: object}}", "{type: integer}", "{type: [string, 'null']}"])
def test_other_requests_are_believed(tmp_path: Path, requests: str) -> None:
    assert list_places(load_schema(tmp_path, f"properties: {{requests: {requests}}}\n"), "schema-requests") == []


def test_arguments_without_a_description(tmp_path: Path) -> None:
    """One hint for a skill, at the first such argument; `requests` itself and its `id` need none."""
    catalog = load_schema(
        tmp_path,
        """\
type: object
properties:
  lang: {type: string}
  requests:
    type: array
    items:
      type: object
      properties:
        id: {type: string}
        query: {type: string, description: What to look for.}
        near: {$ref: '#/$defs/place'}
        where: {type: string, description: ''}
$defs: {place: {type: string, description: A place.}}
""",
    )
    hint = find(catalog, "argument-description")
    assert (hint.severity, hint.message) == ("hint", "no description tells what goes into 'lang', 'where'")
    assert (hint.position.line, hint.position.column) == (9, 7)


def test_many_arguments_are_counted(tmp_path: Path) -> None:
    names = ", ".join(f"a{n}: {{}}" for n in range(8))
    assert find(load_schema(tmp_path, f"properties: {{{names}}}\n"), "argument-description").message.endswith("and 3 more")
