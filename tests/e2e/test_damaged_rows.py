"""Rows that are damaged or of a newer version: a clear error over HTTP, the row as it was, and everybody else goes on."""

from __future__ import annotations

from pathlib import Path
from typing import LiteralString

import pytest
import sqlalchemy as sa

from apps.sdk.jsontypes import Json, JsonObject
from tests.e2e.conftest import OpenLab
from tests.e2e.lab import OFFLINE, Lab, user
from tests.support.databases import file_url, run_sql, sync_engine

OF_SICK: LiteralString = "(SELECT id FROM conversations WHERE title = 'sick')"
DAMAGE: dict[str, tuple[LiteralString, str]] = {
    "an intent that is no JSON": ("UPDATE conversations SET intent = '{' WHERE title = 'sick'", "damaged"),
    "an intent of another shape": ("UPDATE conversations SET intent = '{\"colour\": 1}' WHERE title = 'sick'", "damaged"),
    "a newer format": ("UPDATE conversations SET format = 99 WHERE title = 'sick'", "newer"),
    "a message that is no JSON": ("UPDATE messages SET content = '[' WHERE seq = 1 AND conversation_id = " + OF_SICK, "damaged"),
    "a message of nobody": ("UPDATE messages SET role = 'oracle' WHERE seq = 2 AND conversation_id = " + OF_SICK, "damaged"),
    "an event that is no object": ("UPDATE events SET data = '[]' WHERE conversation_id = " + OF_SICK, "damaged"),
}  # fmt: skip


def dump(url: str) -> dict[str, list[tuple[object, ...]]]:
    engine = sync_engine(url)
    with engine.connect() as connection:
        tables = ("conversations", "turns", "messages", "events")
        held = {table: [tuple(row) for row in connection.execute(sa.text(f"SELECT * FROM {table}"))] for table in tables}
    engine.dispose()
    return held


async def ask(lab: Lab, method: str, path: str, body: Json = None, **headers: str) -> tuple[int, JsonObject]:
    async with lab.running.client.request(method, lab.running.url + path, json=body, headers=headers) as response:
        return response.status, await response.json(content_type=None)


@pytest.mark.parametrize("kind", DAMAGE)
async def test_a_row_that_cannot_be_read(start_lab: OpenLab, tmp_path: Path, kind: str) -> None:
    """It is told what is wrong, and which conversation it is; nothing of it changes, and the one beside it works."""
    statement, word = DAMAGE[kind]
    url = file_url(tmp_path)
    async with start_lab(**OFFLINE, database_url=url) as lab:
        made = {title: (await ask(lab, "POST", "/v1/conversations", {"title": title}))[1]["id"] for title in ("sick", "well")}
        for conversation_id in made.values():
            assert (await ask(lab, "POST", "/v1/turns", {"conversation_id": conversation_id, "messages": [user("echo x")]}))[
                0
            ] == 200
        run_sql(url, statement)
        before = dump(url)
        path = f"/v1/conversations/{made['sick']}"
        turn: JsonObject = {"conversation_id": made["sick"], "messages": [user("x")]}
        events = await ask(lab, "GET", f"{path}/events")
        answers = (
            {"events": events}
            if "event" in kind
            else {
                "events": events,
                "get": await ask(lab, "GET", path),
                "patch": await ask(lab, "PATCH", path, {"title": "sick"}),
                "messages": await ask(lab, "GET", f"{path}/messages"),
                "turn": await ask(lab, "POST", "/v1/turns", turn),
                "stream": await ask(lab, "POST", "/v1/turns", {**turn, "stream": True}),
            }
        )
        told = {name: body for name, (status, body) in answers.items() if status == 500}
        assert {status for status, _ in answers.values()} <= {200, 500}
        expected = {
            "intent": {"get", "patch", "turn", "stream"},
            "format": set(answers),
            "message": {"messages", "turn", "stream"},
        }
        assert set(told) == next((names for part, names in expected.items() if part in kind), {"events"})
        for problem in told.values():
            assert problem["code"] == "conversation_unreadable"
            assert word in problem["detail"]
        assert dump(url) == before
        for place in ("", "/messages", "/events"):
            assert (await ask(lab, "GET", f"/v1/conversations/{made['well']}{place}"))[0] == 200
        status, answer = await ask(lab, "POST", "/v1/turns", {"conversation_id": made["well"], "messages": [user("echo y")]})
        assert (status, "y" in answer["answer"]["content"]) == (200, True)
        status, listed = await ask(lab, "GET", "/v1/conversations")
        assert status == 200
        assert made["well"] in [item["id"] for item in listed["conversations"]]
        async with lab.running.client.delete(lab.running.url + path) as response:
            assert response.status == 204
