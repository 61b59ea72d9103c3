"""The truth table of intent -> expansion, a row a test."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from apps.sdk.jsontypes import Json
from preprocessor.exposure import expose
from preprocessor.selection import PatternMatch, ProfileSelection
from tests.toggles.fixtures import FURTHER, STANDARD, TABLE_CATALOG, TABLE_TOOLSETS, expand_row, names, read

READ = ProfileSelection(tools=names("read"))
BOTH = ProfileSelection(tools=names("read", "bash"))
NONE = ProfileSelection(tools=())
WEB = names("web_search", "web_fetch", "web_use")


@pytest.mark.parametrize(
    ("written", "profile", "available"),
    [
        pytest.param(None, None, STANDARD, id="1"),
        pytest.param(None, READ, names("read"), id="2"),
        pytest.param([], None, (), id="3"),
        pytest.param({"enabled": True}, READ, STANDARD, id="4"),
        pytest.param({"enabled": False}, None, (), id="5"),
        pytest.param({"enabled": None}, READ, names("read"), id="6"),
        pytest.param({}, READ, names("read"), id="6 {}"),
        pytest.param({"inherit": True}, READ, names("read"), id="7"),
        pytest.param({"inherit": True}, NONE, (), id="8"),
        pytest.param({"inherit": True, "toolset": "safe"}, READ, names("read"), id="9"),
        pytest.param({"inherit": True, "toolset": "safe"}, ProfileSelection(disabled_skills=names("read")), (), id="9 disabled"),
        pytest.param({"inherit": True, "toolset": "safe"}, NONE, (), id="9 none"),
        pytest.param({"toolset": "safe"}, None, names("read"), id="10"),
        pytest.param({"enabled": False, "toolset": "safe"}, None, (), id="11"),
        pytest.param({"enabled": True, "disabled": ["t-bash"]}, None, names("read", "edit", "web_use", "send_message"), id="14"),
        pytest.param({"enabled": True, "toolset": "research"}, None, WEB, id="14b"),
        pytest.param({"web_search": True}, READ, names("read", "web_search"), id="14c"),
        pytest.param({"enabled": True, "web_search": True, "allowed": ["t-read"]}, None, names("read"), id="14d"),
        pytest.param({"disabled": ["t-bash"]}, BOTH, names("read"), id="15"),
        pytest.param({"enabled": True, "allowed": ["t-read", "t-web_search"]}, None, names("read"), id="16"),
        pytest.param({"enabled": True, "allowed": ["t-web_search"]}, None, (), id="17"),
        pytest.param({"toolset": "research", "allowed": ["t-web_*"]}, None, WEB, id="18"),
        pytest.param({"enabled": True, "disabled": ["t-web_*"]}, None, names("read", "bash", "edit", "send_message"), id="19"),
        pytest.param({"enabled": True, "web_search": True}, None, (*STANDARD, "t-web_search"), id="20"),
        pytest.param({"enabled": True, "web_search": False}, None, STANDARD, id="21"),
        pytest.param({"enabled": True, "web_search": True, "disabled": ["t-web_search"]}, None, STANDARD, id="22"),
        pytest.param({"enabled": False, "web_search": True}, None, (), id="23"),
        pytest.param(["t-web_search"], None, names("web_search"), id="24"),
        pytest.param(["t-bash", "t-read"], READ, names("bash", "read"), id="25"),
        pytest.param(["t-read", "t-read"], None, names("read"), id="26"),
        pytest.param(["T-READ"], None, (), id="27"),
        pytest.param(["t-nope"], None, (), id="27 nope"),
        pytest.param({"enabled": ["t-read", "t-bash"], "disabled": ["t-bash"]}, None, names("read"), id="28"),
        pytest.param({"enabled": []}, None, (), id="29"),
        pytest.param({"mode": "selected", "allowed": ["t-send_message"]}, None, names("send_message"), id="30"),
        pytest.param({"mode": "selected", "allowed": ["t-re*"]}, None, names("read"), id="31"),
        pytest.param({"tools": []}, None, (), id="32"),
        pytest.param({"tools": list(STANDARD[:4])}, None, STANDARD[:4], id="33"),
    ],
)
def test_truth_table(written: Json, profile: ProfileSelection | None, available: tuple[str, ...]) -> None:
    """Each row gives exactly these tools, in this order."""
    assert expand_row(written, profile=profile).available == available


@pytest.mark.parametrize(
    ("written", "place"),
    [
        pytest.param({"toolset": "typo"}, "toolset", id="12"),
        pytest.param({"mode": "selected", "preset": "typo"}, "preset", id="13"),
    ],
)
def test_an_unknown_toolset_is_refused(written: Json, place: str) -> None:
    """Rows 12 and 13: the error stands where the name was written, and names it."""
    with pytest.raises(ValidationError) as caught:
        read(written, TABLE_TOOLSETS)
    [error] = caught.value.errors()
    assert error["loc"] == (place,)
    assert "there is no toolset 'typo'" in error["msg"]


def test_what_each_pattern_matched_is_listed() -> None:
    """Row 19: over the whole catalog, in its order."""
    assert expand_row({"enabled": True, "disabled": ["t-web_*"]}).matches == (
        PatternMatch("disabled", "t-web_*", names("web_use", *(name.removeprefix("t-") for name in FURTHER))),
    )


def test_a_deny_that_beats_the_overlay_is_a_warning() -> None:
    """Row 22."""
    expansion = expand_row({"enabled": True, "web_search": True, "disabled": ["t-web_search"]})
    assert expansion.warnings == ("web_search: t-web_search is not available: the intent disables it",)
    assert expansion.overlays == ()


@pytest.mark.parametrize(
    ("written", "picked"),
    [
        pytest.param(["t-web_search"], "t-web_search", id="24"),
        pytest.param({"mode": "selected", "allowed": ["t-send_message"]}, "t-send_message", id="30"),
    ],
)
def test_picks_are_resident(written: Json, picked: str) -> None:
    """Rows 24 and 30: sent in full, though nothing preselected it; nothing else is there to be loaded."""
    expansion = expand_row(written)
    assert expansion.available == expansion.picks == (picked,)
    assert expose(TABLE_CATALOG, expansion, ()).sources == {picked: "resident"}


def test_unknown_picks_are_reported() -> None:
    """Row 27: as they were written, also one in another case."""
    assert expand_row(["T-READ", "t-nope", "t-read"]).unknown == ("T-READ", "t-nope")


@pytest.mark.parametrize(
    ("picks", "missing"),
    [
        (STANDARD[:4], STANDARD[4:]),
        (STANDARD[1:], STANDARD[:1]),
        (STANDARD, ()),
        (STANDARD[:3], ()),
        ((*STANDARD[:3], *FURTHER), ()),
        ((), ()),
    ],
)
def test_what_a_list_of_nearly_all_leaves_out_is_reported(picks: tuple[str, ...], missing: tuple[str, ...]) -> None:
    """Row 33: from 80 % of the standard set on, and not of fewer."""
    assert expand_row(list(picks)).missing_standard == missing


def test_what_is_off_or_denied_is_not_missing() -> None:
    """Row 33: the standard set is what the conversation could have; nothing is missed that it refuses itself."""
    assert expand_row({"picks": list(STANDARD[:4]), "disabled": ["t-send_message"]}).missing_standard == ()


@pytest.mark.parametrize("written", [None, {"enabled": True}, {"picks": list(STANDARD)}, {"toolset": "research"}])
def test_no_conversation_lifts_a_gate(written: Json) -> None:
    """Precedence: the profile's empty list and its two gates hold against every way of choosing."""
    assert expand_row(written, profile=NONE).available == ()
    gated = ProfileSelection(tools=STANDARD, disabled_skills=("t-web_*",), allowed_skills=("t-*e*",))
    assert set(expand_row(written, profile=gated).available) <= set(names("read", "edit", "send_message"))


def test_what_was_chosen_replaces_the_profiles_choice() -> None:
    """Precedence: the profile's picks and toolset are what is there when nothing else is chosen."""
    profile = ProfileSelection(toolset="research")
    assert expand_row(None, profile=profile).available == WEB
    assert expand_row({"enabled": True}, profile=profile).available == STANDARD
    assert expand_row({"toolset": "safe"}, profile=READ).available == names("read")
    assert expand_row(["t-edit"], profile=profile).available == names("edit")
