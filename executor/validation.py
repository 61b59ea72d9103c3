"""Arguments against the author's own schema, compiled once per skill."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING

from apps.sdk.catalog import SkillSpec
from apps.sdk.jsontypes import Json, JsonObject
from apps.sdk.schemas.faults import find_faults, join_path, locate_fault
from apps.sdk.schemas.parameters import REQUESTS, compile_validator, request_items
from apps.sdk.schemas.references import follow, properties_of, required_of
from executor.errors import CallError, invalid_arguments

if TYPE_CHECKING:
    from jsonschema.protocols import Validator

_MAX_CACHED = 4096
_MAX_SHOWN = 5
_MAX_COUNTED = 50
_CHECKED_PER_ENTRY = frozenset({"items", "prefixItems", "maxItems", "uniqueItems", "contains"})


@dataclass(frozen=True, slots=True)
class SkillSchema:
    """A skill's compiled schema; `root` is its text.

    `whole` checks all arguments at once. A batched skill also has `entry`, which checks one entry of `requests`, and
    `beside`, which checks everything but the entries. `entry_keys` and `beside_keys` are the declared names of each.
    `own_id`: the author's entries declare an `id` of their own. `open_root`: the author allows undeclared arguments by word.
    """

    root: JsonObject
    whole: Validator
    beside: Validator
    entry: Validator | None = None
    entry_keys: frozenset[str] = frozenset()
    beside_keys: frozenset[str] = frozenset()
    own_id: bool = False
    open_root: bool = False


@dataclass(slots=True)
class SkillSchemas:
    """Compiled schemas by content hash; keeps the latest few thousand, so that hot reloads do not pile up. Any thread may ask."""

    _compiled: dict[tuple[str, str], SkillSchema] = field(default_factory=dict)
    _keeping: threading.Lock = field(default_factory=threading.Lock, repr=False, compare=False)

    def find(self, skill: SkillSpec) -> SkillSchema:
        key = (skill.tool_name, skill.content_hash)
        schema = self._compiled.get(key)
        if schema is None:
            compiled = compile_schema(skill.parameters)
            with self._keeping:
                schema = self._compiled.setdefault(key, compiled)
                if len(self._compiled) > _MAX_CACHED:
                    del self._compiled[next(iter(self._compiled))]
        return schema


def compile_schema(parameters: JsonObject) -> SkillSchema:
    whole = compile_validator(parameters)
    items = request_items(parameters)
    if items is None:
        return SkillSchema(parameters, whole, whole)
    declared = properties_of(parameters, parameters)
    entry_keys = frozenset(properties_of(items, parameters))
    return SkillSchema(
        parameters,
        whole,
        beside=whole.evolve(schema=_without_entries(parameters)),
        entry=whole.evolve(schema=items),
        entry_keys=entry_keys,
        beside_keys=frozenset(declared) - {REQUESTS},
        own_id="id" in entry_keys or "id" in required_of(items, parameters),
        open_root=bool(parameters.get("additionalProperties")) or "patternProperties" in parameters,
    )


def _without_entries(parameters: JsonObject) -> JsonObject:
    """The root schema with `requests` as an array of anything: entries are checked one by one, their number by our limit."""
    properties = parameters.get("properties", {})
    requests = follow(properties.get(REQUESTS), parameters)
    if not isinstance(requests, dict):
        return parameters
    kept = {key: value for key, value in parameters.items() if key != "$schema"}  # it would bring the library's class back
    loose = {key: value for key, value in requests.items() if key not in _CHECKED_PER_ENTRY}
    return {**kept, "properties": {**properties, REQUESTS: loose}}


def check(value: Json, validator: Validator, at: Sequence[str | int] = ()) -> CallError | None:
    """What is wrong with `value`, which stands `at` a place of the arguments: up to five faults, what came, what is allowed."""
    errors = list(islice(validator.iter_errors(value), _MAX_COUNTED))
    if not errors:
        return None
    path = join_path("", *at)
    faults = {fault.text: fault for error in errors for fault in find_faults(error, path)}
    more = len(faults) - _MAX_SHOWN
    text = "; ".join(fault.describe() for fault in islice(faults.values(), _MAX_SHOWN)) + (
        f"; and {more} more" if more > 0 else ""
    )
    return invalid_arguments(f"{text}.", pointer=locate_fault(errors[0], at))
