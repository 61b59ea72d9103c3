"""Content blocks of callers' messages: what models take of each role, so that a mistake is told and no model asked."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Annotated, Final, TypeAlias

from pydantic import AfterValidator

from apps.sdk.jsontypes import Json, JsonObject
from apps.sdk.walks import MAX_DEPTH, exceeds_depth

Holds: TypeAlias = Callable[[Json], bool]


def _is_text(value: Json) -> bool:
    return isinstance(value, str)


def _is_object(value: Json) -> bool:
    return isinstance(value, dict)


def _is_address(value: Json) -> bool:
    """An address, or an object with one as `url`."""
    return isinstance(value, str) or (isinstance(value, dict) and isinstance(value.get("url"), str))


FIELDS: Final[Mapping[str, tuple[str, Holds]]] = MappingProxyType(
    {
        "text": ("text", _is_text),
        "guarded_text": ("text", _is_text),
        "refusal": ("refusal", _is_text),
        "thinking": ("thinking", _is_text),
        "redacted_thinking": ("data", _is_text),
        "image_url": ("image_url", _is_address),
        "audio_url": ("audio_url", _is_address),
        "video_url": ("video_url", _is_address),
        "input_audio": ("input_audio", _is_object),
        "file": ("file", _is_object),
        "document": ("source", _is_object),
    }
)
"""What a block of each type says it in: OpenAI's chat completions, and what litellm takes beside them."""

USER: Final = ("text", "image_url", "input_audio", "file", "audio_url", "video_url", "document", "guarded_text")
ASSISTANT: Final = ("text", "refusal", "image_url", "thinking", "redacted_thinking")
RESULT: Final = ("text", "image_url", "file", "document")


def _check_as(types: tuple[str, ...]) -> Callable[[JsonObject], JsonObject]:
    def check(block: JsonObject) -> JsonObject:
        if exceeds_depth(block):
            raise ValueError(f"a content block may nest at most {MAX_DEPTH} levels deep")
        kind = block.get("type")
        if kind not in types:
            raise ValueError(f"the type of a content block is here one of {', '.join(types)}")
        name, holds = FIELDS[kind]
        if not holds(block.get(name)):
            raise ValueError(f"a block of the type {kind} has a {name}")
        return block

    return check


UserBlock = Annotated[JsonObject, AfterValidator(_check_as(USER))]
AssistantBlock = Annotated[JsonObject, AfterValidator(_check_as(ASSISTANT))]
ResultBlock = Annotated[JsonObject, AfterValidator(_check_as(RESULT))]
