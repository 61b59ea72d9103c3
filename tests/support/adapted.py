"""Schemas of any draft as models are sent them: upgraded as the loader does, then adapted."""

from __future__ import annotations

from apps.sdk.jsontypes import Json
from apps.sdk.schemas.dialects.adapting import adapt
from apps.sdk.schemas.dialects.profiles import Profile
from apps.sdk.schemas.dialects.records import Adapted, Refused
from apps.sdk.schemas.upgrading import upgrade_schema


def upgrade_and_adapt(schema: Json, profile: Profile) -> Adapted | Refused:
    return adapt(upgrade_schema(schema).schema, profile)
