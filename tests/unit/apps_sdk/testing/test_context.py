from datetime import UTC, datetime

import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer

from apps.sdk.http.errors import FetchRefused
from apps.sdk.skill import MissingSecret, SkillContext
from apps.sdk.testing import Cancel, MemoryStorage, RecordingLogger, make_context


async def test_context_works_without_a_server() -> None:
    """An author's test gets a context with storage, secrets, a standing clock and a session that is closed afterwards."""
    noon = datetime(2024, 3, 3, 12, tzinfo=UTC)
    logger, cancellation = RecordingLogger(), Cancel()
    async with make_context(secrets={"Brave": "s3cret"}, now=noon, logger=logger, cancellation=cancellation) as context:
        assert isinstance(context, SkillContext)
        assert context.secret("brave") == "s3cret"
        with pytest.raises(MissingSecret):
            context.secret("Other")
        assert context.now() == noon
        assert 0 < context.time_left <= 30
        closed = [context.http.closed]
        context.logger.info("searched", rows=3)
        assert context.cancellation is cancellation
    assert [*closed, context.http.closed] == [False, True]
    assert (logger.entries[0].event, logger.entries[0].fields) == ("searched", {"rows": 3})


async def test_clock_runs_unless_it_is_set() -> None:
    async with make_context(timeout=0) as context:
        assert context.now() <= context.now()
        assert context.time_left == 0


async def test_storage_keeps_copies() -> None:
    """What is stored is a copy, as in a database: changing the value later does not change what is stored."""
    storage = MemoryStorage()
    value = {"n": [1]}
    await storage.put("a.1", value)
    await storage.put("b", None)
    value["n"].append(2)
    assert await storage.get("a.1") == {"n": [1]}
    assert await storage.keys() == ["a.1", "b"]
    assert await storage.keys("a") == ["a.1"]
    items = await storage.items()
    items["a.1"]["n"].append(3)
    assert await storage.items() == {"a.1": {"n": [1]}, "b": None}
    assert await storage.items("a") == {"a.1": {"n": [1]}}
    assert await storage.delete("b")
    assert not await storage.delete("b")
    assert await storage.get("b") is None


@pytest.mark.parametrize("key", ["", "x" * 201])
async def test_storage_refuses_keys_out_of_bounds(key: str) -> None:
    with pytest.raises(ValueError, match="200"):
        await MemoryStorage().put(key, 1)


async def test_storage_refuses_what_json_cannot_hold() -> None:
    with pytest.raises(TypeError):
        await MemoryStorage().put("a", object())


async def test_the_network_is_the_service_s() -> None:
    """A test's own server can be reached once it is listed, and only then; nothing is opened before it is used."""

    async def answer(request: web.Request) -> web.Response:
        return web.Response(text="hello")

    application = web.Application()
    application.router.add_get("/", answer)
    async with TestServer(application) as server:
        url = str(server.make_url("/"))
        async with make_context(allowed_hosts=[f"{server.host}:{server.port}"]) as context, context.http.get(url) as response:
            assert await response.text() == "hello"
            assert context.http is context.http
        async with make_context() as context:
            with pytest.raises(FetchRefused):
                await context.http.get(url)
