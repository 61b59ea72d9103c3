"""What a conversation wants of its tools: a closed model, never an expanded list."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Annotated, Final, TypeAlias

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    GetJsonSchemaHandler,
    ModelWrapValidatorHandler,
    StringConstraints,
    ValidationError,
    ValidationInfo,
    field_validator,
    model_validator,
)
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, InitErrorDetails, PydanticCustomError

from apps.sdk.jsontypes import Json, JsonObject
from apps.sdk.near_names import suggest

MAX_NAMES = 1_000
"""Names in one list of an intent."""
MAX_NAME_LENGTH = 200
MAX_GLOBS = 50
"""Patterns with wildcards in one list."""
MAX_FREE_GLOBS = 10
"""Of those, such as do not merely end in `*`: with 10,000 skills they take up to 7 ms each, while nobody else is served."""
SELECTED: Final = "selected"
"""The one `mode` that older callers write."""
TOOLSET_NAMES: Final = "toolset_names"
"""Key of pydantic's validation context: the toolsets that there are. Without it any name is taken, as when a row is read back."""


def is_glob(pattern: str) -> bool:
    """Whether `pattern` holds a wildcard of `fnmatch`."""
    return any(character in pattern for character in "*?[")


def _limit_globs(patterns: tuple[str, ...]) -> tuple[str, ...]:
    if sum(map(is_glob, patterns)) > MAX_GLOBS:
        raise ValueError(f"at most {MAX_GLOBS} patterns may hold wildcards")
    if sum(is_glob(pattern.removesuffix("*")) for pattern in patterns) > MAX_FREE_GLOBS:
        raise ValueError(f"at most {MAX_FREE_GLOBS} patterns may hold other wildcards than one * at their end")
    return patterns


# lists arrive as JSON arrays: strict about what is in them, not about the kind of sequence
Name: TypeAlias = Annotated[str, Field(min_length=1, max_length=MAX_NAME_LENGTH)]
Names: TypeAlias = Annotated[tuple[Name, ...], Field(max_length=MAX_NAMES, strict=False)]
Patterns: TypeAlias = Annotated[Names, AfterValidator(_limit_globs)]
ToolsetName: TypeAlias = Annotated[str, StringConstraints(strip_whitespace=True, max_length=MAX_NAME_LENGTH)]


class Intent(BaseModel):
    """The wish of one conversation or request: each key missing, null or a value. Missing and null differ in a patch only.

    `picks`, else `toolset`, else `enabled: true` (the standard set) choose what there is; with none of them the profile does.
    `web_search` then adds its skill or takes it away, `allowed` is a ceiling, and `disabled` takes away, whatever else is said.
    `enabled: false` and an empty `picks` are no tool at all. Patterns are tool names and case-sensitive globs.

    Accepted besides: `tools: true | false` for `enabled`; `tools: [names]` and `enabled: [names]` for `picks`; a bare boolean or
    list for `tools` alone; null for every key; `mode: selected` with `preset` for `toolset` or `allowed` for `picks`;
    `inherit: true`, which says nothing.
    """

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    enabled: bool | None = Field(None, description="Whether there are tools at all; null = as usual.")
    toolset: ToolsetName | None = Field(None, description="The toolset to choose from; blank = null. Not beside `picks`.")
    web_search: bool | None = Field(None, description="Adds the skill that searches the web, or takes it away.")
    allowed: Patterns | None = Field(None, description="A ceiling: of what was chosen, only tools that one of these matches.")
    disabled: Patterns | None = Field(None, description="Tool names and globs (`web-*`) that are taken away; deny always wins.")
    picks: Patterns | None = Field(None, description="Exactly these tools, in this order; an empty list is none.")

    @field_validator("toolset")
    @classmethod
    def _know_toolset(cls, name: str | None, info: ValidationInfo) -> str | None:
        known: Collection[str] | None = (info.context or {}).get(TOOLSET_NAMES)
        if name and known is not None and name not in known:
            meant = suggest(name, known)
            words = f"there is no toolset {name[:100]!r}{f'; {meant}' if meant else ''}"
            raise PydanticCustomError("unknown_toolset", "{words}", {"words": words})
        return name or None

    @model_validator(mode="wrap")
    @classmethod
    def _read_sugar(cls, given: Json, validate: ModelWrapValidatorHandler[Intent]) -> Intent:
        if given is None:
            return validate(dict.fromkeys(cls.model_fields))
        whole = isinstance(given, bool | list)
        if not whole and not isinstance(given, dict):
            return validate(given)
        plain, written = _desugar({"tools": given} if whole else given)
        try:
            intent = validate(plain)
        except ValidationError as error:
            places = {target: () if whole else (key,) for target, key in written.items()}
            raise _respell(error, places) from None
        if intent.picks is not None and intent.toolset is not None:
            names = " and ".join(f"`{written.get(key, key)}`" for key in ("picks", "toolset"))
            raise ValueError(f"{names} both choose the tools; say one of them")
        return intent

    @property
    def is_off(self) -> bool:
        """Off is off, whatever the other keys say."""
        return self.enabled is False or self.picks == ()

    def dump(self) -> JsonObject:
        """What is wanted, without what is not said: small, JSON, and read back equal."""
        return self.model_dump(mode="json", exclude_none=True)

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
        properties["mode"] = {"enum": [SELECTED, None], "description": "With it, `preset` is `toolset` and `allowed` is `picks`."}
        properties["preset"] = {**properties["toolset"], "description": "`toolset`, beside `mode`."}
        properties["inherit"] = {"enum": [True, None], "description": "Says nothing: follow is the default."}
        schema.clear()  # in place: the definition may be referred to already
        schema.update({"title": plain.pop("title"), "description": plain.pop("description"), "anyOf": [plain, *either]})
        return schema


def merge_intent(stored: Intent | None, patch: Intent | None) -> Intent:
    """`stored` with what `patch` says over it: a key that is missing there stays, null resets it. A patch of None resets all.

    `picks` and `toolset` are two ways of choosing: a patch that sets one and does not mention the other resets the other.
    """
    if patch is None:
        return Intent()
    said = {name: getattr(patch, name) for name in patch.model_fields_set}
    for chosen, other in (("picks", "toolset"), ("toolset", "picks")):
        if said.get(chosen) is not None:
            said.setdefault(other, None)
    merged = {**(stored or Intent()).model_dump(), **said}
    return Intent(**{name: value for name, value in merged.items() if value is not None})


def _desugar(given: JsonObject) -> tuple[JsonObject, dict[str, str]]:
    """The same wish in the words of the model, and which key each of them was written as; a key said twice is an error."""
    older = list(_read_older_keys(given))
    plain = {key: value for key, value in given.items() if key not in {"mode", "inherit", *(key for key, _, _ in older)}}
    written: dict[str, str] = {}
    nulls: list[str] = []
    for key, target, value in older:
        if value is None:
            nulls += ("enabled", "picks") if key == "tools" else (target,)
            continue
        if plain.get(target) is not None:
            raise ValueError(f"`{key}` and another key both give `{target}`; say it once")
        plain[target] = value
        written[target] = key
        if key == "tools" and target == "enabled":
            nulls.append("picks")  # one older key has one value: a boolean takes the place of names
    if written.keys() & {"picks", "toolset"}:
        nulls.append("enabled")  # an older key that names tools switches them on
    return {**dict.fromkeys(nulls), **plain}, written


def _read_older_keys(given: JsonObject) -> Iterator[tuple[str, str, Json]]:
    """Each older key, the key of the model that it stands for, and its value."""
    mode, inherit = given.get("mode"), given.get("inherit")
    if mode is not None and mode != SELECTED:
        raise _point_at("mode", mode, f"`mode` may only be {SELECTED} or null")
    if inherit is not None and inherit is not True:
        raise _point_at("inherit", inherit, "`inherit` may only be true or null")
    for key in ("tools", "enabled"):
        if key in given:
            yield key, _name_target(given[key]), given[key]
    if mode is None:
        return
    if given.get("preset") is None and given.get("allowed") is None:
        raise _point_at("mode", mode, "`mode: selected` needs `preset` or `allowed` beside it")
    for key, target in (("preset", "toolset"), ("allowed", "picks")):
        if key in given:
            yield key, target, given[key]


def _name_target(value: Json) -> str:
    return "picks" if isinstance(value, list | tuple) else "enabled"


def _point_at(key: str, value: Json, message: str) -> ValidationError:
    error = PydanticCustomError("older_spelling", "{message}", {"message": message})
    return ValidationError.from_exception_data("Intent", [InitErrorDetails(type=error, loc=(key,), input=value)])


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
