"""TOON text (toon-format's encoder, specification 4.4).

`toons`, the Rust encoder, is not used: it writes floats beyond 2**53 and below 1e-6 differently (0.9 against 1.2 of
toon-format), and the first kind does not come back equal. In tests/unit/apps_sdk/results, test_toon.py holds that
decode(encode(x)) == x, and test_toon_fixtures.py that the specification's own cases pass.
"""

from __future__ import annotations

from collections.abc import Sequence

import toon_format

from apps.sdk.jsontypes import Json, JsonObject


def encode(value: Json) -> str:
    """JSON as TOON. Line breaks in strings are escaped, so no text in `value` can begin a line of its own."""
    return toon_format.encode(value)


def encode_items(key: str, items: Sequence[JsonObject]) -> str:
    """`{key: items}` in list form (section 9.4) also where the items are uniform; each must begin with a scalar field.

    A table is shorter, but one row of outcome and error under a nested header is hard to read.
    """
    lines = [f"{key}[{len(items)}]:"]
    for item in items:
        first, *others = encode(item).split("\n")
        lines += [f"  - {first}", *(f"    {line}" for line in others)]
    return "\n".join(lines)
