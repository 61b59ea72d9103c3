"""The schemas of skills as one family of providers takes them, each made once."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field

from apps.sdk.catalog import SkillSpec
from apps.sdk.jsontypes import JsonObject
from apps.sdk.schemas.dialects.adapting import adapt
from apps.sdk.schemas.dialects.profiles import COMMON, Profile
from apps.sdk.schemas.dialects.records import Adapted, Refused
from apps.sdk.schemas.dialects.restoring import Restored, restore_arguments
from apps.sdk.schemas.parameters import REQUESTS_PER_CALL, with_request_fields

_MAX_KEPT = 4096


@dataclass(slots=True)
class ToolSchemas:
    """What a model is sent of each skill, by content hash; keeps the latest few thousand, so that reloads do not pile up.

    Any thread may ask: a reload does in its own.
    """

    profile: Profile = COMMON
    requests_per_call: int = REQUESTS_PER_CALL
    _kept: dict[tuple[str, str], Adapted | Refused] = field(default_factory=dict)
    _keeping: threading.Lock = field(default_factory=threading.Lock, repr=False, compare=False)

    def find(self, skill: SkillSpec) -> Adapted | Refused:
        """The schema with the fields of `requests`, or why it cannot be sent."""
        key = (skill.tool_name, skill.content_hash)
        found = self._kept.get(key)
        if found is None:
            parameters = with_request_fields(skill.parameters, limit=self.requests_per_call)
            found = adapt(parameters, self.profile)
            with self._keeping:
                self._kept[key] = found
                if len(self._kept) > _MAX_KEPT:
                    del self._kept[next(iter(self._kept))]
        return found

    def restore(self, skill: SkillSpec, arguments: JsonObject) -> Restored:
        """A model's arguments as the author's schema wants them."""
        found = self.find(skill)
        return restore_arguments(found.plan, arguments) if isinstance(found, Adapted) else Restored(arguments)
