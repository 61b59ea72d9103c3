"""What strangers send to the routes of conversations, and what they do while they read."""

from __future__ import annotations

import asyncio
import base64
import socket
from collections import Counter
from urllib.parse import quote

import aiohttp
import pytest
from yarl import URL

from apps.sdk.jsontypes import Json, JsonObject
from service.access.keys import make_key, write_setting
from tests.e2e.conftest import OpenLab
from tests.e2e.lab import OFFLINE, Lab, read_id_events, user, wait_until
from tests.support.databases import postgres_schema, postgres_url, shared_url
from tests.support.model_replies import Reply
from tests.support.model_server import ScriptedModelServer
from tests.support.raw_http import send_raw

__all__ = ["postgres_schema", "postgres_url", "shared_url"]

IDS = [
    "%00", "a%00b", "..", "%2e%2e", "%2e%2e%2f%2e%2e", ".", "%20", "%0a%0d", quote("日本語"), quote("\U0001f468‍\U0001f469"),
    "%ff%fe", "%ed%a0%80", "x" * 4_000, "'%20OR%201=1--", "%25", "null", "%7f", "-1", quote("\u202e"),
]  # fmt: skip
STREAM = {"Accept": "text/event-stream"}


async def send(lab: Lab, method: str, path: str, body: Json = None, **headers: str) -> tuple[int, JsonObject | None]:
    url = URL(lab.running.url + path, encoded=True)
    sent = {name.replace("_", "-"): value for name, value in headers.items()}
    async with lab.running.client.request(method, url, json=body, headers=sent) as response:
        text = await response.text()
        return response.status, await response.json(content_type=None) if text else None


async def create(lab: Lab, **body: Json) -> str:
    status, made = await lab.running.post("/v1/conversations", body)
    assert status == 201
    return str(made["id"])


async def test_odd_ids(start_lab: OpenLab, shared_url: str) -> None:
    """They are not there, on every database; nothing breaks, and nothing is made."""
    async with start_lab(**OFFLINE, database_url=shared_url) as lab:
        own = await create(lab)
        for odd in IDS:
            asked = [
                ("GET", f"/v1/conversations/{odd}", None),
                ("PATCH", f"/v1/conversations/{odd}", {"title": "x"}),
                ("DELETE", f"/v1/conversations/{odd}", None),
                ("POST", f"/v1/conversations/{odd}/fork", {}),
                ("GET", f"/v1/conversations/{odd}/messages", None),
                ("GET", f"/v1/conversations/{odd}/events", None),
                ("GET", f"/v1/users/{odd}/deactivations", None),
                ("DELETE", f"/v1/users/{odd}", None),
                ("PUT", f"/v1/users/anonymous/deactivations/skill/{odd}", None),
            ]
            for method, path, body in asked:
                status, problem = await send(lab, method, path, body)
                is_name = odd in {"null", "-1", "..", "%2e%2e", "."}  # as good a user's as any
                assert status in ({200, 404, 405} if is_name and "/users/" in path else {400, 404, 405}), (method, path, problem)
        for text in ("\0", "a\0b", "x" * 65, "", "..", "日本語", "\u202e"):
            status, problem = await send(lab, "POST", "/v1/turns", {"conversation_id": text, "messages": [user("x")]})
            assert status in {404, 422}, (text, problem)
            status, problem = await send(lab, "POST", f"/v1/conversations/{own}/fork", {"message_id": text})
            assert status in {404, 409, 422}, (text, problem)
        _, listed = await send(lab, "GET", "/v1/conversations")
        assert listed is not None
        assert [item["id"] for item in listed["conversations"]] == [own]


def cursor(text: str) -> str:
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


async def test_odd_places(start_lab: OpenLab, shared_url: str) -> None:
    """Cursors, numbers and ids of events that nobody gave: refused by name, or a page of nothing."""
    async with start_lab(**OFFLINE, database_url=shared_url) as lab:
        own = await create(lab)
        odd_cursors = [
            cursor("0001-01-01T00:00:00+23:59|a"), cursor("9999-12-31T23:59:59-23:59|a"), cursor("2026-01-01T00:00:00|a"),
            cursor("2026-01-01T00:00:00+00:00|"), cursor("2026-01-01T00:00:00+00:00|\0"),
            cursor("|"), cursor(""), "", "=", "%ff", "a" * 7_000,
            cursor("2026-01-01T00:00:00+00:00"), "日本語",
        ]  # fmt: skip
        for text in odd_cursors:
            status, problem = await send(lab, "GET", f"/v1/conversations?cursor={quote(text)}")
            assert (status, problem and problem["code"]) == (422, "invalid_parameter"), text
        for good in ("0001-01-01T00:00:00+00:00|a", "9999-12-31T23:59:59+00:00|a"):
            assert (await send(lab, "GET", f"/v1/conversations?cursor={cursor(good)}"))[0] == 200
        for query in ("after=-1", "after=1e3", "after=" + "9" * 19, "after=%D9%A1", "limit=0", "limit=501", "limit=", "x=1"):
            for part in ("messages", "events"):
                status, problem = await send(lab, "GET", f"/v1/conversations/{own}/{part}?{query}")
                assert (status, problem and problem["code"]) == (422, "invalid_parameter"), query
        for last in ("-1", "x", "", "1.0", "9" * 19, "0x1", "1,2"):
            for headers in ({}, STREAM):
                status, problem = await send(lab, "GET", f"/v1/conversations/{own}/events", Last_Event_ID=last, **headers)
                assert (status, problem and problem["code"]) == (400, "invalid_header"), last
        status, page = await send(lab, "GET", f"/v1/conversations/{own}/events", Last_Event_ID="9" * 18)
        assert (status, page) == (200, {"events": [], "next": int("9" * 18)})


async def test_head_has_no_body_and_no_end_to_wait_for(lab: Lab) -> None:
    """Of the events too, though a stream is accepted: HEAD answers at once, and follows nothing."""
    own = await create(lab)
    for part in ("", "/messages", "/events"):
        lines = (
            f"HEAD /v1/conversations/{own}{part} HTTP/1.1",
            "Host: localhost",
            "Accept: text/event-stream",
            "Connection: close",
        )
        head = "\r\n".join((*lines, "", ""))
        reader, writer = await asyncio.open_connection("127.0.0.1", URL(lab.running.url).port)
        writer.write(head.encode())
        answer = await asyncio.wait_for(reader.read(), 5)
        writer.close()
        assert answer.startswith(b"HTTP/1.1 200")
        assert answer.endswith(b"\r\n\r\n")
    answer_to_post = await send_raw(
        lab.running.url, b"POST /v1/conversations/x/events HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n"
    )
    assert answer_to_post.status == 405


async def test_a_thousand_conversations(start_lab: OpenLab) -> None:
    """Pages of any size give each of them once."""
    async with start_lab(**OFFLINE) as lab:
        made = [await create(lab, title=str(number)) for number in range(1_000)]
        for limit in (1, 333, 500):
            seen: list[str] = []
            after = ""
            while True:
                _, page = await send(lab, "GET", f"/v1/conversations?limit={limit}{after}")
                assert page is not None
                seen += [item["id"] for item in page["conversations"]]
                if page["next"] is None or (limit == 1 and len(seen) == 20):
                    break
                after = f"&cursor={page['next']}"
            assert seen == made[::-1][: len(seen)]
            assert len(seen) == (20 if limit == 1 else 1_000)


async def test_changes_at_the_same_time(start_lab: OpenLab, shared_url: str) -> None:
    """Each is kept: a PATCH of one key does not undo another's."""
    async with start_lab(**OFFLINE, database_url=shared_url) as lab:
        path = f"/v1/conversations/{await create(lab, intent={'disabled': ['lab-fail']})}"
        changes: list[Json] = [
            {"title": "new"}, {"intent": {"web_search": True}}, {"intent": {"enabled": True}}, {"intent": {"allowed": ["lab-*"]}},
        ]  # fmt: skip
        for _ in range(5):
            await send(lab, "PATCH", path, {"title": None, "intent": {"web_search": None, "enabled": None, "allowed": None}})
            answers = await asyncio.gather(*(send(lab, "PATCH", path, change) for change in changes))
            assert [status for status, _ in answers] == [200] * len(changes)
            _, found = await send(lab, "GET", path)
            assert found is not None
            wanted = {"enabled": True, "web_search": True, "allowed": ["lab-*"], "disabled": ["lab-fail"]}
            assert (found["title"], found["intent"]) == ("new", wanted)
        *others, _ = await asyncio.gather(
            *(send(lab, "PATCH", path, {"title": str(n)}) for n in range(5)), send(lab, "DELETE", path)
        )
        assert {status for status, _ in others} <= {200, 404}
        assert (await send(lab, "GET", path))[0] == 404


async def test_turns_at_the_same_time(start_lab: OpenLab, shared_url: str) -> None:
    """Exactly one at a time has the conversation; with one Idempotency-Key there is one turn in all."""
    async with start_lab(**OFFLINE, database_url=shared_url) as lab:
        own = await create(lab)
        body: Json = {"conversation_id": own, "messages": [user("linger until released")]}
        turns = [asyncio.create_task(send(lab, "POST", "/v1/turns", body)) for _ in range(8)]
        await wait_until(lambda: sum(turn.done() for turn in turns) == 7)
        lab.release.set()
        assert Counter([(await turn)[0] for turn in turns]) == {200: 1, 409: 7}
        lab.release.clear()
        lab.log.clear()
        turns = [asyncio.create_task(send(lab, "POST", "/v1/turns", body, Idempotency_Key="k")) for _ in range(4)]
        await wait_until(lambda: sum(turn.done() for turn in turns) == 3)
        lab.release.set()
        assert Counter([(await turn)[0] for turn in turns]) == {200: 1, 409: 3}
        first, again = [await send(lab, "POST", "/v1/turns", body, Idempotency_Key="k") for _ in range(2)]
        assert first == again
        assert [entry[0] for entry in lab.log] == ["started", "finished"]


async def test_a_key_is_free_again_when_the_conversation_was_busy(start_lab: OpenLab) -> None:
    """409 is not the answer that is kept: the same request may come again."""
    async with start_lab(**OFFLINE) as lab:
        own = await create(lab)
        first = asyncio.create_task(
            send(lab, "POST", "/v1/turns", {"conversation_id": own, "messages": [user("linger until released")]})
        )
        await wait_until(lambda: lab.log)
        body: Json = {"conversation_id": own, "messages": [user("echo x")]}
        assert (await send(lab, "POST", "/v1/turns", body, Idempotency_Key="k"))[0] == 409
        lab.release.set()
        await first
        assert (await send(lab, "POST", "/v1/turns", body, Idempotency_Key="k"))[0] == 200


async def test_a_key_of_one_tenant(start_lab: OpenLab) -> None:
    """With the scope `use` it does everything with its own tenant's conversations and users, and nothing with another's."""
    acme, other = make_key("acme", "use", tenant="acme"), make_key("other", "use", tenant="other")
    keys = tuple(write_setting(made.key) for made in (acme, other))
    async with start_lab(**OFFLINE, api_keys=keys, allow_anonymous=False) as lab:
        mine = {"Authorization": f"Bearer {acme.secret}"}
        theirs = {"Authorization": f"Bearer {other.secret}"}
        _, made = await send(lab, "POST", "/v1/conversations", {}, **mine)
        assert made is not None
        path = f"/v1/conversations/{made['id']}"
        turn: Json = {"conversation_id": made["id"], "messages": [user("echo x")]}
        assert (await send(lab, "POST", "/v1/turns", turn, **mine))[0] == 200
        for method, place, body in [
            ("GET", path, None), ("PATCH", path, {}), ("GET", f"{path}/messages", None), ("GET", f"{path}/events", None),
            ("POST", f"{path}/fork", {}), ("POST", "/v1/turns", turn), ("DELETE", path, None),
        ]:  # fmt: skip
            assert (await send(lab, method, place, body, **theirs))[0] == 404, (method, place)
            assert (await send(lab, method, place, body, **theirs, X_Tenant_ID="acme"))[0] == 403, (method, place)
            assert (await send(lab, method, place, body))[0] == 401, (method, place)
        status, erased = await send(lab, "DELETE", "/v1/users/anonymous", **theirs)
        assert (status, erased and erased["erased"]["conversations"]) == (200, 0)
        assert (await send(lab, "GET", path, **mine))[0] == 200
        status, erased = await send(lab, "DELETE", "/v1/users/anonymous", **mine)
        assert (status, erased and erased["erased"]["conversations"]) == (200, 1)


async def test_texts_that_no_encoding_takes(lab: Lab, models: ScriptedModelServer) -> None:
    """A model may say lone surrogates, NUL and escapes: the turn ends, and what is stored can be read."""
    own = await create(lab, title="\x1b[31m\u202e")
    models.script("main", [Reply("a\ud800b\x00c\x1b[2J")])
    status, answer = await send(lab, "POST", "/v1/turns", {"conversation_id": own, "messages": [user("say it")]})
    assert status == 200, answer
    for part in ("", "/messages", "/events"):
        status, found = await send(lab, "GET", f"/v1/conversations/{own}{part}")
        assert status == 200, (part, found)


async def test_streams_are_counted(start_lab: OpenLab) -> None:
    """One more than the setting allows is told so; a client that leaves frees its place."""
    async with start_lab(**OFFLINE, event_streams=2) as lab:
        url = f"{lab.running.url}/v1/conversations/{await create(lab)}/events"
        client = lab.running.client
        async with client.get(url, headers=STREAM), client.get(url, headers=STREAM):
            async with client.get(url, headers=STREAM) as third:
                assert (third.status, (await third.json(content_type=None))["code"]) == (503, "too_busy")
                assert "Retry-After" in third.headers
            assert (await client.get(url)).status == 200

        async with asyncio.timeout(5):
            while True:
                async with client.get(url, headers=STREAM) as again:
                    if again.status == 200:
                        break
                await asyncio.sleep(0.01)


async def test_a_client_that_does_not_read(start_lab: OpenLab, models: ScriptedModelServer) -> None:
    """It is cut off after a time, holds no turn up, and its place is free again."""
    async with start_lab(client_timeout=0.5, heartbeat=0.1, event_streams=1) as lab:
        own = await create(lab)
        models.script("main", [Reply("x" * 3_900_000)])
        mute = socket.socket()
        mute.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
        mute.connect(("127.0.0.1", URL(lab.running.url).port))
        _, writer = await asyncio.open_connection(sock=mute, limit=1)
        writer.write(
            f"GET /v1/conversations/{own}/events HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n\r\n".encode()
        )
        await wait_until(lambda: lab.running.services.event_feed._followers == 1)
        status, _ = await asyncio.wait_for(send(lab, "POST", "/v1/turns", {"conversation_id": own, "messages": [user("go")]}), 30)
        assert status == 200
        await wait_until(lambda: lab.running.services.event_feed._followers == 0)
        writer.close()


async def test_a_client_that_left_is_forgotten(start_lab: OpenLab) -> None:
    """Also when nothing happens in the conversation."""
    async with start_lab(**OFFLINE, heartbeat=0.05) as lab:
        url = f"{lab.running.url}/v1/conversations/{await create(lab)}/events"
        async with aiohttp.ClientSession() as session:
            response = await session.get(url, headers=STREAM)
            await wait_until(lambda: lab.running.services.event_feed._followers == 1)
            response.close()
        await wait_until(lambda: lab.running.services.event_feed._followers == 0)
        assert dict(lab.running.services.event_feed._signals) == {}


@pytest.mark.parametrize("reads", [True, False])
async def test_shutting_down_with_open_streams(start_lab: OpenLab, reads: bool) -> None:
    """They end at once, cleanly; nobody waits for the grace period, which is for turns."""
    loop = asyncio.get_running_loop()
    responses: list[aiohttp.ClientResponse] = []
    async with aiohttp.ClientSession() as session:
        async with start_lab(**OFFLINE, shutdown_grace=20.0) as lab:
            own = await create(lab)
            await send(lab, "POST", "/v1/turns", {"conversation_id": own, "messages": [user("echo x")]})
            url = f"{lab.running.url}/v1/conversations/{own}/events"
            responses += [await session.get(url, headers=STREAM) for _ in range(5)]
            start = loop.time()
        assert loop.time() - start < 5
        for response in responses:
            if not reads:
                response.close()
            else:
                assert read_id_events(await response.text())[-1][1] == "turn.finished"


async def test_a_problem_has_no_id_to_come_back_with(start_lab: OpenLab) -> None:
    """A client that comes back after the last words of a stream misses nothing that was kept meanwhile."""
    async with start_lab(**OFFLINE, conversation_lease=1.0) as lab:
        own = await create(lab)
        url = f"{lab.running.url}/v1/conversations/{own}/events"
        async with lab.running.client.get(url, headers=STREAM) as response:
            await send(lab, "POST", "/v1/turns", {"conversation_id": own, "messages": [user("echo x")]})
            await send(lab, "DELETE", f"/v1/conversations/{own}")
            text = await response.text()
        *_, last = text.strip().split("\n\n")
        assert last.startswith("event: error\n")
