"""Intent x profile x catalog x source x user -> the available skills, and why each other one is not.

Pure, apart from asking the skills: `Expander.expand` is the one function behind `/v1/expand`, turns and the command line.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from apps.sdk.catalog import Catalog
from apps.sdk.names import RESERVED_APP_IDS
from apps.sdk.skill import Source
from preprocessor.availability import Availabilities, Deactivation, Override, amend_availability
from preprocessor.catalog_facts import CatalogFacts
from preprocessor.dropped import DropCode, Dropped
from preprocessor.gates import DropTable, close_gates, drop_all, drop_unable, drop_unwanted
from preprocessor.intent import Intent
from preprocessor.name_patterns import NameIndex
from preprocessor.selection import PatternKey, PatternMatch, ProfileSelection, Selection, select
from preprocessor.toolsets import NO_TOOLSETS, Toolsets

__all__ = ["DropCode", "Dropped", "Expander", "Expansion", "PatternMatch", "ProfileSelection", "make_expander"]

ONE_IN = 5
"""Picks that leave out at most one in so many of the standard set look like a list that was once all of it."""


@dataclass(frozen=True, slots=True)
class Expansion:
    """What may be called in this turn. `available` is in catalog order, or in that of the picks or the toolset, overlays last.

    `picks` and `overlays` are those among `available` that were picked or switched on; `unknown` are picks that the catalog
    does not have; `missing_standard` is what picks of nearly the whole standard set leave out of it. `matches` has the patterns
    of the intent. Focus modes and memories are in catalog order; they are no tools, so switching the tools off leaves them.
    """

    available: tuple[str, ...]
    picks: tuple[str, ...] = ()
    overlays: tuple[str, ...] = ()
    dropped: tuple[Dropped, ...] = ()
    unknown: tuple[str, ...] = ()
    missing_standard: tuple[str, ...] = ()
    matches: tuple[PatternMatch, ...] = ()
    warnings: tuple[str, ...] = ()
    focus_modes: tuple[str, ...] = ()
    memories: tuple[str, ...] = ()


@dataclass(frozen=True)
class Expander:
    """Expands on one catalog snapshot; keeps what depends on nothing else, so make a new one for a new catalog.

    `credentials` are provider names, folded; of `secrets`, by such names, `Skill.available` is asked with the skill's own.
    `built_in` are the skills of overlays in whose place every model that may be asked has something of its own.
    """

    catalog: Catalog
    toolsets: Toolsets = NO_TOOLSETS
    credentials: frozenset[str] = frozenset()
    secrets: Mapping[str, str] = field(default_factory=dict, repr=False)
    built_in: frozenset[str] = frozenset()

    @cached_property
    def facts(self) -> CatalogFacts:
        return CatalogFacts(self.catalog, self.credentials)

    def expand(
        self,
        intent: Intent,
        *,
        profile: ProfileSelection | None = None,
        overrides: Iterable[Override] = (),
        deactivations: Iterable[Deactivation] = (),
        source: Source = "chat",
    ) -> Expansion:
        """What is available. Off is off; deny beats everything; a skill that cannot say it works is left out."""
        profile, deactivations = profile or ProfileSelection(), tuple(deactivations)
        switches = amend_availability(self.facts.switches, self.catalog, overrides, self.credentials)
        selection = select(intent, profile, self.toolsets, self.facts.index, self.facts.standard)
        matches = (*selection.matches, *_match_lists(intent, self.facts.index))
        dropped = drop_all(self.catalog, intent, profile)
        missing: tuple[str, ...] = ()
        if dropped is None:
            dropped = close_gates(self.facts, switches, deactivations=deactivations, profile=profile, source=source)
            self._admit_built_in(dropped, selection)
            drop_unwanted(dropped, self.facts, intent, selection, matches)
            missing = _find_missing_standard(intent, selection, self.facts.standard, dropped)
            drop_unable(dropped, self.facts, self._list_asked(selection), self.secrets)
        available = tuple(name for name in selection.names if name not in dropped)
        modes, memories = self._list_others(switches, deactivations)
        return Expansion(
            available=available,
            picks=tuple(name for name in available if name in selection.picks),
            overlays=tuple(name for name in selection.overlays if name not in dropped),
            dropped=tuple(dropped[name] for name in self.catalog.skills if name in dropped),
            unknown=selection.unknown,
            missing_standard=missing,
            matches=matches,
            warnings=(*_warn(matches, profile, self.facts.index), *selection.warnings, *_refuse(intent, selection, dropped)),
            focus_modes=modes,
            memories=memories,
        )

    def _admit_built_in(self, dropped: DropTable, selection: Selection) -> None:
        """What the models bring themselves lacks no credential."""
        for name in self.built_in.intersection(selection.overlays):
            if name in dropped and dropped[name].code == "unavailable":
                del dropped[name]

    def _list_asked(self, selection: Selection) -> Mapping[str, None]:
        own = self.built_in.intersection(selection.overlays)
        return {name: None for name in selection.names if name not in own} if own else selection.names

    def _list_others(
        self, switches: Availabilities, deactivations: Iterable[Deactivation]
    ) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The focus modes and the memories that are on."""
        refused = frozenset((item.kind, item.id) for item in deactivations)
        modes = (
            mode
            for mode, app in self.facts.focus_modes
            if switches.focus_modes[mode].enabled and not refused & {("app", app), ("focus_mode", mode)}
        )
        memories = (
            item.id
            for item in self.catalog.memories.values()
            if switches.apps[item.app_id].enabled and ("app", item.app_id) not in refused
        )
        return tuple(modes), tuple(memories)


def _match_lists(intent: Intent, index: NameIndex) -> Iterator[PatternMatch]:
    lists: tuple[tuple[PatternKey, tuple[str, ...] | None], ...] = (("allowed", intent.allowed), ("disabled", intent.disabled))
    for key, patterns in lists:
        for pattern in dict.fromkeys(patterns or ()):
            yield PatternMatch(key, pattern, index.match(pattern))


def _warn(matches: Iterable[PatternMatch], profile: ProfileSelection, index: NameIndex) -> Iterator[str]:
    """Patterns that mean nothing."""
    yield from (_explain_idle(match.key, match.pattern) for match in matches if not match.names)
    gates = (("disabled_skills", profile.disabled_skills), ("allowed_skills", profile.allowed_skills or ()))
    for key, patterns in gates:
        yield from (_explain_idle(f"the profile's {key}", pattern) for pattern in patterns if not index.match(pattern))


def _explain_idle(key: str, pattern: str) -> str:
    """The service's own tools are in no catalog; nobody can take them away."""
    if pattern.partition("-")[0] in RESERVED_APP_IDS:
        return f"{key}: {pattern} belongs to the service itself and is there when it is needed"
    return f"{key}: {pattern} matches no skill"


def _refuse(intent: Intent, selection: Selection, dropped: Mapping[str, Dropped]) -> Iterator[str]:
    """Picks and overlays that were asked for and are not available."""
    asked = (("picks", name) for name in dict.fromkeys(intent.picks or ()))
    switched = ((overlay, name) for name, overlay in selection.switched_on.items())
    for key, name in (*asked, *switched):
        if name in dropped:
            yield f"{key}: {name} is not available: {dropped[name].reason}"


def _find_missing_standard(
    intent: Intent, selection: Selection, standard: Mapping[str, None], dropped: Mapping[str, Dropped]
) -> tuple[str, ...]:
    """What picks of nearly the whole standard set leave out of it: they may have been all of it when they were written."""
    if intent.picks is None:
        return ()
    choosable = [name for name in standard if name not in dropped or dropped[name].code == "not_selected"]
    left_out = tuple(name for name in choosable if name not in selection.picks)
    return left_out if len(left_out) * ONE_IN <= len(choosable) else ()


def make_expander(catalog: Catalog, toolsets: Toolsets, secrets: Mapping[str, str], main_models: Iterable[str]) -> Expander:
    """The expander of a configuration: `secrets` by folded provider name, an empty one is none; the models that may answer."""
    credentials = frozenset(name for name, secret in secrets.items() if secret)
    return Expander(catalog, toolsets, credentials, secrets, toolsets.list_built_in(tuple(main_models)))
