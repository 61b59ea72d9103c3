"""What each family of providers takes as a function's name and parameters. Sources: their pages on function calling and schemas.

openai         Function calling without `strict`: an object at the root, no combinators there, `items` in every array.
openai_strict  Structured outputs: every object closed, every field required, 10 levels, 5,000 fields, 1,000 listed values.
anthropic      `input_schema`: no references, no combinators at the root, field names of 1 to 64 of `A-Za-z0-9_.-`. Bedrock,
               which serves these models too, wants a letter first in a tool's name.
gemini         The `Schema` of function declarations, a subset of OpenAPI 3.0: `nullable`, `anyOf` alone in its object, only
               texts in `enum`, field names and function names that begin with a letter or `_`.
cerebras       Structured outputs of Cerebras, which Groq's resemble: closed objects, no lists of types, five alternatives.
local          Chat templates and grammars of servers of one's own: one plain type everywhere, no alternatives.
common         What all of these but `openai_strict` take: for models that nobody knows, and for several of different families.

Numbers that no page gives are cautious choices. Gemini refuses deep schemas and `maxItems` that add up to about 960 without
saying its limits (googleapis/python-genai issue 2170); grammars of llama.cpp fail at 2,000 repetitions and at none
(ggml-org/llama.cpp issues 13116 and 27087): `max_counts` stays below both. `max_description` of 4,000 characters, the 500 fields
and values of `cerebras` and `common`, and levels beyond those of OpenAI are ours. The 1,024 characters of a function's
description are OpenAI's (its error `string_above_max_length`).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal, TypeAlias

from apps.sdk.names import MAX_PORTABLE_NAME, MAX_TOOL_NAME

_BOUNDS = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf")
_LENGTHS = ("minLength", "maxLength", "pattern", "format", "contentEncoding", "contentMediaType")
_SIZES = ("minItems", "maxItems", "uniqueItems", "minProperties", "maxProperties")
ALL_LIMITS = frozenset((*_BOUNDS, *_LENGTHS, *_SIZES, "default", "examples"))
ANY_NAME = re.compile(r"[\s\S]+")


@dataclass(frozen=True, slots=True)
class Profile:
    """One family's rules.

    `keywords`: limits and annotations that are sent; the others are told in words. `formats` None = every one.
    `null`: as one more alternative, as OpenAPI's `nullable`, or in words. `alternatives`: most of them in an `anyOf`, null
    included; 1 = none. `lone_any_of`: an `anyOf` stands alone. `untyped`: `{}` may be sent. `closed`: every object says
    `additionalProperties: false`; `additional`: one may say what others are. `all_required`: what is optional is nullable.
    `text_enums`: listed values are texts that are not empty. `lookarounds`: patterns may look ahead. `max_counts`: what all
    `minItems` and `maxItems` may add up to. `max_enum_characters`: of a list of more than 250 texts. `empty_objects`: below
    the root too. A function's name is at most `max_name` of `A-Za-z0-9_-`; `letter_first`: it begins with a letter.
    """

    name: str
    keywords: frozenset[str] = frozenset()
    formats: frozenset[str] | None = None
    null: Literal["alternative", "nullable", "words"] = "alternative"
    alternatives: int = 100
    lone_any_of: bool = False
    untyped: bool = False
    closed: bool = False
    additional: bool = True
    all_required: bool = False
    text_enums: bool = False
    lookarounds: bool = True
    max_counts: int | None = None
    max_enum_characters: int | None = None
    empty_objects: bool = True
    field_name: re.Pattern[str] = ANY_NAME
    max_levels: int = 20
    max_fields: int = 5_000
    max_values: int = 1_000
    max_description: int = 4_000
    max_tool_description: int = 4_000
    letter_first: bool = False
    max_name: int = MAX_TOOL_NAME


_STRICT_FORMATS = frozenset({"date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"})
_OPENAPI_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,63}")

OPENAI = Profile("openai", keywords=ALL_LIMITS, untyped=True, max_tool_description=1_024)
OPENAI_STRICT = Profile(
    "openai_strict",
    keywords=frozenset((*_BOUNDS, "pattern", "format", "minItems", "maxItems")),
    formats=_STRICT_FORMATS,
    closed=True,
    additional=False,
    all_required=True,
    lookarounds=False,
    max_enum_characters=15_000,
    max_levels=10,
    max_tool_description=1_024,
)
ANTHROPIC = Profile(
    "anthropic", keywords=ALL_LIMITS, untyped=True, field_name=re.compile(r"[A-Za-z0-9_.-]{1,64}"), letter_first=True
)
GEMINI = Profile(
    "gemini",
    keywords=frozenset({"minimum", "maximum", "minItems", "maxItems", "format"}),
    formats=frozenset({"date-time"}),
    null="nullable",
    lone_any_of=True,
    additional=False,
    text_enums=True,
    max_counts=900,
    empty_objects=False,
    field_name=_OPENAPI_NAME,
    letter_first=True,
)
CEREBRAS = Profile("cerebras", alternatives=5, closed=True, additional=False, max_levels=10, max_fields=500, max_values=500)
LOCAL = Profile(
    "local",
    keywords=frozenset({"minimum", "maximum", "minItems", "maxItems", "default"}),
    null="words",
    alternatives=1,
    max_counts=900,
)
COMMON = Profile(
    "common",
    null="words",
    alternatives=1,
    additional=False,
    text_enums=True,
    empty_objects=False,
    field_name=_OPENAPI_NAME,
    max_levels=10,
    max_fields=500,
    max_values=500,
    max_tool_description=1_024,
    letter_first=True,
    max_name=MAX_PORTABLE_NAME,
)
ProfileName: TypeAlias = Literal["openai", "openai_strict", "anthropic", "gemini", "cerebras", "local", "common"]
PROFILES: Mapping[str, Profile] = MappingProxyType(
    {profile.name: profile for profile in (OPENAI, OPENAI_STRICT, ANTHROPIC, GEMINI, CEREBRAS, LOCAL, COMMON)}
)
