"""From what a person types to a Python expression over placeholders.

`read_expression("17.5 % of 2,340")` gives the source `n0[percent]*n1` and the exact values of `n0` and `n1`. Every piece of
the source comes from the tables here, never from the text, so nothing that Python could act on gets through.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from types import MappingProxyType
from typing import Final

from apps.math.skills.numerals import MAX_EXPONENT, NUMBER, read_number
from apps.sdk.skill import SkillRetry

MAX_LENGTH: Final = 1_000
"""Characters of an expression."""

MAX_TOKENS: Final = 300
"""Numbers, names, operators and brackets of an expression; keeps evaluation within Python's recursion limit."""

MAX_NESTING: Final = 30
"""Brackets inside brackets, and signs in a row."""

FUNCTIONS: Final = frozenset(
    {
        "sqrt",
        "cbrt",
        "abs",
        "round",
        "min",
        "max",
        "sum",
        "mean",
        "floor",
        "ceil",
        "mod",
        "factorial",
        "sin",
        "cos",
        "tan",
        "asin",
        "acos",
        "atan",
        "radians",
        "degrees",
        "log",
        "ln",
        "exp",
    }
)
CONSTANTS: Final = frozenset({"pi", "tau", "e"})

_SIGNS: Final = str.maketrans(
    {
        **dict.fromkeys("×·⋅∙∗", "*"),
        **dict.fromkeys("÷∕⁄", "/"),
        **dict.fromkeys("−–—", "-"),
        **dict.fromkeys("٪％", "%"),
        **dict.fromkeys("$€£", " "),
        "²": "^2",
        "³": "^3",
        "½": "(1/2)",
        "¼": "(1/4)",
        "¾": "(3/4)",
        "√": " sqrt ",
        "π": " pi ",
        "[": "(",
        "]": ")",
    }
)
_PHRASES: Final = tuple(
    (re.compile(pattern, re.IGNORECASE), replacement)
    for pattern, replacement in (
        (r"\b(?:the )?square root of\b", " sqrt "),
        (r"\b(?:the )?cube root of\b", " cbrt "),
        (r"\b(?:divided by|geteilt durch)\b", "/"),
        (r"\b(?:multiplied by|times|mal)\b", "*"),
        (r"\b(?:raised )?to the power of\b", "^"),
        (r"\bsquared\b", "^2"),
        (r"\bcubed\b", "^3"),
        (r"\bplus\b", "+"),
        (r"\bminus\b", "-"),
        (r"\b(?:percent|per cent|pct|prozent|por ciento)(?![a-z])", "%"),
        (r"\b(?:tip|tax|vat) on\b", " of "),
        (r"%\s{0,3}(?:de|von)\b", "% of "),
        (r"(?<=[0-9)%])(?<!\b0)\s{0,3}x\s{0,3}(?=[-0-9(.])", "*"),
    )
)
_TOKEN: Final = re.compile(rf"\s*(?:(?P<number>{NUMBER})|(?P<word>[A-Za-z]+)|(?P<sign>\*\*|[-+*/^%!(),]))")
_BINARY: Final = MappingProxyType({"+": "+", "-": "-", "*": "*", "/": "/", "^": "**", "**": "**", "of": "*", "off": "@"})
_POSTFIX: Final = MappingProxyType({"%": "[percent]", "!": "[factorial]"})
_PREFIX_FUNCTIONS: Final = re.compile(rf"\b(sqrt|cbrt)\s+({NUMBER})")


@dataclass(frozen=True, slots=True)
class Expression:
    """`source` over the names in `values`; `operations` counts what there is to work out (a lone number has none)."""

    source: str
    values: Mapping[str, Fraction]
    operations: int


def read_expression(text: str) -> Expression:
    """The expression that `text` writes; raises `SkillRetry` that says what cannot be read or which limit was passed."""
    if len(text) > MAX_LENGTH:
        raise SkillRetry(f"The expression has more than {MAX_LENGTH} characters (the limit).")
    reader = _Reader()
    plain = _write_plainly(text)
    position, count = 0, 0
    while position < len(plain):
        token = _TOKEN.match(plain, position)
        if token is None:
            raise SkillRetry(f"Cannot read {plain[position:].strip()[:20]!r} in the expression.", hint=_WHAT_IS_KNOWN)
        position, count = token.end(), count + 1
        if count > MAX_TOKENS:
            raise SkillRetry(f"The expression has more than {MAX_TOKENS} numbers and operators (the limit).")
        reader.take(token)
    return reader.finish()


_WHAT_IS_KNOWN: Final = (
    f"Use numbers, + - * / ^ % ! ( ), 'of', 'off', {', '.join(sorted(CONSTANTS))}, {', '.join(sorted(FUNCTIONS))}."
)
_DECIMAL_COMMA: Final = (
    "Write decimals with a point (17.5); a comma may only separate thousands (2,340) or arguments (max(1, 2))."
)


def _write_plainly(text: str) -> str:
    plain = text.translate(_SIGNS)
    for pattern, replacement in _PHRASES:
        plain = pattern.sub(replacement, plain)
    return _PREFIX_FUNCTIONS.sub(r"\1(\2)", plain).strip().rstrip("?= ")


@dataclass(slots=True)
class _Reader:
    """Takes tokens in order and refuses one that cannot follow the last."""

    pieces: list[str] = field(default_factory=list)
    values: dict[str, Fraction] = field(default_factory=dict)
    brackets: list[bool] = field(default_factory=list)  # one per open bracket: does it hold a function's arguments?
    operations: int = 0
    signs: int = 0
    after_operand: bool = False
    after_function: bool = False
    after_percent: bool = False

    def take(self, token: re.Match[str]) -> None:
        literal, word, sign = token["number"], token["word"], token["sign"]
        if self.after_function and sign != "(":
            raise SkillRetry(f"The function {self.pieces[-1]!r} needs its arguments in brackets.")
        if literal is not None:
            self._take_number(literal)
        elif word is not None:
            self._take_word(word.lower())
        else:
            self._take_sign(sign)

    def finish(self) -> Expression:
        if self.brackets:
            raise SkillRetry("A bracket is not closed.")
        if not self.after_operand:
            raise SkillRetry("The expression is empty or ends in an operator.")
        return Expression("".join(self.pieces), MappingProxyType(self.values), self.operations)

    def _take_number(self, literal: str) -> None:
        if "," in literal and any(self.brackets):
            raise SkillRetry(
                f"{literal!r} could be one number or several arguments.", hint="Leave thousands separators out inside functions."
            )
        value = read_number(literal)
        if value is None:
            raise SkillRetry(f"The exponent of {literal[:30]!r} is over {MAX_EXPONENT} (the limit).")
        name = f"n{len(self.values)}"
        self.values[name] = value
        self._add_operand(name)

    def _take_word(self, word: str) -> None:
        if word in FUNCTIONS:
            self._add_operand(word)
            self.operations += 1
            self.after_operand, self.after_function = False, True
        elif word in CONSTANTS:
            self._add_operand(word)
        elif word in _BINARY:
            self._add_operator(word)
        else:
            raise SkillRetry(f"{word[:30]!r} is not known in expressions.", hint=_WHAT_IS_KNOWN)

    def _take_sign(self, sign: str) -> None:
        if sign == "(":
            self._open()
        elif sign == ")":
            self._close()
        elif sign == ",":
            self._separate()
        elif sign in _POSTFIX:
            self._add_postfix(sign)
        else:
            self._add_operator(sign)

    def _add_operand(self, piece: str) -> None:
        if self.after_percent:
            raise SkillRetry("A value follows '%'.", hint="Write 'mod(10, 3)' for a remainder, '10 % of 3' for a percentage.")
        if self.after_operand:
            raise SkillRetry("Two values stand side by side without an operator.", hint="Write * to multiply. " + _DECIMAL_COMMA)
        self.pieces.append(piece)
        self.after_operand, self.signs = True, 0

    def _add_operator(self, operator: str) -> None:
        if self.after_operand:
            self.pieces.append(_BINARY[operator])
            self.operations += 1
        elif operator in {"+", "-"} and self.signs < MAX_NESTING:
            self.pieces.append(operator)
            self.signs += 1
        else:
            raise SkillRetry(f"The operator {operator!r} lacks a value before it.")
        self.after_operand = self.after_percent = False

    def _add_postfix(self, sign: str) -> None:
        if not self.after_operand:
            raise SkillRetry(f"{sign!r} lacks a value before it.")
        self.pieces.append(_POSTFIX[sign])
        self.operations += sign == "!"
        self.after_percent = sign == "%"

    def _open(self) -> None:
        is_call = self.after_function
        if not is_call:
            self._add_operand("")
        if len(self.brackets) >= MAX_NESTING:
            raise SkillRetry(f"Brackets are nested more than {MAX_NESTING} deep (the limit).")
        self.brackets.append(is_call)
        self.pieces.append("(")
        self.after_operand = self.after_function = False
        self.signs = 0

    def _close(self) -> None:
        if not self.brackets or not self.after_operand:
            raise SkillRetry("A closing bracket has no matching opening one, or nothing before it.")
        self.brackets.pop()
        self.pieces.append(")")
        self.after_percent = False

    def _separate(self) -> None:
        if not self.brackets or not self.brackets[-1]:
            raise SkillRetry("A comma stands where it could be a decimal mark.", hint=_DECIMAL_COMMA)
        if not self.after_operand:
            raise SkillRetry("An argument is missing before a comma.")
        self.pieces.append(",")
        self.after_operand = self.after_percent = False
