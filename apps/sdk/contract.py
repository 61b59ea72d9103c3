"""What the model was shown and may call in one turn."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from apps.sdk.catalog import SkillSpec


@dataclass(frozen=True, slots=True)
class Contract:
    """`skills` may be called, by tool name, in expansion order; `shown` are those whose schema the model saw.

    A skill that is callable but not shown runs when its arguments are valid: a model may know it from the history.
    """

    catalog_digest: str
    skills: Mapping[str, SkillSpec]
    shown: frozenset[str] = frozenset()
