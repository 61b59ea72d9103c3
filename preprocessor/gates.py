"""Why a skill is not available: the gates that no conversation lifts, then what the intent takes away or does not choose."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TypeAlias

from apps.sdk.catalog import Catalog
from apps.sdk.skill import Source
from preprocessor.availability import Availabilities, Deactivation, ask_skill
from preprocessor.catalog_facts import CatalogFacts
from preprocessor.dropped import Dropped
from preprocessor.intent import Intent
from preprocessor.selection import PatternMatch, ProfileSelection, Selection

DropTable: TypeAlias = dict[str, Dropped]
"""By name; of several gates that a skill does not pass, the first one says why."""


def drop_all(catalog: Catalog, intent: Intent, profile: ProfileSelection) -> DropTable | None:
    """Every skill, where there are to be no tools at all; else None."""
    if intent.is_off:
        return {name: Dropped(name, "off", "tools are off") for name in catalog.skills}
    if profile.tools == ():
        return {name: Dropped(name, "profile", "the profile allows no tools") for name in catalog.skills}
    return None


def close_gates(
    facts: CatalogFacts,
    switches: Availabilities,
    *,
    deactivations: Iterable[Deactivation],
    profile: ProfileSelection,
    source: Source,
) -> DropTable:
    """What no conversation lifts."""
    dropped: DropTable = {}
    for name, state in switches.skills.items():
        if not state.enabled:
            dropped[name] = Dropped(name, state.code, state.reason or "")
    for name, reason in _list_deactivated(facts.catalog, deactivations):
        dropped.setdefault(name, Dropped(name, "deactivated", reason))
    for name in facts.index.match_all(profile.disabled_skills):
        dropped.setdefault(name, Dropped(name, "profile", "the profile disables it"))
    if profile.allowed_skills is not None:
        allowed = facts.index.match_all(profile.allowed_skills)
        for name in facts.catalog.skills:
            if name not in allowed:
                dropped.setdefault(name, Dropped(name, "profile", "the profile does not allow it"))
    for name, sources in facts.limited.items():
        if source not in sources:
            dropped.setdefault(name, Dropped(name, "wrong_source", f"it may not be used from {source}"))
    return dropped


def drop_unwanted(
    dropped: DropTable, facts: CatalogFacts, intent: Intent, selection: Selection, matches: Iterable[PatternMatch]
) -> None:
    """Add to `dropped` what the intent denies, switches off, does not choose, or does not allow."""
    denied = dict.fromkeys(name for match in matches if match.key == "disabled" for name in match.names)
    for name in denied:
        dropped.setdefault(name, Dropped(name, "denied", "the intent disables it"))
    for name, overlay in selection.switched_off.items():
        dropped.setdefault(name, Dropped(name, "switched_off", f"{overlay} is switched off"))
    for name, drop in facts.not_selected.items():
        if name not in selection.names and name not in dropped:
            dropped[name] = drop
    if intent.allowed is not None:
        allowed = frozenset(name for match in matches if match.key == "allowed" for name in match.names)
        for name in selection.names:
            if name not in allowed:
                dropped.setdefault(name, Dropped(name, "not_allowed", "the intent does not allow it"))


def drop_unable(dropped: DropTable, facts: CatalogFacts, names: Mapping[str, None], secrets: Mapping[str, str]) -> None:
    """Add to `dropped` the skills that say they cannot work; only those of `names` are asked that everything else lets in."""
    for name in facts.asked:
        if name in names and name not in dropped and (reason := ask_skill(facts.catalog.skills[name], secrets)):
            dropped[name] = Dropped(name, "unavailable", reason)


def _list_deactivated(catalog: Catalog, deactivations: Iterable[Deactivation]) -> Iterator[tuple[str, str]]:
    for item in deactivations:
        if item.kind == "app" and item.id in catalog.by_app:
            reason = f"the user has deactivated the app {item.id}"
            yield from ((skill.tool_name, reason) for skill in catalog.by_app[item.id].skills)
        elif item.kind == "skill" and item.id in catalog.skills:
            yield item.id, f"the user has deactivated {item.id}"
