"""`notes-add`: keeping, changing, repeating; limits; what messages ask for it."""

from __future__ import annotations

import asyncio
from datetime import timedelta

import pytest
from pydantic import ValidationError

from apps.notes.skills.add import AddSkill
from apps.notes.skills.notebook import MAX_NOTES
from apps.notes.tests.notebooks import NOON, User
from apps.sdk.skill import MAX_STORAGE_KEY, SkillFailed, SkillRetry

ASKED = [
    ("note: the spare key is under the blue pot", "the spare key is under the blue pot"),
    ("Note to self: call Ada, and buy milk.\nAlso bread!", "call Ada, and buy milk.\nAlso bread!"),
    ("make a note that Sam is allergic to peanuts", "Sam is allergic to peanuts"),
    ("Please take a note: 2 + 2 = 4", "2 + 2 = 4"),
    ("Can you make a quick note, please: water the plants", "water the plants"),
    ("Write down that the code is 4521", "the code is 4521"),
    ("Notiere bitte, dass der Termin verschoben wurde", "der Termin verschoben wurde"),
    ("Apunta que la reunión es el martes", "la reunión es el martes"),
    ("Note que le code du portail est 4521", "le code du portail est 4521"),
]
NOT_ASKED = [
    "", "hi", "note", "note:", "note: ...", "please note", "Take note of how the sea moves", "write a note to my boss",
    "the note: it was in C sharp", "what did I note about the insurance?", "show my notes", "make a note",
    "What time is it in New York?", "What is 17.5 % of 2,340?", "notes: 3", "footnote: see below", "note: " + "x" * 4001,
]  # fmt: skip


async def test_a_note_is_kept_with_its_words(ann: User) -> None:
    """Text, title and tags come back in the list, cleaned; the time is UTC."""
    result = await ann.add_fully("  Under the blue pot.\n", title=" Spare \n key", tags=["Home", "#home", "back door", " , "])
    assert result.note is None
    assert result.data["saved"] == "2026-07-01T12:00:00Z"
    listed = (await ann.show()).data
    expected = {"title": "Spare key", "tags": "home back-door", "text": "Under the blue pot."}
    assert listed == [{**result.data, **expected}]


async def test_ids_are_short_and_their_own(ann: User) -> None:
    """Eight letters or digits, none of them easily mistaken; a hundred notes have a hundred."""
    ids = [await ann.add(f"note {number}") for number in range(100)]
    assert len(set(ids)) == 100
    assert all(len(name) == 8 and not set(name) - set("0123456789abcdefghjkmnpqrstvwxyz") for name in ids)
    assert all(len(key) <= MAX_STORAGE_KEY for key in await ann.storage.keys())


async def test_notes_added_at_once_are_all_kept(ann: User) -> None:
    """Five adds at the same moment: five notes."""
    await asyncio.gather(*(ann.add(f"note {number}") for number in range(5)))
    assert sorted(await ann.texts()) == [f"note {number}" for number in range(5)]


async def test_the_same_note_again_is_kept_once(ann: User) -> None:
    """Within the hour, also at the same moment, it has one id and a remark says so; later it is another note."""
    first = await ann.add("took the pill")
    ann.now = NOON + timedelta(minutes=59)
    again = await ann.add_fully("took the pill")
    assert again.data == {"id": first, "saved": "2026-07-01T12:00:00Z"}
    assert "kept once" in (again.note or "")
    assert {await ann.add("walked"), *await asyncio.gather(ann.add("walked"), ann.add("walked"))} == {await ann.add("walked")}
    ann.now = NOON + timedelta(hours=8)
    assert await ann.add("took the pill") != first
    assert await ann.texts() == ["took the pill", "walked", "took the pill"]


async def test_other_tags_make_another_note(ann: User) -> None:
    """A note is the same only with the same title and tags; where one ends and the other begins counts."""
    ids = {await ann.add("b", title="a"), await ann.add("a"), await ann.add("b", tags=["a"]), await ann.add("b", tags=["a", "b"])}
    assert len(ids) == 4


async def test_a_note_takes_the_place_of_another(ann: User) -> None:
    """The old one goes, its title and tags stay where no others are given."""
    old = await ann.add("milk", title="Shopping", tags=["shop"])
    ann.now += timedelta(minutes=1)
    result = await ann.add_fully("milk, eggs", replaces=f" Note:{old.upper()} ")
    assert old in (result.note or "")
    (row,) = (await ann.show()).data
    assert (row["id"], row["title"], row["tags"], row["text"]) == (result.data["id"], "Shopping", "shop", "milk, eggs")
    await ann.add("milk, eggs, tea", replaces=row["id"], title="", tags=[])
    (row,) = (await ann.show()).data
    assert (row["title"], row["tags"], row["text"]) == ("", "", "milk, eggs, tea")


async def test_replacing_a_note_by_itself_keeps_it(ann: User) -> None:
    """Nothing changed, nothing is lost."""
    old = await ann.add("milk")
    assert await ann.add("milk", replaces=old) == old
    assert await ann.texts() == ["milk"]


async def test_two_changes_of_one_note_lose_neither(ann: User) -> None:
    """The second is either saved too or told that the old note is gone."""
    old = await ann.add("milk")
    changes = ("milk, eggs", "milk, tea")
    ends = await asyncio.gather(*(ann.add(text, replaces=old) for text in changes), return_exceptions=True)
    saved = [text for text, end in zip(changes, ends, strict=True) if isinstance(end, str)]
    assert sorted(await ann.texts()) == saved
    assert all(isinstance(end, str | SkillRetry) for end in ends)


@pytest.mark.parametrize("replaces", ["zzzzzzzz", "note:", "../../etc", "\u202e", "a" * 20, "\x00"])
async def test_what_is_not_there_cannot_be_replaced(ann: User, replaces: str) -> None:
    """Nothing is written then, and the model is told where ids come from."""
    with pytest.raises(SkillRetry, match="no note") as caught:
        await ann.add("new", replaces=replaces)
    assert "notes-list" in (caught.value.hint or "")
    assert await ann.texts() == []


async def test_a_blank_note_is_refused(ann: User) -> None:
    with pytest.raises(SkillRetry, match="empty"):
        await ann.add(" \n\t")


@pytest.mark.parametrize(
    "arguments",
    [
        {"text": ""},
        {"text": "x" * 4001},
        {"text": "x", "title": "x" * 121},
        {"text": "x", "tags": ["x"] * 11},
        {"text": "x", "tags": ["x" * 41]},
        {"text": "x", "tags": [""]},
        {"text": "\ud800"},
        {"text": "x", "tags": ["\ud800"]},
    ],
)
async def test_what_is_too_long_or_no_text_is_refused(ann: User, arguments: dict[str, object]) -> None:
    """Before anything is written."""
    with pytest.raises(ValidationError):
        await ann.add(**arguments)  # type: ignore[arg-type]
    assert await ann.storage.keys() == []


async def test_a_full_notebook_names_its_limit(ann: User) -> None:
    """Another note is refused; one can still be changed, and deleting makes room."""
    for number in range(MAX_NOTES):
        await ann.storage.put(f"note:{number:08d}", {"text": str(number), "saved": "2026-07-01T12:00:00Z"})
    with pytest.raises(SkillFailed, match=f"at most {MAX_NOTES} notes"):
        await ann.add("one more")
    await ann.add("changed", replaces="00000007")
    await ann.delete("00000008")
    await ann.add("one more")


async def test_an_id_that_is_taken_is_left_alone(ann: User) -> None:
    """Another note under the id that a note would get: both stay."""
    name = await ann.add("mine")
    await ann.storage.put(f"note:{name}", {"text": "another", "saved": "2026-07-01T12:00:00Z"})
    assert await ann.add("mine") != name
    assert sorted(await ann.texts()) == ["another", "mine"]


@pytest.mark.parametrize(("message", "text"), ASKED)
def test_messages_that_are_notes(message: str, text: str) -> None:
    """The whole rest of the message is the note."""
    assert AddSkill().from_message(message) == {"text": text}


@pytest.mark.parametrize("message", NOT_ASKED)
def test_messages_that_are_not(message: str) -> None:
    """Nothing is written because a message speaks of notes."""
    assert AddSkill().from_message(message) is None
