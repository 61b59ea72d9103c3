"""`web-search` against a server that speaks both services' wire formats."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass, field

import pytest
from aiohttp import web
from aiohttp.test_utils import BaseTestServer, TestServer

from apps.sdk.jsontypes import Json, JsonObject
from apps.sdk.skill import SkillFailed, SkillResult, SkillRetry
from apps.sdk.testing import RecordingLogger, make_context
from apps.web.skills.search import SearchRequest, SearchSkill
from apps.web.skills.search_services import Brave

SEARXNG: JsonObject = {
    "query": "bees",
    "results": [
        {"title": "On bees", "url": "https://bees.example/", "content": "Bees &amp; honey", "engine": "duckduckgo",
         "publishedDate": "2026-07-01T00:00:00", "thumbnail": "https://bees.example/b.png", "score": 3.2},
        {"title": "Again", "url": "https://bees.example/", "content": "the same page"},
        {"title": "A trap", "url": "javascript:alert(1)", "content": ""},
        {"title": "Wasps", "url": "https://wasps.example/", "content": None, "publishedDate": None},
    ],
}  # fmt: skip
BRAVE: JsonObject = {
    "type": "search",
    "web": {
        "results": [
            {"title": "On <strong>bees</strong>", "url": "https://bees.example/", "description": "All about <b>bees</b>",
             "age": "3 days ago", "thumbnail": {"src": "https://bees.example/b.png"}, "meta_url": {"favicon": "x"}},
        ]
    },
}  # fmt: skip


@dataclass(slots=True)
class Services:
    """What the two services answer next, and what they were asked."""

    searxng: Json = field(default_factory=lambda: SEARXNG)
    brave: Json = field(default_factory=lambda: BRAVE)
    status: dict[str, int] = field(default_factory=dict)
    asked: list[tuple[str, dict[str, str], dict[str, str]]] = field(default_factory=list)

    async def answer_searxng(self, request: web.Request) -> web.Response:
        return self._answer("searxng", request, self.searxng)

    async def answer_brave(self, request: web.Request) -> web.Response:
        return self._answer("brave", request, self.brave)

    def _answer(self, name: str, request: web.Request, answer: Json) -> web.Response:
        self.asked.append((name, dict(request.query), dict(request.headers)))
        return web.json_response(answer, status=self.status.get(name, 200))


@pytest.fixture
def services() -> Services:
    return Services()


@pytest.fixture
async def server(services: Services, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[BaseTestServer]:
    app = web.Application()
    app.router.add_get("/searx/search", services.answer_searxng)
    app.router.add_get("/res/v1/web/search", services.answer_brave)
    async with TestServer(app) as started:
        monkeypatch.setattr(Brave, "endpoint", str(started.make_url("/res/v1/web/search")))
        yield started


async def search(
    server: BaseTestServer, *names: str, logger: RecordingLogger | None = None, opened: bool = True, **arguments: Json
) -> Json:
    """What a search for bees gives with the credentials of these services."""
    secrets = {"SearXNG": f"http://ada:pass%20word@127.0.0.1:{server.port}/searx/", "Brave": "brave-key"}
    hosts = [f"127.0.0.1:{server.port}"] if opened else []
    async with make_context(secrets={name: secrets[name] for name in names}, allowed_hosts=hosts, logger=logger) as context:
        return await SearchSkill().execute(SearchRequest.model_validate({"query": "bees", **arguments}), context)


async def test_searxng_gives_rows(server: BaseTestServer, services: Services) -> None:
    """Each page once, in order, texts without markup, nothing that is no web page; user and password travel as a header."""
    assert await search(server, "SearXNG") == [
        {
            "title": "On bees",
            "url": "https://bees.example/",
            "snippet": "Bees & honey",
            "age": "2026-07-01",
            "engine": "duckduckgo",
            "image": "https://bees.example/b.png",
        },
        {"title": "Wasps", "url": "https://wasps.example/", "snippet": ""},
    ]
    [(_, query, headers)] = services.asked
    assert query == {"q": "bees", "format": "json"}
    assert headers["Authorization"] == "Basic YWRhOnBhc3Mgd29yZA=="


async def test_brave_gives_rows(server: BaseTestServer, services: Services) -> None:
    """With its key in a header."""
    assert await search(server, "Brave") == [
        {
            "title": "On bees",
            "url": "https://bees.example/",
            "snippet": "All about bees",
            "age": "3 days ago",
            "engine": "brave",
            "image": "https://bees.example/b.png",
        }
    ]
    [(_, query, headers)] = services.asked
    assert query == {"q": "bees", "count": "8", "text_decorations": "false", "result_filter": "web"}
    assert headers["X-Subscription-Token"] == "brave-key"


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("SearXNG", {"language": "de-AT", "time_range": "week"}),
        ("Brave", {"search_lang": "de", "country": "AT", "freshness": "pw", "count": "3"}),
    ],
)
async def test_what_narrows_a_search_is_passed_on(
    server: BaseTestServer, services: Services, name: str, expected: dict[str, str]
) -> None:
    """In each service's own words."""
    await search(server, name, language="de", country="AT", freshness="week", count=3)
    assert expected.items() <= services.asked[0][1].items()


async def test_the_count_holds(server: BaseTestServer) -> None:
    """Whatever a service gives."""
    assert len(await search(server, "SearXNG", count=1)) == 1


async def test_the_own_instance_is_asked_first(server: BaseTestServer, services: Services) -> None:
    """And the other one only when it fails, which is logged."""
    await search(server, "Brave", "SearXNG")
    assert [name for name, *_ in services.asked] == ["searxng"]
    services.status["searxng"] = 500
    logger = RecordingLogger()
    rows = await search(server, "Brave", "SearXNG", logger=logger)
    assert rows[0]["engine"] == "brave"
    assert [entry.event for entry in logger.entries] == ["search_service_failed"]


async def test_nothing_found_says_so(server: BaseTestServer, services: Services) -> None:
    """With a note instead of rows."""
    services.searxng = {"results": []}
    result = await search(server, "SearXNG")
    assert isinstance(result, SkillResult)
    assert (result.data, (result.note or "")[:17]) == ([], "Nothing was found")


@pytest.mark.parametrize(
    "answer", [None, 3, [], "x", {}, {"results": 3}, {"web": []}, {"web": {"results": [1, None, {"url": 3}]}}]
)
async def test_answers_of_another_form_hold_nothing(server: BaseTestServer, services: Services, answer: Json) -> None:
    """Nothing crashes."""
    services.searxng = services.brave = answer
    for name in ("SearXNG", "Brave"):
        assert isinstance(await search(server, name), SkillResult)


async def test_an_address_that_cannot_be_read_is_left_out(server: BaseTestServer, services: Services) -> None:
    """One of a megabyte would push the others out of the result."""
    services.searxng = {"results": [{"url": "https://x.example/" + "y" * 1_000_000}, {"url": "https://bees.example/"}]}
    assert [row["url"] for row in await search(server, "SearXNG")] == ["https://bees.example/"]


async def test_half_a_character_costs_no_results(server: BaseTestServer, services: Services) -> None:
    """As where a service cut a title within an emoji."""
    services.searxng = {"results": [{"title": "Bees \ud83d", "url": "https://bees.example/"}]}
    assert [row["title"] for row in await search(server, "SearXNG")] == ["Bees ?"]


@pytest.mark.parametrize(
    ("name", "status", "words"),
    [("SearXNG", 403, "search.formats"), ("SearXNG", 500, "status 500"), ("SearXNG", 404, "cannot be reached"),
     ("Brave", 401, "refuses the key"), ("Brave", 429, "no more searches"), ("Brave", 500, "status 500")],
)  # fmt: skip
async def test_failures_are_told_without_credentials(
    server: BaseTestServer, services: Services, name: str, status: int, words: str
) -> None:
    """Neither key nor address of the instance is in the text."""
    services.status[name.lower()] = status
    with pytest.raises(SkillFailed, match=words) as caught:
        await search(server, name)
    assert not any(secret in caught.value.message for secret in ("brave-key", "127.0.0.1", "pass", "ada"))


async def test_arguments_that_brave_does_not_know_may_be_corrected(server: BaseTestServer, services: Services) -> None:
    """Its list of languages is its own."""
    services.status["brave"] = 422
    with pytest.raises(SkillRetry, match="does not accept"):
        await search(server, "Brave", language="xx")


async def test_an_instance_in_a_private_network_must_be_listed(server: BaseTestServer) -> None:
    """The error names the setting and not the host."""
    with pytest.raises(SkillFailed, match=r"host of SearXNG .* SHORTLIST_EGRESS_ALLOWED_HOSTS"):
        await search(server, "SearXNG", opened=False)


async def test_a_credential_that_is_no_url_is_not_shown() -> None:
    """Say when the two were mixed up."""
    async with make_context(secrets={"SearXNG": "s3cret-key"}) as context:
        with pytest.raises(SkillFailed) as caught:
            await SearchSkill().execute(SearchRequest(query="bees"), context)
    assert "s3cret" not in caught.value.message
