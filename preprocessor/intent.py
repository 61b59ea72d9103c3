"""What a conversation wants of its tools: a closed model, never an expanded list."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, TypeAlias

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    GetJsonSchemaHandler,
    ModelWrapValidatorHandler,
    ValidationError,
    model_validator,
)
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, InitErrorDetails, PydanticCustomError

from apps.sdk.jsontypes import Json, JsonObject

MAX_NAMES = 1_000
"""Names in one list of an intent."""
MAX_NAME_LENGTH = 200
MAX_GLOBS = 100
"""Patterns with wildcards in one `disabled`; each is matched against every skill of the catalog."""


def is_glob(pattern: str) -> bool:
    """Whether `pattern` holds a wildcard of `fnmatch`."""
    return any(character in pattern for character in "*?[")


def _limit_globs(patterns: tuple[str, ...]) -> tuple[str, ...]:
    if sum(map(is_glob, patterns)) > MAX_GLOBS:
        raise ValueError(f"at most {MAX_GLOBS} patterns may hold wildcards")
    return patterns


# lists arrive as JSON arrays: strict about what is in them, not about the kind of sequence
Name: TypeAlias = Annotated[str, Field(min_length=1, max_length=MAX_NAME_LENGTH)]
Names: TypeAlias = Annotated[tuple[Name, ...], Field(max_length=MAX_NAMES, strict=False)]
Patterns: TypeAlias = Annotated[Names, AfterValidator(_limit_globs)]


class Intent(BaseModel):
    """The wish of one conversation or request; None leaves a key alone.

    `enabled`: whether there are tools at all. `disabled`: tool names and case-sensitive globs that are taken away, whatever
    else is said. `picks`: exactly these skills, in this order. An empty `picks` is no tool at all.

    Accepted besides: `tools: true | false` for `enabled`; `tools: [names]` and `enabled: [names]` for `picks`; a bare
    boolean, list or null in place of the object.
    """

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    enabled: bool | None = Field(None, description="Whether there are tools at all; null = as usual.")
    disabled: Patterns | None = Field(None, description="Tool names and globs (`web-*`) that are taken away; deny always wins.")
    picks: Names | None = Field(None, description="Exactly these tools, in this order; an empty list is none.")

    @model_validator(mode="wrap")
    @classmethod
    def _read_sugar(cls, given: Json, validate: ModelWrapValidatorHandler[Intent]) -> Intent:
        whole = given is None or isinstance(given, bool | list)
        if not whole and not isinstance(given, dict):
            return validate(given)
        plain, written = _desugar({"tools": given} if whole else given)
        try:
            return validate(plain)
        except ValidationError as error:
            places = {target: () if whole else (key,) for target, key in written.items()}
            raise _respell(error, places) from None

    @property
    def is_off(self) -> bool:
        """Off is off, whatever the other keys say."""
        return self.enabled is False or self.picks == ()

    @classmethod
    def __get_pydantic_json_schema__(cls, core_schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        """The schema of everything that is accepted, the sugar too."""
        schema = handler.resolve_ref_schema(handler(core_schema))
        plain: JsonObject = dict(schema)
        properties: JsonObject = plain["properties"]
        names = next(option for option in properties["picks"]["anyOf"] if option["type"] == "array")
        either = [{"type": "boolean"}, names, {"type": "null"}]
        properties["enabled"] = {**properties["enabled"], "anyOf": either}
        properties["tools"] = {"anyOf": either, "description": "A boolean means `enabled`, a list means `picks`."}
        schema.clear()  # in place: the definition may be referred to already
        schema.update({"title": plain.pop("title"), "description": plain.pop("description"), "anyOf": [plain, *either]})
        return schema


def _desugar(given: JsonObject) -> tuple[JsonObject, dict[str, str]]:
    """The same wish in the words of the model, and which key each of them was written as; a key said twice is an error."""
    written: dict[str, str] = {}
    plain = {key: value for key, value in given.items() if key not in {"tools", "enabled"}}
    for key in ("tools", "enabled"):
        value = given.get(key)
        if key not in given or (key == "tools" and value is None):
            continue
        target = "picks" if isinstance(value, list | tuple) else "enabled"
        if plain.get(target) is not None:
            raise ValueError(f"`{key}` and another key both give `{target}`; say it once")
        plain[target] = value
        written[target] = key
    return plain, written


def _respell(error: ValidationError, places: Mapping[str, tuple[str, ...]]) -> ValidationError:
    """The same errors at the places where the values were written."""
    lines = [
        InitErrorDetails(
            type=PydanticCustomError(found["type"], "{message}", {"message": found["msg"]}),
            loc=(*places.get(str(found["loc"][0]), found["loc"][:1]), *found["loc"][1:]) if found["loc"] else (),
            input=found["input"],
        )
        for found in error.errors(include_url=False)
    ]
    return ValidationError.from_exception_data(error.title, lines)
