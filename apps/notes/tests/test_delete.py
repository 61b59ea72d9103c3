"""`notes-delete`: by id, once."""

from __future__ import annotations

import asyncio

import pytest

from apps.notes.skills.delete import DeleteSkill
from apps.notes.tests.notebooks import User
from apps.sdk.skill import SkillRetry


async def test_a_note_goes_and_the_others_stay(ann: User) -> None:
    """The result holds what was deleted, so that it can be saved again."""
    name = await ann.add("milk", title="Shopping", tags=["shop", "home"])
    await ann.add("bread")
    assert await ann.delete(f"#{name.upper()}") == {"deleted": name, "title": "Shopping", "tags": "shop home", "text": "milk"}
    assert await ann.texts() == ["bread"]
    assert await ann.add("milk", title="Shopping", tags=["shop", "home"]) == name


async def test_what_is_gone_cannot_be_deleted_again(ann: User) -> None:
    """One of two at once succeeds; the other, and every later one, is told why not."""
    name = await ann.add("milk")
    ends = await asyncio.gather(ann.delete(name), ann.delete(name), return_exceptions=True)
    assert sum(isinstance(end, dict) for end in ends) == 1
    assert sum(isinstance(end, SkillRetry) for end in ends) == 1
    with pytest.raises(SkillRetry, match="no note"):
        await ann.delete(name)


@pytest.mark.parametrize(
    ("message", "name"), [("delete note 7K3M9X2P", "7k3m9x2p"), ("Please remove the note #7k3m9x2p.", "7k3m9x2p")]
)
def test_messages_that_delete(message: str, name: str) -> None:
    assert DeleteSkill().from_message(message) == {"id": name}


@pytest.mark.parametrize(
    "message",
    ["", "delete my notes", "delete the note about tea", "delete note shopping", "delete note 7k3m", "what is note 7k3m9x2p"],
)
def test_messages_that_do_not(message: str) -> None:
    """Only an id deletes."""
    assert DeleteSkill().from_message(message) is None
