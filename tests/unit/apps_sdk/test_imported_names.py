"""hostile A: what tools of an MCP server or an OpenAPI description are called here, and the way back."""

from __future__ import annotations

import json
import re
from collections import defaultdict

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apps.sdk.imported_names import NameClash, import_id, import_names
from apps.sdk.names import MAX_PORTABLE_NAME, match_skills, resolve_name, tool_name
from preprocessor.intent import Intent
from service.settings import ROOT
from tests.support.catalogs import make_app, make_catalog, make_skill
from tests.support.expanding import expand

DATA = ROOT.parent / "shared" / "data"

APP_IDS = st.from_regex(r"[a-z0-9][a-z0-9_]{0,45}", fullmatch=True)
NAMES = (
    st.text(max_size=80)
    | st.text("ab_-. /{}A", max_size=70)
    | st.from_regex(r"[ab]{1,2}[._-]?[ab]{0,2}(_[0-9a-f]{8})?", fullmatch=True)
)
LISTS = st.lists(NAMES, max_size=12)

TWINS = ("get.:: /:./    ", "get/::  :/.    ")
"""Two names whose hashes begin with the same 32 bits: found by trying 40,000."""


@pytest.mark.parametrize(
    ("name", "skill_id"),
    [
        ("get_user", "get_user"),
        ("listMessages", "listMessages"),
        ("_private", "_private"),
        ("-dash", "-dash"),
        ("012", "012"),
        ("get.user", "get_user_9c0265de"),
        ("calendar.respondToEvent", "calendar_respondToEvent_e710e881"),
        ("Dockerfile problems scanner", "Dockerfile_problems_scanner_5160e450"),
        ("restartNode.jsApplication", "restartNode_jsApplication_81005ff7"),
        ("DELETE_/loadpoints/{id}/plan", "DELETE__loadpoints_id_plan_4a49cdba"),
        ("app/skill", "app_skill_cf7e4a51"),
        ("/users/{id}", "users_id_743c7b1e"),
        ("получить", "tool_2a4a85eb"),
        ("", "tool_e3b0c442"),
        ("get_user_9c0265de", "get_user_9c0265de_fd885373"),
        ("s" * 56, "s" * 56),
        ("s" * 57, "s" * 47 + "_74c39771"),
        ("x" * 1_000_000, "x" * 47 + "_1b977e9f"),
    ],
)
def test_what_is_legal_is_kept_and_the_rest_is_spelled_with_a_hash(name: str, skill_id: str) -> None:
    """hostile A: names with blanks, dots, slashes, braces, too many characters; the hash is part of the promise: it is stored."""
    assert import_id(name, "one") == skill_id


@given(APP_IDS, NAMES)
def test_an_imported_name_makes_a_tool_name_that_is_taken_everywhere(app_id: str, name: str) -> None:
    """Legal for every provider and client, and it splits at its first hyphen into exactly the two ids."""
    skill_id = import_id(name, app_id)
    assert skill_id is not None
    wire = tool_name(app_id, skill_id)
    assert re.fullmatch(r"[A-Za-z0-9_-]{1,60}", wire)
    assert wire.partition("-") == (app_id, "-", skill_id)


@given(APP_IDS, LISTS, LISTS)
def test_ids_do_not_depend_on_what_else_is_listed_nor_on_the_order(app_id: str, names: list[str], others: list[str]) -> None:
    """hostile H, A: a server that lists more, less or otherwise changes no id of what stays."""
    few, many = import_names(names, app_id), import_names([*others, *names], app_id)
    assert few.ids == {name: many.ids[name] for name in few.ids}
    turned = import_names([*reversed(names), *reversed(others)], app_id)
    assert list(turned.ids.items()) == list(many.ids.items())
    assert (turned.originals, turned.clashes) == (many.originals, many.clashes)


@given(APP_IDS, LISTS, st.sets(NAMES, max_size=5))
def test_every_name_is_found_again_or_reported(app_id: str, names: list[str], declared: set[str]) -> None:
    """Both directions are exact, and nothing is dropped, shadowed or merged in silence."""
    found = import_names(names, app_id, declared)
    assert {tool_name(app_id, skill_id): name for name, skill_id in found.ids.items()} == found.originals
    assert len(found.originals) == len(found.ids)
    assert not set(found.ids.values()) & declared
    without = [name for clash in found.clashes if clash.reason != "repeated" for name in clash.names]
    assert sorted([*found.ids, *without]) == sorted(set(names))
    repeated = [name for clash in found.clashes if clash.reason == "repeated" for name in clash.names]
    assert repeated == sorted(name for name in set(names) if names.count(name) > 1)


@given(st.lists(st.tuples(APP_IDS, NAMES), max_size=12, unique=True))
def test_no_name_of_one_app_is_anothers(pairs: list[tuple[str, str]]) -> None:
    """hostile A: `execute_sql` of two servers, `b-c` of `a` beside `c` of a server called `a-b`: all are told apart."""
    wires = [tool_name(app_id, str(import_id(name, app_id))) for app_id, name in pairs]
    assert len(set(wires)) == len(pairs)
    assert [wire.partition("-")[0] for wire in wires] == [app_id for app_id, _ in pairs]


@given(st.lists(APP_IDS, min_size=2, max_size=2, unique=True), LISTS)
def test_an_allow_list_compares_identities(app_ids: list[str], names: list[str]) -> None:
    """hostile A: what is allowed of app A, as a whole or name by name, is never a tool of B, however long and alike the names."""
    ours, theirs = ({*import_names(names, app_id).originals} for app_id in app_ids)
    by_app = dict(zip(app_ids, (ours, theirs), strict=True))
    matched = match_skills([f"{app_ids[0]}:*", *ours], by_app)
    assert matched.pop(f"{app_ids[0]}:*") == ours
    assert matched == {name: {name} for name in ours}
    assert not ours & theirs


def test_names_that_differ_only_behind_the_limit_are_told_apart() -> None:
    """hostile A: cutting alone would make one tool of two."""
    alike = ["s" * 70 + "_read", "s" * 70 + "_write"]
    ids = import_names(alike, "a" * 40).ids
    assert [len(tool_name("a" * 40, skill_id)) for skill_id in ids.values()] == [60, 60]
    assert len(set(ids.values())) == 2


def test_two_names_that_become_alike_both_stay() -> None:
    """hostile A: `get.user` beside `get_user`: each has its own id, and a call goes to the one that is meant."""
    found = import_names(["get_user", "get.user"], "one")
    assert found.clashes == ()
    assert found.originals == {"one-get_user": "get_user", "one-get_user_9c0265de": "get.user"}


def test_the_same_name_twice_is_reported_and_has_one_skill() -> None:
    found = import_names(["search", "read", "search"], "one")
    assert list(found.ids) == ["read", "search"]
    assert found.clashes == (NameClash("repeated", ("search",), "search"),)


def test_a_declared_id_is_not_taken_away() -> None:
    """What the author declares stays the author's; the imported tool that would have the id is reported."""
    found = import_names(["search", "read"], "one", ["search"])
    assert found.originals == {"one-read": "read"}
    assert found.clashes == (NameClash("declared", ("search",), "search"),)


def test_of_names_with_the_same_hash_none_takes_the_others_place() -> None:
    """A server can choose names so; then neither is called in the other's place, whichever comes first."""
    found = import_names([TWINS[1], "read", TWINS[0]], "one")
    assert found.originals == {"one-read": "read"}
    assert found.clashes == (NameClash("same_id", TWINS, "get_2af187a3"),)


def test_an_app_id_that_leaves_no_room_is_reported() -> None:
    """A short name still fits beside a long app id; what would have to be cut away whole does not."""
    app_id = "a" * 50
    found = import_names(["getallofit", "get", "g.t"], app_id)
    assert found.originals == {f"{app_id}-get": "get"}
    assert found.clashes == (NameClash("no_room", ("g.t", "getallofit"), None),)


def test_capitals_are_kept_and_resolved_like_any_name() -> None:
    """Exact names win; another spelling is repaired where one name fits, and never where two differ only in case."""
    scope = ["one-GetUser", "one-getuser", "one-ListAll"]
    assert import_names(["GetUser", "getuser", "ListAll"], "one").originals.keys() == set(scope)
    assert resolve_name("one-getuser", scope).name == "one-getuser"
    assert resolve_name("one-GetUser", scope).name == "one-GetUser"
    assert resolve_name("one-GETUSER", scope).name is None
    assert resolve_name("one_listall", scope) == resolve_name("one-LISTALL", scope)
    assert resolve_name("one-LISTALL", scope).name == "one-ListAll"


def test_an_intent_tells_capitals_apart() -> None:
    """Denying `one-getuser` does not deny `one-GetUser`, and picking does not either pick the other."""
    catalog = make_catalog(make_app("one", make_skill("one-GetUser"), make_skill("one-getuser")))
    assert expand(catalog, Intent(disabled=("one-getuser",))).available == ("one-GetUser",)
    assert expand(catalog, Intent(disabled=("one-G*",))).available == ("one-getuser",)
    assert expand(catalog, Intent(picks=("one-GetUser", "one-GETUSER"))).available == ("one-GetUser",)


if DATA.is_dir():

    @pytest.mark.parametrize(
        ("folder", "hashed"), [("catalogs_github_mcp", 0), ("catalogs_docker_mcp_registry", 2), ("apibank", 0)]
    )
    def test_names_of_real_servers_hardly_change(folder: str, hashed: int) -> None:
        """Each of their tools has an id of its own; a hash only for blanks, or where a name is too long with its app's."""
        by_app: defaultdict[str, list[str]] = defaultdict(list)
        for line in (DATA / folder / "tools.jsonl").read_text(encoding="utf-8").splitlines():
            tool = json.loads(line)
            by_app[(tool["app"] or "one").replace("-", "_")].append(tool["name"])
        found = [import_names(names, app_id) for app_id, names in by_app.items()]
        assert [names.clashes for names in found] == [()] * len(found)
        changed = [name for names in found for name, skill_id in names.ids.items() if name != skill_id]
        too_long = [wire for names in found for wire in names.originals if len(wire) > MAX_PORTABLE_NAME]
        assert (len([name for name in changed if " " in name]), too_long) == (hashed, [])
