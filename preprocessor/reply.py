"""The cheap model's reply, read leniently: what it filled in, or why that is unusable."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import orjson

from apps.sdk.chat import ModelReply, ToolCall
from apps.sdk.jsontypes import Json, JsonObject
from apps.sdk.names import fold_name
from apps.sdk.schemas.dialects.restoring import Plan, restore_arguments
from apps.sdk.walks import exceeds_depth
from preprocessor.prompt import FIELDS, MAX_NEED, MAX_NEEDS, PreselectionTexts
from preprocessor.validate import Rejected

if TYPE_CHECKING:
    from jsonschema.protocols import Validator

MAX_REPLY = 200_000
"""Characters of arguments that are parsed at all."""
MAX_EXTRA_TEXT = 200


@dataclass(frozen=True, slots=True)
class Failed:
    """The model gave nothing usable; `code` is that of a `ModelError`, or what is wrong with the reply."""

    code: str


def read_reply(reply: ModelReply, texts: PreselectionTexts, plan: Plan | None = None) -> JsonObject | Failed:
    """The function's arguments as an object with at least one known field, or what is wrong.

    `plan` undoes what the model's family was asked for instead.
    Forgiven: a namespace or another case in the function's name, arguments encoded twice, the JSON written as text.
    """
    call = _find_call(reply.tool_calls, texts.function)
    if call is None and reply.tool_calls:
        return Failed("wrong_function")
    written = call.arguments if call else _find_json(reply.text)
    if written is None:
        return Failed("prose" if reply.text.strip() else "empty")
    if not written.strip():
        return Failed("empty")
    parsed = _parse(written)
    if not isinstance(parsed, dict):
        return Failed("cut_off" if reply.finish_reason == "length" else "broken_json")
    known = {*FIELDS, *texts.extra}
    fields = {key: value for key, value in restore_arguments(plan, parsed).arguments.items() if key in known}
    return fields or Failed("empty" if call else "prose")


def read_needs(written: Json) -> tuple[str, ...]:
    """The needs that are text, each once, cut to their limits."""
    needs = [written] if isinstance(written, str) else written if isinstance(written, list) else []
    lines = (" ".join(need[: 4 * MAX_NEED].split())[:MAX_NEED] for need in needs if isinstance(need, str))
    return tuple(dict.fromkeys(line for line in lines if line))[:MAX_NEEDS]


def read_extra(fields: JsonObject, validators: Mapping[str, Validator]) -> tuple[JsonObject, tuple[Rejected, ...]]:
    """The extra fields that fit their schemas, and those that do not."""
    extra: JsonObject = {}
    rejected: list[Rejected] = []
    for name, validator in validators.items():
        if name not in fields:
            continue
        value = fields[name]
        if validator.is_valid(value) and not (isinstance(value, str) and len(value) > MAX_EXTRA_TEXT):
            extra[name] = value
        else:
            rejected.append(Rejected(name, "invalid"))
    return extra, tuple(rejected)


def _find_call(calls: Iterable[ToolCall], function: str) -> ToolCall | None:
    wanted = fold_name(function)
    return next((call for call in calls if fold_name(call.name) in {wanted, f"functions-{wanted}"}), None)


def _find_json(text: str) -> str | None:
    """The whole text when it is one JSON object, bare or fenced."""
    if len(text) > MAX_REPLY:
        return None
    bare = text.strip().removeprefix("```json").removeprefix("```").removesuffix("```").strip()
    return bare if bare.startswith("{") and bare.endswith("}") else None


def _parse(written: str) -> Json:
    """The JSON value in `written`, unwrapped when it was encoded twice; None when it is none, or nests too deeply."""
    value: Json = written
    for _ in range(2):
        if not isinstance(value, str) or len(value) > MAX_REPLY:
            break
        try:
            value = orjson.loads(value)
        except orjson.JSONDecodeError:
            return None
    return None if exceeds_depth(value) else value
