"""Values for the schemas that providers are sent: made up, and an author's values as a model would have to write them."""

from __future__ import annotations

import json
from random import Random

from jsonschema import Draft202012Validator

from apps.sdk.jsontypes import Json, JsonObject
from apps.sdk.kinds import json_type
from apps.sdk.schemas.dialects.restoring import Plan, restore_arguments
from apps.sdk.schemas.equality import make_comparable

TEXTS = ["", "a", "aa", "b", "1", "{}", "[]", "null", "true", '{"a": 1}', "2020-01-01"]
SCALARS: list[Json] = [None, True, False, 0, 1, -2, 0.5, 2.0, *TEXTS]
_NOTHING = Plan()


def fits_sent(schema: JsonObject, value: Json) -> bool:
    """Whether a model may write the value, by the schema that it was sent."""
    return bool(Draft202012Validator(_read_nullable(schema)).is_valid(value))


def _read_nullable(schema: Json) -> Json:
    """OpenAPI's `nullable` as draft 2020-12 says it."""
    if isinstance(schema, list):
        return [_read_nullable(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    plain = {key: _read_nullable(part) for key, part in schema.items() if key != "nullable"}
    return {"anyOf": [plain, {"type": "null"}]} if schema.get("nullable") is True else plain


def make_value(schema: Json, random: Random, level: int = 0) -> Json:
    """A value that may fit; limits other than those on lengths of lists are left to luck."""
    if not isinstance(schema, dict) or not any(map(schema.get, ("type", "anyOf", "enum"))):
        return _make_any(random, level)
    if schema.get("anyOf"):
        return make_value(random.choice(schema["anyOf"]), random, level)
    values = [*schema.get("enum", ()), *([None] if schema.get("nullable") is True else [])]
    if values and (schema.get("enum") or random.random() < 0.3):
        return random.choice(values)
    kind = random.choice(schema["type"]) if isinstance(schema.get("type"), list) and schema["type"] else schema.get("type")
    if kind == "object":
        return _make_object(schema, random, level)
    if kind == "array":
        least = schema.get("minItems", 0)
        return [make_value(schema.get("items", {}), random, level + 1) for _ in range(random.randint(least, least + 2))]
    return random.choice([value for value in SCALARS if json_type(value) == kind or kind not in {"null", "string", "boolean"}])


def _make_object(schema: JsonObject, random: Random, level: int) -> JsonObject:
    required = schema.get("required") or ()
    declared = {
        name: part for name, part in (schema.get("properties") or {}).items() if name in required or random.random() < 0.6
    }
    made = {name: make_value(part, random, level + 1) for name, part in declared.items()}
    if schema.get("additionalProperties") and random.random() < 0.3:
        made["other"] = make_value(schema["additionalProperties"], random, level + 1)
    return made


def _make_any(random: Random, level: int) -> Json:
    if level < 3 and random.random() < 0.4:
        inner = [_make_any(random, level + 1) for _ in range(random.randint(0, 2))]
        return inner if random.random() < 0.5 else {random.choice(["a", "b", "kind"]): item for item in inner}
    return random.choice(SCALARS)


def write_as_sent(value: Json, schema: JsonObject, plan: Plan | None) -> Json:
    """The author's value as a model writes it under the sent schema: the opposite of restoring it."""
    plan = plan or _NOTHING
    if "anyOf" in schema:
        return _write_choice(value, schema, plan)
    text = next((text for text, meant in plan.values.items() if make_comparable(meant) == make_comparable(value)), None)
    if text is not None:
        return text
    if json_type(value) in plan.from_text:
        return json.dumps(value)
    if isinstance(value, dict) and schema.get("type", "object") == "object":
        return _write_object(value, schema, plan)
    if isinstance(value, list) and schema.get("type", "array") == "array":
        return [write_as_sent(item, schema.get("items", {}), plan.items) for item in value]
    return value


def _write_choice(value: Json, schema: JsonObject, plan: Plan) -> Json:
    plans = [choice.plan for choice in plan.choices] + [None] * len(schema["anyOf"])
    for branch, inner in zip(schema["anyOf"], plans, strict=False):
        written = write_as_sent(value, branch, inner)
        restored = restore_arguments(Plan(fields={"value": plan}), {"value": written}).arguments["value"]
        if fits_sent(branch, written) and make_comparable(restored) == make_comparable(value):
            return written
    return value


def _write_object(value: JsonObject, schema: JsonObject, plan: Plan) -> JsonObject:
    written: JsonObject = {}
    others = dict(value)
    for sent, part in schema.get("properties", {}).items():
        name = plan.names.get(sent, sent)
        if name in others:
            written[sent] = write_as_sent(others.pop(name), part, plan.fields.get(sent))
        elif sent in schema.get("required", ()) and sent in plan.dropped_nulls:
            written[sent] = None
    rest = schema.get("additionalProperties")
    inner = rest if isinstance(rest, dict) else {}
    return written | {name: write_as_sent(item, inner, plan.rest) for name, item in others.items()}
