"""Schemas that are valid, but most likely not what was meant: each finding at the very keyword."""

from __future__ import annotations

from pathlib import Path
from textwrap import indent

import pytest

from apps.sdk.catalog import Catalog
from tests.support.loading import find, load_manifest

HEAD = """\
skills:
- id: a
  description: d
  examples: [e]
  class_path: apps.one.skills.echo.EchoSkill
  tool_schema:
"""


def load_schema(directory: Path, schema: str) -> Catalog:
    """An app whose one skill has this schema; its first line is line 7, its first column 5."""
    return load_manifest(directory, HEAD + indent(schema, "    "))


def list_places(catalog: Catalog, code: str) -> list[tuple[int, int]]:
    return [(finding.position.line, finding.position.column) for finding in catalog.findings if finding.code == code]


def test_a_required_name_that_is_no_property(tmp_path: Path) -> None:
    """A warning at that very name, with the property that was meant; the skill works."""
    catalog = load_schema(
        tmp_path,
        """\
type: object
properties:
  query: {type: string, description: d}
required: [query, qeury]
""",
    )
    problem = find(catalog, "schema-required")
    assert (problem.severity, problem.suggestion) == ("warning", "did you mean 'query'?")
    assert (problem.position.line, problem.position.column) == (10, 23)
    assert list(catalog.skills) == ["one-a"]


@pytest.mark.parametrize(
    "schema",
    [
        "{properties: {a: {}}, anyOf: [{required: [a]}, {required: [b], properties: {b: {}}}]}",
        "{type: object, required: [a], allOf: [{properties: {a: {}}}]}",
        "{type: object, required: [a], $ref: '#/$defs/x', $defs: {x: {properties: {a: {}}}}}",
        "{type: object, required: [b], oneOf: [{properties: {a: {}}}, {properties: {b: {}}}]}",
        "{type: object, required: [x1], patternProperties: {'^x': {}}, properties: {}}",
        "{properties: {a: {}}, if: {properties: {a: {const: 1}}}, then: {required: [a]}}",
    ],
)
def test_a_required_name_may_be_declared_around_or_inside(tmp_path: Path, schema: str) -> None:
    assert list_places(load_schema(tmp_path, schema), "schema-required") == []


def test_a_property_of_a_property_is_none_of_its_parent(tmp_path: Path) -> None:
    schema = "{properties: {a: {type: object, properties: {b: {}}, required: [a]}}, required: [b]}"
    assert len(list_places(load_schema(tmp_path, schema), "schema-required")) == 2


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


def test_the_same_value_twice_in_an_enum(tmp_path: Path) -> None:
    """1 and 1.0 are one value, 1, true and "1" are not."""
    schema = "properties:\n  a: {description: d, enum: [1, true, '1', 2, 1.0, 2]}\n"
    assert list_places(load_schema(tmp_path, schema), "schema-enum") == [(8, 51), (8, 56)]


@pytest.mark.parametrize(
    "argument",
    [
        "{type: integer, default: 'ten'}",
        "{type: integer, default: 1.5}",
        "{type: integer, default: 11, maximum: 10}",
        "{enum: [1, 2], default: true}",
        "{enum: [a, b], default: c}",
        "{type: boolean, default: no}",
        "{type: array, default: [], minItems: 1}",
        "{type: array, items: {type: string}, default: [1]}",
        "{type: object, default: {}, required: [a], properties: {a: {}}}",
        "{type: string, pattern: '^a', default: b}",
        "{anyOf: [{type: string}, {type: boolean}], default: 5}",
        "{$ref: '#/$defs/short', default: long}",
    ],
)
def test_a_default_that_its_schema_refuses(tmp_path: Path, argument: str) -> None:
    """A warning at the keyword."""
    schema = f"properties:\n  a: {argument}\n$defs: {{short: {{maxLength: 2}}}}\n"
    assert list_places(load_schema(tmp_path, schema), "schema-default") == [(8, 10 + argument.index("default"))]


@pytest.mark.parametrize(
    "argument",
    [
        "{type: integer, default: 5, minimum: 5, maximum: 5}",
        "{type: integer, default: 5.0e+0}",
        "{type: number, default: 5}",
        "{type: [string, 'null'], default:}",
        "{type: string, default: null}",
        "{type: array, items: {type: string}, default: []}",
        "{type: object, properties: {a: {}}, default: {}}",
        "{type: string, pattern: '^a', default: ab}",
        "{default: anything}",
        "{$ref: '#/$defs/short', default: ab}",
        "{type: string, format: date, default: today}",
    ],
)
def test_a_default_that_fits(tmp_path: Path, argument: str) -> None:
    """No default at all, which `null` means too, fits as well."""
    schema = f"properties:\n  a: {argument}\n$defs: {{short: {{maxLength: 2}}}}\n"
    assert list_places(load_schema(tmp_path, schema), "schema-default") == []


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


@pytest.mark.parametrize(
    ("schema", "place"),
    [
        ("type: object\nproperties:\n  a:\n    type: strin\n", (10, 9)),
        ("type: object\nproperties:\n  a:\n    enum: [x]\n    pattern: '['\n", (11, 9)),
        ("type: object\nproperties:\n  a:\n    $ref: '#/gone'\n", (10, 9)),
        ("type: object\nrequired: yes\nproperties: {}\n", (8, 5)),
        ("type: object\nproperties: [a]\n", (8, 5)),
        ("type: array\nitems: {}\n", (7, 5)),
    ],
)
def test_an_unusable_schema_is_found_at_its_keyword(tmp_path: Path, schema: str, place: tuple[int, int]) -> None:
    """Line and column of the keyword, not of the skill."""
    catalog = load_schema(tmp_path, schema)
    assert list_places(catalog, "tool-schema") == [place]
    assert [(item.position.line, item.position.column) for item in catalog.quarantined] == [place]


def test_schemas_of_memories_are_checked_too(tmp_path: Path) -> None:
    catalog = load_manifest(
        tmp_path, "memory:\n- id: a\n  description: d\n  schema: {properties: {a: {enum: [x, x]}}, required: [b]}\n"
    )
    assert {finding.code for finding in catalog.findings} == {"schema-enum", "schema-required"}


def test_a_schema_of_shared_parts_is_walked_once(tmp_path: Path) -> None:
    """An anchor that stands in many places is one schema with one finding."""
    schema = "properties:\n  a: &a {description: d, enum: [1, 1]}\n" + "".join(f"  b{n}: *a\n" for n in range(50))
    assert len(list_places(load_schema(tmp_path, schema), "schema-enum")) == 1


def test_long_lists_are_not_listed_to_the_end(tmp_path: Path) -> None:
    """Thousands of values that are wrong in the same way have twenty findings."""
    names = ", ".join(f"b{n}" for n in range(3_000))
    schema = f"{{properties: {{a: {{description: d, enum: [{'x, ' * 3_000}x]}}}}, required: [{names}]}}"
    catalog = load_schema(tmp_path, schema)
    assert len(list_places(catalog, "schema-enum")) == len(list_places(catalog, "schema-required")) == 20
