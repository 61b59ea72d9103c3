"""Intent x catalog -> expansion: the rows of the truth table that need no profile, and its invariants."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from apps.sdk.catalog import Provider
from preprocessor.availability import Override
from preprocessor.expand import Expansion, PatternMatch, expand
from preprocessor.intent import Intent
from tests.support.catalogs import ScriptedAvailability, make_app, make_catalog, make_memory, make_mode, make_skill

STANDARD = ("t-read", "t-bash", "t-edit", "t-web_use", "t-send_message")
FURTHER = ("t-web_search", "t-web_fetch")
CATALOG = make_catalog(
    make_app("t", *map(make_skill, STANDARD), *(make_skill(name, standard=False) for name in FURTHER)),
)


def names(*short: str) -> tuple[str, ...]:
    return tuple(f"t-{name}" for name in short)


def expand_intent(intent: Any) -> Expansion:
    return expand(CATALOG, Intent.model_validate(intent))


@pytest.mark.parametrize(
    ("row", "intent", "available"),
    [
        ("1", None, STANDARD),
        ("3", [], ()),
        ("4", {"enabled": True}, STANDARD),
        ("5", {"enabled": False}, ()),
        ("6", {"enabled": None}, STANDARD),
        ("6", {}, STANDARD),
        ("14", {"enabled": True, "disabled": names("bash")}, names("read", "edit", "web_use", "send_message")),
        ("19", {"enabled": True, "disabled": ["t-web_*"]}, names("read", "bash", "edit", "send_message")),
        ("24", names("web_search"), names("web_search")),
        ("25", names("bash", "read"), names("bash", "read")),
        ("26", names("read", "read"), names("read")),
        ("27", ["T-READ"], ()),
        ("27", ["t-nope"], ()),
        ("28", {"enabled": names("read", "bash"), "disabled": names("bash")}, names("read")),
        ("29", {"enabled": []}, ()),
        ("32", {"tools": []}, ()),
    ],
)
def test_truth_table(row: str, intent: Any, available: tuple[str, ...]) -> None:
    """Rows 1, 3-6, 14, 19, 24-29, 32 of the table, as far as they need no profile."""
    plain = list(intent) if isinstance(intent, tuple) else intent
    if isinstance(plain, dict):
        plain = {key: list(value) if isinstance(value, tuple) else value for key, value in plain.items()}
    assert expand_intent(plain).available == available, row


def test_unknown_picks_are_reported() -> None:
    """Row 27: an unknown pick is reported as it was written, also one in another case."""
    assert expand_intent(["T-READ", "t-nope", "t-read"]).unknown == ("T-READ", "t-nope")


def test_what_patterns_matched_is_reported() -> None:
    """Row 19: each pattern with what it matched; case-sensitive; one that matches nothing is a warning."""
    expansion = expand_intent({"disabled": ["t-web_*", "T-*", "t-bash"]})
    assert expansion.disabled_matches == (
        PatternMatch("t-web_*", names("web_use", "web_search", "web_fetch")),
        PatternMatch("T-*", ()),
        PatternMatch("t-bash", names("bash")),
    )
    assert expansion.warnings == ("disabled: T-* matches no skill",)


def test_everything_left_out_has_a_reason() -> None:
    """Each skill of the catalog is either available or dropped with a code and a reason."""
    catalog = make_catalog(
        make_app("a", make_skill("a-on"), make_skill("a-off", default_enabled=False), make_skill("a-rare", standard=False)),
        make_app("b", make_skill("b-key", providers=(Provider("Brave"),)), make_skill("b-api", sources=frozenset({"api"}))),
        make_app("c", make_skill("c-denied"), make_skill("c-sad", implementation=ScriptedAvailability("no disk"))),
    )
    expansion = expand(catalog, Intent(disabled=("c-d*",)))
    assert expansion.available == ("a-on",)
    assert {drop.name: drop.code for drop in expansion.dropped} == {
        "a-off": "disabled",
        "a-rare": "not_selected",
        "b-key": "unavailable",
        "b-api": "wrong_source",
        "c-denied": "denied",
        "c-sad": "unavailable",
    }
    assert all(drop.reason for drop in expansion.dropped)
    assert expand(catalog, Intent(), credentials=frozenset({"brave"}), source="api").available == (
        "a-on",
        "b-key",
        "b-api",
        "c-denied",
    )


def test_deny_beats_a_pick_with_a_warning() -> None:
    """A pick that is not available is dropped and the caller is told."""
    expansion = expand_intent({"picks": ["t-bash", "t-read"], "disabled": ["t-bash"]})
    assert expansion.picks == ("t-read",)
    assert expansion.warnings == ("picks: t-bash is not available: the intent disables it",)


def test_an_override_lifts_and_takes_away() -> None:
    """Overrides are gates: a pick does not lift one."""
    off = (Override("skill", "t-read", enabled=False),)
    assert expand(CATALOG, Intent(picks=("t-read",)), overrides=off).available == ()
    assert expand(CATALOG, Intent(), overrides=(Override("app", "t", enabled=False),)).available == ()


def test_skills_are_asked_once_and_only_when_needed() -> None:
    """`Skill.available` is asked once an expansion, and not at all for what is out anyway."""
    skill = ScriptedAvailability(answer=True)
    catalog = make_catalog(make_app("a", make_skill("a-a", implementation=skill)))
    expand(catalog, Intent())
    assert skill.asked == 1
    expand(catalog, Intent(enabled=False))
    expand(catalog, Intent(disabled=("a-*",)))
    assert skill.asked == 1


def test_a_skill_that_raises_costs_only_itself() -> None:
    """One broken availability check leaves the other skills available."""
    broken = make_skill("a-bad", implementation=ScriptedAvailability(ZeroDivisionError()))
    assert expand(make_catalog(make_app("a", broken, make_skill("a-good"))), Intent()).available == ("a-good",)


def test_focus_modes_and_memories() -> None:
    """Modes that are on and have a prompt, memories of apps that are on, in catalog order; switching tools off leaves them."""
    modes = (make_mode("a-calm"), make_mode("a-off", default_enabled=False), make_mode("a-blank", system_prompt=" \n"))
    catalog = make_catalog(
        make_app("b", make_memory("b-notes"), make_mode("b-deep")),
        make_app("a", *modes, make_memory("a-places")),
        make_app("c", make_mode("c-gone"), make_memory("c-gone"), default_enabled=False),
    )
    expansion = expand(catalog, Intent(enabled=False))
    assert expansion.focus_modes == ("a-calm", "b-deep")
    assert expansion.memories == ("a-places", "b-notes")


NAMES = st.sampled_from([*STANDARD, *FURTHER, "t-nope"])
PATTERNS = st.one_of(
    NAMES, st.sampled_from(["t-*", "*web*", "t-?ead", "[t]-b*", "[!t]*"]), st.text("t-*?[]!&|~web_^\\", min_size=1)
)
INTENTS = st.builds(
    Intent,
    enabled=st.sampled_from([None, True, False]),
    disabled=st.none() | st.lists(PATTERNS, max_size=4).map(tuple),
    picks=st.none() | st.lists(NAMES, max_size=6).map(tuple),
)


@given(INTENTS, PATTERNS)
def test_monotone_deny(intent: Intent, pattern: str) -> None:
    """Invariant i: adding to `disabled` never adds a skill."""
    more = intent.model_copy(update={"disabled": (*(intent.disabled or ()), pattern)})
    assert set(expand(CATALOG, more).available) <= set(expand(CATALOG, intent).available)


@given(INTENTS, st.sampled_from([{"enabled": False}, {"picks": ()}]))
def test_off_is_off(intent: Intent, off: dict[str, Any]) -> None:
    """Invariant iii: enabled false or an empty list is empty under every other key."""
    assert expand(CATALOG, intent.model_copy(update=off)).available == ()


@given(INTENTS)
def test_order_is_stable_and_without_duplicates(intent: Intent) -> None:
    """Invariants iv and v: a subsequence of the base order, each name once, never `tool_search`."""
    base = iter(dict.fromkeys(intent.picks) if intent.picks is not None else STANDARD)
    available = expand(CATALOG, intent).available
    assert all(name in base for name in available)
    assert len(set(available)) == len(available)
    assert "tool_search" not in available


LISTS = st.lists(PATTERNS | st.text(max_size=5), max_size=5)
ANYTHING: st.SearchStrategy[Any] = st.none() | st.booleans() | st.integers() | st.text(max_size=5) | LISTS
WRITTEN: st.SearchStrategy[Any] = ANYTHING | st.fixed_dictionaries(
    {}, optional={key: ANYTHING | LISTS | st.none() for key in ("enabled", "disabled", "picks", "tools")}
)


@given(WRITTEN, st.sampled_from(["chat", "api", "scheduled"]))
def test_any_intent_is_refused_or_expands(written: Any, source: Any) -> None:
    """Fuzz: what the model of an intent takes never fails, comes out the same each time, and stays within the catalog."""
    try:
        intent = Intent.model_validate(written)
    except ValidationError:
        return
    expansion = expand(CATALOG, intent, source=source)
    assert expand(CATALOG, intent, source=source) == expansion
    dropped = [drop.name for drop in expansion.dropped]
    assert sorted([*expansion.available, *dropped]) == sorted(CATALOG.skills)
    assert set(expansion.picks) <= set(expansion.available)
    assert not set(expansion.unknown) & set(CATALOG.skills)
    assert Intent.model_validate_json(intent.model_dump_json()) == intent


def test_a_limit_to_one_app_lets_nothing_of_an_app_with_a_like_name_through() -> None:
    """hostile A: 40 characters of an app and 23 of a skill, alike up to the last: names are compared whole, never cut."""
    mine, other = "a" * 40, "a" * 39 + "b"
    skills = {app_id: make_skill(f"{app_id}-{'s' * 23}") for app_id in (mine, other)}
    catalog = make_catalog(*(make_app(app_id, skill) for app_id, skill in skills.items()))
    denied = expand(catalog, Intent(disabled=(f"{other}-*",)))
    assert denied.available == (skills[mine].tool_name,)
    picked = expand(catalog, Intent(picks=(skills[mine].tool_name, skills[other].tool_name[:60])))
    assert (picked.available, picked.unknown) == ((skills[mine].tool_name,), (skills[other].tool_name[:60],))
