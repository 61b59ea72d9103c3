"""Notes over HTTP, in the real store: whose they are, what two at once leave behind, and a turn without any model."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from apps.sdk.jsontypes import Json, JsonObject
from service.commands.local import LocalStore
from service.commands.running import LOCAL
from tests.e2e.lab import user
from tests.support.running import Running, make_settings, run_shortlist


@pytest.fixture
async def running(tmp_path: Path) -> AsyncIterator[Running]:
    async with run_shortlist(make_settings(tmp_path)) as opened:
        yield opened


async def execute(running: Running, skill: str, requests: Sequence[JsonObject], **headers: str) -> list[JsonObject]:
    """The entries of one call, as the caller sees them."""
    body = {"name": f"notes-{skill}", "arguments": {"requests": list(requests)}}
    status, result = await running.post("/v1/execute", body, **headers)
    assert status == 200, result
    entries: list[JsonObject] = result["result"]["results"]
    return entries


async def read_texts(running: Running, **headers: str) -> list[str]:
    """The texts of a user's notes, sorted."""
    (entry,) = await execute(running, "list", [{}], **headers)
    return sorted(row["text"] for row in entry["data"])


async def test_notes_belong_to_one_user_of_one_tenant(running: Running) -> None:
    """Nobody else lists, finds, changes or deletes them, also not with the id."""
    ann = {"X_Tenant_ID": "acme", "X_User_ID": "ann"}
    (added,) = await execute(running, "add", [{"text": "ann's secret"}], **ann)
    name = added["data"]["id"]
    for other in ({"X_Tenant_ID": "acme", "X_User_ID": "bob"}, {"X_Tenant_ID": "other", "X_User_ID": "ann"}, {}):
        assert await read_texts(running, **other) == []
        (found,) = await execute(running, "search", [{"words": "secret"}], **other)
        assert found["data"] == []
        for skill, request in (("list", {"id": name}), ("delete", {"id": name}), ("add", {"text": "x", "replaces": name})):
            (refused,) = await execute(running, skill, [request], **other)
            assert refused["error"]["code"] == "skill_retry"
    assert await read_texts(running, **ann) == ["ann's secret"]


async def test_five_at_once_are_all_kept(running: Running) -> None:
    """One call with five notes, and four such calls at the same time: twenty notes."""
    calls = ([{"text": f"note {call}.{at}"} for at in range(5)] for call in range(4))
    entries = await asyncio.gather(*(execute(running, "add", requests) for requests in calls))
    assert {entry["status"] for call in entries for entry in call} == {"ok"}
    assert await read_texts(running) == [f"note {call}.{at}" for call in range(4) for at in range(5)]


async def test_two_changes_at_once_lose_nothing(running: Running) -> None:
    """Whichever is first, what was said to be saved is there, and the old note is not."""
    (added,) = await execute(running, "add", [{"text": "milk"}])
    changes: list[Json] = ["milk, eggs", "milk, tea"]
    ends = await asyncio.gather(*(execute(running, "add", [{"text": text, "replaces": added["data"]["id"]}]) for text in changes))
    saved = [text for text, (entry,) in zip(changes, ends, strict=True) if entry["status"] == "ok"]
    assert await read_texts(running) == saved


async def test_a_note_twice_in_one_call_is_kept_once(running: Running) -> None:
    """The second is told so."""
    entries = await execute(running, "add", [{"text": "milk"}, {"text": "milk"}])
    assert [entry["status"] for entry in entries] == ["ok", "already_done"]
    assert await read_texts(running) == ["milk"]


async def test_a_note_is_kept_and_found_without_any_model(running: Running) -> None:
    """The stand-ins save it in one turn and quote it in the next; a restart would change nothing, as it is in the store."""
    status, body = await running.post("/v1/turns", {"messages": [user("note: the spare key is under the blue pot")]})
    assert status == 200, body
    assert "notes-add" in body["answer"]["content"]
    _, body = await running.post("/v1/turns", {"messages": [user("what did I note about the spare key?")]})
    assert "under the blue pot" in body["answer"]["content"]


async def test_the_command_line_sees_the_same_notes(running: Running, tmp_path: Path) -> None:
    """Its storage opens the same database at the first use."""
    (added,) = await execute(running, "add", [{"text": "milk"}], X_Tenant_ID=LOCAL.tenant, X_User_ID=LOCAL.user)
    async with AsyncExitStack() as exit_stack:
        store = LocalStore(f"sqlite:///{tmp_path / 'test.db'}", exit_stack)
        stored = await store.scoped(LOCAL.tenant, "notes", LOCAL.user).items("note:")
    assert [(key, value["text"]) for key, value in stored.items()] == [(f"note:{added['data']['id']}", "milk")]
