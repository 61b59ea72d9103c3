"""Toolsets and overlays: named presets of skills, and named switches that add one skill."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final

from apps.sdk.chat import find_builtin
from apps.sdk.jsontypes import JsonObject
from preprocessor.intent import is_glob
from preprocessor.name_patterns import NameIndex

FULL: Final = "full"
"""The toolset of everything, which no file defines."""
WEB_SEARCH: Final = "web_search"
OVERLAYS: Final = (WEB_SEARCH,)
"""The switches that an intent has."""


@dataclass(frozen=True, slots=True)
class Toolset:
    """A preset: what the toolsets in `includes` hold, then `skills`, which are tool names and globs."""

    name: str
    skills: tuple[str, ...] = ()
    includes: tuple[str, ...] = ()
    description: str = ""


@dataclass(frozen=True, slots=True)
class Overlay:
    """A switch that adds `skill`. `builtins`: by model pattern, what a provider has of its own in the skill's place."""

    name: str
    skill: str
    builtins: Mapping[str, JsonObject] = field(default_factory=lambda: MappingProxyType({}), hash=False)


@dataclass(frozen=True, slots=True)
class Members:
    """What a toolset holds of a catalog, each skill once, and which of its names and globs mean nothing there."""

    names: tuple[str, ...]
    unknown: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Toolsets:
    """Every toolset and overlay of the configuration; includes name toolsets that are there, in circles too."""

    sets: Mapping[str, Toolset] = field(default_factory=lambda: MappingProxyType({}), hash=False)
    overlays: Mapping[str, Overlay] = field(default_factory=lambda: MappingProxyType({}), hash=False)

    @property
    def names(self) -> tuple[str, ...]:
        """What an intent may name."""
        return (*self.sets, FULL)

    def resolve(self, name: str, index: NameIndex) -> Members | None:
        """The members of a toolset: its includes' first, then its own, each once. None when there is no such toolset."""
        if name not in self.names:
            return None
        found: dict[str, None] = {}
        unknown: dict[str, None] = {}
        for part in self._order(name):
            if part == FULL:
                found |= dict.fromkeys(index.places)
                continue
            for pattern in self.sets[part].skills:
                names = index.match(pattern)
                found |= dict.fromkeys(names)
                if not names:
                    unknown[pattern] = None
        return Members(tuple(found), tuple(unknown))

    def list_built_in(self, models: Collection[str]) -> frozenset[str]:
        """The skills of overlays in whose place each of `models` has something of its own; none where there is no model."""
        return frozenset(
            overlay.skill
            for overlay in self.overlays.values()
            if models and all(find_builtin(overlay.builtins, model) is not None for model in models)
        )

    def _order(self, name: str) -> list[str]:
        """The toolset after all that it includes, each once; a circle is entered once."""
        order: list[str] = []
        seen: set[str] = set()
        waiting = [(name, False)]
        while waiting:
            current, is_done = waiting.pop()
            if is_done:
                order.append(current)
            elif current not in seen:
                seen.add(current)
                waiting.append((current, True))
                includes = self.sets[current].includes if current != FULL else ()
                waiting.extend((include, False) for include in reversed(includes))
        return order


NO_TOOLSETS: Final = Toolsets()


def list_unknown_members(toolsets: Toolsets, index: NameIndex) -> tuple[str, ...]:
    """A line for each skill that a toolset or an overlay names and the catalog does not have: apps come and go."""
    missing = [
        f"the toolset {toolset.name} names {pattern}, which {'means no skill' if is_glob(pattern) else 'is no skill'}"
        for toolset in toolsets.sets.values()
        for pattern in toolset.skills
        if not index.match(pattern)
    ]
    missing += [
        f"the overlay {overlay.name} names {overlay.skill}, which is no skill"
        for overlay in toolsets.overlays.values()
        if overlay.skill not in index.places
    ]
    return tuple(missing)
