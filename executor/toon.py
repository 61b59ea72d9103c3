"""TOON text (toon-format's encoder, specification 4.4).

`toons`, the Rust encoder, is not used: it writes floats beyond 2**53 and below 1e-6 differently (0.9 against 1.2 of
toon-format), and the first kind does not come back equal. tests/unit/executor/test_toon.py holds that decode(encode(x)) == x.
"""

from __future__ import annotations

import toon_format

from apps.sdk.jsontypes import Json


def encode(value: Json) -> str:
    """JSON as TOON. Line breaks in strings are escaped, so no text in `value` can begin a line of its own."""
    return toon_format.encode(value)


def measure(value: Json) -> int:
    """Bytes of the TOON text."""
    return len(encode(value).encode())
