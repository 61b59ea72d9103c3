"""Skill `web-search`: pages about something."""

from __future__ import annotations

from collections.abc import Iterable

from pydantic import BaseModel, ConfigDict, Field

from apps.sdk.jsontypes import JsonObject
from apps.sdk.skill import Rows, Skill, SkillContext, SkillFailed, SkillResult
from apps.web.skills.questions import find_query
from apps.web.skills.read import MAX_URL_LENGTH
from apps.web.skills.search_services import MAX_PAGE, SERVICES, Freshness, Search, SearchService

MAX_QUERY = 400
COUNT = 8


class SearchRequest(BaseModel):
    """A query, and what narrows it down."""

    model_config = ConfigDict(extra="forbid")

    query: str = Field(min_length=1, max_length=MAX_QUERY)
    count: int = Field(default=COUNT, ge=1, le=MAX_PAGE)
    language: str | None = Field(default=None, pattern="^[a-z]{2}$")
    country: str | None = Field(default=None, pattern="^[A-Z]{2}$")
    freshness: Freshness | None = None


class SearchSkill(Skill):
    """Asks the first configured service, and the next one when it fails."""

    services: tuple[SearchService, ...] = SERVICES

    async def execute(self, request: SearchRequest, context: SkillContext) -> Rows | SkillResult:
        """Rows `{title, url, snippet, age, engine, image}`, each page once; the last three where known."""
        wanted = Search(request.query, request.count, request.language, request.country, request.freshness)
        rows = keep_pages(await self._search(wanted, context))[: request.count]
        return rows or SkillResult([], note="Nothing was found; try other words or leave out what narrows the search.")

    async def _search(self, wanted: Search, context: SkillContext) -> Rows:
        configured = [service for service in self.services if service.name.casefold() in context.secrets]
        failures: list[str] = []
        for service in configured:
            try:
                return await service.search(wanted, context)
            except SkillFailed as error:
                context.logger.warning("search_service_failed", service=service.name, reason=error.message)
                failures.append(error.message)
        raise SkillFailed(" ".join(failures) or "No search service is configured.")

    def from_message(self, text: str) -> JsonObject | None:
        """The query that `text` wants searched on the web."""
        query = find_query(text)
        return {"query": query} if query else None


def keep_pages(rows: Iterable[JsonObject]) -> Rows:
    """Those that lead to a web page at an address that can be read, each once, in their order."""
    by_url: dict[str, JsonObject] = {}
    for row in rows:
        if row["url"].startswith(("https://", "http://")) and len(row["url"]) <= MAX_URL_LENGTH:
            by_url.setdefault(row["url"], row)
    return list(by_url.values())
