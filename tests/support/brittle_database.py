"""The real store on SQLite in memory, which fails when a test says so, and a turn's runner that does what a test says."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, TypeAlias, TypeVar

from apps.sdk.chat import Message
from preprocessor.intent import Intent
from service.conversations.conversation_turns import ConversationTurns
from service.conversations.event_feed import EventFeed
from service.conversations.event_writer import EventWriter
from service.conversations.held_turn import HeldTurn
from service.store.connection import Work
from service.store.conversations import Conversations, Owner
from service.store.database import Database
from service.store.errors import StoreUnavailable
from service.store.turn_records import StoredEvent, TurnRecords
from service.turns.events import Emit, discard
from service.turns.message_log import NO_LOG, MessageLog
from service.turns.request import Caller, TurnLimits, TurnRequest, start_turn
from service.turns.turn import TurnOutcome, TurnRunner
from service.wiring import open_services
from tests.support.running import make_settings

T = TypeVar("T")
ANN = Owner("acme", "ann")
CALLER = Caller("acme", "ann", "chat")
HELLO = Message("user", "hello")

Failure: TypeAlias = Literal["no", "before", "after"]
"""Of one write: none, before it did anything, or after the database had done its work."""


class BrittleDatabase(Database):
    """Fails each write as `plan` has it, and everything while `is_away`; a write waits at `door` while that is shut."""

    plan: deque[Failure]
    is_away: bool
    door: asyncio.Event
    writes: int

    @classmethod
    async def open_brittle(cls) -> BrittleDatabase:
        made = await cls.open(":memory:")
        made.plan, made.is_away, made.door, made.writes = deque(), False, asyncio.Event(), 0
        made.door.set()
        return made

    async def read(self, work: Work[T]) -> T:
        if getattr(self, "is_away", False):
            raise StoreUnavailable("away")
        return await super().read(work)

    async def write(self, work: Work[T]) -> T:
        self.writes += 1
        failure = self.plan.popleft() if self.plan else "no"
        await self.door.wait()
        if self.is_away or failure == "before":
            raise StoreUnavailable("away")
        done = await super().write(work)
        if failure == "after":
            raise StoreUnavailable("the answer was lost")
        return done


Script: TypeAlias = Callable[[Emit, MessageLog], Awaitable[None]]


async def say_nothing(_: Emit, __: MessageLog) -> None:
    """A turn that only answers."""


class ScriptedRunner(TurnRunner):
    """Does what `script` says, then gives an outcome that a real turn had."""

    def __init__(self, outcome: TurnOutcome) -> None:
        self.outcome = outcome
        self.script: Script = say_nothing
        self.requests: list[TurnRequest] = []

    async def run(self, request: TurnRequest, emit: Emit, log: MessageLog = NO_LOG) -> TurnOutcome:
        self.requests.append(request)
        await self.script(emit, log)
        return replace(self.outcome, request=request)


@dataclass(frozen=True, slots=True)
class Replica:
    """Everything that a replica keeps of conversations; the conversation `c` is there."""

    database: BrittleDatabase
    conversations: Conversations
    records: TurnRecords
    feed: EventFeed
    writer: EventWriter
    runner: ScriptedRunner
    turns: ConversationTurns

    def hold(self, patch: Intent | None = None) -> AbstractAsyncContextManager[HeldTurn]:
        return self.turns.hold(CALLER, "c", (HELLO,), patch, make_limits(), stream=True)

    async def said(self) -> list[str]:
        stored = (await self.conversations.read_messages(ANN, "c", limit=1000)).messages
        assert [message.seq for message in stored] == list(range(1, len(stored) + 1))
        return [message.message.text for message in stored]

    async def told(self) -> list[StoredEvent]:
        return list(await self.records.read_events(ANN, "c", after=0, limit=10_000))

    async def states(self) -> list[tuple[str, str | None]]:
        turns = await self.records.get_turns(ANN, "c", limit=100)
        return [(turn.end.status, turn.end.problem) for turn in turns]

    async def is_free(self) -> bool:
        return (await self.conversations.get(ANN, "c")).running_turn is None


def make_limits() -> TurnLimits:
    return TurnLimits(60.0, asyncio.get_running_loop().time() + 60.0, 1_000, 3)


@asynccontextmanager
async def open_replica(outcome: TurnOutcome, *, lease: float = 30.0, history: int = 100) -> AsyncIterator[Replica]:
    """One on a database of its own; its writer writes when the test says so."""
    database = await BrittleDatabase.open_brittle()
    async with database:
        records, conversations = TurnRecords(database), Conversations(database)
        feed = EventFeed(records, poll=0.01, most=3)
        writer = EventWriter(records, feed.wake, beat=0.001)
        runner = ScriptedRunner(outcome)
        turns = ConversationTurns(records, writer, runner, lease=lease, history=history, room=100_000)
        await conversations.create(ANN, id="c", intent=Intent(enabled=True))
        yield Replica(database, conversations, records, feed, writer, runner, turns)


async def make_outcome(folder: Path) -> TurnOutcome:
    """What a real turn without models gives."""
    async with open_services(make_settings(folder, database_url=":memory:")) as services:
        request = start_turn(CALLER, (HELLO,), Intent(), make_limits(), stream=False)
        return await services.turns.run(request, discard)
