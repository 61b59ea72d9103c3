"""The app's manifest: it loads without findings, and what its skills find in messages fits their schemas."""

from __future__ import annotations

from pathlib import Path

import pytest

from apps.sdk.catalog import Catalog
from apps.sdk.loader import load_catalog
from apps.sdk.skill import Skill
from apps.sdk.testing import load_skill
from apps.web.skills.questions import find_address, find_query

APPS = Path(__file__).parents[2]

SEARCHES = [
    ("Search the web for the new EU battery regulation", "the new EU battery regulation"),
    ("please search online for cheap flights.", "cheap flights"),
    ("can you look up the opening hours of the Louvre online?", "the opening hours of the Louvre"),
    ("find reviews of the Fairphone 6 on the internet", "reviews of the Fairphone 6"),
    ("google who won the match last night", "who won the match last night"),
    ("web search: python 3.15 release date", "python 3.15 release date"),
    ("Suche im Internet nach Apfelkuchen", "Apfelkuchen"),
    ("Busca en internet noticias sobre energía solar", "noticias sobre energía solar"),
    ("Cherche sur le web les horaires des trains", "les horaires des trains"),
]

ADDRESSES = [
    ("Read https://example.org/article and summarise it", "https://example.org/article"),
    ("what does (http://example.org/a_(b)) say?", "http://example.org/a_(b)"),
    ("see https://example.org/x?y=1&z=2#part.", "https://example.org/x?y=1&z=2#part"),
    ("open www.example.org/news, please", "www.example.org/news"),
    ("„https://example.org/ü“", "https://example.org/ü“"),
]

NEITHER = ["", "hi", "the web of lies", "search my feelings", "what is online banking", "http is a protocol", "https://", "a.b.c",
           "find my keys", "I work online", "What is 17.5 % of 2,340?", "the internet is slow today"]  # fmt: skip


@pytest.fixture(scope="module")
def catalog() -> Catalog:
    return load_catalog([APPS])


def test_the_app_loads_clean(catalog: Catalog) -> None:
    """Two skills, a focus mode and a memory, no findings."""
    app = next(app for app in catalog.apps if app.id == "web")
    assert [skill.tool_name for skill in app.skills] == ["web-search", "web-read"]
    assert [mode.id for mode in app.focus_modes] == ["web-research"]
    assert [memory.id for memory in app.memories] == ["web-bookmarks"]
    assert (app.quarantined, app.findings) == ((), ())


@pytest.mark.parametrize("skill_id", ["search", "read"])
def test_requests_from_examples_fit_the_schema(skill_id: str) -> None:
    """What `from_message` finds in the skill's own examples is valid; it finds some."""
    assert load_skill(__file__, skill_id).check_examples()


@pytest.mark.parametrize(("message", "query"), SEARCHES)
def test_messages_that_ask_for_a_search(message: str, query: str) -> None:
    """In several languages."""
    assert find_query(message) == query


@pytest.mark.parametrize(("message", "address"), ADDRESSES[:4])
def test_messages_with_an_address(message: str, address: str) -> None:
    """The address without the sentence's punctuation; it is not searched for."""
    assert find_address(message) == address
    assert find_query(f"search the web for {address}") is None


def test_a_question_may_stand_at_either_end_of_a_long_message() -> None:
    """An address is found whole or not at all."""
    address, filling = "https://example.org/l’été", "lorem ipsum " * 1_000
    assert find_address(f"{address} {filling}") == find_address(f"{filling} {address}") == address
    assert find_query(f"{filling} Google: wasps") == "wasps"
    assert find_address(f"{'x' * 2_000} https://example.org/{'a' * 1_000} {filling}") is None


@pytest.mark.parametrize("message", NEITHER)
def test_messages_that_ask_for_neither(message: str) -> None:
    """Small talk and questions of other apps."""
    assert (find_query(message), find_address(message)) == (None, None)


@pytest.mark.parametrize("piece", ["search the web for ", "search  ", "find a ", "https://", "(", "www.", " ", "look up online "])
def test_long_messages_are_looked_at_in_part(catalog: Catalog, piece: str) -> None:
    """100 KB of a hostile pattern cost nothing."""
    for spec in catalog.by_app["web"].skills:
        assert isinstance(spec.implementation, Skill)
        spec.implementation.from_message(piece * (100_000 // len(piece)))
