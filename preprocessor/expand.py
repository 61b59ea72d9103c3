"""Intent x catalog x source -> the available skills, and why each other one is not. Pure, apart from asking the skills."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from fnmatch import translate
from typing import Literal, TypeAlias

from apps.sdk.catalog import Catalog, SkillSpec
from apps.sdk.skill import Source
from preprocessor.availability import Availabilities, Override, ask_skill, resolve_availability
from preprocessor.intent import Intent, is_glob

DropCode: TypeAlias = Literal["off", "disabled", "unavailable", "wrong_source", "not_selected", "denied"]


@dataclass(frozen=True, slots=True)
class Dropped:
    """A skill of the catalog that is not available; `reason` says why in words, `code` in a word."""

    name: str
    code: DropCode
    reason: str


@dataclass(frozen=True, slots=True)
class PatternMatch:
    """What one pattern of `disabled` matched in the catalog, in catalog order."""

    pattern: str
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Expansion:
    """What may be called in this turn. `available` is in catalog order, or in the order of the picks when there are any.

    `picks` are the picks among `available`; `unknown` are picks that the catalog does not have. Focus modes and memories are
    in catalog order; they are no tools, so switching the tools off leaves them.
    """

    available: tuple[str, ...]
    picks: tuple[str, ...] = ()
    dropped: tuple[Dropped, ...] = ()
    unknown: tuple[str, ...] = ()
    disabled_matches: tuple[PatternMatch, ...] = ()
    warnings: tuple[str, ...] = ()
    focus_modes: tuple[str, ...] = ()
    memories: tuple[str, ...] = ()


def expand(
    catalog: Catalog,
    intent: Intent,
    *,
    overrides: Iterable[Override] = (),
    credentials: frozenset[str] = frozenset(),
    secrets: Mapping[str, str] | None = None,
    source: Source = "chat",
) -> Expansion:
    """Work out what is available. Off is off; deny beats everything; a skill that cannot say it works is left out.

    `credentials` are provider names, folded; of `secrets`, by such names, `Skill.available` is asked with the skill's own.
    """
    matches = tuple(_match_pattern(pattern, catalog) for pattern in dict.fromkeys(intent.disabled or ()))
    switches = resolve_availability(catalog, overrides, credentials)
    picks = dict.fromkeys(intent.picks or ())
    selected = _select(catalog, intent, picks)
    gates = _Gates(intent.is_off, switches, source, selected, frozenset(name for match in matches for name in match.names))
    dropped = {name: drop for name, skill in catalog.skills.items() if (drop := _drop(skill, gates, secrets or {}))}
    available = tuple(name for name in selected if name not in dropped)
    return Expansion(
        available=available,
        picks=available if picks else (),
        dropped=tuple(dropped.values()),
        unknown=tuple(name for name in picks if name not in catalog.skills),
        disabled_matches=matches,
        warnings=_warn(matches, picks, dropped),
        focus_modes=_list_focus_modes(catalog, switches),
        memories=tuple(memory.id for memory in catalog.memories.values() if switches.apps[memory.app_id].enabled),
    )


@dataclass(frozen=True, slots=True)
class _Gates:
    """Everything that a skill has to pass."""

    is_off: bool
    switches: Availabilities
    source: Source
    selected: Mapping[str, None]
    denied: frozenset[str]


def _select(catalog: Catalog, intent: Intent, picks: Mapping[str, None]) -> dict[str, None]:
    """The base order: the picks in their own, else the standard set in the catalog's."""
    if intent.picks is not None:
        return {name: None for name in picks if name in catalog.skills}
    return {name: None for name, skill in catalog.skills.items() if skill.standard}


def _drop(skill: SkillSpec, gates: _Gates, secrets: Mapping[str, str]) -> Dropped | None:
    """The first gate that the skill does not pass."""
    return next((Dropped(skill.tool_name, code, reason) for code, reason in _list_obstacles(skill, gates, secrets)), None)


def _list_obstacles(skill: SkillSpec, gates: _Gates, secrets: Mapping[str, str]) -> Iterator[tuple[DropCode, str]]:
    """What keeps the skill out. It is asked itself last, and, as the first obstacle is enough, only when all else lets it in."""
    switch = gates.switches.skills[skill.tool_name]
    if gates.is_off:
        yield "off", "tools are off"
    if not switch.enabled:
        yield switch.code, switch.reason or ""
    if skill.tool_name in gates.denied:
        yield "denied", "the intent disables it"
    if skill.sources is not None and gates.source not in skill.sources:
        yield "wrong_source", f"it may not be used from {gates.source}"
    if skill.tool_name not in gates.selected:
        yield "not_selected", "it is not among what was chosen" if skill.standard else "it is not standard"
    if reason := ask_skill(skill, secrets):
        yield "unavailable", reason


def _match_pattern(pattern: str, catalog: Catalog) -> PatternMatch:
    if not is_glob(pattern):
        return PatternMatch(pattern, (pattern,) if pattern in catalog.skills else ())
    matches = re.compile(translate(pattern)).match
    return PatternMatch(pattern, tuple(name for name in catalog.skills if matches(name)))


def _warn(matches: Iterable[PatternMatch], picks: Iterable[str], dropped: Mapping[str, Dropped]) -> tuple[str, ...]:
    idle = (f"disabled: {match.pattern} matches no skill" for match in matches if not match.names)
    refused = (f"picks: {name} is not available: {dropped[name].reason}" for name in picks if name in dropped)
    return (*idle, *refused)


def _list_focus_modes(catalog: Catalog, switches: Availabilities) -> tuple[str, ...]:
    """Those that are on; a mode without a prompt cannot be active."""
    modes = catalog.focus_modes.values()
    return tuple(mode.id for mode in modes if switches.focus_modes[mode.id].enabled and mode.system_prompt.strip())
