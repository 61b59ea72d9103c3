"""Any intent, profile and pattern over the truth table's fixture, for property tests."""

from __future__ import annotations

from hypothesis import strategies as st

from preprocessor.intent import Intent
from preprocessor.selection import ProfileSelection
from tests.toggles.fixtures import FURTHER, STANDARD

NAMES = st.sampled_from([*STANDARD, *FURTHER, "t-nope", "tool_search"])
PATTERNS = st.one_of(
    NAMES, st.sampled_from(["t-*", "*web*", "t-?ead", "[t]-b*", "[!t]*", "*"]), st.text("t-*?[]!&|~web_^\\", min_size=1)
)
LISTS = st.lists(PATTERNS, max_size=4).map(tuple)
SWITCH = st.sampled_from([None, True, False])
TOOLSET = st.sampled_from([None, "safe", "research", "full", "gone"])
INTENTS = st.builds(
    lambda keys, base: Intent(**keys, **base),
    st.fixed_dictionaries({"enabled": SWITCH, "web_search": SWITCH, "allowed": st.none() | LISTS, "disabled": st.none() | LISTS}),
    st.one_of(
        st.fixed_dictionaries({"toolset": TOOLSET}),
        st.fixed_dictionaries({"picks": st.none() | st.lists(NAMES, max_size=6).map(tuple)}),
        st.fixed_dictionaries({"picks": LISTS}),
    ),
)
PROFILES = st.none() | st.builds(
    ProfileSelection, tools=st.none() | LISTS, toolset=TOOLSET, disabled_skills=LISTS, allowed_skills=st.none() | LISTS
)
