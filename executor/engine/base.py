"""Where skills run: the port that every engine fits.

An engine raises `apps.sdk.invocation.BadRequest` for arguments that do not fit a skill's request model.
"""

from __future__ import annotations

from typing import Protocol

from apps.sdk.catalog import SkillSpec
from apps.sdk.jsontypes import Json, JsonObject
from apps.sdk.skill import SkillContext


class Engine(Protocol):
    """Runs entries of a call: all together where the skill takes them so, else one at a time.

    What comes back is JSON, or what `apps.sdk.results.conversion.to_json` makes JSON of, or a `SkillResult` around it. A skill's
    own errors come out as they are; timeouts, retries and limits are the caller's business. Cancelling must stop the work.
    """

    def takes_batches(self, skill: SkillSpec) -> bool: ...

    async def execute(self, skill: SkillSpec, requests: list[JsonObject], context: SkillContext) -> list[Json]:
        """As many results as requests, in their order; in the place of one may stand a `SkillError`."""
        ...


class EngineOverloaded(Exception):
    """The engine takes nothing more for now."""
