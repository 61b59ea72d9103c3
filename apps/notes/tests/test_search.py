"""`notes-search`: words in any order, folded, ranked; why there is nothing; what messages ask for it."""

from __future__ import annotations

from datetime import timedelta

import pytest

from apps.notes.skills.matching import fold, split_words
from apps.notes.skills.search import SearchSkill
from apps.notes.tests.notebooks import User
from apps.sdk.skill import SkillRetry

ASKED = [
    ("search my notes for the wifi password", "wifi password"),
    ("What did I note about the insurance?", "insurance"),
    ("find my note about “spare key”.", "spare key"),
    ("Do I have a note on Sam's allergies?", "Sam's allergies"),
    ("look in my notes for birthday ideas, please", "birthday ideas"),
    ("Durchsuche meine Notizen nach Rezepten", "Rezepten"),
    ("Busca en mis notas contraseña", "contraseña"),
    ("Cherche dans mes notes code du portail", "code du portail"),
]
NOT_ASKED = [
    "", "hi", "search the web for news", "find my keys", "show my notes", "note: search my desk", "what did I say about tea?",
    "search my notes for ", "What time is it in New York?",
]  # fmt: skip

FOUND = [
    ("password wifi", "The WiFi password is hunter2"),
    ("ecole", "L'École ouvre à 8 h"),
    ("ÉCOLE", "L'École ouvre à 8 h"),
    ("strasse", "Hauptstraße 5"),
    ("haupt", "Hauptstraße 5"),
    ("straße", "Hauptstraße 5"),
    ("日本", "来年は日本に行く"),
    ("हिन्दी", "मैं हिन्दी सीख रहा हूँ"),
    ("한", "한국어 수업"),
    ("don't", "I don't like tea"),
    ("4521", "Code: 4521#"),
    ("ﬁnal", "the final plan"),
]


@pytest.mark.parametrize(("words", "text"), FOUND)
async def test_words_are_found_however_they_are_written(ann: User, words: str, text: str) -> None:
    """Order, case, accents, width and scripts without blanks; the other notes are not in the result."""
    await ann.add(text)
    await ann.add("nothing of the kind")
    result = await ann.search(words)
    assert [row["text"] for row in result.data] == [text]
    assert result.note is None


async def test_better_hits_come_first(ann: User) -> None:
    """Title, tag, whole word in the text, beginning of a word, inside of a word; of equals the newest."""
    for text, arguments in (
        ("a carpet", {}),
        ("a petticoat", {}),
        ("my pet", {}),
        ("her pet", {}),
        ("vet on Monday", {"tags": ["pet"]}),
        ("vet on Friday", {"title": "The pet"}),
    ):
        ann.now += timedelta(seconds=1)
        await ann.add(text, **arguments)
    found = [row["text"] for row in (await ann.search("pet")).data]
    assert found == ["vet on Friday", "vet on Monday", "her pet", "my pet", "a petticoat"]


async def test_when_no_note_has_all_words_some_do(ann: User) -> None:
    """The remark says that the result is not quite what was asked; notes with every word make it go away."""
    await ann.add("wifi is slow")
    result = await ann.search("password wifi")
    assert [row["text"] for row in result.data] == ["wifi is slow"]
    assert result.note == "No note has all of: password, wifi; these have some."
    await ann.add("wifi password")
    complete = await ann.search("password wifi")
    assert ([row["text"] for row in complete.data], complete.note) == (["wifi password"], None)


async def test_nothing_found_says_why(ann: User) -> None:
    """No notes at all, none with the tag, none with the words."""
    assert (await ann.search("tea")).note == "There are no notes."
    await ann.add("coffee", tags=["drinks"])
    result = await ann.search("Tea water")
    assert (result.data, result.note) == ([], "None of the 1 notes has any of: tea, water.")
    assert (await ann.search("coffee", tag="food")).note == "There are no notes tagged food."
    assert [row["text"] for row in (await ann.search("coffee", tag="drinks")).data] == ["coffee"]
    with pytest.raises(SkillRetry, match="no word"):
        await ann.search("?! ...")


async def test_a_long_text_is_cut_around_its_hit(ann: User) -> None:
    """The hit is in what is shown, wherever it stands."""
    for before in (0, 150, 2000, 3990):
        await ann.add(f"{'x ' * (before // 2)}needle{' y' * ((3990 - before) // 2)}", title=str(before))
    result = await ann.search("needle")
    assert len(result.data) == 4
    assert all("needle" in row["text"] and len(row["text"]) <= 301 for row in result.data)
    assert "notes-list" in (result.note or "")


async def test_the_limit_is_said(ann: User) -> None:
    """What is left out is counted."""
    for number in range(4):
        await ann.add(f"tea {number}")
    result = await ann.search("tea", limit=3)
    assert len(result.data) == 3
    assert result.note == "1 more; narrow the words or raise the limit."


async def test_hostile_words_are_words(ann: User) -> None:
    """Patterns of other languages mean nothing here."""
    await ann.add("a.b")
    for words in ("%", "_", ".*", "(a+)+$", "' OR 1=1 --", "\\"):
        try:
            assert [row["text"] for row in (await ann.search(words)).data] in ([], ["a.b"])
        except SkillRetry:
            continue


def test_folding() -> None:
    """Accents go, letters of their own stay."""
    assert fold("ÀÉÎõü ﬁ Ｗ ß") == "aeiou fi w ss"
    assert fold("が") != fold("か")
    assert split_words("Sam's wi-fi, wi-fi!") == ["sam", "s", "wi", "fi"]


@pytest.mark.parametrize(("message", "words"), ASKED)
def test_messages_that_look_for_a_note(message: str, words: str) -> None:
    assert SearchSkill().from_message(message) == {"words": words}


@pytest.mark.parametrize("message", NOT_ASKED)
def test_messages_that_do_not(message: str) -> None:
    assert SearchSkill().from_message(message) is None
