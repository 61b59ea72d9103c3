"""From the arguments for a schema as it was sent back to those for the author's: names, values, texts and nulls."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from apps.sdk.jsontypes import Json, JsonObject
from apps.sdk.kinds import json_type
from apps.sdk.schemas.equality import make_comparable
from apps.sdk.schemas.faults import describe, join_path
from apps.sdk.schemas.parameters import REQUESTS
from apps.sdk.strict_json import RefusedJson, load_nested

_MAX_NOTES = 10


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


@dataclass(frozen=True, slots=True)
class Restored:
    """The arguments, and in words what of them was read as more than the notation of the sent schema."""

    arguments: JsonObject
    notes: tuple[str, ...] = ()


def simplify(plan: Plan) -> Plan | None:
    """The plan, or None when there is nothing to undo."""
    return None if plan == Plan() else plan


def restore_arguments(plan: Plan | None, arguments: JsonObject) -> Restored:
    """The arguments as the author's schema wants them; what does not fit the plan stays as it is, for the validation to tell.

    A lone request, or the fields of one without `requests`, are read as one of the list: that is how they are run.
    """
    if plan is None:
        return Restored(arguments)
    restoring = _Restoring()
    restored = restoring.restore_root(plan, arguments)
    return Restored(restored, tuple(restoring.notes[:_MAX_NOTES]))


@dataclass(slots=True)
class _Restoring:
    notes: list[str] = field(default_factory=list)

    def restore_root(self, plan: Plan, arguments: JsonObject) -> JsonObject:
        inner = plan.fields.get(REQUESTS)
        if inner is None or inner.items is None:
            return self.restore_object(plan, arguments, "")
        requests = arguments.get(REQUESTS)
        if isinstance(requests, dict):
            beside = {name: value for name, value in arguments.items() if name != REQUESTS}
            return self.restore_object(plan, beside, "") | {REQUESTS: self.restore(inner.items, requests, REQUESTS)}
        if requests is None:
            entry = inner.items
            names, fields = {**entry.names, **plan.names}, {**entry.fields, **plan.fields}
            flat = replace(plan, names=names, fields=fields, dropped_nulls=plan.dropped_nulls | entry.dropped_nulls)
            return self.restore_object(flat, arguments, "")
        return self.restore_object(plan, arguments, "")

    def restore(self, plan: Plan | None, value: Json, path: str) -> Json:
        if plan is None:
            return value
        if plan.choices:
            return self.restore(_choose(plan.choices, value), value, path)
        if isinstance(value, str):
            return self.restore_text(plan, value, path)
        if isinstance(value, dict):
            return self.restore_object(plan, value, path)
        if isinstance(value, list) and plan.items is not None:
            return [self.restore(plan.items, item, join_path(path, index)) for index, item in enumerate(value)]
        return value

    def restore_text(self, plan: Plan, text: str, path: str) -> Json:
        """The value that the text stands for. A list or an object that came as text is looked into as well."""
        if text in plan.values:
            return plan.values[text]
        wanted = plan.from_text or _find_containers(plan)
        value = self.read_text(text, path) if wanted else text
        if json_type(value) not in wanted:
            return text
        if plan.from_text:
            return value
        self.notes.append(f"{path}: the text {describe(text)} was read as {json_type(value)}.")
        return self.restore(plan, value, path)

    def read_text(self, text: str, path: str) -> Json:
        """The JSON value in the text, the text itself where it is none."""
        try:
            return load_nested(text)
        except RefusedJson as error:
            self.notes.append(f"{path}: the text was not read as JSON: {error}.")
        except ValueError:
            pass
        return text

    def restore_object(self, plan: Plan, value: JsonObject, path: str) -> JsonObject:
        restored: JsonObject = {}
        for name, item in value.items():
            if item is None and name in plan.dropped_nulls:
                continue
            own = plan.names.get(name, name)
            where = join_path(path, own)
            inner = self.restore(plan.fields.get(name, plan.rest), item, where)
            if own in restored and make_comparable(restored[own]) != make_comparable(inner):
                self.notes.append(f"{where} was given twice, under two names; the first was used.")
            restored.setdefault(own, inner)
        return restored


def _find_containers(plan: Plan) -> frozenset[str]:
    lists = {"array"} if plan.items is not None else set()
    objects = {"object"} if plan.names or plan.fields or plan.dropped_nulls or plan.rest else set()
    return frozenset(lists | objects)


def _choose(choices: Sequence[Choice], value: Json) -> Plan | None:
    """The plan of the alternative that the value is of: by type, and of several objects the one with most of its fields."""
    kind = "number" if json_type(value) == "integer" else json_type(value)
    fitting = [choice for choice in choices if choice.kind == kind]
    if isinstance(value, dict) and len(fitting) > 1:
        return max(fitting, key=lambda choice: (len(value.keys() & choice.names), -len(choice.names - value.keys()))).plan
    if isinstance(value, str) and len(fitting) > 1:
        return next((c.plan for c in fitting if c.plan and value in c.plan.values), next((c.plan for c in fitting), None))
    return fitting[0].plan if fitting else None
