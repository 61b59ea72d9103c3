"""What even the most lenient provider is told in words is shown by `lint --strict`, where it stands."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.loading import find, list_places, load_schema


@pytest.mark.parametrize(
    ("schema", "line", "message"),
    [
        ("properties:\n  a: {type: string, not: {pattern: ^x}}\n", 8, "'not string (must match the regular expression ^x)'"),
        ("properties: {a: {}, b: {}}\ndependentRequired: {a: [b]}\n", 6, "'with a also b'"),
        ("properties:\n  a: {type: array, prefixItems: [{type: string}]}\n", 8, "'the items in order: [string]'"),
        ("properties: {}\nallOf: [{not: {required: [a]}}]\n", 6, "'not {a}'"),
    ],
)
def test_a_rule_that_becomes_words_is_an_extra(tmp_path: Path, schema: str, line: int, message: str) -> None:
    """At the schema that holds it, or at the tool_schema for one of the root."""
    catalog = load_schema(tmp_path, schema)
    found = find(catalog, "schema-told")
    assert found.is_extra
    assert found.message.startswith(message)
    assert found.message.endswith("is told to models in words")
    assert found.position.line == line


def test_plain_schemas_are_not_mentioned(tmp_path: Path) -> None:
    """Fields, types, limits, lists of values and references all reach a provider."""
    schema = "properties: {a: {$ref: '#/$defs/a'}, b: {type: integer, minimum: 1}}\n$defs: {a: {enum: [x, y]}}\n"
    assert list_places(load_schema(tmp_path, schema), "schema-told") == []
