"""The numbered cases of intents and their expansion that need nothing but the pure functions."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Any

import pytest
from pydantic import ValidationError

from apps.sdk.jsontypes import Json
from preprocessor.availability import Deactivation
from preprocessor.exposure import expose
from preprocessor.intent import Intent, merge_intent
from preprocessor.selection import PatternMatch, ProfileSelection
from preprocessor.toolsets import Toolset, Toolsets
from service.settings import ROOT
from tests.support.catalogs import ScriptedAvailability, make_skill
from tests.support.expanding import expand
from tests.toggles.fixtures import CASE_CATALOG, CASE_TOOLSETS, D, expand_case, make_case_catalog, read

OVERLAY = "s-web_search"


def store(written: Json) -> Intent:
    """Written by a caller, merged into nothing, and read back from what is kept of it."""
    kept = merge_intent(None, read(written)).dump()
    return Intent.model_validate(kept)


def test_a_switch_is_kept() -> None:
    """Case 1: `web_search: true` is read back as true."""
    assert store({"web_search": True}).web_search is True


def test_keys_that_were_never_written_are_null() -> None:
    """Case 2: what is kept without `web_search` and `toolset` reads as null for both, without an error."""
    intent = Intent.model_validate({"enabled": True})
    assert (intent.web_search, intent.toolset) == (None, None)


@pytest.mark.parametrize("word", ["ON", "no", "maybe", 1, 0, "true"])
@pytest.mark.parametrize("key", ["web_search", "enabled"])
def test_a_switch_takes_booleans_only(key: str, word: Json) -> None:
    """Case 3, where types are strict: no word and no number is a boolean, and the error names the key."""
    with pytest.raises(ValidationError) as caught:
        read({key: word})
    assert [error["loc"] for error in caught.value.errors()] == [(key,)]


def test_blanks_around_a_toolset_do_not_count() -> None:
    """Case 4: stripped, and blank is null, in a patch too."""
    assert store({"toolset": "  mix "}).toolset == "mix"
    assert merge_intent(Intent(toolset="mix"), read({"toolset": "   "})).toolset is None


def test_what_is_kept_is_small_and_holds_no_skill_that_was_not_written() -> None:
    """Cases 5 and 6: an intent is kept, never its expansion."""
    assert merge_intent(None, read({"tools": True, "web_search": True})).dump() == {"enabled": True, "web_search": True}
    assert merge_intent(None, read({"toolset": "mix"})).dump() == {"toolset": "mix"}


def test_a_list_keeps_its_order() -> None:
    """Case 7: kept, read and expanded in the order in which it was written."""
    intent = store({"tools": ["a-beta", "a-alpha"]})
    assert intent.picks == ("a-beta", "a-alpha")
    assert expand(CASE_CATALOG, intent).available == ("a-beta", "a-alpha")


def test_an_empty_list_stays_empty() -> None:
    """Case 8: it is not taken for nothing said."""
    intent = store({"tools": []})
    assert intent.picks == ()
    assert expand(CASE_CATALOG, intent).available == ()


def test_null_takes_a_switch_back() -> None:
    """Case 9: the overlay is gone."""
    intent = merge_intent(store({"web_search": True}), read({"web_search": None}))
    assert intent.web_search is None
    assert OVERLAY not in expand(CASE_CATALOG, intent, toolsets=CASE_TOOLSETS).available


def test_a_missing_key_leaves_a_switch() -> None:
    """Case 10."""
    assert merge_intent(store({"web_search": True}), read({"disabled": ["a-beta"]})) == Intent(
        web_search=True, disabled=("a-beta",)
    )


def test_null_takes_a_toolset_back() -> None:
    """Case 11."""
    assert merge_intent(store({"toolset": "mix"}), read({"toolset": None})).dump() == {}


@pytest.mark.parametrize("switch", [True, {"tools": True}])
def test_the_older_key_has_one_value(switch: Json) -> None:
    """`tools: true` after `tools: []` is the standard set again; `enabled: true` leaves the picks as they are."""
    for picks in ([], ["a-beta"]):
        assert merge_intent(store({"tools": picks}), read(switch)).dump() == {"enabled": True}
        assert merge_intent(store({"tools": picks}), read({"enabled": True})).dump() == {"enabled": True, "picks": picks}
    off = merge_intent(store({"tools": ["a-beta"]}), read({"tools": False}))
    assert (off.is_off, merge_intent(off, read({"tools": ["a-alpha"]})).dump()) == (True, {"picks": ["a-alpha"]})


@pytest.mark.parametrize(
    ("written", "place"),
    [
        pytest.param({"toolset": "typo", "web_search": True}, "toolset", id="13"),
        pytest.param({"web_serch": True}, "web_serch", id="14"),
    ],
)
def test_what_is_wrong_is_refused_before_anything_is_merged(written: Json, place: str) -> None:
    """Cases 13 and 14: there is no patch to merge, and the error names the key."""
    with pytest.raises(ValidationError) as caught:
        read(written)
    assert [error["loc"] for error in caught.value.errors()] == [(place,)]


@pytest.mark.parametrize(
    "written",
    [None, True, [], ["a-beta"], {"toolset": "mix"}, {"mode": "selected", "allowed": ["a-*"]}, {"disabled": ["b-*"]}],
)
def test_nothing_is_kept_that_was_not_written(written: Json) -> None:
    """Case 15: each name of what is kept stands in the request."""
    kept = merge_intent(Intent(web_search=True), read(written)).dump()
    names = [name for key in ("picks", "allowed", "disabled") for name in kept.get(key, ())]
    assert set(names) <= {"a-beta", "a-*", "b-*"}
    assert not set(names) & {name for name in CASE_CATALOG.skills if name not in str(written)}


@pytest.mark.parametrize(
    ("written", "available"),
    [
        pytest.param(None, D, id="16"),
        pytest.param({"toolset": "mix"}, ("a-alpha", "b-mail"), id="21"),
        pytest.param({"toolset": "loop1"}, ("b-cold", "a-beta"), id="22"),
        pytest.param({"toolset": "loop2"}, ("a-beta", "b-cold"), id="22 other"),
        pytest.param({"enabled": True, "disabled": ["a-*"]}, ("b-cold", "b-mail"), id="24"),
        pytest.param({"enabled": True, "disabled": ["A-ALPHA"]}, D, id="25"),
        pytest.param({"enabled": True, "allowed": ["c-rare"]}, (), id="26"),
        pytest.param({"enabled": True, "allowed": ["a-*"], "disabled": ["a-beta"]}, ("a-alpha", "a-gamma"), id="27"),
        pytest.param({"picks": ["a-beta", "a-beta", "nope"]}, ("a-beta",), id="28"),
        pytest.param({"enabled": True, "web_search": True}, (*D, OVERLAY), id="29"),
        pytest.param({"toolset": "net", "web_search": True}, (OVERLAY, "a-alpha"), id="30"),
        pytest.param({"toolset": "net", "web_search": False}, ("a-alpha",), id="31"),
        pytest.param({"web_search": True, "disabled": [OVERLAY]}, D, id="32"),
    ],
)
def test_expansion(written: Json, available: tuple[str, ...]) -> None:
    """Each intent gives exactly these tools, in this order."""
    assert expand_case(written).available == available


@pytest.mark.parametrize(
    "other",
    [
        {"toolset": "mix"},
        {"web_search": True},
        {"allowed": ["*"]},
        {"disabled": ["a-beta"]},
        {"picks": ["a-alpha"]},
        {"mode": "selected", "preset": "mix"},
        {"inherit": True},
    ],
)
def test_off_is_off(other: dict[str, Any]) -> None:
    """Case 17: under each other key."""
    assert expand_case({"enabled": False, **other}).available == ()


SERIALISE = """
import json
from tests.toggles.fixtures import CASE_CATALOG, expand_case
from preprocessor.exposure import expose
expansion = expand_case({"enabled": True, "web_search": True, "disabled": ["b-*"]})
print(json.dumps([tool.to_wire() for tool in expose(CASE_CATALOG, expansion, ["b-cold"]).tools]), expansion)
"""


def test_the_same_bytes_in_every_process() -> None:
    """Case 18: twice, and under two hash seeds."""
    told = [
        subprocess.run(
            [sys.executable, "-c", SERIALISE],
            cwd=ROOT,
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("0", "1")
    ]
    assert told[0] == told[1]
    assert b"a-alpha" in told[0]
    assert expand_case({"enabled": True}) == expand_case({"enabled": True})


def test_a_new_standard_skill_is_there_at_once() -> None:
    """Case 19: exactly one more, at its place in the catalog's order."""
    grown = make_case_catalog(make_skill("d-new"))
    assert expand_case({"enabled": True}, grown).available == (*D, "d-new")


def test_a_skill_that_is_gone_is_no_error() -> None:
    """Case 20: the others stay as they were."""
    shrunk = make_case_catalog(without="a-beta")
    assert expand_case({"enabled": True}, shrunk).available == ("a-alpha", "a-gamma", "b-cold", "b-mail")
    assert expand_case(["a-beta", "a-alpha"], shrunk).unknown == ("a-beta",)


def test_a_toolset_is_followed_when_it_is_defined_anew() -> None:
    """Case 23: what is kept is its name."""
    intent = store({"toolset": "mix"})
    changed = Toolsets({"mix": Toolset("mix", ("c-*",))})
    assert expand(CASE_CATALOG, intent, toolsets=changed).available == ("c-rare", "c-mailbox")


def test_a_toolset_that_is_gone_is_none_with_a_warning() -> None:
    """A kept name that the configuration has no more gives no tool: nobody gets more than was chosen."""
    expansion = expand(CASE_CATALOG, Intent(toolset="mix"), toolsets=Toolsets())
    assert expansion.available == ()
    assert expansion.warnings == ("toolset: there is no toolset 'mix' any more, so that nothing is chosen",)


def test_full_is_every_available_skill() -> None:
    """It is computed, and gates hold for it as for any other."""
    assert expand_case({"toolset": "full"}).available == tuple(CASE_CATALOG.skills)
    catalog = make_case_catalog(make_skill("d-off", default_enabled=False))
    assert "d-off" not in expand_case({"toolset": "full"}, catalog).available


def test_picks_that_are_no_skills_are_reported() -> None:
    """Case 28."""
    assert expand_case({"picks": ["a-beta", "a-beta", "nope"]}).unknown == ("nope",)


def test_a_denied_overlay_is_a_warning() -> None:
    """Case 32."""
    expansion = expand_case({"web_search": True, "disabled": [OVERLAY]})
    assert expansion.warnings == (f"web_search: {OVERLAY} is not available: the intent disables it",)


def test_an_overlay_is_resident_and_elsewhere_not_there() -> None:
    """Case 33: it is sent in full though nothing preselected it; another conversation cannot call it."""
    expansion = expand_case({"web_search": True})
    assert expose(CASE_CATALOG, expansion, ()).names == ("a-alpha", "a-beta", "a-gamma", OVERLAY)
    assert OVERLAY not in expand_case(None).available


def test_an_overlay_whose_skill_is_missing_is_a_warning() -> None:
    """Apps come and go: the switch has no effect, and says so."""
    without = make_case_catalog(without=OVERLAY)
    assert expand_case({"web_search": True}, without).warnings == (f"web_search: there is no skill {OVERLAY}",)
    assert expand_case({"web_search": True}, toolsets=Toolsets()).warnings == ("web_search: no overlay is configured",)
    assert expand_case({"web_search": False}, without).warnings == ()


def test_a_source_that_may_not_use_a_skill() -> None:
    """Case 34: absent with a reason from there, present from elsewhere."""
    catalog = make_case_catalog(make_skill("d-live", sources=frozenset({"chat", "api"})))
    assert "d-live" in expand_case(None, catalog, source="chat").available
    [dropped] = [drop for drop in expand_case(None, catalog, source="scheduled").dropped if drop.name == "d-live"]
    assert (dropped.code, dropped.reason) == ("wrong_source", "it may not be used from scheduled")


def test_a_skill_whose_check_raises_costs_itself_only() -> None:
    """Case 35: absent, with a reason."""
    catalog = make_case_catalog(make_skill("d-sick", implementation=ScriptedAvailability(ZeroDivisionError())))
    expansion = expand_case(None, catalog)
    assert expansion.available == D
    [dropped] = [drop for drop in expansion.dropped if drop.name == "d-sick"]
    assert (dropped.code, dropped.reason) == ("unavailable", "its availability check failed (ZeroDivisionError)")


CHOICES: tuple[tuple[Json, tuple[str, ...]], ...] = ((None, ("a-alpha",)), ({"enabled": True}, D), (["a-beta"], ("a-beta",)))


@pytest.mark.parametrize(("written", "available"), CHOICES)
def test_a_profile_chooses_where_nobody_else_does(written: Json, available: tuple[str, ...]) -> None:
    """Case 36: its picks are a default, its gates hold in all three."""
    assert expand_case(written, profile=ProfileSelection(tools=("a-alpha",))).available == available
    denied = ProfileSelection(tools=("a-alpha",), disabled_skills=("a-*",))
    assert expand_case(written, profile=denied).available == tuple(name for name in available if not name.startswith("a-"))
    narrow = ProfileSelection(tools=("a-alpha",), allowed_skills=("b-*",))
    assert expand_case(written, profile=narrow).available == tuple(name for name in available if name.startswith("b-"))
    assert expand_case(written, profile=ProfileSelection(tools=())).available == ()


def test_the_loader_cannot_be_disabled() -> None:
    """Case 37: a warning, no error, and what is available is what it would be without."""
    expansion = expand_case({"disabled": ["tool_search"]})
    assert expansion.available == D
    assert expansion.warnings == ("disabled: tool_search belongs to the service itself and is there when it is needed",)
    assert expand_case({"enabled": True, "disabled": ["*"]}).warnings == ()


def test_a_profile_that_narrows_filters_what_was_picked() -> None:
    """Case 67, of the pure function: no error, and the name is gone."""
    picks = store(["b-cold", "a-beta"])
    before, after = (expand(CASE_CATALOG, picks, profile=item) for item in (None, ProfileSelection(disabled_skills=("b-cold",))))
    assert (before.available, after.available) == (("b-cold", "a-beta"), ("a-beta",))
    assert after.warnings == ("picks: b-cold is not available: the profile disables it",)


def test_what_a_user_deactivated_nothing_lifts() -> None:
    """An app or a skill, whatever chooses it; the reason tells both apart; what the catalog does not have is without effect."""
    own = (Deactivation("app", "b"), Deactivation("skill", "a-beta"), Deactivation("skill", "no-such"), Deactivation("app", "zz"))
    for written in (None, {"enabled": True}, ["b-mail", "a-beta"], {"toolset": "full", "web_search": True}):
        expansion = expand_case(written, deactivations=own)
        assert not {"b-cold", "b-mail", "a-beta"} & set(expansion.available)
        reasons = {drop.name: (drop.code, drop.reason) for drop in expansion.dropped}
        assert reasons["b-mail"] == ("deactivated", "the user has deactivated the app b")
        assert reasons["a-beta"] == ("deactivated", "the user has deactivated a-beta")


def test_the_globs_of_picks_are_listed() -> None:
    """They keep the order in which they were written, each with its skills in the catalog's."""
    expansion = expand_case({"picks": ["b-*", "a-alpha", "x-*"]})
    assert expansion.available == expansion.picks == ("b-cold", "b-mail", "a-alpha")
    assert expansion.matches == (PatternMatch("picks", "b-*", ("b-cold", "b-mail")), PatternMatch("picks", "x-*", ()))
    assert expansion.warnings == ("picks: x-* matches no skill",)


@pytest.mark.parametrize(
    ("stored", "patch", "merged"),
    [
        ({"toolset": "mix"}, {"picks": ["a-beta"]}, {"picks": ["a-beta"]}),
        ({"picks": ["a-beta"]}, {"toolset": "mix"}, {"toolset": "mix"}),
        ({"picks": ["a-beta"]}, {"toolset": None}, {"picks": ["a-beta"]}),
        ({"picks": ["a-beta"]}, {"picks": None, "toolset": "mix"}, {"toolset": "mix"}),
        ({"enabled": False}, {"tools": ["a-beta"]}, {"picks": ["a-beta"]}),
        ({"enabled": False}, {"picks": ["a-beta"]}, {"enabled": False, "picks": ["a-beta"]}),
        ({"picks": ["a-beta"]}, {"enabled": False}, {"enabled": False, "picks": ["a-beta"]}),
        ({"enabled": True, "web_search": True}, {"tools": None}, {"web_search": True}),
        ({"picks": ["a-beta"]}, {"tools": None}, {}),
        ({"toolset": "mix"}, {"inherit": True}, {"toolset": "mix"}),
        ({"toolset": "mix"}, {}, {"toolset": "mix"}),
        ({"toolset": "mix", "web_search": True}, None, {}),
        (None, {"web_search": False}, {"web_search": False}),
    ],
)
def test_merging(stored: Json, patch: Json, merged: dict[str, Any]) -> None:
    """Missing leaves alone, null resets, and the two ways of choosing replace each other."""
    kept = merge_intent(None if stored is None else read(stored), read(patch))
    assert kept.dump() == merged
    assert Intent.model_validate(kept.dump()) == kept


def test_a_patch_of_nothing_resets_all() -> None:
    """A whole intent of null is follow."""
    assert merge_intent(Intent(web_search=True, picks=()), None) == Intent()
