"""A shape as one family of providers takes it, with what gets lost on the way and how to undo it in an answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from apps.sdk.hashing import canonical_json
from apps.sdk.jsontypes import Json, JsonObject
from apps.sdk.schemas.dialects.alternatives import CONTAINERS, has_texts, list_choices, reduce_choices
from apps.sdk.schemas.dialects.declared_fields import declare_listed, declare_required
from apps.sdk.schemas.dialects.fieldnames import map_names
from apps.sdk.schemas.dialects.joining import merge_objects, unite
from apps.sdk.schemas.dialects.listing import DECIDED
from apps.sdk.schemas.dialects.notation import show, word_shape, word_values
from apps.sdk.schemas.dialects.profiles import Profile
from apps.sdk.schemas.dialects.reading import TooLarge
from apps.sdk.schemas.dialects.records import Steps
from apps.sdk.schemas.dialects.restoring import Choice, Plan, simplify
from apps.sdk.schemas.dialects.shapes import (
    ANYTHING,
    Shape,
    accepts_null,
    add_null,
    is_open,
    narrow,
    strip_texts,
)
from apps.sdk.schemas.dialects.telling import Teller
from apps.sdk.schemas.dialects.values import make_texts

LONG_ENUM = 250
"""Listed values from which on their characters count (structured outputs of OpenAI, "Supported schemas")."""
_NULL: JsonObject = {"type": "null"}


@dataclass(frozen=True, slots=True)
class Written:
    """A schema without its texts, which are put together last."""

    schema: JsonObject
    plan: Plan | None = None
    description: str = ""
    notes: tuple[str, ...] = ()


@dataclass(slots=True)
class Writer:
    """Writes one schema. `unfit` is a required field that no value fits."""

    profile: Profile
    teller: Teller
    fields: int = 0
    values: int = 0
    unfit: str = ""

    def write_root(self, shape: Shape) -> Written | None:
        """The root, which is an object; None when no object fits. Raises `TooLarge`."""
        branches = [narrow(branch, "object") for branch in shape.union or (strip_texts(shape),)]
        choices = [branch for branch in branches if not branch.is_impossible]
        if not choices:
            return None
        body = declare_listed(choices[0] if len(choices) == 1 else merge_objects(choices, exclusive=False))
        written = self._write_object(body, (), 1)
        if written is None:
            return None
        values = () if body.enum is None else self.teller.tell((), "enum", f"one of {word_values(body.enum)}")
        notes = (*self.teller.tell_notes(shape, ()), *self.teller.tell_notes(body, ()), *values, *written.notes)
        return replace(written, description=shape.description or body.description, notes=tuple(dict.fromkeys(notes)))

    def finish(self, written: Written, path: Steps) -> JsonObject:
        """The schema with its description: the author's, then the notes."""
        text = self.teller.join_texts(written.description, written.notes, path)
        if not text:
            return written.schema
        head = {key: written.schema[key] for key in ("type",) if key in written.schema}
        return {**head, "description": text, **written.schema}

    # alternatives and null

    def _write(self, shape: Shape, path: Steps, level: int) -> Written | None:
        if shape.is_impossible:
            return None
        annotations, told = self.teller.annotate(shape.limits, path)
        notes = (*self.teller.tell_notes(shape, path), *told)
        nullable = accepts_null(shape)
        if is_open(shape):
            body = self._write_anything(path)
            return replace(
                body, schema={**body.schema, **annotations}, description=shape.description, notes=(*notes, *body.notes)
            )
        choices, more = reduce_choices(list_choices(shape, self.profile), self.profile, nullable=nullable)
        parts = _drop_equal([part for choice in choices if (part := self._write_choice(choice, path, level)) is not None])
        if more:
            notes = (*notes, *self.teller.tell(path, "anyOf", f"or {word_shape(unite(more))}"))
        if not parts:
            return self._write_null(shape, notes) if nullable else None
        return self._assemble(replace(shape, notes=notes), parts, annotations, path, nullable=nullable)

    def _assemble(self, shape: Shape, parts: list[Written], annotations: JsonObject, path: Steps, *, nullable: bool) -> Written:
        notes = shape.notes
        if nullable and self.profile.null == "words":
            notes = (*notes, *self.teller.tell(path, "type", "or null"))
        if len(parts) > 1 or (nullable and self.profile.null == "alternative"):
            return self._write_any_of(shape.description, notes, parts, annotations, path, nullable=nullable)
        (part,) = parts
        marked = {"nullable": True} if nullable and self.profile.null == "nullable" else {}
        description = shape.description or part.description
        schema = {**part.schema, **annotations, **marked}
        return Written(schema, part.plan, description, (*notes, *part.notes))

    def _write_any_of(
        self,
        description: str,
        notes: tuple[str, ...],
        parts: list[Written],
        annotations: JsonObject,
        path: Steps,
        *,
        nullable: bool,
    ) -> Written:
        plans = [part.plan for part in parts]
        if self.profile.lone_any_of:
            first = parts[0]
            joined = " ".join(filter(None, (description, first.description)))
            marked = {"nullable": True} if nullable else {}
            parts = [
                replace(first, schema={**first.schema, **marked}, description=joined, notes=(*notes, *first.notes)),
                *parts[1:],
            ]
            description, notes = "", ()
        branches = [self.finish(part, path) for part in parts]
        ends = [_NULL] if nullable and self.profile.null == "alternative" else []
        schema: JsonObject = {"anyOf": [*branches, *ends], **annotations}
        choices = tuple(_make_choice(part.schema, plan) for part, plan in zip(parts, plans, strict=True))
        plan = Plan(choices=choices) if any(plans) else None
        return Written(schema, plan, description, notes)

    def _write_null(self, shape: Shape, notes: tuple[str, ...]) -> Written:
        """A value that can only be null."""
        if self.profile.null == "alternative":
            return Written(_NULL, None, shape.description, notes)
        return Written({"type": "string", "enum": ["null"]}, Plan(values={"null": None}), shape.description, notes)

    def _write_anything(self, path: Steps) -> Written:
        if self.profile.untyped:
            return Written({})
        notes = self.teller.tell(path, "type", "any value; write a list or an object as JSON text")
        return Written({"type": "string"}, Plan(from_text=CONTAINERS), notes=notes)

    # one kind

    def _write_choice(self, choice: Shape, path: Steps, level: int) -> Written | None:
        """One alternative, with the texts that are its own."""
        notes = self.teller.tell_notes(choice, path)
        written = self._write_kind(choice, path, level)
        if written is None:
            return None
        return replace(written, description=choice.description, notes=tuple(dict.fromkeys((*notes, *written.notes))))

    def _write_kind(self, choice: Shape, path: Steps, level: int) -> Written | None:
        if has_texts(choice, self.profile):
            return self._write_texts(choice, path)
        if choice.types == {"object"}:
            if level >= self.profile.max_levels:
                return self._write_as_text(choice, path)
            return self._write_object(choice, path, level + 1)
        if choice.types == {"array"}:
            if level >= self.profile.max_levels:
                return self._write_as_text(choice, path)
            return self._write_array(choice, path, level + 1)
        return self._write_scalar(choice, path)

    def _write_as_text(self, choice: Shape, path: Steps) -> Written:
        """A container that cannot be written: as JSON text, its form told."""
        notes = self.teller.tell(path, "type", f"JSON text of: {word_shape(choice)}")
        told = (*self.teller.tell_limits(choice.limits, path), *self._tell_patterns(choice, path))
        return Written({"type": "string"}, Plan(from_text=choice.types), notes=(*notes, *told))

    def _write_texts(self, choice: Shape, path: Steps) -> Written:
        """Listed values that must be sent as texts."""
        texts = make_texts([value for value in choice.enum or () if value is not None])
        listed, notes = self._list_values(tuple(texts), path)
        self.teller.lose(path, "enum", "values are sent as texts and read back")
        told = self.teller.tell_limits({key: choice.limits[key] for key in choice.limits if key not in DECIDED}, path)
        return Written({"type": "string", **listed}, Plan(values=texts), notes=(*notes, *told))

    def _list_values(self, values: tuple[Json, ...], path: Steps) -> tuple[JsonObject, tuple[str, ...]]:
        if self.values + len(values) > self.profile.max_values or self._is_too_long(values):
            return {}, self.teller.tell(path, "enum", f"one of {word_values(values)}")
        self.values += len(values)
        return {"enum": list(values)}, ()

    def _is_too_long(self, values: tuple[Json, ...]) -> bool:
        """Whether a long list has more characters than the family takes."""
        limit = self.profile.max_enum_characters
        return limit is not None and len(values) > LONG_ENUM and sum(len(v) for v in values if isinstance(v, str)) > limit

    def _write_scalar(self, choice: Shape, path: Steps) -> Written:
        name = "string" if "string" in choice.types else "boolean" if "boolean" in choice.types else "integer"
        name = "number" if "number" in choice.types else name
        listed, notes = self._list_values(choice.enum, path) if choice.enum is not None else ({}, ())
        limits, told = self.teller.limit(choice.limits, path)
        return Written({"type": name, **listed, **limits}, notes=(*notes, *told))

    def _write_array(self, choice: Shape, path: Steps, level: int) -> Written:
        limits, told = self.teller.limit(choice.limits, path)
        items = choice.items or ANYTHING
        if choice.prefix:
            told = (*told, *self.teller.tell(path, "prefixItems", f"the items in order: {word_shape(choice)}"))
            items = unite([*choice.prefix, *([] if choice.items is None else [choice.items])])
        written = self._write(items, (*path, "items"), level)
        if written is None:
            told = (*told, *self.teller.tell(path, "items", "must be empty"))
            written = Written({"type": "string"})
        schema = {"type": "array", "items": self.finish(written, (*path, "items")), **limits}
        return Written(schema, None if written.plan is None else Plan(items=written.plan), notes=told)

    # objects

    def _write_object(self, choice: Shape, path: Steps, level: int) -> Written | None:
        declared = declare_required(choice)
        names = map_names(declared, self.profile.field_name)
        self.fields += len(names)
        if self.fields > self.profile.max_fields:
            raise TooLarge(f"it has more than {self.profile.max_fields:,} fields")
        written: dict[str, Written] = {}
        nulls: set[str] = set()
        for name, part in declared.items():
            sent = names[name]
            body = self._write_field(part, (*path, "properties", sent), level, required=name in choice.required)
            if body is None and name in choice.required:
                self.unfit = self.unfit or name
                return None
            if body is None:
                self.teller.lose((*path, "properties", sent), "properties", f"no value fits {show(name)}")
                continue
            written[name] = body
            if (
                name not in choice.required
                and self.profile.all_required
                and self._means_nothing(part, (*path, "properties", sent))
            ):
                nulls.add(sent)
        if path and not written and not self._may_be_empty(choice):
            return self._write_as_text(choice, path)
        return self._assemble_object(choice, written, names, nulls=frozenset(nulls), path=path, level=level)

    def _write_field(self, part: Shape, path: Steps, level: int, *, required: bool) -> Written | None:
        """One field; where every field is required, an optional one may be null instead."""
        if required or not self.profile.all_required or part.is_impossible:
            return self._write(part, path, level)
        return self._write(add_null(part), path, level)

    def _means_nothing(self, part: Shape, path: Steps) -> bool:
        """Whether null means that an optional field was left out, where every field is required."""
        if is_open(part):
            self.teller.lose(path, "required", "null means that it is left out")
            return True
        if accepts_null(part):
            self.teller.lose(path, "required", "null stands for it where it is left out")
            return False
        return True

    def _assemble_object(
        self,
        choice: Shape,
        written: Mapping[str, Written],
        names: Mapping[str, str],
        *,
        nulls: frozenset[str],
        path: Steps,
        level: int,
    ) -> Written:
        limits, told = self.teller.limit(choice.limits, path)
        others, rest, more = self._write_others(choice, path, level)
        required = [names[name] for name in written if self.profile.all_required or name in choice.required]
        schema: JsonObject = {
            "type": "object",
            "properties": {names[name]: self.finish(body, (*path, "properties", names[name])) for name, body in written.items()},
        }
        if required or self.profile.all_required:
            schema["required"] = required
        plan = Plan(
            names={names[name]: name for name in written if names[name] != name},
            fields={names[name]: body.plan for name, body in written.items() if body.plan is not None},
            rest=rest,
            dropped_nulls=nulls,
        )
        return Written({**schema, **others, **limits}, simplify(plan), notes=(*told, *more))

    def _may_be_empty(self, choice: Shape) -> bool:
        """Whether an object without declared fields can be sent and filled."""
        if not self.profile.empty_objects:
            return False
        return not self.profile.closed or (choice.additional is False and not choice.patterns)

    def _tell_patterns(self, choice: Shape, path: Steps) -> tuple[str, ...]:
        told = [f"fields whose name matches {pattern}: {word_shape(part)}" for pattern, part in choice.patterns.items()]
        return tuple(note for words in told for note in self.teller.tell(path, "patternProperties", words))

    def _write_others(self, choice: Shape, path: Steps, level: int) -> tuple[JsonObject, Plan | None, tuple[str, ...]]:
        """What fields that are not declared may be."""
        notes = self._tell_patterns(choice, path)
        additional, is_plain = choice.additional, self.profile.additional and not choice.patterns
        if is_plain and additional is False:
            return {"additionalProperties": False}, None, notes
        if is_plain and isinstance(additional, Shape) and not additional.is_impossible:
            body = self._write(additional, (*path, "additionalProperties"), level)
            if body is not None:
                schema = self.finish(body, (*path, "additionalProperties"))
                return {"additionalProperties": schema} if schema else {}, body.plan, notes
        if isinstance(additional, Shape):
            notes = (*notes, *self.teller.tell(path, "additionalProperties", f"other fields: {word_shape(additional)}"))
        elif additional is True and self.profile.closed:
            self.teller.lose(path, "additionalProperties", "other fields cannot be given")
        elif additional is False and not self.profile.closed:
            self.teller.lose(path, "additionalProperties", "other fields are not ruled out")
        return ({"additionalProperties": False} if self.profile.closed else {}), None, notes


def _drop_equal(parts: Sequence[Written]) -> list[Written]:
    """Alternatives that are written the same, once."""
    found: dict[str, Written] = {}
    for part in parts:
        found.setdefault(canonical_json([part.schema, part.description, part.notes]), part)
    return list(found.values())


def _make_choice(schema: JsonObject, plan: Plan | None) -> Choice:
    kind = "number" if schema.get("type") == "integer" else str(schema.get("type"))
    return Choice(kind, frozenset(schema.get("properties", ())), plan)
