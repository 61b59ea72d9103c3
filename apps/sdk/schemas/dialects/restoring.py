"""From the arguments for a schema as it was sent back to those for the author's: names, values, texts and nulls."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from apps.sdk.jsontypes import Json, JsonObject
from apps.sdk.kinds import json_type
from apps.sdk.schemas.parameters import REQUESTS


@dataclass(frozen=True, slots=True)
class Plan:
    """What to undo in a value. Names are those that were sent.

    `names`: the author's names of fields. `fields`, `rest`, `items`: what to undo inside. `dropped_nulls`: optional fields
    whose null means that they were left out. `values`: the author's values of listed texts. `from_text`: the types that stand
    as JSON text. `choices`: what to undo by the value's type, where there are alternatives.
    """

    names: Mapping[str, str] = field(default_factory=dict)
    fields: Mapping[str, Plan] = field(default_factory=dict)
    rest: Plan | None = None
    items: Plan | None = None
    dropped_nulls: frozenset[str] = frozenset()
    values: Mapping[str, Json] = field(default_factory=dict)
    from_text: frozenset[str] = frozenset()
    choices: tuple[Choice, ...] = ()


@dataclass(frozen=True, slots=True)
class Choice:
    """One alternative: the type that is sent for it, the names of its fields, and what to undo in it."""

    kind: str
    names: frozenset[str]
    plan: Plan | None


def simplify(plan: Plan) -> Plan | None:
    """The plan, or None when there is nothing to undo."""
    return None if plan == Plan() else plan


def restore_arguments(plan: Plan | None, arguments: JsonObject) -> JsonObject:
    """The arguments as the author's schema wants them; what does not fit the plan stays as it is, for the validation to tell.

    A lone request, or the fields of one without `requests`, are read as one of the list: that is how they are run.
    """
    if plan is None:
        return arguments
    inner = plan.fields.get(REQUESTS)
    if inner is None or inner.items is None:
        return _restore_object(plan, arguments)
    requests = arguments.get(REQUESTS)
    if isinstance(requests, dict):
        return _restore_object(plan, arguments) | {REQUESTS: _restore(inner.items, requests)}
    if requests is None:
        entry = inner.items
        names = {**entry.names, **plan.names}
        flat = replace(
            plan, names=names, fields={**entry.fields, **plan.fields}, dropped_nulls=plan.dropped_nulls | entry.dropped_nulls
        )
        return _restore_object(flat, arguments)
    return _restore_object(plan, arguments)


def _restore(plan: Plan | None, value: Json) -> Json:
    if plan is None:
        return value
    if plan.choices:
        return _restore(_choose(plan.choices, value), value)
    if isinstance(value, str):
        return _restore_text(plan, value)
    if isinstance(value, dict):
        return _restore_object(plan, value)
    if isinstance(value, list) and plan.items is not None:
        return [_restore(plan.items, item) for item in value]
    return value


def _restore_text(plan: Plan, text: str) -> Json:
    """The value that the text stands for. A list or an object that came as text is looked into as well."""
    if text in plan.values:
        return plan.values[text]
    wanted = plan.from_text or _find_containers(plan)
    if not wanted:
        return text
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return text
    if json_type(value) not in wanted:
        return text
    return value if plan.from_text else _restore(plan, value)


def _find_containers(plan: Plan) -> frozenset[str]:
    lists = {"array"} if plan.items is not None else set()
    objects = {"object"} if plan.names or plan.fields or plan.dropped_nulls or plan.rest else set()
    return frozenset(lists | objects)


def _restore_object(plan: Plan, value: JsonObject) -> JsonObject:
    restored: JsonObject = {}
    for name, item in value.items():
        if item is None and name in plan.dropped_nulls:
            continue
        restored.setdefault(plan.names.get(name, name), _restore(plan.fields.get(name, plan.rest), item))
    return restored


def _choose(choices: Sequence[Choice], value: Json) -> Plan | None:
    """The plan of the alternative that the value is of: by type, and of several objects the one with most of its fields."""
    kind = "number" if json_type(value) == "integer" else json_type(value)
    fitting = [choice for choice in choices if choice.kind == kind]
    if isinstance(value, dict) and len(fitting) > 1:
        return max(fitting, key=lambda choice: (len(value.keys() & choice.names), -len(choice.names - value.keys()))).plan
    if isinstance(value, str) and len(fitting) > 1:
        return next((c.plan for c in fitting if c.plan and value in c.plan.values), next((c.plan for c in fitting), None))
    return fitting[0].plan if fitting else None
