"""Expansion in one call, for tests that need no snapshot twice."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from apps.sdk.catalog import Catalog
from apps.sdk.skill import Source
from preprocessor.availability import Deactivation, Override
from preprocessor.expand import Expander, Expansion, ProfileSelection
from preprocessor.intent import Intent
from preprocessor.toolsets import NO_TOOLSETS, Toolsets


def expand(
    catalog: Catalog,
    intent: Intent,
    *,
    toolsets: Toolsets = NO_TOOLSETS,
    profile: ProfileSelection | None = None,
    overrides: Iterable[Override] = (),
    deactivations: Iterable[Deactivation] = (),
    credentials: frozenset[str] = frozenset(),
    secrets: Mapping[str, str] | None = None,
    source: Source = "chat",
) -> Expansion:
    """`Expander.expand` on a new expander."""
    expander = Expander(catalog, toolsets, credentials, secrets or {})
    return expander.expand(intent, profile=profile, overrides=overrides, deactivations=deactivations, source=source)
