"""What may be called in one turn."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from apps.sdk.catalog import Catalog, SkillSpec
from apps.sdk.schemas.dialects.tool_schemas import ToolSchemas


@dataclass(frozen=True, slots=True)
class Contract:
    """`skills` may be called, by tool name, in expansion order, whether or not the model was shown their schemas.

    `schemas` are those that the model was shown, so that its arguments can be read; None = callers use the authors' own.

    `known` are the names of everything in the catalog: a name that exists but may not be called is no misspelling of another.
    """

    catalog_digest: str
    skills: Mapping[str, SkillSpec]
    known: frozenset[str] = frozenset()
    schemas: ToolSchemas | None = None


def make_contract(catalog: Catalog, names: Iterable[str], schemas: ToolSchemas | None = None) -> Contract:
    """The contract that lets the skills of `names` be called."""
    skills = {name: catalog.skills[name] for name in names}
    return Contract(catalog.digest, MappingProxyType(skills), catalog.known_names, schemas)
