"""What an untagged plain YAML scalar means: null, true, false and numbers only where no YAML version reads it otherwise.

Anything that YAML 1.1 and 1.2 read differently, or that would not print back as it was written (`no`, `012`, `0x1F`, `12:30`,
`1_000`, `1.10`, `.inf`, a date), stays text.
"""

from __future__ import annotations

import math
import re
from decimal import Decimal
from types import MappingProxyType

from apps.sdk.jsontypes import Json

_WORDS = MappingProxyType(
    {"": None, "~": None}
    | dict.fromkeys(("null", "Null", "NULL"))
    | dict.fromkeys(("true", "True", "TRUE"), True)
    | dict.fromkeys(("false", "False", "FALSE"), False)
)
_BOOLEAN_WORDS = frozenset(
    spelling for word in ("y", "n", "yes", "no", "on", "off") for spelling in (word, word.capitalize(), word.upper())
)
_INTEGER = re.compile(r"0|-?[1-9][0-9]{0,18}", re.ASCII)
_DECIMAL = re.compile(r"-?(?:0|[1-9][0-9]*)\.(?:0|[0-9]*[1-9])", re.ASCII)
_EXPONENT = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?[eE][-+]?[0-9]{1,3}", re.ASCII)
_NUMBER_START = re.compile(r"[-+]?\.?[0-9]", re.ASCII)
_NUMBER_LIKE = re.compile(
    r"""[-+]?(?:
        0b[01_]+ | 0o?[0-7_]+ | 0x[0-9a-fA-F_]+
        | (?:[0-9][0-9_]*)?\.?[0-9_]+\.?(?:[eE][-+]?[0-9]+)?
        | [0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?
        | [0-9]{4}-[0-9]{1,2}-[0-9]{1,2}(?:(?:[Tt]|[ \t]+)[0-9][0-9:.]*[ \t]*(?:Z|[-+][0-9:]+)?)?
    )""",
    re.VERBOSE | re.ASCII,
)
_NOT_FINITE = re.compile(r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)", re.ASCII)
_MAX_LENGTH = 64
"""Characters; a longer number is text, and no pattern is tried on it."""


def read_plain(text: str) -> Json:
    """The value of a plain scalar."""
    if text in _WORDS:
        return _WORDS[text]
    if len(text) > _MAX_LENGTH or not _NUMBER_START.match(text):
        return text
    if _INTEGER.fullmatch(text):
        return _keep_64_bits(int(text), text)
    if _DECIMAL.fullmatch(text) and Decimal(repr(float(text))) == Decimal(text):
        return float(text)
    if _EXPONENT.fullmatch(text) and math.isfinite(float(text)):
        return float(text)
    return text


def is_ambiguous(text: str) -> bool:
    """Whether some YAML reader would take the plain scalar `text`, which is text here, for something else."""
    if text in _BOOLEAN_WORDS:
        return True
    if len(text) > _MAX_LENGTH:
        return text.isascii() and text.isdigit()
    return _NOT_FINITE.fullmatch(text) is not None or (
        _NUMBER_START.match(text) is not None and _NUMBER_LIKE.fullmatch(text) is not None
    )


def is_boolean_word(text: str) -> bool:
    """Whether YAML 1.1 reads `text` as true or false although YAML 1.2 does not."""
    return text in _BOOLEAN_WORDS


def _keep_64_bits(number: int, text: str) -> Json:
    return number if -(2**63) <= number < 2**63 else text
