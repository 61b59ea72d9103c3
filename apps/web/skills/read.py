"""Skill `web-read`: a page as clean text."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field

from apps.sdk.http.errors import WrongType
from apps.sdk.http.fetching import Fetched, fetch
from apps.sdk.jsontypes import JsonObject
from apps.sdk.skill import Skill, SkillContext, SkillFailed, SkillResult, SkillRetry
from apps.web.skills.extraction import Page, extract_text
from apps.web.skills.questions import find_address

MAX_PAGE_BYTES = 3_000_000
MAX_URL_LENGTH = 2_000
CHARACTERS = 10_000
MAX_CHARACTERS = 40_000
MARKUP = ("text/html", "application/xhtml+xml")
READABLE = (
    *MARKUP,
    "text/*",
    "application/json",
    "application/xml",
    "application/yaml",
    "application/x-ndjson",
    "*+json",
    "*+xml",
)


class ReadRequest(BaseModel):
    """An address, and which part of its text."""

    model_config = ConfigDict(extra="forbid")

    url: str = Field(min_length=1, max_length=MAX_URL_LENGTH)
    start: int = Field(default=0, ge=0)
    max_characters: int = Field(default=CHARACTERS, ge=500, le=MAX_CHARACTERS)
    links: bool = False


class ReadSkill(Skill):
    """Fetches a page and leaves out what is not its text."""

    async def execute(self, request: ReadRequest, context: SkillContext) -> SkillResult:
        """`{url, title, author, date, language, site, text, characters, next_start}`, without what the page does not tell."""
        fetched = await _fetch_page(context, request.url)
        page = await _extract(fetched, context, links=request.links)
        return cut_page(page, fetched.url, request)

    def from_message(self, text: str) -> JsonObject | None:
        """The first web address in `text`."""
        url = find_address(text)
        return {"url": url} if url else None


async def _extract(fetched: Fetched, context: SkillContext, *, links: bool) -> Page:
    text = fetched.text
    if fetched.content_type in MARKUP or (not fetched.content_type and text.lstrip()[:1] == "<"):
        return await extract_text(text, fetched.url, links=links, owner=(context.tenant, context.user))
    return Page(text=text)


def cut_page(page: Page, url: str, request: ReadRequest) -> SkillResult:
    """The part of the page that is asked for; raises `SkillRetry` for one past its end, `SkillFailed` for an empty page."""
    whole = page.text.strip()
    if not whole:
        raise SkillFailed("The page has no text; it may be made by scripts.")
    if request.start >= len(whole):
        raise SkillRetry(f"The text has {len(whole)} characters.", hint="Give a smaller start.")
    end = find_cut(whole, request.start, request.start + request.max_characters)
    about = {"title": page.title, "author": page.author, "date": page.date, "language": page.language, "site": page.site}
    data: JsonObject = {"url": url, **{name: value for name, value in about.items() if value}}
    data |= {"text": whole[request.start : end].strip(), "characters": len(whole)}
    if end == len(whole):
        return SkillResult(data)
    note = f"This is {request.start} to {end} of {len(whole)} characters; the rest comes with start={end}."
    return SkillResult(data | {"next_start": end}, note=note)


def find_cut(text: str, start: int, end: int) -> int:
    """Where to end a part: after a paragraph, line or sentence of its last fifth if there is one, at `end` otherwise."""
    if end >= len(text):
        return len(text)
    earliest = start + (end - start) * 4 // 5
    for mark in ("\n\n", "\n", ". ", " "):
        if (found := text.rfind(mark, earliest, end)) >= 0:
            return found + len(mark)
    return end


async def _fetch_page(context: SkillContext, url: str) -> Fetched:
    address = url.strip() if "://" in url else f"https://{url.strip()}"
    try:
        fetched = await fetch(context, address, accept=(*READABLE, ""), max_bytes=MAX_PAGE_BYTES)
    except WrongType as error:
        kind = "a PDF document" if error.content_type == "application/pdf" else f"of type {error.content_type}"
        raise SkillFailed(
            f"What is at this address is {kind}, which cannot be read.", hint="Look for a web page of the same."
        ) from None
    if fetched.body.startswith(b"%PDF-"):
        raise SkillFailed(
            "What is at this address is a PDF document, which cannot be read.", hint="Look for a web page of the same."
        )
    if not fetched.content_type and b"\0" in fetched.body[:1_000]:
        raise SkillFailed("What is at this address is no text.")
    return fetched
