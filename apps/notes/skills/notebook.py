"""A user's notes in the skill's storage: one key per note, so that notes saved at the same time lose nothing."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from datetime import UTC
from typing import Final

from pydantic import AwareDatetime, BaseModel, ConfigDict, ValidationError

from apps.sdk.skill import SkillContext, SkillFailed, SkillRetry

MAX_TEXT: Final = 4_000
"""Characters of a note."""
MAX_TITLE: Final = 120
MAX_TAGS: Final = 10
MAX_TAG: Final = 40
MAX_ID: Final = 20
"""Characters in which an id may be written; the id itself has `ID_LENGTH`."""
MAX_NOTES: Final = 900
"""Notes of one user: fewer than the storage has keys, so that notes can be changed in a full notebook too."""
ID_LENGTH: Final = 8

_PREFIX: Final = "note:"
_ALPHABET: Final = "0123456789abcdefghjkmnpqrstvwxyz"
_READ_AS: Final = str.maketrans("oil", "011")
"""Crockford's base 32 (https://www.crockford.com/base32.html): no letter that looks like a digit."""
_SALTS: Final = 8


class Note(BaseModel):
    """A note as it is stored; `saved` is UTC, to the microsecond."""

    model_config = ConfigDict(frozen=True)

    text: str
    title: str = ""
    tags: tuple[str, ...] = ()
    saved: AwareDatetime

    def says_the_same(self, other: Note) -> bool:
        """Whether the two differ at most in when they were saved."""
        return (self.text, self.title, self.tags) == (other.text, other.title, other.tags)


@dataclass(frozen=True, slots=True)
class Entry:
    """A stored note and its id."""

    id: str
    note: Note


@dataclass(frozen=True, slots=True)
class Notebook:
    """The notes of the context's user. Every method is one read or write of the storage per note, safe at any interleaving."""

    context: SkillContext

    async def add(self, note: Note) -> tuple[Entry, bool]:
        """The note as stored, and whether it was there already."""
        for salt in range(_SALTS):
            name = make_id(note, salt)
            found = await self.find(name)
            if found is None:
                await self.context.storage.put(_PREFIX + name, note.model_dump(mode="json"))
                return Entry(name, note), False
            if found.note.says_the_same(note):
                return found, True
        raise SkillFailed("No free id was found for the note.")

    async def find(self, name: str) -> Entry | None:
        """The note with exactly this id."""
        note = self._read(await self.context.storage.get(_PREFIX + name), name)
        return None if note is None else Entry(name, note)

    async def get(self, name: str) -> Entry:
        """The note whose id was written as `name`. Raises `SkillRetry` when there is none."""
        entry = await self.find(read_id(name))
        if entry is None:
            raise SkillRetry(f"There is no note with the id {name!r}.", hint="Take an id from notes-list or notes-search.")
        return entry

    async def list(self) -> list[Entry]:
        """All notes, newest first."""
        stored = await self.context.storage.items(_PREFIX)
        names = {key.removeprefix(_PREFIX): value for key, value in stored.items()}
        notes = {name: self._read(value, name) for name, value in names.items()}
        entries = [Entry(name, note) for name, note in notes.items() if note is not None]
        return sorted(entries, key=lambda entry: (entry.note.saved, entry.id), reverse=True)

    async def delete(self, entry: Entry) -> bool:
        """Whether it was still there."""
        return await self.context.storage.delete(_PREFIX + entry.id)

    async def check_room(self) -> None:
        """Raise `SkillFailed` when there are too many notes for another."""
        if len(await self.context.storage.keys(_PREFIX)) >= MAX_NOTES:
            message = f"The notebook is full: at most {MAX_NOTES} notes."
            raise SkillFailed(message, hint="Offer to delete notes that are not needed.")

    def _read(self, stored: object, name: str) -> Note | None:
        if stored is None:
            return None
        try:
            return Note.model_validate(stored)
        except ValidationError:
            self.context.logger.warning("note_unreadable", id=name)
            return None


def make_id(note: Note, salt: int = 0) -> str:
    """40 bits of the note's words and the hour: the same note again gets the same id, in any order and on any machine."""
    hour = note.saved.astimezone(UTC).strftime("%Y-%m-%dT%H")
    words = "\0".join((hour, str(salt), note.title, *note.tags, "", note.text))
    bits = int.from_bytes(hashlib.sha256(words.encode()).digest()[:5])
    return "".join(_ALPHABET[bits >> shift & 31] for shift in range(35, -1, -5))


def read_id(written: str) -> str:
    """The id that was meant: case, blanks and a leading "note:" or "#" do not matter, nor o for 0 and i or l for 1."""
    text = written.strip().casefold().removeprefix(_PREFIX).strip().removeprefix("#")
    return text.translate(_READ_AS) if text.isascii() and text.isalnum() else ""
