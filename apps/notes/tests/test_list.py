"""`notes-list`: order, tags, pages, one note in full; what messages ask for it."""

from __future__ import annotations

from datetime import timedelta

import pytest

from apps.notes.skills.list import ListSkill
from apps.notes.tests.notebooks import User
from apps.sdk.jsontypes import JsonObject
from apps.sdk.skill import SkillRetry

ASKED: list[tuple[str, JsonObject]] = [
    ("show my notes", {}),
    ("Can you list all my notes?", {}),
    ("What notes do I have?", {}),
    ("show me my notes tagged #Shopping.", {"tag": "shopping"}),
    ('which notes do i have with the tag "to-do"', {"tag": "to-do"}),
    ("Zeig mir meine Notizen", {}),
    ("Muéstrame todas mis notas", {}),
    ("Montre-moi mes notes", {}),
]
NOT_ASKED = [
    "", "hi", "note: show my notes to Sam", "I lost my notes", "show my notes to the class",
    "what are the notes of a C major chord",
    "search my notes for tea", "list the planets", "What time is it in New York?",
]  # fmt: skip


async def add_many(user: User, number: int) -> list[str]:
    """Notes a second apart; their ids, newest first."""
    ids: list[str] = []
    for at in range(number):
        user.now += timedelta(seconds=1)
        ids.insert(0, await user.add(f"note {at}", tags=["even"] if at % 2 == 0 else ["odd", "all"]))
    return ids


async def test_the_newest_comes_first(ann: User) -> None:
    """At most `limit`; the remark says how many more there are and how to go on."""
    ids = await add_many(ann, 25)
    result = await ann.show()
    assert [row["id"] for row in result.data] == ids[:20]
    assert result.note == f'5 more; go on with "before": "{ids[19]}".'


async def test_pages_hold_although_notes_come_and_go(ann: User) -> None:
    """A note added between two pages moves nothing; the second page goes on where the first ended."""
    ids = await add_many(ann, 5)
    first = await ann.show(limit=2)
    await add_many(ann, 1)
    second = await ann.show(limit=2, before=first.data[-1]["id"])
    third = await ann.show(limit=2, before=second.data[-1]["id"])
    assert [row["id"] for page in (first, second, third) for row in page.data] == ids
    assert third.note is None
    assert (await ann.show(before=ids[-1])).note == "There are no older notes."
    await ann.delete(first.data[-1]["id"])
    with pytest.raises(SkillRetry, match="no note"):
        await ann.show(before=first.data[-1]["id"])


async def test_notes_of_one_moment_are_paged_too(ann: User) -> None:
    """Saved at the same time, each comes exactly once."""
    ids = {await ann.add(f"note {at}") for at in range(7)}
    seen: list[str] = []
    while page := (await ann.show(limit=2, **({"before": seen[-1]} if seen else {}))).data:
        seen += [row["id"] for row in page]
    assert (len(seen), set(seen)) == (7, ids)


async def test_a_tag_chooses(ann: User) -> None:
    """However it is written; when no note has it, the tags in use are named."""
    await add_many(ann, 6)
    assert [row["text"] for row in (await ann.show(tag=" #ODD ")).data] == ["note 5", "note 3", "note 1"]
    result = await ann.show(tag="none")
    assert result.data == []
    assert result.note == "None of the 6 notes has the tag none; tags in use: all, even, odd."
    with pytest.raises(SkillRetry, match="not a tag"):
        await ann.show(tag="##")


async def test_an_empty_notebook_says_so(ann: User) -> None:
    result = await ann.show()
    assert (result.data, result.note) == ([], "There are no notes yet.")


async def test_long_texts_are_cut_and_shown_in_full_by_id(ann: User) -> None:
    """The list stays short; nothing of a note is out of reach."""
    text = "word " * 799 + "end"
    name = await ann.add(text)
    result = await ann.show()
    assert len(result.data[0]["text"]) == 300
    assert '"id"' in (result.note or "")
    (row,) = (await ann.show(id=name.replace("0", "o").replace("1", "I"))).data
    assert row["text"] == text


@pytest.mark.parametrize(
    "stored", [None, 7, [], "x", {}, {"text": 1}, {"text": "x", "saved": "soon"}, {"text": "x", "saved": "2026-07-01T00:00"}]
)
async def test_a_value_that_is_no_note_hides_itself_alone(ann: User, stored: object) -> None:
    """The others are listed, and the log names what was left out."""
    await ann.add("good")
    await ann.storage.put("note:badbadba", stored)
    assert await ann.texts() == ["good"]
    assert [entry.event for entry in ann.logger.entries] == ([] if stored is None else ["note_unreadable"])


@pytest.mark.parametrize(("message", "request_found"), ASKED)
def test_messages_that_ask_for_the_notes(message: str, request_found: JsonObject) -> None:
    assert ListSkill().from_message(message) == request_found


@pytest.mark.parametrize("message", NOT_ASKED)
def test_messages_that_do_not(message: str) -> None:
    assert ListSkill().from_message(message) is None
