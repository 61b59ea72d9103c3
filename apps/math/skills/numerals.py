"""Numbers as people write them, read and written without loss.

A point is the decimal mark. A comma (or an apostrophe, an underscore, a narrow or no-break space) followed by exactly three
digits separates thousands; any other comma is never guessed at, since half of the world writes its decimals with it.
"""

from __future__ import annotations

from decimal import Context, Decimal
from fractions import Fraction
from typing import Final

from apps.sdk.jsontypes import Json

SIGNIFICANT_DIGITS: Final = 15
"""Digits of an approximation: what every IEEE 754 double keeps through decimal text and back (DBL_DIG)."""

MAX_EXPONENT: Final = 1_000
"""Largest power of ten in a literal such as 1e6."""

NUMBER: Final = (
    r"(?:[0-9]{1,3}(?:,[0-9]{3})+(?![0-9])|[0-9]{1,3}(?:[_'’\u00a0\u2009\u202f][0-9]{3})+(?![0-9])|[0-9]+)"
    r"(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+(?![0-9A-Za-z]))?|\.[0-9]+"
)
"""The pattern of one number without a sign; linear, no groups."""

_SEPARATORS: Final = str.maketrans("", "", ",_'’\u00a0\u2009\u202f")
_ROUNDED: Final = Context(prec=SIGNIFICANT_DIGITS)


def read_number(literal: str) -> Fraction | None:
    """The exact value of a text that matches `NUMBER`; None when its exponent is over `MAX_EXPONENT`."""
    plain = literal.translate(_SEPARATORS)
    exponent = plain.lower().partition("e")[2]
    if exponent and abs(int(exponent)) > MAX_EXPONENT:
        return None
    return Fraction(plain)


def write_exact(value: Fraction) -> Json:
    """`value` without loss: a JSON number of up to 15 digits, else decimal text, else the text of a fraction, "1/3"."""
    scale = _decimal_places(value.denominator)
    if scale is None:
        return str(value)
    digits = abs(value.numerator) * 10**scale // value.denominator
    if digits < 10**SIGNIFICANT_DIGITS and scale <= SIGNIFICANT_DIGITS:
        return int(value) if scale == 0 else float(value)
    return _place_point(digits, scale, negative=value < 0)


def write_rounded(value: Fraction) -> Json:
    """`value` to `SIGNIFICANT_DIGITS`: a JSON number, or text in scientific notation when very large or very small."""
    rounded = _ROUNDED.divide(Decimal(value.numerator), Decimal(value.denominator))
    if rounded and not -SIGNIFICANT_DIGITS <= rounded.adjusted() < SIGNIFICANT_DIGITS:
        return f"{rounded.normalize(_ROUNDED):E}"
    return int(rounded) if rounded == rounded.to_integral_value() else float(rounded)


def _decimal_places(denominator: int) -> int | None:
    """How many decimals 1/denominator needs; None when they never end, that is, it has a prime factor besides 2 and 5."""
    twos = (denominator & -denominator).bit_length() - 1
    rest, fives = denominator >> twos, 0
    while rest % 5 == 0:
        rest //= 5
        fives += 1
    return max(twos, fives) if rest == 1 else None


def _place_point(digits: int, scale: int, *, negative: bool) -> str:
    text = str(digits).rjust(scale + 1, "0")
    whole, decimals = (text[:-scale], "." + text[-scale:]) if scale else (text, "")
    return f"{'-' if negative else ''}{whole}{decimals}"
