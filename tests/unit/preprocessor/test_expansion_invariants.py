"""What holds of every expansion, whatever the intent and the profile."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from preprocessor.expand import Expansion
from preprocessor.exposure import expose
from preprocessor.intent import Intent, merge_intent
from preprocessor.selection import ProfileSelection
from tests.support.catalogs import make_app, make_catalog, make_skill
from tests.support.expanding import expand
from tests.toggles.fixtures import FURTHER, STANDARD, TABLE_CATALOG, TABLE_TOOLSETS
from tests.toggles.intents import INTENTS, PATTERNS, PROFILES, TOOLSET

OVERLAY = "t-web_search"


def expand_any(intent: Intent, profile: ProfileSelection | None = None) -> Expansion:
    return expand(TABLE_CATALOG, intent, toolsets=TABLE_TOOLSETS, profile=profile)


def change(intent: Intent, **keys: Any) -> Intent:
    return intent.model_copy(update=keys)


@given(INTENTS, PROFILES, PATTERNS)
def test_monotone_deny(intent: Intent, profile: ProfileSelection | None, pattern: str) -> None:
    """Invariant i: adding to `disabled` never adds a skill."""
    more = change(intent, disabled=(*(intent.disabled or ()), pattern))
    assert set(expand_any(more, profile).available) <= set(expand_any(intent, profile).available)


@given(INTENTS, PROFILES, st.lists(PATTERNS, max_size=3).map(tuple))
def test_ceiling(intent: Intent, profile: ProfileSelection | None, allowed: tuple[str, ...]) -> None:
    """Invariant ii: adding the key `allowed` never adds a skill, and an empty one is none."""
    free = set(expand_any(change(intent, allowed=None), profile).available)
    assert set(expand_any(change(intent, allowed=allowed), profile).available) <= free
    assert expand_any(change(intent, allowed=()), profile).available == ()


@given(INTENTS, PROFILES, st.sampled_from([{"enabled": False}, {"picks": ()}]))
def test_off_is_off(intent: Intent, profile: ProfileSelection | None, off: dict[str, Any]) -> None:
    """Invariant iii: enabled false or an empty list is empty under every other key, and so is a profile's empty list."""
    assert expand_any(change(intent, **off), profile).available == ()
    assert expand_any(intent, replace(profile or ProfileSelection(), tools=())).available == ()


@given(INTENTS, PROFILES)
def test_the_order_is_the_bases(intent: Intent, profile: ProfileSelection | None) -> None:
    """Invariants iv and v: a subsequence of the base order, then the overlay, each name once, never the loader."""
    available = expand_any(intent, profile).available
    assert len(set(available)) == len(available)
    assert "tool_search" not in available
    without_gates = Intent(enabled=intent.enabled or None, toolset=intent.toolset, picks=intent.picks)
    chooser = ProfileSelection(tools=profile.tools or None, toolset=profile.toolset) if profile else None
    base = expand_any(without_gates, chooser).available
    expected = iter(base if OVERLAY in base else (*base, OVERLAY))
    assert all(name in expected for name in available)


@given(st.sampled_from([None, True]), PROFILES, st.integers(min_value=0, max_value=len(STANDARD)))
def test_liveness(enabled: bool | None, profile: ProfileSelection | None, place: int) -> None:
    """Invariant vi: a new standard skill is added to every follow or true intent, at its place, and nothing else changes."""
    follow = replace(profile, tools=None, toolset=None, allowed_skills=None, disabled_skills=()) if profile else None
    shipped = [*map(make_skill, STANDARD), *(make_skill(name, standard=False) for name in FURTHER)]
    grown = make_catalog(make_app("t", *shipped[:place], make_skill("t-new"), *shipped[place:]))
    before = expand_any(Intent(enabled=enabled), follow).available
    after = expand(grown, Intent(enabled=enabled), toolsets=TABLE_TOOLSETS, profile=follow).available
    assert after == (*before[:place], "t-new", *before[place:])


@given(INTENTS, PROFILES)
def test_what_is_not_sent_can_be_called_all_the_same(intent: Intent, profile: ProfileSelection | None) -> None:
    """Invariant vii, as far as there is no loader yet: what is sent and what is deferred are together what may be called."""
    expansion = expand_any(intent, profile)
    exposure = expose(TABLE_CATALOG, expansion, (), toolsets=TABLE_TOOLSETS)
    assert tuple(exposure.contract.skills) == expansion.available
    assert set(exposure.names) == {*expansion.picks, *expansion.overlays}


@given(st.text(min_size=1), INTENTS)
def test_unknown_keys_are_rejected(key: str, intent: Intent) -> None:
    """Invariant viii: beside whatever else is said."""
    if key in {*Intent.model_fields, "tools", "mode", "inherit"}:
        return
    with pytest.raises(ValidationError):
        Intent.model_validate({**intent.dump(), key: None})


@given(INTENTS, PROFILES)
def test_every_skill_is_told(intent: Intent, profile: ProfileSelection | None) -> None:
    """Each skill of the catalog is available or dropped with a reason; picks and overlays are among what is available."""
    expansion = expand_any(intent, profile)
    dropped = [drop.name for drop in expansion.dropped]
    assert sorted([*expansion.available, *dropped]) == sorted(TABLE_CATALOG.skills)
    assert dropped == [name for name in TABLE_CATALOG.skills if name in dropped]
    assert all(drop.reason for drop in expansion.dropped)
    assert {*expansion.picks, *expansion.overlays} <= set(expansion.available)
    assert expand_any(intent, profile) == expansion


@given(INTENTS, INTENTS, st.data())
def test_merging_any_patch(stored: Intent, patch: Intent, data: st.DataObject) -> None:
    """What is mentioned is as it was said, what is not stays, but for the other way of choosing; twice is once."""
    mentioned = data.draw(st.sets(st.sampled_from(sorted(Intent.model_fields))))
    said = Intent.model_validate({key: getattr(patch, key) for key in mentioned})
    merged = merge_intent(stored, said)
    for key in Intent.model_fields:
        rival = {"picks": "toolset", "toolset": "picks"}.get(key)
        if key in mentioned:
            assert getattr(merged, key) == getattr(said, key)
        elif rival is None or getattr(said, rival) is None:
            assert getattr(merged, key) == getattr(stored, key)
        else:
            assert getattr(merged, key) is None
    assert merge_intent(merged, said) == merged
    assert Intent.model_validate(merged.dump()) == merged
    assert len(merged.dump()) <= len(Intent.model_fields)


@given(TOOLSET)
def test_a_toolset_never_widens_a_gate(name: str | None) -> None:
    """Whatever is chosen, a profile's ceiling holds."""
    narrow = ProfileSelection(allowed_skills=("t-web_*",))
    assert set(expand_any(Intent(toolset=name), narrow).available) <= {"t-web_use", *FURTHER}
