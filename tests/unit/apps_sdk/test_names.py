import pytest
from hypothesis import given
from hypothesis import strategies as st

from apps.sdk.names import (
    humanize,
    is_app_id,
    is_skill_id,
    match_skills,
    name_whole_app,
    resolve_name,
    suggest_id,
    tool_name,
)

APP_IDS = st.from_regex(r"[a-z0-9][a-z0-9_]{0,20}", fullmatch=True)
SKILL_IDS = st.from_regex(r"[a-z0-9][a-z0-9_-]{0,20}", fullmatch=True)


@pytest.mark.parametrize(
    ("app_id", "skill_id", "name"),
    [("social_media", "get-posts", "social_media-get-posts"), ("videos", "get_transcript", "videos-get_transcript")],
)
def test_tool_name_splits_at_first_hyphen(app_id: str, skill_id: str, name: str) -> None:
    """case 2: app id and skill id make the tool name, which splits at its first hyphen."""
    assert tool_name(app_id, skill_id) == name
    assert name.partition("-") == (app_id, "-", skill_id)


@given(APP_IDS, SKILL_IDS)
def test_names_map_both_ways(app_id: str, skill_id: str) -> None:
    """Whatever the legal ids, the tool name gives exactly them back."""
    assert is_app_id(app_id)
    assert is_skill_id(skill_id)
    assert tool_name(app_id, skill_id).partition("-") == (app_id, "-", skill_id)


@pytest.mark.parametrize("text", ["", "a-b", "A", "_a", "a b", "a.b", "ä", "a\n", "٣"])
def test_illegal_app_ids(text: str) -> None:
    """case 2: a hyphen in an app id is illegal, and so is everything but a-z, 0-9 and _."""
    assert not is_app_id(text)


@pytest.mark.parametrize("text", ["", "-a", "_a", "calendar.respondToEvent", "DELETE_/loadpoints/{id}/plan", "app/skill", "a\n"])
def test_illegal_skill_ids(text: str) -> None:
    """Ids that providers refuse are refused here."""
    assert not is_skill_id(text)


@pytest.mark.parametrize(
    "written", ["web.search", "web:search", "web_search", "Web-Search", "web-search ", "web/search", "WEB search"]
)
def test_written_names_are_repaired(written: str) -> None:
    """case 3: when exactly one skill of the scope fits, that one is meant."""
    found = resolve_name(written, {"web-search", "web-read", "math-calculate"})
    assert (found.name, found.repaired) == ("web-search", True)


def test_exact_name_is_not_a_repair() -> None:
    assert resolve_name("web-search", ["web-search"]).repaired is False


def test_twins_are_never_confused() -> None:
    """case 4: `a-b_c` and `a_b-c` are told apart, and a spelling that fits both is neither."""
    scope = ["a-b_c", "a_b-c"]
    assert resolve_name("a-b_c", scope).name == "a-b_c"
    assert resolve_name("a_b-c", scope).name == "a_b-c"
    assert resolve_name("a.b.c", scope).name is None


def test_a_name_that_exists_is_never_read_as_another() -> None:
    """case 4: with `a_b-c` denied, writing it is no misspelling of its twin `a-b_c`; other spellings still are."""
    known = {"a-b_c", "a_b-c"}
    assert resolve_name("a_b-c", ["a-b_c"], known).name is None
    assert resolve_name("A.B.C", ["a-b_c"], known).name == "a-b_c"


@given(st.text(max_size=200), st.sets(st.builds(tool_name, APP_IDS, SKILL_IDS), max_size=8))
def test_resolution_never_leaves_the_scope(written: str, scope: set[str]) -> None:
    """Whatever a model writes, only names of the scope come back, and the same ones in any order of the scope."""
    found = resolve_name(written, scope)
    assert {found.name} <= scope | {None}
    assert resolve_name(written, sorted(scope, reverse=True)) == found


def test_a_huge_name_is_answered() -> None:
    assert resolve_name("x" * 1_000_000, ["web-search"]).name is None


@pytest.mark.parametrize(
    ("text", "suggestion"),
    [
        ("Dockerfile problems scanner", "dockerfile_problems_scanner"),
        ("restartNode.jsApplication", "restart_node_js_application"),
        ("DELETE_/loadpoints/{id}/plan", "delete__loadpoints_id_plan"),
        ("!!!", None),
    ],
)
def test_suggested_ids_are_legal(text: str, suggestion: str | None) -> None:
    assert suggest_id(text) == suggestion
    assert suggestion is None or is_skill_id(suggestion)


def test_readable_name_of_an_id() -> None:
    assert humanize("get-posts_now") == "Get posts now"


def test_patterns_mean_skills() -> None:
    """A skill by its tool name or with a colon, a whole app, a wildcard for any text; what fits nothing means nothing."""
    by_app = {"web": ["web-search", "web-read"], "math": ["math-calculate"]}
    assert match_skills(["web-read", "web:search", "math:*", "*-read", "web:se*", "gone:*", "web:gone", "read"], by_app) == {
        "web-read": {"web-read"},
        "web:search": {"web-search"},
        "math:*": {"math-calculate"},
        "*-read": {"web-read"},
        "web:se*": {"web-search"},
        "gone:*": frozenset(),
        "web:gone": frozenset(),
        "read": frozenset(),
    }


def test_only_a_colon_and_a_star_are_a_whole_app() -> None:
    assert list(map(name_whole_app, ["web:*", "web-*", "web:s*", "web"])) == ["web", None, None, None]
