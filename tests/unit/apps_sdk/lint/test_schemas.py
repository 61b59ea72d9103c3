from pathlib import Path

import pytest

from tests.support.loading import find, list_places, load_manifest, load_schema


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


def test_the_same_value_twice_in_an_enum(tmp_path: Path) -> None:
    """1 and 1.0 are one value, in lists too; 1, true and "1" are not."""
    schema = "properties:\n  a: {description: d, enum: [1, true, '1', 2, 1.0, 2, [1], [true], [1.0]]}\n"
    assert list_places(load_schema(tmp_path, schema), "schema-enum") == [(8, 51), (8, 56), (8, 72)]


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
