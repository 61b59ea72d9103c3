"""What an expansion needs of a catalog and of nothing else: worked out once a snapshot, when first asked for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from apps.sdk.catalog import Catalog
from apps.sdk.skill import Skill, Source
from preprocessor.availability import Availabilities, resolve_availability
from preprocessor.dropped import Dropped
from preprocessor.name_patterns import NameIndex


@dataclass(frozen=True)
class CatalogFacts:
    """Of one catalog; `credentials` are the provider names, folded, of which there is one."""

    catalog: Catalog
    credentials: frozenset[str] = field(default_factory=frozenset)

    @cached_property
    def index(self) -> NameIndex:
        """The tool names."""
        return NameIndex(self.catalog.skills)

    @cached_property
    def standard(self) -> Mapping[str, None]:
        """The standard set, in catalog order, whatever of it is available."""
        return {name: None for name, skill in self.catalog.skills.items() if skill.standard}

    @cached_property
    def not_selected(self) -> Mapping[str, Dropped]:
        """What is said of each skill when it is not chosen."""
        reasons = {True: "it is not among what was chosen", False: "it is not standard"}
        return {name: Dropped(name, "not_selected", reasons[skill.standard]) for name, skill in self.catalog.skills.items()}

    @cached_property
    def switches(self) -> Availabilities:
        """What is on, without any override."""
        return resolve_availability(self.catalog, (), self.credentials)

    @cached_property
    def limited(self) -> Mapping[str, frozenset[Source]]:
        """The skills that not every source may use."""
        return {name: skill.sources for name, skill in self.catalog.skills.items() if skill.sources is not None}

    @cached_property
    def asked(self) -> tuple[str, ...]:
        """The skills that have something to say of their availability."""
        skills = self.catalog.skills.items()
        return tuple(name for name, skill in skills if type(skill.implementation).available is not Skill.available)

    @cached_property
    def focus_modes(self) -> tuple[tuple[str, str], ...]:
        """The focus modes that have a prompt, each with its app; one without cannot be active."""
        return tuple((mode.id, mode.app_id) for mode in self.catalog.focus_modes.values() if mode.system_prompt.strip())
