"""JSON that has broken encoders: odd keys, strings that look like scalars, rows that are nearly uniform."""

from __future__ import annotations

from hypothesis import strategies as st

from apps.sdk.jsontypes import Json

KEYS = st.sampled_from(
    ["", "a", "b", "a.b", "a|b", "a\nb", "a,b", "a:b", "id", "1", "-", "- x", "[2]", "{a}", "true", '"', "\\", "\t", " a", "#"]
) | st.text(max_size=4)
SCALARS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=6)
    | st.sampled_from(
        [".622", "+861", "true", "null", "42", "1e5", "100.0", "-", "- a", "#", "[]", "{}", "", "\x00", "05", "a: b"]
    )
)
JSON: st.SearchStrategy[Json] = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=4), max_leaves=20
)
ROWS: st.SearchStrategy[Json] = st.lists(KEYS, min_size=1, max_size=3, unique=True).flatmap(
    lambda keys: st.lists(st.fixed_dictionaries({}, optional=dict.fromkeys(keys, SCALARS | JSON)), max_size=5)
)
