from __future__ import annotations

import dataclasses
import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apps.sdk.catalog import SkillSpec
from apps.sdk.chat import ToolCall
from apps.sdk.contract import Contract
from apps.sdk.jsontypes import Json, JsonObject
from apps.sdk.schemas.dialects.profiles import COMMON, GEMINI, OPENAI_STRICT
from apps.sdk.schemas.dialects.tool_schemas import ToolSchemas
from executor.calls import Call, CallError, parse_calls
from executor.policy import Limits
from executor.validation import SkillSchemas
from tests.support.json_values import JSON
from tests.unit.executor.scripted import QUERY, REQUESTS, make_contract, make_spec, parse

SEARCH = make_spec()
FLAT = make_spec(
    name="web-read",
    parameters={
        "type": "object",
        "properties": {"url": {"type": "string"}, "pages": {"type": "array", "items": {"type": "integer"}}},
        "required": ["url"],
    },
)
FREE = make_spec(name="time-now", parameters={"type": "object", "properties": {"zone": {"type": "string"}}})


def requests(*entries: Json, **beside: Json) -> JsonObject:
    return {"requests": list(entries), **beside}


def arguments_of(call: Call) -> list[JsonObject]:
    assert call.error is None, call.error
    return [entry.arguments for entry in call.entries]


def error_of(call: Call) -> CallError:
    error = call.error or call.entries[0].error
    assert error is not None
    return error


@pytest.mark.parametrize("text", ["", "  \n", "null", ' "" ', '"null"', "{}", '"{}"'])
def test_no_arguments_in_all_spellings_are_an_empty_object(text: str) -> None:
    """hostile D: empty, blank and null arguments of a skill without required ones are understood."""
    assert arguments_of(parse(text, FREE)) == [{}]


def test_arguments_encoded_twice_are_unwrapped() -> None:
    """hostile D: the whole arguments encoded twice."""
    assert arguments_of(parse(json.dumps(json.dumps({"zone": "UTC"})), FREE)) == [{"zone": "UTC"}]


@pytest.mark.parametrize("text", ['{"url": "htt', '{"url": "x", ', '{"url"', "{"])
def test_arguments_cut_in_the_middle_never_run_and_the_error_names_the_cut(text: str) -> None:
    """case 47: half a JSON text is an error that says it was cut; there is no entry to run."""
    call = parse(text, FLAT)
    assert call.entries == ()
    assert error_of(call).code == "invalid_arguments"
    assert "ends in the middle" in error_of(call).message
    assert "htt" not in error_of(call).message


def test_a_reply_that_was_cut_runs_nothing_even_where_the_json_is_whole() -> None:
    """case 47: with `cut_off` every call is refused, an empty text too, which would else mean no arguments."""
    batch = parse_calls(
        [ToolCall("a", "time-now", ""), ToolCall("b", "time-now", "{}")], make_contract(FREE), Limits(), cut_off=True
    )
    assert [error_of(call).code for call in batch.calls] == ["arguments_cut_off"] * 2


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("hello", "line 1 column 1"),
        ("[1]", "a list came"),
        ("7", "a number came"),
        ('"hello"', "column 1"),
        ('{"url": NaN}', "NaN"),
        ('{"url": 1e999}', "out of range"),
        ('{"url": "a", "url": "b"}', "twice"),
        ("[" * 5000, "nest deeper"),
        ('{"a":' * 60 + "1" + "}" * 60, "nest deeper"),
        ('{"n": ' + "9" * 5000 + "}", "too long"),
        ("\x00", "not JSON"),
    ],
)
def test_arguments_that_are_no_object_are_refused_with_the_place(text: str, words: str) -> None:
    call = parse(text, FLAT)
    assert error_of(call).code == "invalid_arguments"
    assert words in error_of(call).message
    assert call.entries == ()


def test_an_error_about_broken_json_quotes_nothing_of_it() -> None:
    assert "s3cr3t" not in error_of(parse('{"token": s3cr3t}', FLAT)).message


def test_half_a_surrogate_in_arguments_becomes_a_replacement_character() -> None:
    assert arguments_of(parse(r'{"url": "a\ud800b"}', FLAT))[0]["url"] == "a\ufffdb"


@pytest.mark.parametrize("template", ['{"requests": %s}', '{"requests": [%s]}'])
def test_half_a_surrogate_in_json_as_text_becomes_a_replacement_character(template: str) -> None:
    """Arguments that are unwrapped from text keep the promises of those that were not."""
    inner = json.dumps(r'{"query": "a\ud800b", "id": "\udfff"}')
    call = parse(template % inner, SEARCH)
    assert arguments_of(call) == [{"query": "a\ufffdb"}]
    assert call.entries[0].id == "\ufffd"


def test_ids_are_kept_repaired_and_filled_in_request_order() -> None:
    """case 22: ids 7, "a", none; `1` and `"1"` are one id; a boolean is no id; repairs are noted."""
    call = parse(requests({"id": 7, "query": "x"}, {"id": "a", "query": "y"}, {"query": "z"}), SEARCH)
    assert [entry.id for entry in call.entries] == [7, "a", 1]
    assert [entry.notes for entry in call.entries] == [(), (), ()]

    call = parse(requests(*({"id": raw, "query": "x"} for raw in [1, "1", True, 2, ""])), SEARCH)
    assert [entry.id for entry in call.entries] == [1, 3, 4, 2, 5]
    assert "used twice" in call.entries[1].notes[0]
    assert "neither a short text nor an integer" in call.entries[2].notes[0]


def test_the_injected_id_is_taken_out_before_validation() -> None:
    """case 24: `additionalProperties: false` in the author's items does not refuse the injected `id`."""
    assert arguments_of(parse(requests({"id": 1, "query": "x"}), SEARCH)) == [{"query": "x"}]


def test_an_id_that_the_author_declares_is_read_and_kept() -> None:
    """case 5/22: the author's own `id` stays an argument, also where two requests share it."""
    items = {"type": "object", "properties": {"id": {"type": "integer"}}, "required": ["id"], "additionalProperties": False}
    own = make_spec(parameters={"type": "object", "properties": {"requests": {"type": "array", "items": items}}})
    call = parse(requests({"id": 9}, {"id": 9}), own)
    assert arguments_of(call) == [{"id": 9}, {"id": 9}]
    assert [entry.id for entry in call.entries] == [9, 1]


def test_eight_requests_run_five_and_name_the_limit_for_three() -> None:
    """case 24: nothing is dropped in silence."""
    call = parse(requests(*({"id": n, "query": "x"} for n in range(8))), SEARCH)
    assert [entry.error is None for entry in call.entries] == [True] * 5 + [False] * 3
    assert [entry.id for entry in call.entries] == list(range(8))
    error = call.entries[5].error
    assert error is not None
    assert error.code == "request_limit"
    assert "requests_per_call" in error.message
    assert "Call again" in (error.hint or "")


def test_ten_thousand_requests_are_counted_not_listed() -> None:
    """case 24: an absurd count stays small and is still accounted for."""
    call = parse(requests(*({"query": "x"} for _ in range(10_000))), SEARCH)
    assert len(call.entries) == 15
    assert call.notes == ("9985 more requests were not executed and are not listed; 10000 came in all.",)


def test_only_the_requests_that_are_run_or_listed_are_taken_apart() -> None:
    """case 24: a text among the others is never parsed, an id of theirs never taken, and they are counted all the same."""
    written = requests(*({"query": "x"} for _ in range(15)), *({"id": 1, "query": "x"} for _ in range(5)), "{")
    call = parse(written, SEARCH)
    assert [entry.id for entry in call.entries] == list(range(1, 16))
    assert call.notes == ("6 more requests were not executed and are not listed; 21 came in all.",)


@pytest.mark.parametrize(
    ("written", "expected", "word"),
    [
        ({"query": "x"}, [{"query": "x"}], "read as one request"),
        ({"requests": {"query": "x"}}, [{"query": "x"}], "list of one"),
        ({"requests": '{"query": "x"}'}, [{"query": "x"}], "text"),
        ({"requests": '[{"query": "x"}, {"query": "y"}]'}, [{"query": "x"}, {"query": "y"}], "text"),
        ({"query": "x", "requests": None}, [{"query": "x"}], "read as one request"),
    ],
)
def test_other_shapes_of_requests_are_read_and_reported(written: Json, expected: Json, word: str) -> None:
    """case 28: flat arguments, one object, one request as JSON text."""
    call = parse(written, SEARCH)
    assert arguments_of(call) == expected
    assert any(word in note for note in call.notes)


def test_a_request_given_as_json_text_inside_the_list_is_parsed() -> None:
    """case 28: and its id is found."""
    call = parse(requests('{"id": 4, "query": "x"}'), SEARCH)
    assert arguments_of(call) == [{"query": "x"}]
    assert call.entries[0].id == 4


def test_a_genuine_list_argument_stays_one_argument() -> None:
    """case 28: `pages: [1,2,3]` is not a list of requests."""
    call = parse({"url": "u", "pages": [1, 2, 3]}, FLAT)
    assert not call.batched
    assert arguments_of(call) == [{"url": "u", "pages": [1, 2, 3]}]


@pytest.mark.parametrize(
    "written", [{"requests": []}, {"requests": 7}, {"requests": "now"}, {"requests": [7]}, {"requests": ["x"]}]
)
def test_requests_that_hold_no_object_are_a_clear_error(written: Json) -> None:
    error = error_of(parse(written, SEARCH))
    assert error.code == "invalid_arguments"
    assert "requests" in error.message


def test_arguments_beside_requests_fill_the_entries_that_lack_them() -> None:
    """DESIGN 4.5: known to the items only: fills; the entry's own value wins; reported."""
    call = parse(requests({"query": "x"}, {"query": "y", "limit": 3}, limit=9), SEARCH)
    assert arguments_of(call) == [{"query": "x", "limit": 9}, {"query": "y", "limit": 3}]
    assert any("limit" in note for note in call.notes)


def test_an_unknown_argument_beside_requests_is_ignored_with_a_note_or_refused_as_the_author_says() -> None:
    call = parse(requests({"query": "x"}, colour="red"), SEARCH)
    assert arguments_of(call) == [{"query": "x"}]
    assert any("colour" in note for note in call.notes)

    closed = make_spec(parameters={**REQUESTS, "additionalProperties": False})
    assert "colour is not known" in error_of(parse(requests({"query": "x"}, colour="red"), closed)).message


def test_requests_that_the_author_makes_optional_may_be_left_out() -> None:
    """Arguments that are valid as a whole are not forced into a request."""
    items = {"type": "object", "properties": {"zone": {"type": "string"}}, "required": ["zone"]}
    properties = {"all": {"type": "boolean"}, "requests": {"type": "array", "items": items}}
    spec = make_spec(parameters={"type": "object", "properties": properties})
    assert arguments_of(parse({"all": "true"}, spec)) == [{"all": True}]
    assert arguments_of(parse({"zone": "UTC"}, spec)) == [{"zone": "UTC"}]


def test_an_id_beside_requests_belongs_to_no_entry() -> None:
    call = parse(requests({"query": "x"}, {"query": "y"}, id=3), SEARCH)
    assert [entry.id for entry in call.entries] == [1, 2]
    assert any("Ignored" in note for note in call.notes)


def test_declared_arguments_beside_requests_reach_every_entry_and_are_checked_once() -> None:
    shared = make_spec(
        parameters={
            "type": "object",
            "properties": {"language": {"enum": ["de", "en"]}, "requests": {"type": "array", "items": QUERY}},
            "required": ["requests", "language"],
            "additionalProperties": False,
        }
    )
    assert arguments_of(parse(requests({"query": "x"}, language="de"), shared)) == [{"language": "de", "query": "x"}]
    assert error_of(parse(requests({"query": "x"}), shared)).message == "language is missing."
    assert "language must be one of" in error_of(parse(requests({"query": "x"}, language="no"), shared)).message


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        ({}, ["requests[0].query is missing"]),
        ({"query": "x", "limit": "many"}, ["requests[0].limit", '"many" (string)', "integer"]),
        ({"query": "x", "limit": 0}, ["requests[0].limit", "0 (integer)", "at least 1"]),
        ({"query": "x", "limt": 3}, ["requests[0].limt is not known", "did you mean 'limit'?"]),
        ({"query": ["x"]}, ["requests[0].query", "array", "string"]),
    ],
)
def test_invalid_arguments_name_the_path_what_came_and_what_is_allowed(entry: JsonObject, words: list[str]) -> None:
    """case 29: missing, wrong type, out of range, unknown; nothing of it is run."""
    error = error_of(parse(requests(entry), SEARCH))
    assert error.code == "invalid_arguments"
    assert error.retryable
    assert all(word in error.message for word in words), error.message


def test_all_faults_of_an_entry_come_in_one_message_and_the_siblings_run() -> None:
    """case 29: and an entry's error is its own."""
    call = parse(requests({"query": "x"}, {"limit": 99, "colour": 1}), SEARCH)
    good, bad = call.entries
    assert good.error is None
    assert bad.error is not None
    assert [word in bad.error.message for word in ("query is missing", "at most 50", "colour")] == [True] * 3


@pytest.mark.timeout(20)
def test_close_names_are_searched_for_the_faults_that_are_shown() -> None:
    """Ninety thousand unknown fields are counted; only the five that are named get advice."""
    error = error_of(parse(requests({"query": "x", **{f"quer{n}": n for n in range(90_000)}}), SEARCH))
    assert error.message.count("did you mean 'query'?") == 5
    assert error.message.endswith("; and 89995 more.")


@pytest.mark.timeout(20)
@pytest.mark.parametrize(
    ("schema", "value"),
    [
        ({"type": "array", "uniqueItems": True}, [{"n": n} for n in range(20_000)]),
        ({"type": "string", "pattern": r"^\s*\S*\s*\S*;$"}, " " * 100_000),
    ],
)
@pytest.mark.parametrize("dialect", [{}, {"$schema": "https://json-schema.org/draft/2020-12/schema"}])
def test_an_authors_keyword_cannot_hold_up_the_loop(schema: JsonObject, value: Json, dialect: JsonObject) -> None:
    """Whatever the sizes, beside `requests` and in them, with the dialect named or not."""
    items = {"type": "object", "properties": {"v": schema}}
    properties = {"shared": schema, "requests": {"type": "array", "items": items}}
    spec = make_spec(parameters={**dialect, "type": "object", "properties": properties})
    call = parse(requests({"v": value}, shared=value), spec)
    assert (call.error is not None) == isinstance(value, str)


@pytest.mark.parametrize("extra", [{"additionalProperties": False}, {"unevaluatedProperties": False}, {}])
@pytest.mark.parametrize(
    "value",
    [{"a" * 2_000: 1}, {"a" * 1_000: 1}, {"a" * 308: 1}, {f"{n:05}" + "a" * 300: n for n in range(2_000)}],
    ids=["long", "shorter", "allowed", "many"],
)
def test_names_of_fields_cannot_hold_up_the_loop(extra: JsonObject, value: JsonObject) -> None:
    """Whatever the keyword that searches in them, in the search, the repair and the error: a fraction of a second a call."""
    free = {"type": "object", "patternProperties": {r"\w+\w+@": {"type": "integer"}}, **extra}
    spec = make_spec(name="a-b", parameters={"type": "object", "properties": {"v": free}})
    begun = time.thread_time()
    call = parse({"v": value}, spec)
    assert time.thread_time() - begun < 1
    assert (call.error or call.entries[0].error) is not None or not extra


def test_the_searches_of_a_reply_share_their_time() -> None:
    """The calls that would take more are refused; those before them, and those that search nothing, are not."""
    spec = make_spec(name="a-b", parameters={"type": "object", "properties": {"v": {"items": {"pattern": r"\w+\w+@"}}}})
    quick, slow = json.dumps({"v": ["ab@"] * 1_000}), json.dumps({"v": ["a" * 300] * 1_000})
    written = [ToolCall("1", "a-b", quick), *[ToolCall("2", "a-b", slow)] * 10, ToolCall("3", "time-now", "{}")]
    begun = time.thread_time()
    first, *others, last = parse_calls(written, make_contract(spec, FREE), Limits(calls_per_reply=20)).calls
    assert time.thread_time() - begun < 1.5
    assert [(call.error, call.entries[0].error) for call in (first, last)] == [(None, None)] * 2
    assert {error_of(call).code for call in others} == {"invalid_arguments"}
    assert all("patterns" in error_of(call).message for call in others)


def test_a_long_value_is_shortened_in_the_error() -> None:
    error = error_of(parse(requests({"query": 7, "limit": "x" * 100_000}), SEARCH))
    assert len(error.message) < 500


def test_references_to_definitions_of_the_root_are_followed_in_entries() -> None:
    """hostile B: a schema as pydantic writes it."""
    spec = make_spec(
        parameters={
            "type": "object",
            "properties": {"requests": {"type": "array", "items": {"$ref": "#/$defs/Query"}}},
            "$defs": {
                "Query": {"type": "object", "properties": {"unit": {"$ref": "#/$defs/Unit"}, "n": {"type": "integer"}}},
                "Unit": {"enum": ["km", "mi"]},
            },
        }
    )
    call = parse(requests({"id": "q", "unit": "km", "n": "3"}, {"unit": "ell"}), spec)
    assert call.batched
    assert call.entries[0].arguments == {"unit": "km", "n": 3}
    assert "requests[1].unit must be one of" in str(call.entries[1].error)


@pytest.mark.parametrize("written", ["web.search", "web:search", "web_search", "Web-Search", "web-search "])
def test_a_name_written_otherwise_is_repaired_and_noted(written: str) -> None:
    """case 3, at dispatch."""
    call = parse(requests({"query": "x"}), SEARCH, name=written)
    assert (call.name, call.skill) == ("web-search", SEARCH)
    assert call.notes == (f"{written} was read as web-search.",)


def test_an_unknown_name_is_an_error_beside_a_good_call_and_offers_close_names_of_the_scope() -> None:
    """case 43, hostile E: both answered, the known one has entries to run."""
    batch = parse_calls(
        [ToolCall("a", "web-serch", "{}"), ToolCall("b", "web-search", '{"query": "x"}'), ToolCall("c", "", "{}")],
        make_contract(SEARCH, FLAT),
        Limits(),
    )
    unknown, known, nameless = batch.calls
    assert error_of(unknown).code == "unknown_tool"
    assert "web-search" in (error_of(unknown).hint or "")
    assert known.error is None
    assert error_of(nameless).code == "unknown_tool"


@pytest.mark.parametrize(
    "written", ["brary search", "library-sear", "LIBRARYSEARCH", "libary_search", "functions.library-search"]
)
def test_a_name_that_was_cut_is_answered_with_the_whole_one(written: str) -> None:
    """hostile E: `brary search` and its like: nothing is run, the real name is offered, no name from outside the scope."""
    skill = make_spec(name="library-search")
    contract = Contract(
        "digest", {skill.tool_name: skill}, frozenset({"library-search", "library-searches", "secret-brary_search"})
    )
    (call,) = parse_calls([ToolCall("1", written, "{}")], contract, Limits()).calls
    assert (call.skill, error_of(call).code) == (None, "unknown_tool")
    assert error_of(call).hint == "Close names: library-search."


def test_calls_over_the_limit_of_one_reply_are_each_refused() -> None:
    """hostile C: 200 calls in one reply: the excess is answered one by one."""
    batch = parse_calls([ToolCall(f"c{n}", "time-now", "{}") for n in range(200)], make_contract(FREE), Limits())
    errors = [call.error.code if call.error else None for call in batch.calls]
    assert errors == [None] * 32 + ["too_many_calls"] * 168


def test_a_denied_twin_is_not_run_in_the_others_place() -> None:
    """case 4: `a_b-c` exists but is not of this turn: calling it is an unknown tool, never `a-b_c`."""
    twin = make_spec(name="a-b_c")
    contract = Contract("digest", {"a-b_c": twin}, frozenset({"a-b_c", "a_b-c"}))
    (call,) = parse_calls([ToolCall("1", "a_b-c", "{}")], contract, Limits()).calls
    assert (call.skill, error_of(call).code) == (None, "unknown_tool")
    assert error_of(call).hint == "Close names: a-b_c."


@pytest.mark.timeout(20)
def test_a_flood_of_unknown_names_is_bounded() -> None:
    """case 3: a hundred made-up names among thousands of skills: close names for the first few, none resolved over the limit."""
    skills = [make_spec(name=f"app{number}-skill_number_{number}") for number in range(3_000)]
    written = [ToolCall(str(number), f"app{number}-skil_numbr_{number}", "{}") for number in range(100)]
    batch = parse_calls(written, make_contract(*skills), Limits())
    codes = [error_of(call).code for call in batch.calls]
    assert codes == ["unknown_tool"] * 32 + ["too_many_calls"] * 68
    advised = [call for call in batch.calls if (error_of(call).hint or "").startswith("Close names: ")]
    assert 0 < len(advised) <= 4


def test_call_ids_stay_as_they_came() -> None:
    batch = parse_calls([ToolCall("same", "time-now", "{}"), ToolCall("same", "time-now", "{}")], make_contract(FREE), Limits())
    assert [call.id for call in batch.calls] == ["same", "same"]


def test_numbers_that_python_cannot_compare_are_an_argument_error() -> None:
    spec = make_spec(parameters={"type": "object", "properties": {"n": {"type": "number", "multipleOf": 0.1}}})
    assert error_of(parse({"n": 10**400}, spec)).code == "invalid_arguments"


def test_integers_beyond_64_bits_reach_the_skill_exactly() -> None:
    spec = make_spec(parameters={"type": "object", "properties": {"n": {"type": "integer"}}})
    assert arguments_of(parse({"n": 2**80}, spec)) == [{"n": 2**80}]


WRITTEN = JSON | st.dictionaries(st.sampled_from(["requests", "query", "limit", "id", "x"]), JSON | st.lists(JSON), max_size=4)


SHOWN = [None, ToolSchemas(COMMON), ToolSchemas(GEMINI), ToolSchemas(OPENAI_STRICT)]
SENT_AS_TEXT = make_spec(
    name="notes-add",
    parameters={
        "type": "object",
        "properties": {"requests": {"type": "array", "items": {"type": "object", "properties": {"x": {"type": "object"}}}}},
    },
)


@given(WRITTEN.map(json.dumps) | st.text(), st.sampled_from([SEARCH, FLAT, FREE, SENT_AS_TEXT]), st.sampled_from(SHOWN))
def test_whatever_is_written_is_one_call_and_only_valid_entries_may_run(
    text: str, skill: SkillSpec, shown: ToolSchemas | None
) -> None:
    """DESIGN rule 1: nothing that a model writes raises, and nothing invalid gets through, whatever schema it was sent."""
    call = parse_shown(text, skill, shown)
    assert call.error is None or (call.error.code, call.entries) == ("invalid_arguments", ())
    schema = SkillSchemas().find(skill)
    for entry in call.entries:
        assert entry.error or (schema.entry or schema.whole).is_valid(entry.arguments)
    assert len({str(entry.id) for entry in call.entries}) == len(call.entries)


@pytest.mark.parametrize("shown", SHOWN, ids=lambda shown: "own" if shown is None else shown.profile.name)
@pytest.mark.parametrize(
    "inner",
    ['{"a": 1, "a": 2}', '{"a": NaN}', '{"a": 1e999}', '{"a": ' * 200 + "1" + "}" * 200, '{"a": ' * 40 + "1" + "}" * 40],
)
def test_json_as_text_is_read_as_strictly_as_arguments(inner: str, shown: ToolSchemas | None) -> None:
    """hostile D: what arguments may not hold does not come in through a text, also where objects are sent as text."""
    call = parse_shown(json.dumps({"requests": [{"x": inner}]}), SENT_AS_TEXT, shown)
    assert error_of(call).code == "invalid_arguments"


@pytest.mark.parametrize("shown", SHOWN, ids=lambda shown: "own" if shown is None else shown.profile.name)
@given(inner=st.dictionaries(st.sampled_from("ab"), JSON, max_size=3))
def test_json_as_text_is_what_it_spells(shown: ToolSchemas | None, inner: JsonObject) -> None:
    """hostile D: whichever schema was sent, to the last digit and type."""
    call = parse_shown(json.dumps({"requests": [{"x": json.dumps(inner)}]}), SENT_AS_TEXT, shown)
    assert arguments_of(call) == [{"x": inner}]


def test_what_is_read_from_text_may_not_nest_deeper_than_arguments() -> None:
    """Thirty-one levels are fine on their own, and too many inside twenty."""
    schema: JsonObject = {"type": "object"}
    for _ in range(20):
        schema = {"type": "object", "properties": {"x": schema}}
    skill = make_spec(name="a-b", parameters=schema)

    def call_with(levels: int) -> Call:
        value: Json = '{"a": ' * levels + "1" + "}" * levels
        for _ in range(20):
            value = {"x": value}
        return parse_shown(json.dumps(value), skill, ToolSchemas(GEMINI))

    assert call_with(30).entries[0].error is None
    assert "nest deeper" in error_of(call_with(31)).message
    assert "nest deeper" in error_of(call_with(35)).message


def parse_shown(text: str, skill: SkillSpec, shown: ToolSchemas | None) -> Call:
    """The call as it is read from a model that was sent the schema of a family; None = the author's own."""
    contract = dataclasses.replace(make_contract(skill), schemas=shown)
    return parse_calls([ToolCall("call_1", skill.tool_name, text)], contract, Limits()).calls[0]


def test_a_schema_is_compiled_once_per_content() -> None:
    schemas = SkillSchemas()
    assert schemas.find(SEARCH) is schemas.find(make_spec())
    assert schemas.find(SEARCH) is not schemas.find(FLAT)
