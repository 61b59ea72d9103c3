"""What is chosen before any gate: the base order, and what the overlays add to it or take away."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Literal, TypeAlias

from preprocessor.intent import Intent, is_glob
from preprocessor.name_patterns import NameIndex
from preprocessor.toolsets import OVERLAYS, Toolsets

PatternKey: TypeAlias = Literal["picks", "allowed", "disabled"]


@dataclass(frozen=True, slots=True)
class ProfileSelection:
    """What an agent profile says of tools; patterns are tool names and globs.

    `tools`, else `toolset`, are what a conversation gets that chooses nothing itself. An empty `tools` is none,
    `disabled_skills` are never there, and nothing but `allowed_skills` is: no conversation lifts these.
    """

    tools: tuple[str, ...] | None = None
    toolset: str | None = None
    disabled_skills: tuple[str, ...] = ()
    allowed_skills: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class PatternMatch:
    """What one pattern of an intent matched in the catalog: what a glob of `picks` or any of the other lists stands for."""

    key: PatternKey
    pattern: str
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Selection:
    """The chosen names in their order; `picks` are those that were named one by one.

    `switched_on` and `switched_off` have the overlays by their skills; `unknown` are picks of the intent that are no skills.
    """

    names: Mapping[str, None]
    picks: frozenset[str] = frozenset()
    switched_on: Mapping[str, str] = field(default_factory=dict)
    switched_off: Mapping[str, str] = field(default_factory=dict)
    unknown: tuple[str, ...] = ()
    matches: tuple[PatternMatch, ...] = ()
    warnings: tuple[str, ...] = ()

    @property
    def overlays(self) -> tuple[str, ...]:
        """The skills that switches add."""
        return tuple(self.switched_on)


def select(
    intent: Intent, profile: ProfileSelection, toolsets: Toolsets, index: NameIndex, standard: Mapping[str, None]
) -> Selection:
    """The base and the overlays on it: an overlay's skill that the base lacks comes last."""
    base = _choose_base(intent, profile, toolsets, index, standard)
    switched: dict[bool, dict[str, str]] = {True: {}, False: {}}
    warnings = list(base.warnings)
    for name in OVERLAYS:
        wanted: bool | None = getattr(intent, name)
        overlay = toolsets.overlays.get(name)
        if wanted is not None and overlay is not None and overlay.skill in index.places:
            switched[wanted][overlay.skill] = name
        elif wanted:
            warnings.append(f"{name}: there is no skill {overlay.skill}" if overlay else f"{name}: no overlay is configured")
    if not switched[True] and not switched[False] and len(warnings) == len(base.warnings):
        return base
    return replace(
        base,
        names={**base.names, **dict.fromkeys(switched[True])},
        switched_on=switched[True],
        switched_off=switched[False],
        warnings=tuple(warnings),
    )


def _choose_base(
    intent: Intent, profile: ProfileSelection, toolsets: Toolsets, index: NameIndex, standard: Mapping[str, None]
) -> Selection:
    """The intent's picks, else its toolset, else, unless it is enabled, the profile's choice, else the standard set."""
    if intent.picks is not None:
        return _pick(intent.picks, index)
    if intent.toolset is not None:
        return _open_toolset(intent.toolset, "toolset", toolsets, index)
    if intent.enabled is None and profile.tools is not None:
        return _follow_picks(profile.tools, index)
    if intent.enabled is None and profile.toolset is not None:
        return _open_toolset(profile.toolset, "the profile's toolset", toolsets, index)
    return Selection(standard)


def _pick(patterns: Iterable[str], index: NameIndex) -> Selection:
    found = {pattern: index.match(pattern) for pattern in patterns}
    names = dict.fromkeys(name for matched in found.values() for name in matched)
    return Selection(
        names=names,
        picks=frozenset(names),
        unknown=tuple(pattern for pattern, matched in found.items() if not matched and not is_glob(pattern)),
        matches=tuple(PatternMatch("picks", pattern, matched) for pattern, matched in found.items() if is_glob(pattern)),
    )


def _follow_picks(patterns: tuple[str, ...], index: NameIndex) -> Selection:
    names = index.match_all(patterns)
    idle = (f"the profile's tools: {pattern} matches no skill" for pattern in patterns if not index.match(pattern))
    return Selection(names=names, picks=frozenset(names), warnings=tuple(idle))


def _open_toolset(name: str, called: str, toolsets: Toolsets, index: NameIndex) -> Selection:
    """A toolset that is gone since it was chosen is none, with a warning."""
    members = toolsets.resolve(name, index)
    if members is None:
        return Selection({}, warnings=(f"{called}: there is no toolset {name[:100]!r} any more, so that nothing is chosen",))
    idle = tuple(f"{called}: {pattern} matches no skill" for pattern in members.unknown)
    return Selection(dict.fromkeys(members.names), warnings=idle)
