"""What each operation of the store takes, beside the least that its database can do."""

from __future__ import annotations

import uuid
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from apps.sdk.chat import Message, ToolCall
from benchmarks.databases import Kind, Work, count_work, make_database, open_floor
from benchmarks.measuring import Budget, interleave, summarise, time_call
from benchmarks.report import Table, show_ms, show_ratio
from preprocessor.intent import Intent
from service.store.conversations import Conversations, Owner
from service.store.database import Database
from service.store.turn_records import EVENTS_PER_EPOCH, Lease, StoredEvent, TurnEnd, TurnRecords

QUICK, FULL = Budget(20, 5.0), Budget(200, 15.0)
WARM_UP = Budget(3, 5.0)
OWNER = Owner("acme", "ann@example.org")
FLOOR = "one INSERT, bare driver (floor)"
HISTORY = 20
LONG = 200
BATCH, EACH = 20, 5
PAGE = 50
LEASE = 3_600.0
QUESTION = Message("user", "Find the invoices of last week and share the meetings of Friday with Ada, please.")
ROUND = (
    Message("assistant", "", (ToolCall("call_1", "invoices-find", '{"requests":[{"query":"last week","limit":10}]}'),)),
    Message(
        "tool",
        "tool: invoices-find\noutcome: ok\nresults[10]{title,amount}:\n" + "  Invoice of Friday,42.50\n" * 10,
        (),
        "call_1",
    ),
)
ANSWER = Message("assistant", "Ten invoices of last week are open, and the meetings of Friday are shared with Ada. " * 3)


class MeasuredStore:
    """The store in the middle of its work: one conversation that turns follow each other in, and others beside it."""

    def __init__(self, database: Database) -> None:
        self._conversations = Conversations(database)
        self._records = TurnRecords(database)
        self._main = self._long = self._told = ""
        self._held: Lease | None = None
        self._last_seq = 0
        self._writing: list[Lease] = []
        self._numbers = 0

    async def fill(self) -> None:
        """A page of conversations, of which some are running, and one is long."""
        for number in range(2 * PAGE):
            await self._conversations.create(OWNER, title=f"Conversation {number}", intent=Intent(web_search=True))
        names = [conversation.id for conversation in await self._conversations.list(OWNER, limit=BATCH + 3)]
        self._main, self._long, self._told, *running = names
        for _ in range(LONG // 4):
            await self._run_turn(self._long)
        self._writing = [await self._take(name) for name in running]
        told = await self._take(self._told)
        await self._records.write_events([(told, self._tell(told, PAGE))])

    async def create(self) -> None:
        await self._conversations.create(OWNER, title="Breakfast in Lisbon", intent=Intent(web_search=True))

    async def begin(self) -> None:
        self._held, start = await self._records.begin(
            OWNER, self._main, uuid.uuid4().hex, lease=LEASE, messages=[QUESTION], source="chat", history=HISTORY
        )
        self._last_seq = start.last_seq

    async def append(self) -> None:
        assert self._held is not None
        self._last_seq = await self._records.append(self._held, ROUND, after_seq=self._last_seq)

    async def finish(self) -> None:
        assert self._held is not None
        events = self._tell(self._held, EACH)
        end = TurnEnd("done", "a-model", {"prompt_tokens": 812, "completion_tokens": 64})
        await self._records.finish(self._held, end, messages=[ANSWER], events=events, after_seq=self._last_seq)

    async def write_events(self) -> None:
        await self._records.write_events([(lease, self._tell(lease, EACH)) for lease in self._writing])

    async def read_events(self) -> None:
        await self._records.read_events(OWNER, self._told, after=0, limit=PAGE)

    async def read_history(self, messages: int) -> None:
        await self._conversations.read_latest_messages(OWNER, self._long, messages)

    async def list_conversations(self) -> None:
        await self._conversations.list(OWNER, limit=PAGE)

    def list_operations(self) -> dict[str, Callable[[], Awaitable[object]]]:
        """In the order in which they must run: a turn begins before it ends."""
        return {
            "make a conversation": self.create,
            f"begin a turn, {HISTORY} messages read": self.begin,
            "append a round of one call": self.append,
            f"finish, {EACH} events": self.finish,
            f"write {EACH} events of each of {BATCH} turns": self.write_events,
            f"read {PAGE} events": self.read_events,
            f"read {HISTORY} messages": partial(self.read_history, HISTORY),
            f"read {LONG} messages": partial(self.read_history, LONG),
            f"list {PAGE} conversations": self.list_conversations,
        }

    async def _run_turn(self, conversation_id: str) -> None:
        lease = await self._take(conversation_id)
        await self._records.append(lease, ROUND)
        await self._records.finish(lease, TurnEnd("done"), messages=[ANSWER])

    async def _take(self, conversation_id: str) -> Lease:
        lease, _ = await self._records.begin(
            OWNER, conversation_id, uuid.uuid4().hex, lease=LEASE, messages=[QUESTION], source="chat", history=0
        )
        return lease

    def _tell(self, lease: Lease, count: int) -> list[StoredEvent]:
        first = lease.epoch * EVENTS_PER_EPOCH + self._numbers + 1
        self._numbers += count
        data = {"tool": "invoices-find", "summary": "x" * 200}
        return [StoredEvent(first + place, lease.turn_id, "tool.finished", data, datetime.now(UTC)) for place in range(count)]


async def measure(kind: Kind, folder: Path, *, quick: bool) -> Table:
    """All operations of one database, in turns with its floor."""
    async with AsyncExitStack() as stack:
        url = stack.enter_context(make_database(kind, folder))
        store = MeasuredStore(await stack.enter_async_context(await Database.open(url)))
        await store.fill()
        operations = store.list_operations()
        insert = await stack.enter_async_context(open_floor(kind, url))
        cases = {name: partial(time_call, call) for name, call in {FLOOR: insert, **operations}.items()}
        await interleave(cases, WARM_UP)
        samples = await interleave(cases, QUICK if quick else FULL)
        work = {name: await count_work(call) for name, call in operations.items()}
    return make_table(kind, samples, {FLOOR: Work(1, 1), **work})


def make_table(kind: Kind, samples: dict[str, list[float]], work: dict[str, Work]) -> Table:
    """A row an operation; *a second* is how many run one after the other."""
    floor = summarise(samples[FLOOR]).p50
    rows = []
    for name, values in samples.items():
        spread = summarise(values)
        rate = f"{len(values) / sum(values):,.0f}"
        rows.append(
            (name, f"{work[name].statements}", rate, show_ms(spread.p50), show_ms(spread.p99), show_ratio(spread.p50, floor))
        )
    header = (f"{kind}, {len(samples[FLOOR])} rounds", "statements", "a second", "p50 ms", "p99 ms", "p50 : floor")
    return Table(header, rows)
