"""Evaluation on exact fractions with limits, on simpleeval's tree walker.

A value is a `Fraction` while everything is exact and a float after the first function or root that is not. Percentages follow
the pocket calculator: `a + b %` is a increased by b percent, `b % of a` and `a * b %` are parts of a, `b % off a` is a reduced.
"""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Callable
from fractions import Fraction
from typing import Final, TypeAlias

from apps.math.skills.expressions import Expression
from apps.sdk.skill import SkillRetry

Number: TypeAlias = Fraction | float

MAX_DIGITS: Final = 3_000
"""Decimal digits of any numerator or denominator on the way; below the 4,300 that Python turns into text by default."""

MAX_FACTORIAL: Final = 1_000
MAX_ROOT: Final = 64
"""Largest n of an n-th root that is tried exactly."""

MAX_PLACES: Final = 100
"""Decimal places that `round` takes, either way."""

_MAX_BITS: Final = int(MAX_DIGITS * math.log2(10))
_TOO_LARGE: Final = f"A number on the way has more than {MAX_DIGITS} digits (the limit)."


def evaluate(expression: Expression) -> Number:
    """The value of `expression`; raises `SkillRetry` for division by zero, a value outside a function's domain, a limit."""
    from simpleeval import InvalidExpression  # noqa: PLC0415  imported at the first calculation: 20 ms that start-up need not pay

    try:
        return _build_evaluator(expression)(ast.parse(expression.source, mode="eval").body)
    except ZeroDivisionError:
        raise SkillRetry("Division by zero.") from None
    except OverflowError:
        raise SkillRetry("A number is too large for a function that is not exact.") from None
    except ValueError:
        raise SkillRetry("A value lies outside what its function is defined for.") from None
    except TypeError:
        raise SkillRetry("A function got the wrong number of arguments, or ones it cannot take.") from None
    except (InvalidExpression, SyntaxError):
        raise SkillRetry("That is not an arithmetic expression.") from None
    except (RecursionError, MemoryError):
        raise SkillRetry("The expression is nested too deeply (the limit).") from None


def _build_evaluator(expression: Expression) -> Callable[[ast.expr], Number]:
    from simpleeval import SimpleEval  # noqa: PLC0415  see evaluate

    names = {**expression.values, "pi": math.pi, "tau": math.tau, "e": math.e}
    walker = SimpleEval(operators=_OPERATORS, functions=_FUNCTIONS, names=names)

    def value_of(node: ast.expr) -> Number:
        return _check_size(walker.eval("", node))

    def apply_operator(node: ast.BinOp) -> Number:
        left, right = value_of(node.left), value_of(node.right)
        if isinstance(node.op, ast.MatMult):
            return right * (1 - _expect_percentage(node.left, left))
        if isinstance(node.op, ast.Add | ast.Sub) and _is_percentage(node.right) and not _is_percentage(node.left):
            right = left * right
        return _check_size(_OPERATORS[type(node.op)](left, right))

    def apply_postfix(node: ast.Subscript) -> Number:
        value = value_of(node.value)
        return value / 100 if _is_percentage(node) else _factorial(value)

    kept = {kind: walker.nodes[kind] for kind in (ast.UnaryOp, ast.Call, ast.Name)}
    walker.nodes = {**kept, ast.BinOp: apply_operator, ast.Subscript: apply_postfix}
    return value_of


def _is_percentage(node: ast.expr) -> bool:
    match node:
        case ast.Subscript(slice=ast.Name(id="percent")):
            return True
        case ast.UnaryOp(operand=operand):
            return _is_percentage(operand)
        case ast.BinOp(left=left, op=ast.Add() | ast.Sub(), right=right):
            return _is_percentage(left) and _is_percentage(right)
        case _:
            return False


def _expect_percentage(node: ast.expr, value: Number) -> Number:
    if not _is_percentage(node):
        raise SkillRetry("'off' needs a percentage before it.", hint="Write it as in '20 % off 80'.")
    return value


def _check_size(value: Number) -> Number:
    if isinstance(value, float):
        if not math.isfinite(value):
            raise OverflowError
        return value
    if max(value.numerator.bit_length(), value.denominator.bit_length()) > _MAX_BITS:
        raise SkillRetry(_TOO_LARGE)
    return value


def _expect_integer(value: Number, low: int, high: int, name: str) -> int:
    if value != int(value) or not low <= value <= high:
        raise SkillRetry(f"{name} takes a whole number from {low} to {high}.")
    return int(value)


def _power(base: Number, exponent: Number) -> Number:
    if isinstance(base, Fraction) and isinstance(exponent, Fraction):
        root = base if exponent.denominator == 1 else _find_exact_root(base, exponent.denominator)
        if root is not None:
            return _integer_power(root, exponent.numerator)
    return math.pow(base, exponent)


def _integer_power(base: Fraction, exponent: int) -> Fraction:
    if base in {1, -1} or exponent == 0:
        return base if exponent % 2 else Fraction(1)
    bits = max(base.numerator.bit_length(), base.denominator.bit_length()) - 1
    if bits * abs(exponent) > _MAX_BITS:
        raise SkillRetry(_TOO_LARGE)
    return base**exponent


def _find_exact_root(value: Fraction, degree: int) -> Fraction | None:
    """The `degree`-th root of `value` when it is a fraction itself; never for a negative value."""
    if value < 0 or degree > MAX_ROOT:
        return None
    numerator, denominator = _floor_root(value.numerator, degree), _floor_root(value.denominator, degree)
    root = Fraction(numerator, denominator)
    return root if root**degree == value else None


def _floor_root(value: int, degree: int) -> int:
    """The largest integer whose `degree`-th power is not over `value` (at least 0), by Newton's method from above."""
    if value == 0:
        return 0
    guess = 1 << -(-value.bit_length() // degree)
    while True:
        better = ((degree - 1) * guess + value // guess ** (degree - 1)) // degree
        if better >= guess:
            return guess
        guess = better


def _sqrt(value: Number) -> Number:
    return _power(value, Fraction(1, 2))


def _cbrt(value: Number) -> Number:
    return -_power(-value, Fraction(1, 3)) if value < 0 else _power(value, Fraction(1, 3))


def _factorial(value: Number) -> Number:
    return Fraction(math.factorial(_expect_integer(value, 0, MAX_FACTORIAL, "factorial")))


def _round(value: Number, places: Number = Fraction(0)) -> Number:
    """Half away from zero, as people round by hand."""
    scale = Fraction(10) ** _expect_integer(places, -MAX_PLACES, MAX_PLACES, "round")
    magnitude = Fraction(math.floor(abs(Fraction(value)) * scale + Fraction(1, 2))) / scale
    return type(value)(magnitude if value >= 0 else -magnitude)


def _floor(value: Number) -> Number:
    return type(value)(math.floor(value))


def _ceil(value: Number) -> Number:
    return type(value)(math.ceil(value))


def _total(*values: Number) -> Number:
    return sum(values, start=Fraction(0))


def _mean(*values: Number) -> Number:
    return _total(*values) / len(values)


def _log(value: Number, base: Number = Fraction(10)) -> float:
    return math.log10(value) if base == 10 else math.log(value) / math.log(base)


_OPERATORS: Final[dict[type[ast.AST], Callable[..., Number]]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: _power,
    ast.USub: operator.neg,
    ast.UAdd: operator.pos,
}
_FUNCTIONS: Final[dict[str, Callable[..., Number]]] = {
    "sqrt": _sqrt, "cbrt": _cbrt, "abs": abs, "round": _round, "floor": _floor, "ceil": _ceil, "min": min, "max": max,
    "sum": _total, "mean": _mean, "mod": operator.mod, "factorial": _factorial,
    "sin": math.sin, "cos": math.cos, "tan": math.tan, "asin": math.asin, "acos": math.acos, "atan": math.atan,
    "radians": math.radians, "degrees": math.degrees, "log": _log, "ln": math.log, "exp": math.exp,
}  # fmt: skip
