"""JSON that has broken encoders: odd keys, strings that look like scalars, rows that are nearly uniform."""

from __future__ import annotations

from hypothesis import strategies as st

from apps.sdk.jsontypes import Json

_KEYS = [
    *(
        "a",
        "b",
        "a.b",
        "a|b",
        "a,b",
        "a:b",
        "id",
        "1",
        "-",
        "[2]",
        "{a}",
        "true",
        '"',
        "\\",
        "#",
        "a[1]",
        "a{b}",
        "<<",
        "0",
        "-1",
    ),
    *("null", "é", "__proto__"),
]
_TEXTS = [
    *(".622", "+861", "true", "null", "42", "1e5", "100.0", "-", "#", "[]", "{}", "05", "-0", "1_000", "0x1F", "NaN", "Infinity"),
    *("a,b|c", "[1]{a}:", "\\n", '"', "'", "~", "False", "NULL", "1e400", "\uff19"),
]
_BLANKS = [
    "",
    " a",
    "a ",
    "\t",
    "a\nb",
    "\r\n",
    "- x",
    "a: b",
    "[2]: a",
    "# x",
    "  two",
    "\x00",
    "\x0b",
    "\x1b[31m",
    "\x7f",
    "\x85",
]
_INVISIBLE = ["\u2028", "\u2029", "\ufeff", "\U000e0041", "\U0001f600"]
_NUMBERS = [2**53, 2**53 + 1, 2**64, -(2**64), 10**30, -0.0, 5e-324, 1.7976931348623157e308, 1e21, 1e-7, 0.1, 1e16]

KEYS = st.sampled_from([*_KEYS, *_BLANKS, *_INVISIBLE]) | st.text(max_size=4)
SCALARS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=6)
    | st.sampled_from([*_TEXTS, *_BLANKS, *_INVISIBLE])
    | st.sampled_from(_NUMBERS)
)
JSON: st.SearchStrategy[Json] = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=4), max_leaves=20
)
ROWS: st.SearchStrategy[Json] = st.lists(KEYS, min_size=1, max_size=3, unique=True).flatmap(
    lambda keys: st.lists(st.fixed_dictionaries({}, optional=dict.fromkeys(keys, SCALARS | JSON)), max_size=5)
)
