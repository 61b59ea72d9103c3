"""How many bytes an intent and a turn take in SQLite's file."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path

from apps.sdk.chat import Message
from apps.sdk.jsontypes import Json, JsonObject
from benchmarks.databases import make_database, measure_file
from benchmarks.measuring import BenchmarkError
from benchmarks.report import Table, show_ratio
from preprocessor.intent import Intent
from service.http.middleware.problem_answers import map_error
from service.http.problems import describe_problem
from service.services import Services
from service.store.conversations import Conversations, Owner
from service.store.database import Database
from service.store.engines import parse_url
from service.store.json_text import write_json
from service.turns.begun import carry_out
from service.turns.events import discard
from service.turns.request import Caller, start_limits
from service.wiring import open_services
from tests.support.running import make_settings

OWNER = Owner("acme", "ann@example.org")
CALLER = Caller(OWNER.tenant, OWNER.user, "chat")
QUESTION = Message("user", "What is 17 * 23, please?")
TABLES = ("turns", "messages", "events")
INTENTS: Mapping[str, Json] = {
    "follow (null)": None,
    "`{enabled: true}`": {"enabled": True},
    "`{toolset: research}`": {"toolset": "research"},
    "`{web_search: true}`": {"web_search": True},
    "`{enabled: true, disabled: [web-*]}`": {"enabled": True, "disabled": ["web-*"]},
    "two picks": ["web-search", "notes-search"],
    "twenty picks": [f"calendar-find_calendar_{number}" for number in range(20)],
    "every key": {
        "enabled": True,
        "toolset": "research",
        "web_search": True,
        "allowed": ["web-*", "notes-*"],
        "disabled": ["notes-delete"],
    },
    "1,000 names written out (peer)": [f"calendar-find_calendar_{number}" for number in range(1_000)],
}


async def measure(folder: Path, *, quick: bool) -> list[Table]:
    """Both tables."""
    return [await measure_intents(folder, 20 if quick else 500), await measure_turns(folder, 10 if quick else 200)]


async def measure_intents(folder: Path, count: int) -> Table:
    """New conversations of each intent: its text, its row, and what the file grows by."""
    rows = []
    for name, written in INTENTS.items():
        intent = None if written is None else Intent.model_validate(written)
        text = 0 if intent is None else len(write_json(intent.dump()).encode())
        with make_database("SQLite", folder) as url:
            async with await Database.open(url) as database:
                before = measure_file(url)
                conversations = Conversations(database)
                for _ in range(count):
                    await conversations.create(OWNER, title="Breakfast in Lisbon", intent=intent)
                grown = (measure_file(url) - before) / count
            row = read_payload(url)["conversations"] / count
        rows.append((name, f"{text:,}", f"{row:,.0f}", f"{grown:,.0f}"))
    header = (f"a conversation's intent, {count} of each", "intent bytes", "whole row bytes", "file bytes, with indexes")
    return Table(header, rows)


async def measure_turns(folder: Path, count: int) -> Table:
    """Turns with one call, offline: each part beside the plain text of what was said."""
    with make_database("SQLite", folder) as url:
        async with open_services(make_settings(folder, database_url=url)) as services:
            made = [await services.conversations.create(OWNER) for _ in range(count)]
            before = measure_file(url)
            for conversation in made:
                await run_turn(services, conversation.id)
            grown = (measure_file(url) - before) / count
            said = (await services.conversations.read_messages(OWNER, made[0].id, limit=10)).messages
            if len(said) != 4:
                raise BenchmarkError(f"not the turn that was meant: {len(said)} messages")
        rows, payload = read_rows(url), read_payload(url)
    floor = sum(
        len(stored.message.text.encode()) + sum(len(call.arguments) for call in stored.message.tool_calls) for stored in said
    )
    table = [("text of its messages and calls (floor)", "4", f"{floor:,}", "1x")]
    table += [
        (name, f"{rows[name] / count:.0f}", f"{payload[name] / count:,.0f}", show_ratio(payload[name] / count, floor))
        for name in TABLES
    ]
    table.append(("all, as the file grows, with indexes", "", f"{grown:,.0f}", show_ratio(grown, floor)))
    return Table((f"a turn with one call, {count} of them", "rows", "bytes", ": floor"), table)


async def run_turn(services: Services, conversation_id: str) -> None:
    """One turn, as `POST /v1/turns` runs it."""
    limits = start_limits(services.settings)
    async with services.conversation_turns.hold(CALLER, conversation_id, (QUESTION,), None, limits, stream=False) as turn:
        await carry_out(turn, discard, describe_error)


def describe_error(error: Exception) -> JsonObject:
    return describe_problem(map_error(error), "benchmark")


def read_payload(url: str) -> dict[str, float]:
    """Bytes of all rows of each table, as SQLite packs them, without indexes and without room that is free."""
    return dict(_query(url, "SELECT name, sum(payload) FROM dbstat GROUP BY name"))


def read_rows(url: str) -> dict[str, int]:
    """How many rows each of `TABLES` has."""
    return {name: _query(url, f"SELECT count(*) FROM {name}")[0][0] for name in TABLES}


def _query(url: str, statement: str) -> Sequence[tuple[Json, ...]]:
    with closing(sqlite3.connect(str(parse_url(url).database))) as connection:
        return connection.execute(statement).fetchall()
