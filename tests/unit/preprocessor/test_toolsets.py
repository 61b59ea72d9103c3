"""Toolsets against a catalog, patterns against its names, and what is decided again for overrides."""

from __future__ import annotations

from fnmatch import fnmatchcase

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apps.sdk.catalog import Provider
from preprocessor.availability import Override, amend_availability, resolve_availability
from preprocessor.name_patterns import NameIndex
from preprocessor.toolsets import FULL, Members, Overlay, Toolset, Toolsets, list_unknown_members
from tests.support.catalogs import make_app, make_catalog, make_mode, make_skill

NAMES = ("b-two", "b-one", "a-one", "a-other", "c-x_y")
INDEX = NameIndex(NAMES)
LETTERS = "abotwnehr-_x*?[]!"


@given(st.text(LETTERS, max_size=8))
def test_a_pattern_means_what_fnmatch_says(pattern: str) -> None:
    """However the names are looked up: the same names, in the catalog's order."""
    assert INDEX.match(pattern) == tuple(name for name in NAMES if fnmatchcase(name, pattern))


def test_patterns_keep_their_order() -> None:
    """Names in the order of the patterns, each once."""
    assert list(INDEX.match_all(["c-*", "a-other", "a-*", "nope"])) == ["c-x_y", "a-other", "a-one"]


def make_sets(**sets: tuple[tuple[str, ...], tuple[str, ...]]) -> Toolsets:
    return Toolsets({name: Toolset(name, skills, includes) for name, (includes, skills) in sets.items()})


@pytest.mark.parametrize(
    ("sets", "members"),
    [
        ({"top": ((), ("a-one", "a-one"))}, Members(("a-one",))),
        ({"top": (("low",), ("a-one", "b-one")), "low": ((), ("b-one",))}, Members(("b-one", "a-one"))),
        ({"top": (("top",), ("a-one",))}, Members(("a-one",))),
        ({"top": (("x", "y"), ()), "x": (("z",), ("a-one",)), "y": (("z",), ("b-one",)), "z": ((), ("c-*",))},
         Members(("c-x_y", "a-one", "b-one"))),
        ({"top": (("low",), ("nope", "z-*")), "low": ((), ("nope", "a-one"))}, Members(("a-one",), ("nope", "z-*"))),
        ({"top": ((FULL,), ())}, Members(NAMES)),
        ({"top": ((), ())}, Members(())),
    ],
)  # fmt: skip
def test_members(sets: dict[str, tuple[tuple[str, ...], tuple[str, ...]]], members: Members) -> None:
    """Includes first, each name once, circles and diamonds end, names that mean nothing are told once."""
    assert make_sets(**sets).resolve("top", INDEX) == members


def test_a_long_chain_of_includes() -> None:
    """No depth of nesting is too deep for the stack."""
    chain = {f"s{number}": ((f"s{number + 1}",), (f"n-{number}",)) for number in range(5_000)}
    members = make_sets(**chain, s5000=((), ("a-one",))).resolve("s0", INDEX)
    assert members is not None
    assert members.names == ("a-one",)


def test_full_is_everything_and_others_are_unknown() -> None:
    """`full` needs no definition; a name that is none gives None."""
    assert Toolsets().names == (FULL,)
    assert Toolsets().resolve(FULL, INDEX) == Members(NAMES)
    assert Toolsets().resolve("other", INDEX) is None


def test_names_in_vain_are_told() -> None:
    """A line for each, whether a toolset's or an overlay's."""
    toolsets = Toolsets({"top": Toolset("top", ("a-one", "nope", "z-*"))}, {"web_search": Overlay("web_search", "s-gone")})
    assert list_unknown_members(toolsets, INDEX) == (
        "the toolset top names nope, which is no skill",
        "the toolset top names z-*, which means no skill",
        "the overlay web_search names s-gone, which is no skill",
    )
    assert list_unknown_members(Toolsets(), INDEX) == ()


CATALOG = make_catalog(
    make_app("a", make_skill("a-on"), make_skill("a-key", providers=(Provider("Brave"),)), make_mode("a-on")),
    make_app("b", make_skill("b-off", default_enabled=False), make_mode("b-mode"), default_enabled=False),
    make_app("c", make_skill("c-on"), make_mode("c-off", default_enabled=False)),
)
KINDS = st.sampled_from(["app", "skill", "focus_mode"])
IDS = st.sampled_from(["a", "b", "c", "a-on", "a-key", "b-off", "b-mode", "c-on", "c-off", "gone", "gone-too"])
OVERRIDES = st.lists(st.builds(Override, KINDS, IDS, st.booleans()), max_size=5)


@given(OVERRIDES, st.sampled_from([frozenset(), frozenset({"brave"})]))
def test_deciding_some_again_is_deciding_all(overrides: list[Override], credentials: frozenset[str]) -> None:
    """What overrides speak of is decided as if everything were; what they do not speak of stays."""
    before = resolve_availability(CATALOG, (), credentials)
    assert amend_availability(before, CATALOG, overrides, credentials) == resolve_availability(CATALOG, overrides, credentials)
