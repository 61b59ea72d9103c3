"""Conversations, deactivations and erasure, on SQLite and PostgreSQL."""

from __future__ import annotations

import asyncio
import sqlite3
import tracemalloc
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
import sqlalchemy as sa
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from apps.sdk.chat import Message, ToolCall
from apps.sdk.jsontypes import Json
from preprocessor.intent import Intent
from service.store import conversations as conversations_module
from service.store import pages
from service.store.conversations import Conversation, Conversations, Owner
from service.store.database import Database
from service.store.deactivations import Deactivations, StoredDeactivation
from service.store.erasure import USERS_TABLES, Erased, erase_user
from service.store.errors import ConversationExists, ConversationMissing, ForkPointInvalid, LeaseLost, StoreError
from service.store.idempotency import IdempotencyRecords, KeyScope
from service.store.skill_storage import SkillStorageStore
from service.store.tables import conversations as conversations_table
from service.store.tables import events, messages, metadata, turns, utc_now
from service.store.turn_records import EVENTS_PER_EPOCH, StoredEvent, TurnEnd, TurnRecords
from tests.support.databases import Clock, file_url
from tests.support.json_values import JSON

ANN = Owner("acme", "ann")
OTHERS = (Owner("acme", "bob"), Owner("other", "ann"), Owner("ACME", "ann"), Owner("", ""))
USER, CALL = Message("user", "hello"), ToolCall("c1", "math-calculate", '{"a":')
ROUND = (Message("assistant", "", (CALL,)), Message("tool", "42", (), "c1"))
ANSWER = Message("assistant", "it is 42")


DONE = TurnEnd("done", loaded=("b", "a"))


async def add_turn(database: Database, conversation_id: str, turn_id: str, end: TurnEnd | None = DONE) -> None:
    """A turn with a round of calls and an answer; None leaves it running, before its answer."""
    records = TurnRecords(database)
    lease, _ = await records.begin(ANN, conversation_id, turn_id, lease=60, messages=[USER], source="chat")
    await records.append(lease, ROUND)
    if end:
        await records.finish(lease, end, messages=[ANSWER])


async def count(database: Database, table: sa.Table) -> int:
    return await database.read(lambda connection: connection.scalar(sa.select(sa.func.count()).select_from(table))) or 0


# --- conversations


async def test_a_conversation_is_kept(database: Database) -> None:
    """What is made comes back; an id is made where none is given, and is taken then, whoever asks."""
    clock = Clock()
    conversations = Conversations(database, clock=clock)
    made = await conversations.create(ANN, title="Räume\n'\\x\"", intent=Intent(enabled=True, picks=("b", "a")))
    assert made == Conversation(
        made.id, ANN, "Räume\n'\\x\"", Intent(enabled=True, picks=("b", "a")), None, None, clock.now, clock.now, None, 0
    )
    assert await conversations.get(ANN, made.id) == made
    assert (await conversations.create(ANN, id="mine")).id == "mine"
    for owner in (ANN, OTHERS[0]):
        with pytest.raises(ConversationExists, match="'mine'"):
            await conversations.create(owner, id="mine", title="stolen")
    assert (await conversations.get(ANN, "mine")).title is None


async def test_an_intent_is_stored_small(database: Database) -> None:
    """cases 1, 5-8: no name that was not given, nothing for what was left alone; an empty list stays one; null stays null."""
    conversations = Conversations(database)
    wanted = {"a": Intent(enabled=True), "b": Intent(picks=()), "c": Intent(picks=("b", "a")), "d": Intent(), "e": None}
    for id_, intent in wanted.items():
        await conversations.create(ANN, id=id_, intent=intent)
    query = sa.select(conversations_table.c.id, conversations_table.c.intent)
    rows = {row.id: row.intent for row in await database.read(lambda connection: connection.execute(query))}
    assert rows == {"a": '{"enabled":true}', "b": '{"picks":[]}', "c": '{"picks":["b","a"]}', "d": "{}", "e": None}
    for id_, intent in wanted.items():
        assert (await conversations.get(ANN, id_)).intent == intent


async def test_conversations_are_listed_by_use(database: Database) -> None:
    """The latest first, page by page without a gap or a repetition, also where several were used at the same moment."""
    clock = Clock()
    conversations = Conversations(database, clock=clock)
    for number in range(9):
        await conversations.create(ANN, id=f"c{number}")
        if number % 3 == 2:
            clock.advance(seconds=1)
    await conversations.create(OTHERS[0], id="bobs")
    assert [found.id for found in await conversations.list(ANN, limit=100)] == [f"c{number}" for number in range(8, -1, -1)]
    await conversations.change(ANN, "c0", lambda found: replace(found, title="used"))
    seen: list[str] = []
    before = None
    while page := await conversations.list(ANN, limit=2, before=before):
        assert len(page) <= 2
        seen += [found.id for found in page]
        before = (page[-1].updated_at, page[-1].id)
    assert seen == ["c0", *(f"c{number}" for number in range(8, 0, -1))]


async def test_title_and_intent_change_together_or_not_at_all(database: Database) -> None:
    """`apply` sees what is stored; what it raises comes out and leaves all as it was; nothing new is no change."""
    clock = Clock()
    conversations = Conversations(database, clock=clock)
    made = await conversations.create(ANN, title="a", intent=Intent(enabled=True))
    clock.advance(seconds=1)

    def refuse(found: Conversation) -> Conversation:
        assert found == made
        raise LookupError("typo")

    with pytest.raises(LookupError, match="typo"):
        await conversations.change(ANN, made.id, refuse)
    assert await conversations.change(ANN, made.id, lambda found: found) == made
    assert await conversations.get(ANN, made.id) == made
    changed = await conversations.change(ANN, made.id, lambda found: replace(found, title=None, intent=None, last_event=9))
    assert changed == replace(made, title=None, intent=None, updated_at=clock.now)
    assert await conversations.get(ANN, made.id) == changed


async def test_changes_at_once_lose_nothing(shared_url: str) -> None:
    """Two replicas that each add to the title thirty times: every addition is there."""
    async with await Database.open(shared_url) as one, await Database.open(shared_url) as other:
        made = await Conversations(one).create(ANN, title="")
        replicas = [Conversations(one), Conversations(other)] * 30
        await asyncio.gather(
            *(replica.change(ANN, made.id, lambda found: replace(found, title=f"{found.title}x")) for replica in replicas)
        )
        assert (await Conversations(one).get(ANN, made.id)).title == "x" * 60


async def test_nobody_else_reaches_a_conversation(database: Database) -> None:
    """Another user, tenant or spelling: every method says that it is missing, and changes nothing."""
    conversations, records = Conversations(database), TurnRecords(database)
    made = await conversations.create(ANN, title="a", intent=Intent(enabled=True))
    await add_turn(database, made.id, "t1")
    before = await conversations.get(ANN, made.id)
    for owner in OTHERS:
        for call in (
            conversations.get(owner, made.id),
            conversations.change(owner, made.id, lambda found: replace(found, title="stolen")),
            conversations.fork(owner, made.id),
            conversations.read_messages(owner, made.id, limit=9),
            conversations.read_latest_messages(owner, made.id, 9),
            records.begin(owner, made.id, "t2", lease=60, messages=[USER], source="chat"),
            records.read_events(owner, made.id, after=0, limit=9),
            records.get_turn(owner, made.id, "t1"),
            records.get_turns(owner, made.id, limit=9),
        ):
            with pytest.raises(ConversationMissing):
                await call
        assert await conversations.delete(owner, made.id) is False
        assert await conversations.list(owner, limit=9) == ()
        assert await conversations.erase_user(owner) == 0
        assert await erase_user(database, owner) == Erased(0, 0, 0, 0)
    assert await conversations.get(ANN, made.id) == before
    assert await count(database, conversations_table) == 1
    mine = await conversations.create(OTHERS[0])
    assert await records.get_turn(OTHERS[0], mine.id, "t1") is None


async def test_deleting_takes_everything(database: Database) -> None:
    """Its messages, turns and events go with it, those of others stay; a second time there is nothing to delete."""
    conversations, records = Conversations(database), TurnRecords(database)
    for id_ in ("gone", "kept"):
        await conversations.create(ANN, id=id_)
        await add_turn(database, id_, f"t-{id_}", end=None)
    lease, _ = await records.begin(ANN, (await conversations.create(ANN)).id, "t3", lease=60, messages=[USER], source="chat")
    await records.append(lease, (), [StoredEvent(1_000_001, "t3", "usage", {}, Clock().now)])
    assert await conversations.delete(ANN, "gone") is True
    assert await conversations.delete(ANN, "gone") is False
    assert await conversations.delete(ANN, lease.conversation_id) is True
    assert [await count(database, table) for table in (conversations_table, turns, messages, events)] == [1, 1, 3, 0]
    with pytest.raises(LeaseLost):
        await records.finish(lease, TurnEnd("done"), messages=[ANSWER])
    assert await count(database, messages) == 3


async def test_messages_are_read_in_pages(database: Database) -> None:
    """From behind any place, oldest first, and the latest ones, oldest first too; each knows its turn."""
    conversations = Conversations(database)
    made = await conversations.create(ANN)
    for number in range(3):
        await add_turn(database, made.id, f"t{number}")
    everything = (await conversations.read_messages(ANN, made.id, limit=100)).messages
    assert [stored.seq for stored in everything] == list(range(1, 13))
    assert [stored.message for stored in everything] == [USER, *ROUND, ANSWER] * 3
    assert [stored.turn_id for stored in everything] == ["t0"] * 4 + ["t1"] * 4 + ["t2"] * 4
    assert (await conversations.read_messages(ANN, made.id, after_seq=5, limit=3)).messages == everything[5:8]
    assert await conversations.read_latest_messages(ANN, made.id, 5) == everything[-5:]
    for beyond in (12, 2**31, 10**30):
        assert (await conversations.read_messages(ANN, made.id, after_seq=beyond, limit=3)).messages == ()


async def test_pages_of_long_messages_are_shorter(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    """A page holds so many characters, but one message at least, however long; nothing is left out between two pages."""
    monkeypatch.setattr(pages, "_FIRST_STEP", 2)
    conversations, records = Conversations(database), TurnRecords(database)
    made = await conversations.create(ANN)
    lease, _ = await records.begin(ANN, made.id, "t", lease=60, messages=[], source="chat")
    said = [Message("user", letter * length) for letter, length in zip("abcdefg", (3, 4, 9, 5, 5, 5, 1), strict=True)]
    told = [
        StoredEvent(EVENTS_PER_EPOCH + number, "t", "usage", {"n": message.text * 1_000_000}, utc_now())
        for number, message in enumerate(said, 1)
    ]
    await records.append(lease, [replace(message, content=message.text * 1_000_000) for message in said], told)
    read: list[list[str]] = []
    after, is_last = 0, False
    while not is_last:
        page = await conversations.read_messages(ANN, made.id, after_seq=after, limit=5)
        read.append([stored.message.text[0] for stored in page.messages])
        after, is_last = page.messages[-1].seq, page.is_last
    assert read == [["a", "b"], ["c"], ["d"], ["e"], ["f", "g"]]
    latest = await conversations.read_latest_messages(ANN, made.id, 5)
    assert [stored.message.text[0] for stored in latest] == ["f", "g"]
    counts = [len(await records.read_events(ANN, made.id, after=EVENTS_PER_EPOCH + after, limit=5)) for after in (0, 2, 5)]
    assert counts == [2, 1, 2]


ANY_TEXT = st.text(st.characters(exclude_categories=()), max_size=8) | st.sampled_from(
    ["\x00", "\ud800", "\udfff", "\ud83d\ude00", "\x1a", "\x1a0000", "a\x00\x1ad800b", "\\u0000", "\U0001f600\u2028", "'\"\\%_"]
)


def nest(depth: int) -> Json:
    value: Json = 10**60
    for _ in range(depth):
        value = [{"k": value}]
    return value


MESSAGES = st.builds(
    Message,
    st.sampled_from(["system", "user", "assistant", "tool"]),
    ANY_TEXT | JSON | st.lists(st.fixed_dictionaries({"type": st.just("text"), "text": ANY_TEXT})) | st.just(nest(150)),
    st.lists(st.builds(ToolCall, ANY_TEXT, ANY_TEXT, ANY_TEXT), max_size=3).map(tuple),
    st.none() | ANY_TEXT,
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow], deadline=None, max_examples=60)
@given(
    said=st.lists(MESSAGES, min_size=1, max_size=6), title=ANY_TEXT, data=st.dictionaries(ANY_TEXT, JSON | ANY_TEXT, max_size=3)
)
async def test_anything_that_is_said_comes_back(
    database: Database, said: list[Message], title: str, data: dict[str, Json]
) -> None:
    """Any text, NUL and lone surrogates too, whole numbers of any size and deep JSON come back equal."""
    conversations, records = Conversations(database), TurnRecords(database)
    owner = Owner(title, title)
    made = await conversations.create(owner, title=title)
    lease, start = await records.begin(owner, made.id, f"{made.id}{title}", lease=60, messages=said[:1], source="chat")
    told = StoredEvent(1_000_001, lease.turn_id, "usage", data, made.created_at)
    await records.append(lease, said[1:], [told])
    end = TurnEnd("failed", title, data, (title,), title, (title, title))
    await records.finish(lease, end)
    stored = (await conversations.read_messages(owner, made.id, limit=100)).messages
    assert [found.message for found in stored] == said
    assert start.message_ids == (stored[0].id,)
    assert await records.read_events(owner, made.id, after=0, limit=9) == (told,)
    turn = await records.get_turn(owner, made.id, lease.turn_id)
    assert turn is not None
    assert turn.end == end
    assert (await conversations.get(owner, made.id)).title == title
    assert await conversations.erase_user(owner) == 1


async def test_what_is_no_json_is_refused_before_anything_is_written(database: Database) -> None:
    """A bug of a caller's leaves no half turn."""
    conversations, records = Conversations(database), TurnRecords(database)
    made = await conversations.create(ANN)
    for content in (object(), b"x", nest(100_000)):
        with pytest.raises(ValueError, match="JSON"):
            await records.begin(ANN, made.id, "t1", lease=60, messages=[Message("user", content)], source="chat")
    assert await conversations.get(ANN, made.id) == made


# --- forks


async def test_forks_start_at_users_messages_and_final_answers(database: Database) -> None:
    """At an answer: with it; at a user's message: what came before; without a message: all; any other message: refused."""
    conversations = Conversations(database)
    made = await conversations.create(ANN, title="t", intent=Intent(disabled=("a",)))
    await add_turn(database, made.id, "t1")
    await add_turn(database, made.id, "t2", end=TurnEnd("failed", problem="deadline"))
    said = (await conversations.read_messages(ANN, made.id, limit=100)).messages
    before = await conversations.get(ANN, made.id)
    kept = {0: 0, 3: 4, 4: 4, 7: 8, None: 8}
    for place, number in kept.items():
        fork = await conversations.fork(ANN, made.id, None if place is None else said[place].id)
        assert (fork.title, fork.intent, fork.forked_from, fork.running_turn, fork.last_event) == (
            "t",
            made.intent,
            made.id,
            None,
            0,
        )
        assert fork.forked_at == (None if place is None else said[place].id)
        assert await conversations.get(ANN, fork.id) == fork
        copies = (await conversations.read_messages(ANN, fork.id, limit=100)).messages
        assert [(copy.seq, copy.message, copy.created_at) for copy in copies] == [
            (stored.seq, stored.message, stored.created_at) for stored in said[:number]
        ]
        assert not {copy.id for copy in copies} & {stored.id for stored in said}
        assert not {copy.turn_id for copy in copies} & {"t1", "t2"}
    for place in (1, 2, 5, 6):
        with pytest.raises(ForkPointInvalid):
            await conversations.fork(ANN, made.id, said[place].id)
    other = await conversations.create(ANN)
    for id_, message_id in ((made.id, "nope"), (other.id, said[3].id)):
        with pytest.raises(ForkPointInvalid):
            await conversations.fork(ANN, id_, message_id)
    assert await conversations.get(ANN, made.id) == before
    assert await count(database, conversations_table) == len(kept) + 2


async def test_a_fork_has_the_turns_but_not_the_events(database: Database) -> None:
    """The copies say what was loaded and how it went, as the originals; the fork goes on by itself, numbered behind them."""
    conversations, records = Conversations(database), TurnRecords(database)
    made = await conversations.create(ANN)
    await add_turn(database, made.id, "t1")
    lease, _ = await records.begin(ANN, made.id, "t2", lease=60, messages=[USER], source="api")
    event = StoredEvent(2_000_001, "t2", "usage", {}, made.created_at)
    end = TurnEnd("cancelled", "m", {"total": 3}, ("deadline",), "p", ("x", "a"))
    await records.finish(lease, end, events=[event])
    fork = await conversations.fork(ANN, made.id)
    originals, copies = [await records.get_turns(ANN, id_, limit=9) for id_ in (made.id, fork.id)]
    assert [replace(copy, id="", conversation_id="") for copy in copies] == [
        replace(turn, id="", conversation_id="") for turn in originals
    ]
    assert copies[1].end == end
    assert await records.read_events(ANN, fork.id, after=0, limit=9) == ()
    lease, start = await records.begin(ANN, fork.id, "t3", lease=60, messages=[USER], source="chat")
    assert (lease.epoch, lease.number, start.last_seq) == (1, 3, 6)
    assert start.history == (USER, *ROUND, ANSWER, USER)
    assert len((await conversations.read_messages(ANN, made.id, limit=100)).messages) == 5


async def test_a_running_turn_is_not_forked(database: Database) -> None:
    """Its messages are left out, a fork at its own first message is what came before; nothing in the fork seems to run."""
    conversations, records = Conversations(database), TurnRecords(database)
    made = await conversations.create(ANN)
    await add_turn(database, made.id, "t1")
    lease, start = await records.begin(ANN, made.id, "t2", lease=60, messages=[USER, ANSWER, USER], source="chat")
    for point in (None, start.message_ids[0]):
        fork = await conversations.fork(ANN, made.id, point)
        assert len((await conversations.read_messages(ANN, fork.id, limit=100)).messages) == 4
    with pytest.raises(ForkPointInvalid):
        await conversations.fork(ANN, made.id, start.message_ids[1])
    fork = await conversations.fork(ANN, made.id, start.message_ids[2])
    assert len((await conversations.read_messages(ANN, fork.id, limit=100)).messages) == 6
    assert [turn.end.status for turn in await records.get_turns(ANN, fork.id, limit=9)] == ["done", "cancelled"]
    await records.finish(lease, TurnEnd("done"), messages=[ANSWER])


async def test_a_fork_takes_no_memory(database: Database) -> None:
    """The database copies what was said: a conversation may hold gigabytes."""
    conversations, records = Conversations(database), TurnRecords(database)
    made = await conversations.create(ANN)
    lease, _ = await records.begin(ANN, made.id, "t", lease=60, messages=[], source="chat")
    for _ in range(20):
        await records.append(lease, [Message("user", "x" * 500_000)])
    await records.finish(lease, TurnEnd("done"))
    tracemalloc.start()
    try:
        fork = await conversations.fork(ANN, made.id)
        assert tracemalloc.get_traced_memory()[1] < 2_000_000
    finally:
        tracemalloc.stop()
    copies = (await conversations.read_messages(ANN, fork.id, limit=100)).messages
    assert copies[-1].message == Message("user", "x" * 500_000)


async def test_an_empty_conversation_can_be_forked(database: Database) -> None:
    """There is nothing to copy but its intent."""
    conversations = Conversations(database)
    made = await conversations.create(ANN, intent=Intent(enabled=False))
    fork = await conversations.fork(ANN, made.id)
    assert (fork.intent, (await conversations.read_messages(ANN, fork.id, limit=9)).messages) == (Intent(enabled=False), ())


# --- retention and erasure


async def test_unused_conversations_are_purged(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    """In batches, all that were not used since then, but none that a turn holds, however old its last word is."""
    monkeypatch.setattr(conversations_module, "PURGE_BATCH", 3)
    clock = Clock()
    conversations = Conversations(database, clock=clock)
    records = TurnRecords(database, clock=clock)
    for number in range(7):
        await conversations.create(ANN if number % 2 else OTHERS[1], id=f"old{number}")
    await conversations.create(ANN, id="held")
    await conversations.create(ANN, id="crashed")
    await records.begin(ANN, "held", "t1", lease=3 * 24 * 3600, messages=[USER], source="chat")
    await records.begin(ANN, "crashed", "t2", lease=60, messages=[USER], source="chat")
    clock.advance(days=2)
    await conversations.create(ANN, id="new")
    await conversations.change(ANN, "old1", lambda found: replace(found, title="used"))
    assert await conversations.purge(clock.now - timedelta(days=1)) == 7
    assert {found.id for found in await conversations.list(ANN, limit=99)} == {"held", "new", "old1"}
    assert await conversations.purge(clock.now - timedelta(days=1)) == 0


async def test_erasing_takes_everything_of_a_user(database: Database) -> None:
    """Conversations with all that hangs on them, deactivations, kept answers and skills' values; of nobody else."""
    conversations, deactivations, storage = Conversations(database), Deactivations(database), SkillStorageStore(database)
    owners = (ANN, *OTHERS[:2])
    for owner in owners:
        for number in range(2):
            await conversations.create(owner, id=f"{owner.tenant}-{owner.user}-{number}")
        await deactivations.put(owner, "app", "web")
        await storage.scoped(owner.tenant, "notes", owner.user).put("k", 1)
        await IdempotencyRecords(database).begin(KeyScope(owner.tenant, owner.user, "k"), "h", 60)
    await add_turn(database, "acme-ann-0", "t1", end=None)
    assert await erase_user(database, ANN) == Erased(2, 1, 1, 1)
    assert await erase_user(database, ANN) == Erased(0, 0, 0, 0)
    assert [await count(database, table) for table in (messages, turns, events)] == [0, 0, 0]
    for owner in OTHERS[:2]:
        assert len(await conversations.list(owner, limit=9)) == 2
        assert await erase_user(database, owner) == Erased(2, 1, 1, 1)


async def test_what_was_erased_is_in_no_file(tmp_path: Path) -> None:
    """While the service goes on: neither in SQLite's free pages nor in its log; one who reads for long only delays it."""
    url = file_url(tmp_path)
    async with await Database.open(url) as database:
        conversations = Conversations(database)
        for user in ("ann", "bob"):
            for number in range(5):
                made = await conversations.create(Owner("acme", user), title=f"CANARY of {user}")
                await TurnRecords(database).begin(
                    Owner("acme", user), made.id, f"{user}{number}", lease=60, messages=[Message("user", f"{user} sings " * 900)],
                    source="chat",
                )  # fmt: skip
        reader = sqlite3.connect(tmp_path / "store.db", isolation_level=None)
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM messages").fetchone()
        assert (await erase_user(database, ANN)).conversations == 5
        assert find_in_files(tmp_path, b"ann sings")
        reader.close()
        assert await database.empty_log()
        assert not find_in_files(tmp_path, b"ann sings", b"CANARY of ann")
        assert find_in_files(tmp_path, b"bob sings")
        assert (await erase_user(database, Owner("acme", "bob"))).conversations == 5
        assert not find_in_files(tmp_path, b"sings", b"CANARY")


def find_in_files(folder: Path, *texts: bytes) -> bool:
    """Whether any file of the folder holds one of the texts."""
    return any(text in path.read_bytes() for path in folder.iterdir() for text in texts)


def test_no_table_of_users_is_left_out_of_the_erasure() -> None:
    """Every table with a user's id is erased, every other one has no user, or hangs on one that is erased."""
    with_user = {table.name for table in metadata.sorted_tables if "user_id" in table.c}
    assert with_user == {table.name for table in USERS_TABLES}
    hanging = {table.name for table in metadata.sorted_tables for key in table.foreign_keys if key.ondelete == "CASCADE"}
    assert {table.name for table in metadata.sorted_tables} - with_user - hanging == {"overrides", "api_keys"}


# --- deactivations


async def test_deactivations_are_each_users_own(database: Database) -> None:
    """Put once, listed by kind and id, taken back, erased; nobody else's are touched."""
    clock = Clock()
    deactivations = Deactivations(database, clock=clock)
    assert await deactivations.put(ANN, "skill", "web-search") is True
    assert await deactivations.put(ANN, "app", "web") is True
    clock.advance(hours=1)
    assert await deactivations.put(ANN, "app", "web") is False
    for owner in OTHERS:
        assert await deactivations.list(owner) == ()
        assert await deactivations.delete(owner, "app", "web") is False
        assert await deactivations.erase_user(owner) == 0
    earlier = clock.now - timedelta(hours=1)
    assert await deactivations.list(ANN) == (
        StoredDeactivation("app", "web", earlier),
        StoredDeactivation("skill", "web-search", earlier),
    )
    assert await deactivations.delete(ANN, "app", "web") is True
    assert await deactivations.delete(ANN, "app", "web") is False
    assert await deactivations.erase_user(ANN) == 1
    assert await deactivations.list(ANN) == ()


def test_every_error_is_drawn() -> None:
    """The tree in the docstring names each class, and no other."""
    from service.store import errors

    classes = {name for name, value in vars(errors).items() if isinstance(value, type) and issubclass(value, StoreError)}
    drawn = {line.split("──")[-1].split()[0] for line in (errors.__doc__ or "").splitlines() if line.startswith("    ")}
    assert drawn == classes
