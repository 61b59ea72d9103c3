import copy

import pytest

from apps.sdk.jsontypes import Json, JsonObject
from apps.sdk.schemas.parameters import (
    check_parameters,
    compile_validator,
    complete_parameters,
    request_items,
    with_request_fields,
)


def requests_of(items: Json, **array: Json) -> JsonObject:
    requests = {"type": "array", "items": items, **array}
    return {"type": "object", "properties": {"requests": requests, "lang": {"type": "string"}}, "required": ["requests"]}


QUERY: JsonObject = {"type": "object", "properties": {"query": {"type": "string"}}, "required": ["query"]}


def test_items_get_an_optional_id_and_the_array_its_limit() -> None:
    """case 5: `id`, text or integer and optional, appears in the items; `maxItems` is the limit; nothing else changes."""
    sent = with_request_fields(requests_of(QUERY), limit=5)
    requests = sent["properties"]["requests"]
    assert requests["maxItems"] == 5
    assert set(requests["items"]["properties"]) == {"id", "query"}
    assert requests["items"]["required"] == ["query"]
    validator = compile_validator(sent)
    for value in (7, "a"):
        assert validator.is_valid({"requests": [{"id": value, "query": "x"}]})
    assert validator.is_valid({"requests": [{"query": "x"}] * 5})
    assert not validator.is_valid({"requests": [{"query": "x"}] * 6})
    assert not validator.is_valid({"requests": [{"query": "x", "id": 1.5}]})


def test_the_catalogs_copy_is_not_mutated() -> None:
    """case 5: the author's schema stays as it was, and what does not change is shared."""
    parameters = requests_of(QUERY)
    before = copy.deepcopy(parameters)
    sent = with_request_fields(parameters, limit=5)
    assert parameters == before
    assert sent["properties"]["lang"] is parameters["properties"]["lang"]


@pytest.mark.parametrize("max_items", [1, 5, 50])
def test_the_authors_own_limit_is_left_alone(max_items: int) -> None:
    """case 5: an author's `maxItems` stays, smaller or larger."""
    sent = with_request_fields(requests_of(QUERY, maxItems=max_items), limit=5)
    assert sent["properties"]["requests"]["maxItems"] == max_items


def test_the_authors_own_id_is_left_alone() -> None:
    """case 5: an author's `id` keeps its type and meaning."""
    items = {"type": "object", "properties": {"id": {"type": "integer", "description": "of the page"}}, "required": ["id"]}
    assert with_request_fields(requests_of(items), limit=5)["properties"]["requests"]["items"] is items


def test_closed_items_accept_the_id() -> None:
    """cases 5 and 24: `additionalProperties: false` does not refuse the injected id."""
    sent = with_request_fields(requests_of(QUERY | {"additionalProperties": False}), limit=5)
    assert compile_validator(sent).is_valid({"requests": [{"id": 1, "query": "x"}]})


@pytest.mark.parametrize(
    "parameters",
    [
        requests_of({"type": "string"}),
        requests_of(True),
        {"type": "object", "properties": {"requests": {"type": "array"}}},
        {"type": "object", "properties": {"requests": {"type": "object", "properties": {}}}},
        {"type": "object", "properties": {"requests": True}},
        {"type": "object", "properties": {"query": {"type": "string"}}},
        {"type": "object"},
    ],
)
def test_nothing_is_injected_elsewhere(parameters: JsonObject) -> None:
    """case 5: an array of strings, or no `requests`, is sent as it is."""
    assert request_items(parameters) is None
    assert with_request_fields(parameters, limit=5) is parameters


def test_items_behind_a_reference_get_the_id_too() -> None:
    parameters = requests_of({"$ref": "#/$defs/Request"}) | {"$defs": {"Request": QUERY}}
    sent = with_request_fields(parameters, limit=5)
    assert set(sent["properties"]["requests"]["items"]["properties"]) == {"id", "query"}
    assert sent["$defs"] == {"Request": QUERY}


@pytest.mark.parametrize(
    "requests",
    [
        {"$ref": "#/$defs/Requests"},
        {"$ref": "#/$defs/Requests", "description": "d"},
        {"items": QUERY},
        {"$ref": "#/$defs/Requests", "minItems": 1},
    ],
)
def test_what_is_split_into_requests_is_what_gets_the_id(requests: JsonObject) -> None:
    """case 5: whether `requests` is an array of objects has one answer, also behind a reference and without `type`."""
    definitions = {"Requests": {"type": "array", "items": {"$ref": "#/$defs/Request"}}, "Request": QUERY}
    parameters = {"type": "object", "properties": {"requests": requests, "lang": {}}, "$defs": definitions}
    assert request_items(parameters) == QUERY
    sent = with_request_fields(parameters, limit=5)
    assert list(sent["properties"]) == ["requests", "lang"]
    assert sent["properties"]["requests"]["maxItems"] == 5
    assert set(sent["properties"]["requests"]["items"]["properties"]) == {"id", "query"}


@pytest.mark.parametrize(
    "parameters",
    [
        None, [], "object", 5, True, {}, {"type": "string"}, {"type": ["object", "null"]}, {"type": "array", "items": {}},
        {"description": "x"}, {"type": "object", "properties": []}, {"type": "object", "properties": {"a": {"type": "strin"}}},
        {"anyOf": [{"required": ["a"]}, {"required": ["b"]}]},
    ],
)  # fmt: skip
def test_unusable_parameters_have_a_reason(parameters: Json) -> None:
    """case 6: no schema, no object schema and no JSON Schema are each refused with a reason."""
    assert check_parameters(parameters)


def test_properties_imply_an_object() -> None:
    parameters = {"properties": {"a": {"type": "string"}}}
    assert check_parameters(parameters) is None
    assert complete_parameters(parameters) == {"type": "object", **parameters}
    assert complete_parameters({"type": "object"}) == {"type": "object"}


def test_a_validator_fetches_nothing() -> None:
    """Even a schema that nobody checked cannot make the validator open a connection."""
    validator = compile_validator({"$ref": "http://127.0.0.1:9/schema.json"})
    with pytest.raises(Exception, match="Unresolvable"):
        validator.is_valid({})
