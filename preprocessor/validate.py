"""Names as the cheap model wrote them -> names of this turn. Every drop and every repair is on record."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Literal, TypeAlias

from apps.sdk.jsontypes import Json
from apps.sdk.kinds import json_type
from apps.sdk.names import MAX_WRITTEN, resolve_name
from preprocessor.expand import Expansion

RejectReason: TypeAlias = Literal["unknown", "disabled", "out_of_scope", "duplicate", "not_text", "invalid", "over_limit"]
MAX_NAMES = 40
"""Names read of one list; a model that writes more is talking nonsense."""


@dataclass(frozen=True, slots=True)
class Rejected:
    """Something the model wrote that was not taken; `name` is cut and printable."""

    name: str
    reason: RejectReason


@dataclass(frozen=True, slots=True)
class Validated:
    """The names that hold, each once, as written; `repaired` are pairs of what was written and what was meant."""

    names: tuple[str, ...] = ()
    rejected: tuple[Rejected, ...] = ()
    repaired: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Scope:
    """One group's names: `valid` may be picked, `offered` are those of them that the model was shown.

    `disabled` and `out_of_scope` exist, but may not be picked.
    """

    valid: Collection[str]
    offered: Collection[str]
    disabled: Collection[str] = ()
    out_of_scope: Collection[str] = ()


def scope_skills(expansion: Expansion, offered: Collection[str]) -> Scope:
    """Skills switched off, denied or not working are `disabled`; those that were not chosen for this turn `out_of_scope`."""
    codes = {drop.name: drop.code for drop in expansion.dropped}
    off = frozenset(name for name, code in codes.items() if code in {"disabled", "denied", "unavailable"})
    return Scope(dict.fromkeys(expansion.available), offered, off, codes.keys() - off)


def scope_items(known: Iterable[str], available: tuple[str, ...], offered: tuple[str, ...]) -> Scope:
    """The scope of focus modes or memories."""
    return Scope(dict.fromkeys(available), offered, frozenset(known) - frozenset(available))


def validate_names(written: Json, scope: Scope) -> Validated:
    """Keep what is valid, repair what fits exactly one offered name, reject the rest with a reason; takes any JSON."""
    kept: dict[str, None] = {}
    rejected: list[Rejected] = []
    repaired: dict[str, str] = {}
    values = _read_list(written)
    for value in values[:MAX_NAMES]:
        text = _read_name(value)
        name, reason = _resolve(text, scope)
        if reason is not None:
            rejected.append(Rejected(_show(text or json_type(value)), reason))
        elif name in kept:
            rejected.append(Rejected(_show(text), "duplicate"))
        else:
            kept[name] = None
            if name != text:
                repaired[_show(text)] = name
    rejected += (Rejected(_show(_read_name(value)), "over_limit") for value in values[MAX_NAMES : 2 * MAX_NAMES])
    return Validated(tuple(kept), tuple(rejected), tuple(repaired.items()))


def _resolve(text: str, scope: Scope) -> tuple[str, RejectReason | None]:
    """The name that is meant, or why there is none. Near misses are looked for among what was offered: it is a short list."""
    if not text:
        return "", "not_text"
    if text in scope.valid:
        return text, None
    if text in scope.disabled:
        return "", "disabled"
    if text in scope.out_of_scope:
        return "", "out_of_scope"
    name = resolve_name(text, scope.offered).name
    return (name, None) if name else ("", "unknown")


def _read_list(written: Json) -> list[Json]:
    """A list as it is; one name, or several with commas between, as a list; null as none."""
    if written is None:
        return []
    if isinstance(written, str):
        return [part for part in written.split(",") if part.strip()]
    return written if isinstance(written, list) else [written]


def _read_name(value: Json) -> str:
    """The name in `value`: itself, or the entry of an object that models like to write around it."""
    if isinstance(value, dict):
        value = next((value[key] for key in ("name", "id", "tool_name") if key in value), None)
    return value.strip()[:MAX_WRITTEN] if isinstance(value, str) else ""


def _show(text: str) -> str:
    return "".join(character if character.isprintable() else "?" for character in text[:MAX_WRITTEN])
