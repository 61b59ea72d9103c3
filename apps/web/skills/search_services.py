"""The services that search: how each is asked, and its answer in our words."""

from __future__ import annotations

import html
import re
from base64 import b64encode
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import ClassVar, Literal, Protocol, TypeAlias

from apps.sdk.http.errors import FetchFailed, FetchRefused, WrongStatus, WrongType
from apps.sdk.http.fetching import fetch
from apps.sdk.http.rules import HOSTS_SETTING
from apps.sdk.jsontypes import Json, JsonObject
from apps.sdk.skill import SkillContext, SkillFailed, SkillRetry

Freshness: TypeAlias = Literal["day", "week", "month", "year"]

JSON_TYPES = ("application/json", "*+json")
SECONDS = 8.0
MAX_TITLE = 200
MAX_SNIPPET = 500
MAX_PAGE = 20
"""Results that Brave gives at once; SearXNG decides by itself."""
_TAG = re.compile(r"<[^<>]*>")


@dataclass(frozen=True, slots=True)
class Search:
    """What to look for; `language` is an ISO 639 code, `country` an ISO 3166 one, `freshness` how old a page may be."""

    query: str
    count: int
    language: str | None = None
    country: str | None = None
    freshness: Freshness | None = None


class SearchService(Protocol):
    """One way to search, for whoever has its credential."""

    name: ClassVar[str]

    async def search(self, wanted: Search, context: SkillContext) -> list[JsonObject]:
        """Rows `{title, url, snippet, age, engine, image}`, the last three where known; raises `SkillFailed` or `SkillRetry`."""
        ...


class SearXNG:
    """An instance of the free metasearch engine; the credential is its URL, with user and password in it where it wants them."""

    name: ClassVar[str] = "SearXNG"

    async def search(self, wanted: Search, context: SkillContext) -> list[JsonObject]:
        """The instance must offer JSON (`search.formats` in its settings)."""
        url, headers = split_credentials(context.secret(self.name))
        params = {"q": wanted.query, "format": "json"}
        if wanted.language:
            params["language"] = f"{wanted.language}-{wanted.country}" if wanted.country else wanted.language
        if wanted.freshness:
            params["time_range"] = wanted.freshness
        try:
            answer = await ask(context, self.name, f"{url.rstrip('/')}/search", params, headers)
        except WrongStatus as error:
            if error.status == 403:
                raise SkillFailed("The SearXNG instance gives no JSON; its setting search.formats must list json.") from None
            raise SkillFailed(f"SearXNG answered with HTTP status {error.status}.") from None
        return list(self._read(answer))

    def _read(self, answer: JsonObject) -> Iterator[JsonObject]:
        for found in pick_objects(answer.get("results")):
            yield make_row(
                title=found.get("title"),
                url=found.get("url"),
                snippet=found.get("content"),
                age=str(found.get("publishedDate") or "")[:10],
                engine=found.get("engine"),
                image=found.get("thumbnail") or found.get("img_src"),
            )


class Brave:
    """Brave's search API; the credential is its key."""

    name: ClassVar[str] = "Brave"
    endpoint: ClassVar[str] = "https://api.search.brave.com/res/v1/web/search"
    FRESHNESS: ClassVar[Mapping[str, str]] = {"day": "pd", "week": "pw", "month": "pm", "year": "py"}

    async def search(self, wanted: Search, context: SkillContext) -> list[JsonObject]:
        """At most `MAX_PAGE` rows."""
        params = {"q": wanted.query, "count": str(wanted.count), "text_decorations": "false", "result_filter": "web"}
        if wanted.language:
            params["search_lang"] = wanted.language
        if wanted.country:
            params["country"] = wanted.country
        if wanted.freshness:
            params["freshness"] = self.FRESHNESS[wanted.freshness]
        try:
            answer = await ask(context, self.name, self.endpoint, params, {"X-Subscription-Token": context.secret(self.name)})
        except WrongStatus as error:
            raise self._explain(error.status) from None
        return list(self._read(answer))

    def _explain(self, status: int) -> SkillFailed | SkillRetry:
        if status == 422:
            return SkillRetry("Brave does not accept this search.", hint="Leave out language and country, or shorten the query.")
        words = {401: "refuses the key", 403: "refuses the key", 429: "allows no more searches at present"}
        return SkillFailed(f"Brave {words.get(status, f'answered with HTTP status {status}')}.")

    def _read(self, answer: JsonObject) -> Iterator[JsonObject]:
        for found in pick_objects(pick_object(answer.get("web")).get("results")):
            yield make_row(
                title=found.get("title"),
                url=found.get("url"),
                snippet=found.get("description"),
                age=found.get("age"),
                engine="brave",
                image=pick_object(found.get("thumbnail")).get("src"),
            )


SERVICES: tuple[SearchService, ...] = (SearXNG(), Brave())
"""In the order in which they are asked: an own instance first, which costs nothing and tells nobody."""


async def ask(context: SkillContext, name: str, url: str, params: Mapping[str, str], headers: Mapping[str, str]) -> JsonObject:
    """The service's JSON; raises `WrongStatus`, else `SkillFailed` with a text that holds nothing of the address."""
    try:
        answer = (await fetch(context, url, params=params, headers=headers, accept=JSON_TYPES, timeout=SECONDS)).json()
    except WrongStatus:
        raise
    except FetchRefused:
        raise SkillFailed(f"The host of {name} may not be reached unless {HOSTS_SETTING} lists it.") from None
    except WrongType:
        raise SkillFailed(f"{name} answered with something else than JSON.") from None
    except (FetchFailed, SkillRetry):
        raise SkillFailed(f"{name} cannot be reached, or its answer cannot be read.") from None
    return pick_object(answer)


def split_credentials(url: str) -> tuple[str, dict[str, str]]:
    """The URL without the user and password in it, and the header that carries them instead."""
    from yarl import URL  # noqa: PLC0415 - not worth its import when the apps are loaded

    try:
        address = URL(url)
        plain = str(address.with_user(None))
    except ValueError:
        raise SkillFailed("The credential for SearXNG is not the URL of an instance.") from None
    if address.user is None:
        return plain, {}
    return plain, {"Authorization": "Basic " + b64encode(f"{address.user}:{address.password or ''}".encode()).decode()}


def make_row(*, title: Json, url: Json, snippet: Json, age: Json, engine: Json, image: Json) -> JsonObject:
    """One result, made of whatever a service gave; texts without markup, empty fields left out except the first three."""
    row = {"title": clean_text(title)[:MAX_TITLE], "url": str(url or ""), "snippet": clean_text(snippet)[:MAX_SNIPPET]}
    extra = {"age": clean_text(age)[:40], "engine": clean_text(engine)[:40], "image": str(image or "")[:2_000]}
    return row | {name: value for name, value in extra.items() if value}


def clean_text(value: Json) -> str:
    """A service's text in one line, without tags and entities."""
    return " ".join(html.unescape(_TAG.sub("", value)).split()) if isinstance(value, str) else ""


def pick_object(value: Json) -> JsonObject:
    """`value` if it is an object, else an empty one."""
    return value if isinstance(value, dict) else {}


def pick_objects(value: Json) -> list[JsonObject]:
    """The objects in a list; nothing when it is none."""
    return [entry for entry in value if isinstance(entry, dict)] if isinstance(value, list) else []
