"""What is sent means what the author wrote: no value more and none less, but for what the report says is lost."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from random import Random

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from apps.sdk.jsontypes import Json, JsonObject
from apps.sdk.schemas.dialects.profiles import GEMINI, LOCAL, OPENAI, OPENAI_STRICT, PROFILES
from apps.sdk.schemas.dialects.records import Adapted
from apps.sdk.schemas.dialects.restoring import restore_arguments
from apps.sdk.schemas.equality import make_comparable
from apps.sdk.schemas.parameters import check_parameters, compile_validator, upgrade_parameters
from apps.sdk.schemas.walks import walk_schemas
from service.settings import ROOT
from tests.support.adapted import upgrade_and_adapt
from tests.support.any_schema import ROOTS
from tests.support.hostile_schemas import TEXT, make_object
from tests.support.provider_rules import find_faults
from tests.support.sent_values import fits_sent, make_value, write_as_sent

EXAMPLES = 150
OPEN_KEYWORDS = {
    "rule",
    "type",
    "anyOf",
    "properties",
    "additionalProperties",
    "patternProperties",
    "prefixItems",
    "items",
    "enum",
}
"""Losses that say in words what more than one keyword says."""
NARROWING = OPEN_KEYWORDS | {"required"}
ANY_ROOT = settings(deadline=None, max_examples=EXAMPLES, suppress_health_check=list(HealthCheck))


def adapt_any(schema: JsonObject, profile: str) -> tuple[JsonObject, Adapted]:
    """The upgraded schema and what is sent of it; other examples are passed over."""
    parameters = upgrade_parameters(schema).schema
    assume(check_parameters(parameters) is None)
    found = upgrade_and_adapt(parameters, PROFILES[profile])
    assume(isinstance(found, Adapted))
    assert isinstance(found, Adapted)
    return parameters, found


@ANY_ROOT
@given(ROOTS, st.sampled_from(sorted(PROFILES)), st.integers(0, 10_000))
def test_what_a_model_may_write_is_valid_or_a_loss_was_reported(schema: JsonObject, profile: str, seed: int) -> None:
    """For every value that fits what was sent: restored, it fits the author's schema, or breaks a rule that is in the report."""
    parameters, found = adapt_any(schema, profile)
    random, validator = Random(seed), compile_validator(parameters)
    lost = {loss.keyword for loss in found.lost}
    for _ in range(6):
        value = make_value(found.schema, random)
        if fits_sent(found.schema, value):
            broken = {str(error.validator) for error in validator.iter_errors(restore_arguments(found.plan, value).arguments)}
            assert broken <= lost or lost & OPEN_KEYWORDS, (broken, lost, found.schema, value)


@ANY_ROOT
@given(ROOTS, st.sampled_from(sorted(PROFILES)), st.integers(0, 10_000))
def test_what_the_author_allows_can_be_written_or_a_loss_was_reported(schema: JsonObject, profile: str, seed: int) -> None:
    """For every valid value there is one that fits what was sent and is restored to it.

    Schemas say their types here, and families that close every object are tried without fields that nobody declared.
    """
    parameters, found = adapt_any(schema, profile)
    assume(
        all(
            node.keys() <= {"title", "description"} or node.keys() & {"type", "enum", "const"}
            for _, node in walk_schemas(parameters)
        )
    )
    random, validator = Random(seed), compile_validator(parameters)
    for _ in range(6):
        value = make_value(parameters, random)
        if PROFILES[profile].closed:
            value = restore_arguments(found.plan, make_value(found.schema, random)).arguments
        if validator.is_valid(value):
            written = write_as_sent(value, found.schema, found.plan)
            same = make_comparable(restore_arguments(found.plan, written).arguments) == make_comparable(value)
            is_whole = same and fits_sent(found.schema, written)
            assert is_whole or {loss.keyword for loss in found.lost} & NARROWING, (found.schema, value, written)


def test_the_same_bytes_under_any_hash_seed() -> None:
    """Every hostile schema, every family, in processes with seeds of their own."""
    code = "from tests.support.hostile_schemas import render_golden; print(render_golden())"
    found = {
        subprocess.run(
            [sys.executable, "-c", code], env={"PYTHONHASHSEED": seed}, cwd=ROOT, capture_output=True, check=True
        ).stdout
        for seed in ("0", "1", "4242")
    }
    assert len(found) == 1


def nest(levels: int) -> JsonObject:
    schema: JsonObject = TEXT
    for _ in range(levels):
        schema = make_object(a=schema)
    return schema


HARD: dict[str, JsonObject] = {
    "references in every position": make_object(
        a={"$ref": "#"}, b={"type": "array", "items": {"$ref": "#"}}, c={"anyOf": [{"$ref": "#"}, TEXT]},
        d={"not": {"$ref": "#/properties/b"}}, e={"if": {"$ref": "#"}, "then": {"$ref": "#/properties/b"}},
        f={"additionalProperties": {"$ref": "#"}}, g={"propertyNames": {"$ref": "#/properties/h"}}, h=TEXT,
    ),
    "20,000 texts": make_object(a={"enum": [f"v{number}" for number in range(20_000)]}),
    "20,000 numbers": make_object(a={"enum": list(range(20_000))}),
    "300 long texts": make_object(a={"enum": [f"{'x' * 100}{number}" for number in range(300)]}),
    "a megabyte": make_object(**{f"f{number}": {"type": "string", "description": "d" * 200} for number in range(400)}),
    "2,000 parts": {**make_object(), "allOf": [make_object(**{f"p{number}": TEXT}) for number in range(2_000)]},
    "3,000 ruled out": make_object(a={"not": {"anyOf": [{"const": number} for number in range(3_000)]}}),
    "400 alternatives": make_object(a={"oneOf": [make_object(**{f"p{number}": TEXT}) for number in range(400)]}),
    "alternatives of alternatives": make_object(
        a={"allOf": [{"anyOf": [make_object(**{f"p{part}{number}": TEXT}) for number in range(10)]} for part in range(8)]}
    ),
    "300 levels": nest(300),
    "numbers at the end": make_object(
        a={"maximum": 1e308, "default": 1e308}, b={"type": "integer", "maximum": 10**400, "enum": [10**400]}
    ),
    "no numbers": make_object(a={"type": "number", "default": float("inf"), "enum": [float("nan"), 1]}),
    "names": make_object(
        **dict.fromkeys(["__proto__", "", "a b", "a.b", "a_b", "ä", "ö", "日本", "x" * 200, "x" * 201, "1", "$ref"], TEXT)
    ),
    "counts": make_object(
        a={"type": "array", "items": TEXT, "maxItems": 5_000}, b={"type": "array", "items": TEXT, "maxItems": 0}
    ),
    "patterns": make_object(a={"type": "string", "pattern": "(?<=a)b"}, b={"type": "string", "pattern": "^(?=a)(?P<n>a)$"}),
    "contradictions": {
        **make_object(a={"allOf": [TEXT, {"type": "integer"}]}, b={"minimum": 5, "maximum": 1, "type": "integer"}, c={"not": {}}),
        "required": ["d"],
    },
}  # fmt: skip


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("schema", HARD.values(), ids=list(HARD))
def test_hard_schemas_are_sent_legally_in_bounded_time_or_refused(schema: JsonObject, profile: str) -> None:
    """Adapted once and again, to the same bytes; the author's copy stays as it was."""
    before = repr(schema)
    started = time.monotonic()
    found = upgrade_and_adapt(schema, PROFILES[profile])
    assert time.monotonic() - started < 5
    assert repr(schema) == before
    if isinstance(found, Adapted):
        assert find_faults(found.schema, profile) == []
        again = upgrade_and_adapt(found.schema, PROFILES[profile])
        assert isinstance(again, Adapted)
        assert json.dumps(again.schema) == json.dumps(found.schema)


def send(part: Json, profile: str) -> tuple[Json, str]:
    """One field as it is sent, and its description."""
    found = upgrade_and_adapt(make_object(a=part), PROFILES[profile])
    assert isinstance(found, Adapted)
    sent = found.schema["properties"]["a"]
    return sent, json.dumps(sent)


def test_alternatives_that_overlap_are_said_to_be_exclusive() -> None:
    """`oneOf` refuses what fits two of them, which `anyOf` does not say; nothing is said where they cannot overlap."""
    assert "exactly one" in send({"oneOf": [{"type": "integer"}, {"type": "number"}]}, OPENAI.name)[1]
    assert "exactly one" not in send({"oneOf": [{"type": "integer"}, TEXT]}, OPENAI.name)[1]


def test_a_part_without_a_type_does_not_rule_types_out() -> None:
    """`minimum` is about numbers and says nothing of a text."""
    assert send({"allOf": [TEXT, {"minimum": 3}]}, OPENAI.name)[0] == TEXT


def test_fields_by_pattern_are_not_held_to_what_the_others_are() -> None:
    """With patterns, `additionalProperties` is told in words: sent, it would refuse the fields that a pattern allows."""
    part = {"type": "object", "patternProperties": {"^x": TEXT}, "additionalProperties": {"type": "integer"}}
    sent, text = send(part, OPENAI.name)
    assert "additionalProperties" not in sent
    assert "other fields: integer" in text


def test_limits_that_an_engine_lacks_are_told() -> None:
    """Numbers of items over what a grammar takes, look-arounds, spellings of Python alone."""
    many = {"type": "array", "items": TEXT, "maxItems": 5_000}
    assert [send(many, profile.name)[0].get("maxItems") for profile in (OPENAI, LOCAL, GEMINI)] == [5_000, None, None]
    ahead, named = {"type": "string", "pattern": "^(?=a)"}, {"type": "string", "pattern": "(?P<n>a)"}
    assert "pattern" in send(ahead, OPENAI.name)[0]
    assert "pattern" not in send(ahead, OPENAI_STRICT.name)[0]["anyOf"][0]
    assert "must match the regular expression (?P<n>a)" in send(named, OPENAI.name)[1]
