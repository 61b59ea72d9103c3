"""Expansion: reasons, warnings, gates, and whatever an intent may hold."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from apps.sdk.catalog import Provider
from preprocessor.availability import Deactivation, Override
from preprocessor.expand import Expander, Expansion, PatternMatch
from preprocessor.intent import Intent
from preprocessor.toolsets import Overlay, Toolsets
from tests.support.catalogs import ScriptedAvailability, make_app, make_catalog, make_memory, make_mode, make_skill
from tests.support.expanding import expand
from tests.toggles.fixtures import TABLE_CATALOG, TABLE_TOOLSETS, names
from tests.toggles.intents import PATTERNS


def expand_intent(intent: Any) -> Expansion:
    return expand(TABLE_CATALOG, Intent.model_validate(intent))


def test_patterns_that_mean_nothing_are_warnings() -> None:
    """Case-sensitive; each pattern is told once, with what it matched."""
    expansion = expand_intent({"disabled": ["t-web_*", "T-*", "t-bash", "T-*"], "allowed": ["*", "nope"]})
    assert expansion.matches == (
        PatternMatch("allowed", "*", tuple(TABLE_CATALOG.skills)),
        PatternMatch("allowed", "nope", ()),
        PatternMatch("disabled", "t-web_*", names("web_use", "web_search", "web_fetch")),
        PatternMatch("disabled", "T-*", ()),
        PatternMatch("disabled", "t-bash", names("bash")),
    )
    assert expansion.warnings == ("allowed: nope matches no skill", "disabled: T-* matches no skill")


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
    assert expand(TABLE_CATALOG, Intent(picks=("t-read",)), overrides=off).available == ()
    assert expand(TABLE_CATALOG, Intent(), overrides=(Override("app", "t", enabled=False),)).available == ()


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
    own = expand(catalog, Intent(), deactivations=(Deactivation("app", "a"), Deactivation("skill", "b-deep")))
    assert (own.focus_modes, own.memories) == (("b-deep",), ("b-notes",))
    assert expand(catalog, Intent(), deactivations=(Deactivation("focus_mode", "b-deep"),)).focus_modes == ("a-calm",)


def test_a_built_in_of_every_model_needs_no_credential() -> None:
    """The skill of a switched-on overlay is there although it lacks a credential, when no model would be sent its function."""
    asked = ScriptedAvailability("no key")
    search = make_skill("s-search", providers=(Provider("Brave"),), standard=False, implementation=asked)
    catalog = make_catalog(make_app("s", search))
    overlay = Overlay("web_search", "s-search", {"anthropic/*": {"type": "web_search_20250305", "name": "web_search"}})
    toolsets = Toolsets(overlays={"web_search": overlay})

    def expand_for(*models: str, **wish: Any) -> Expansion:
        expander = Expander(catalog, toolsets, built_in=toolsets.list_built_in(models))
        return expander.expand(Intent(**wish))

    assert expand_for("anthropic/one", "anthropic/two", web_search=True).available == ("s-search",)
    assert expand_for("anthropic/one", "openai/two", web_search=True).available == ()
    assert expand_for(web_search=True).available == ()
    assert expand_for("anthropic/one", picks=("s-search",)).available == ()
    assert expand_for("anthropic/one", web_search=True, disabled=("s-search",)).available == ()
    assert asked.asked == 0


LISTS = st.lists(PATTERNS | st.text(max_size=5), max_size=5)
ANYTHING: st.SearchStrategy[Any] = st.none() | st.booleans() | st.integers() | st.text(max_size=5) | LISTS
WRITTEN: st.SearchStrategy[Any] = ANYTHING | st.fixed_dictionaries(
    {}, optional={key: ANYTHING | LISTS | st.none() for key in (*Intent.model_fields, "tools", "mode", "preset", "inherit")}
)


@given(WRITTEN, st.sampled_from(["chat", "api", "scheduled"]))
def test_any_intent_is_refused_or_expands(written: Any, source: Any) -> None:
    """Fuzz: what the model of an intent takes never fails, comes out the same each time, and stays within the catalog."""
    try:
        intent = Intent.model_validate(written)
    except ValidationError:
        return
    expansion = expand(TABLE_CATALOG, intent, toolsets=TABLE_TOOLSETS, source=source)
    assert expand(TABLE_CATALOG, intent, toolsets=TABLE_TOOLSETS, source=source) == expansion
    dropped = [drop.name for drop in expansion.dropped]
    assert sorted([*expansion.available, *dropped]) == sorted(TABLE_CATALOG.skills)
    assert set(expansion.picks) <= set(expansion.available)
    assert not set(expansion.unknown) & set(TABLE_CATALOG.skills)
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
