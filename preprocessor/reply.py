"""The cheap model's reply, read leniently: what it filled in, or why that is unusable."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Literal, TypeAlias

import orjson

from apps.sdk.chat import ModelReply, ToolCall
from apps.sdk.dialects import compile_validator
from apps.sdk.jsontypes import Json, JsonObject
from preprocessor.prompt import FIELDS, PreselectionTexts
from preprocessor.settings import PreprocessSettings
from preprocessor.validate import Rejected

MAX_REPLY = 200_000
"""Characters of arguments that are parsed at all."""
MAX_EXTRA_TEXT = 200
ReplyProblem: TypeAlias = Literal["prose", "broken_json", "cut_off", "wrong_function", "empty"]

_FENCED = re.compile(r"\A\s*(?:```(?:json)?)?\s*(\{.*\})\s*(?:```)?\s*\Z", re.DOTALL)
_WORD = re.compile(r"[^a-z0-9]+")


def read_reply(reply: ModelReply, texts: PreselectionTexts) -> JsonObject | ReplyProblem:
    """The function's arguments as an object with at least one known field, or what is wrong.

    Forgiven: a namespace or another case in the function's name, arguments encoded twice, the JSON written as text.
    """
    call = _find_call(reply.tool_calls, texts.function)
    if call is None and reply.tool_calls:
        return "wrong_function"
    written = call.arguments if call else _find_json(reply.text)
    if written is None:
        return "prose" if reply.text.strip() else "empty"
    if not written.strip():
        return "empty"
    parsed = _parse(written)
    if not isinstance(parsed, dict):
        return "cut_off" if reply.finish_reason == "length" else "broken_json"
    known = {*FIELDS, *texts.extra}
    fields = {key: value for key, value in parsed.items() if key in known}
    return fields or ("empty" if call else "prose")


def read_needs(written: Json, settings: PreprocessSettings) -> tuple[str, ...]:
    """The needs that are text, each once, cut to their limits."""
    needs = [written] if isinstance(written, str) else written if isinstance(written, list) else []
    length = settings.need_length
    lines = (" ".join(need[: 4 * length].split())[:length] for need in needs if isinstance(need, str))
    return tuple(dict.fromkeys(line for line in lines if line))[: settings.needs]


def read_extra(fields: JsonObject, schemas: Mapping[str, JsonObject]) -> tuple[JsonObject, tuple[Rejected, ...]]:
    """The extra fields that fit their schemas, and those that do not."""
    extra: JsonObject = {}
    rejected: list[Rejected] = []
    for name, schema in schemas.items():
        if name not in fields:
            continue
        value = fields[name]
        if compile_validator(schema).is_valid(value) and not (isinstance(value, str) and len(value) > MAX_EXTRA_TEXT):
            extra[name] = value
        else:
            rejected.append(Rejected(name, "invalid"))
    return extra, tuple(rejected)


def _find_call(calls: Iterable[ToolCall], function: str) -> ToolCall | None:
    wanted = _fold(function)
    return next((call for call in calls if _fold(call.name) in {wanted, f"functions{wanted}"}), None)


def _fold(name: str) -> str:
    return _WORD.sub("", name[:200].casefold())


def _find_json(text: str) -> str | None:
    """The whole text when it is one JSON object, bare or fenced."""
    match = _FENCED.match(text) if len(text) <= MAX_REPLY else None
    return match.group(1) if match else None


def _parse(written: str) -> Json:
    """The JSON value in `written`, unwrapped when it was encoded twice; None when it is none."""
    value: Json = written
    for _ in range(2):
        if not isinstance(value, str) or len(value) > MAX_REPLY:
            break
        try:
            value = orjson.loads(value)
        except orjson.JSONDecodeError:
            return None
    return value
