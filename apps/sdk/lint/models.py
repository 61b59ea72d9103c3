"""A skill's `tool_schema` beside the pydantic model that its class reads requests into: calls that fit only one of them."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import islice

from pydantic import BaseModel, RootModel
from pydantic.fields import FieldInfo

from apps.sdk.catalog import SkillSpec
from apps.sdk.findings import Finding, report
from apps.sdk.invocation import find_request_type
from apps.sdk.jsontypes import Json, JsonObject, JsonPath
from apps.sdk.loading.app import LoadedApp
from apps.sdk.loading.place import Place
from apps.sdk.near_names import suggest
from apps.sdk.schemas.parameters import REQUESTS, request_items
from apps.sdk.schemas.references import follow, properties_of, required_of
from apps.sdk.schemas.walks import IN_PLACE
from apps.sdk.skill import BatchSkill, Skill

MAX_LISTED = 20
"""Findings about one skill."""

_CONDITIONAL = IN_PLACE | {"patternProperties", "dependentRequired", "dependencies"}
"""Keywords by which a schema may ask for or name more than its `properties` and `required` tell."""


def check_models(apps: Sequence[LoadedApp]) -> Iterator[Finding]:
    """Names only: what a model asks for, and what it forbids. Where either side may do more than it says, nothing is said."""
    for app in apps:
        for skill, place in app.skills():
            model = _find_model(skill.implementation)
            if model is not None:
                yield from islice(_compare(skill, model, place), MAX_LISTED)


def _find_model(skill: Skill) -> type[BaseModel] | None:
    method = skill.execute_batch if isinstance(skill, BatchSkill) else skill.execute
    try:
        kind = find_request_type(method)
        return kind if kind is not None and issubclass(kind, BaseModel) and _is_plain(kind) else None
    except Exception:  # noqa: BLE001 - an author's signatures, annotations and classes may be anything
        return None


def _is_plain(model: type[BaseModel]) -> bool:
    """Whether the model takes what its fields say: no validator sees the request before them, no field has several names."""
    validators = model.__pydantic_decorators__.model_validators.values()
    return (
        not issubclass(model, RootModel)
        and not any(validator.info.mode in {"before", "wrap"} for validator in validators)
        and not any("__get_pydantic_core_schema__" in vars(base) for base in model.__mro__ if base is not BaseModel)
        and all(isinstance(field.validation_alias, str | None) for field in model.model_fields.values())
    )


def _compare(skill: SkillSpec, model: type[BaseModel], place: Place) -> Iterator[Finding]:
    whole = skill.parameters
    items = request_items(whole)
    levels: list[tuple[JsonPath, JsonObject]] = [(("tool_schema",), whole)]
    if items is not None:
        levels.append((("tool_schema", "properties", REQUESTS, "items"), items))
    if any(_is_conditional(schema, whole) for _, schema in levels):
        return
    declared = {
        name: (*path, "properties", name)
        for path, schema in levels
        for name in properties_of(schema, whole)
        if items is None or schema is items or name != REQUESTS
    }
    required = frozenset[str]().union(*(required_of(schema, whole) for _, schema in levels))
    yield from _check_required(model, declared.keys(), required, place, levels[-1][0])
    if model.model_config.get("extra") == "forbid":
        yield from _check_forbidden(model, declared, place)


def _is_conditional(schema: Json, root: JsonObject) -> bool:
    followed = follow(schema, root)
    return not isinstance(followed, dict) or bool(_CONDITIONAL & followed.keys())


def _check_required(
    model: type[BaseModel], declared: Collection[str], required: Collection[str], place: Place, path: JsonPath
) -> Iterator[Finding]:
    for key, field in model.model_fields.items():
        names = _list_names(model, key, field)
        if field.is_required() and not any(name in required for name in names):
            lacks = "require" if any(name in declared for name in names) else "have"
            message = f"{model.__name__} requires {names[0][:100]!r}, which the schema does not {lacks}"
            yield report("schema-model", place.at_key(*path), message)


def _check_forbidden(model: type[BaseModel], declared: Mapping[str, JsonPath], place: Place) -> Iterator[Finding]:
    taken = {name for key, field in model.model_fields.items() for name in _list_names(model, key, field)}
    for name in [name for name in declared if name not in taken]:
        message = f"{model.__name__} forbids {name[:100]!r}, which the schema has"
        yield report("schema-model", place.at_key(*declared[name]), message, suggest(name, taken))


def _list_names(model: type[BaseModel], key: str, field: FieldInfo) -> tuple[str, ...]:
    """What a request may call the field."""
    alias = field.validation_alias
    config = model.model_config
    both = config.get("populate_by_name") or config.get("validate_by_name")
    return (alias, key) if isinstance(alias, str) and both else (alias,) if isinstance(alias, str) else (key,)
