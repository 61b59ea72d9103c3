"""Bodies: strict, pointed, and not to be overwhelmed."""

import json
from contextlib import suppress
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, ConfigDict, Field

from service.http.json_body import MAX_ERRORS, parse_json, write_pointer
from service.http.problems import InvalidRequest, MalformedBody, OverLimit


class Item(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)
    name: str


class Body(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)
    count: int = 1
    mode: Literal["a", "b"] = "a"
    tools: bool | tuple[str, ...] = True
    items: tuple[Item, ...] = ()
    anything: object = None
    odd: int = Field(1, alias="a/b~c")


def pointers(text: str) -> set[str]:
    with pytest.raises(InvalidRequest) as caught:
        parse_json(text.encode(), Body)
    return {error.pointer for error in caught.value.errors}


def test_a_good_body_is_read() -> None:
    """Arrays become tuples also in strict mode; of duplicate keys the last counts."""
    body = parse_json('{"count": 1, "count": 2, "tools": ["x"], "items": [{"name": "é"}]}'.encode(), Body)
    assert (body.count, body.tools, body.items) == (2, ("x",), (Item(name="é"),))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{"count": "1"}', {"/count"}),
        ('{"count": true}', {"/count"}),
        ('{"count": 1.0}', {"/count"}),
        ('{"nope": 1}', {"/nope"}),
        ('{"mode": "c"}', {"/mode"}),
        ('{"items": [{"name": "x"}, {}]}', {"/items/1/name"}),
        ('{"items": [{"name": "x", "more": 1}]}', {"/items/0/more"}),
        ('{"tools": [1]}', {"/tools", "/tools/0"}),
        ('{"tools": "x"}', {"/tools"}),
        ('{"a/b~c": "x"}', {"/a~1b~0c"}),
        ('{"count": "x", "mode": 1}', {"/count", "/mode"}),
        ("[]", {""}),
        ("null", {""}),
        ('"text"', {""}),
    ],
)
def test_each_mistake_is_pointed_at(text: str, expected: set[str]) -> None:
    """Wrong types are never coerced; unknown fields, missing ones and union branches point into the body that was sent."""
    assert pointers(text) == expected


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"{'a': 1}",
        b'{"anything": NaN}',
        b'{"anything": 1e999}',
        b'{"anything": "\\ud800"}',
        b'{"anything": "\xff"}',
        b"\xef\xbb\xbf{}",
        b"\x00",
        b"[" * 100_000,
        b"[" * 100_000 + b"]" * 100_000,
        b'{"anything": ' + b"9" * 5_000 + b"}",
        b'{"count": ' + b"9" * 5_000 + b"}",
    ],
)
def test_what_is_no_sensible_json_is_refused_whole(body: bytes) -> None:
    """Broken, empty, endlessly nested or huge-numbered bodies are one clear problem, never a crash."""
    with pytest.raises(MalformedBody):
        parse_json(body, Body)


@pytest.mark.parametrize(("levels", "refused"), [(62, False), (63, False), (64, True), (500, True)])
def test_a_body_nested_too_deeply_is_told_the_limit(levels: int, refused: bool) -> None:
    """The object around counts as a level; the setting is named, whatever the parsers would take."""
    body = b'{"count": 1, "anything": ' + b"[" * levels + b"]" * levels + b"}"
    if not refused:
        assert parse_json(body, Body, depth=64).count == 1
        return
    with pytest.raises(OverLimit) as caught:
        parse_json(body, Body, depth=64)
    assert (caught.value.code, caught.value.members) == ("body_too_deep", {"limit": 64, "limit_name": "SHORTLIST_BODY_DEPTH"})


def test_a_flood_of_errors_is_not_listed() -> None:
    """A body with very many mistakes is refused in one line; with some, the rest is counted."""
    with pytest.raises(InvalidRequest) as caught:
        parse_json(json.dumps({"items": [{}] * 100_000}).encode(), Body)
    assert [error.pointer for error in caught.value.errors] == [""]
    with pytest.raises(InvalidRequest) as caught:
        parse_json(json.dumps({"items": [{}] * (MAX_ERRORS + 7)}).encode(), Body)
    assert (len(caught.value.errors), caught.value.members["errors_left_out"]) == (MAX_ERRORS, 7)


@given(st.binary(max_size=200))
def test_no_bytes_do_anything_else_than_parse_or_be_refused(body: bytes) -> None:
    """Whatever arrives is a body or one of two problems."""
    with suppress(MalformedBody, InvalidRequest):
        assert isinstance(parse_json(body, Body), Body)


@given(
    st.recursive(st.none() | st.integers(), lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=10),
    st.data(),
)
def test_pointers_of_existing_places_lead_there(data: object, draw: st.DataObject) -> None:
    """Following a pointer through the data, unescaped as RFC 6901 says, finds the place it was written for."""
    path: list[str | int] = []
    node = data
    while isinstance(node, dict | list) and node and draw.draw(st.booleans()):
        part = draw.draw(st.sampled_from(sorted(node) if isinstance(node, dict) else range(len(node))))
        path.append(part)
        node = node[part]
    found: object = data
    for token in write_pointer(tuple(path), data).split("/")[1:]:
        name = token.replace("~1", "/").replace("~0", "~")
        found = found[int(name)] if isinstance(found, list) else found[name] if isinstance(found, dict) else None
    assert found is node
