from pathlib import Path

import pytest

from tests.support.loading import find, list_places, load_manifest, load_schema


@pytest.mark.parametrize(
    ("schema", "place", "meant"),
    [
        ("properties: {}\nrequried: [a]\n", (8, 5), "required"),
        ("type: object\npropertes: {a: {}}\n", (8, 5), "properties"),
        ("properties:\n  a: {minLenght: 1, description: d}\n", (8, 11), "minLength"),
        ("properties:\n  a: {minlength: 1, description: d}\n", (8, 11), "minLength"),
        ("properties:\n  a: {description: d, anyOf: [{minimun: 1}]}\n", (8, 36), "minimum"),
        ("properties: {}\n$defs:\n  a: {additionalProperty: false}\n", (9, 11), "additionalProperties"),
        ("properties: {}\nif: {not: {descripton: x}}\n", (8, 16), "description"),
    ],
)
def test_a_misspelt_keyword_is_a_warning(tmp_path: Path, schema: str, place: tuple[int, int], meant: str) -> None:
    """At the word itself, wherever a schema can stand, with the keyword that was meant; the skill works."""
    catalog = load_schema(tmp_path, schema)
    problem = find(catalog, "schema-keyword")
    assert (problem.severity, problem.suggestion) == ("warning", f"did you mean {meant!r}?")
    assert (problem.position.line, problem.position.column) == place
    assert list(catalog.skills) == ["one-a"]


@pytest.mark.parametrize(
    "argument",
    [
        "{properties: {requried: {description: d}, propertes: {description: d}}}",
        "{enum: [{minLenght: 1}]}",
        "{default: {minLenght: 1}}",
        "{examples: [{minLenght: 1}]}",
        "{const: {minLenght: 1}}",
        "{dependentRequired: {minLenght: [b]}}",
    ],
)
def test_names_and_data_are_no_keywords(tmp_path: Path, argument: str) -> None:
    catalog = load_schema(tmp_path, f"properties:\n  a: {argument}\n")
    assert list_places(catalog, "schema-keyword") == list_places(catalog, "schema-extension") == []


@pytest.mark.parametrize("word", ["nullable", "markdownDescription", "unit", "id", "$async"])
def test_other_words_are_extras(tmp_path: Path, word: str) -> None:
    """Words of older drafts, of other interfaces and of the author's own are kept; only `lint --strict` tells of them."""
    catalog = load_schema(tmp_path, f"properties:\n  a: {{description: d, {word}: x}}\n")
    assert find(catalog, "schema-extension").is_extra
    assert list_places(catalog, "schema-extension") == [(8, 27)]
    assert list_places(catalog, "schema-keyword") == []


def test_a_word_of_one_s_own_is_marked_so(tmp_path: Path) -> None:
    assert load_schema(tmp_path, "properties:\n  a: {description: d, x-unit: m}\n").findings == ()


def test_memories_have_words_for_user_interfaces(tmp_path: Path) -> None:
    catalog = load_manifest(
        tmp_path, "memory:\n- id: a\n  description: d\n  schema: {properties: {a: {is_title: true, multiline: true}}}\n"
    )
    assert catalog.findings == ()


def test_many_words_are_not_listed_to_the_end(tmp_path: Path) -> None:
    words = ", ".join(f"requir{n}: 1" for n in range(3_000))
    catalog = load_schema(tmp_path, f"{{properties: {{}}, {words}}}")
    assert len(list_places(catalog, "schema-keyword")) == 20
