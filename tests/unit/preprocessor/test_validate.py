"""Names as a model writes them."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from preprocessor.intent import Intent
from preprocessor.validate import MAX_NAMES, Rejected, Scope, Validated, scope_skills, validate_names
from tests.support.catalogs import make_app, make_catalog, make_skill
from tests.support.expanding import expand

VALID = ("a-b_c", "a_b-c", "web-read", "web-search")
SCOPE = Scope(VALID, VALID, disabled=("web-off",), out_of_scope=("web-rare",))


@pytest.mark.parametrize("written", ["web.search", "web:search", "web_search", "Web-Search", "web-search ", "WEB / search"])
def test_near_misses_are_repaired(written: str) -> None:
    """Case 3: exactly one skill fits after folding, so it is that one, and the repair is on record."""
    found = validate_names([written], SCOPE)
    assert found.names == ("web-search",)
    assert found.repaired in {((written, "web-search"),), ()}
    assert bool(found.repaired) == (written.strip() != "web-search")


def test_ambiguous_near_misses_are_not_guessed() -> None:
    """Case 4: `a-b_c` and `a_b-c` are never confused; a spelling that fits both is unknown."""
    assert validate_names(["a_b-c"], SCOPE).names == ("a_b-c",)
    assert validate_names(["a-b_c"], SCOPE).names == ("a-b_c",)
    assert validate_names(["a.b.c"], SCOPE).rejected == (Rejected("a.b.c", "unknown"),)


def test_every_drop_has_its_reason() -> None:
    """Case 13: invented, disabled, out of scope, twice, misspelt: each as the row says, the rest as written."""
    written = ["web-search", "web-teleport", "web-off", "web-rare", "web.search", "a-b_c", "web-read"]
    assert validate_names(written, SCOPE) == Validated(
        names=("web-search", "a-b_c", "web-read"),
        rejected=(
            Rejected("web-teleport", "unknown"),
            Rejected("web-off", "disabled"),
            Rejected("web-rare", "out_of_scope"),
            Rejected("web.search", "duplicate"),
        ),
    )


def test_the_expansion_says_which_reason() -> None:
    """Case 13: off, denied or not working is `disabled`; not chosen for this turn is `out_of_scope`."""
    catalog = make_catalog(
        make_app("a", make_skill("a-on"), make_skill("a-off", default_enabled=False), make_skill("a-denied"),
                 make_skill("a-rare", standard=False), make_skill("a-api", sources=frozenset({"api"}))),
    )  # fmt: skip
    expansion = expand(catalog, Intent(disabled=("a-denied",)))
    scope = scope_skills(expansion, expansion.available)
    rejected = validate_names(["a-off", "a-denied", "a-rare", "a-api", "a-on"], scope).rejected
    assert [item.reason for item in rejected] == ["disabled", "disabled", "out_of_scope", "out_of_scope"]


@pytest.mark.parametrize(
    "written",
    [
        "web-search",
        "web-read, web-search",
        [{"name": "web-search"}],
        {"id": "web-search"},
        [["web-search"], 3, None, "web-search"],
    ],
)
def test_other_shapes_are_understood(written: Any) -> None:
    """One name, names with commas, objects around a name, rubbish beside it: the name is found."""
    assert "web-search" in validate_names(written, SCOPE).names


def test_a_flood_of_names_is_bounded() -> None:
    """Only so many names are looked at; what shows of the others is cut and printable."""
    found = validate_names(["x\n" * 1_000] * 10_000, SCOPE)
    assert len(found.rejected) == 2 * MAX_NAMES
    assert found.rejected[0].name == "x?" * 100
    assert found.rejected[-1].reason == "over_limit"


JSON = st.recursive(
    st.none() | st.booleans() | st.floats(allow_nan=False) | st.text(max_size=20) | st.sampled_from(VALID),
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(st.sampled_from(["name", "id", "x"]), inner, max_size=3),
    max_leaves=20,
)


@given(JSON)
def test_any_json_gives_valid_names_only(written: Any) -> None:
    """Whatever the model wrote, the names kept are of the scope, each once."""
    names = validate_names(written, SCOPE).names
    assert sorted(names) == [name for name in VALID if name in names]


def test_what_is_no_text_is_shown_by_its_type() -> None:
    """A value that is no name, however deep or long, is neither shown nor walked."""
    deep: Any = []
    for _ in range(100_000):
        deep = [deep]
    rejected = validate_names([deep, {"x": 1}, 3, None], SCOPE).rejected
    assert rejected == tuple(Rejected(kind, "not_text") for kind in ("array", "object", "integer", "null"))
    while deep:
        deep = deep.pop()
