"""`math-calculate`: exact results, percentages, refusals, and the messages that it answers."""

from __future__ import annotations

import operator
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apps.math.skills.arithmetic import evaluate
from apps.math.skills.calculate import CalculateSkill, calculate
from apps.math.skills.expressions import read_expression
from apps.math.skills.numerals import read_number, write_exact, write_rounded
from apps.sdk.jsontypes import Json
from apps.sdk.skill import SkillRetry
from apps.sdk.testing import load_skill

EXACT: list[tuple[str, Json]] = [
    ("2340 * 17.5 %", 409.5),
    ("17.5 % of 2,340", 409.5),
    ("1/3 + 1/6", 0.5),
    ("0.1 + 0.2", 0.3),
    ("(1+0.05)^10 * 1000", "1628.89462677744140625"),
    ("2340 + 19 %", 2784.6),
    ("2340 - 19 %", 1895.4),
    ("100 + 10% - 5%", 104.5),
    ("5% + 3%", 0.08),
    ("20 % off 80", 64),
    ("15% tip on $84.50", 12.675),
    ("50% of 20% of 100", 10),
    ("100 / 50%", 200),
    ("2 × 3 ÷ 4 − 1", 0.5),
    ("5² + ½", 25.5),
    ("√(16) + 2", 6),
    ("square root of 16 plus 2", 6),
    ("8^(1/3)", 2),
    ("cbrt(-8)", -2),
    ("sqrt(1/4)", 0.5),
    ("-2^2", -4),
    ("2^3^2", 512),
    ("0^0", 1),
    ("(0 - 1)^(10^900 + 1)", -1),
    ("5! / 3!", 20),
    ("round(2.5) + round(-2.675, 2)", 0.32),
    ("floor(-1.5) + ceil(1.2)", 0),
    ("max(1,2) - min(3, 4, 2)", 0),
    ("mod(10, 3) + sum(1, 2, 3) + mean(1, 2)", 8.5),
    ("1'000 + 1_000 + 1\u202f000", 3000),
    ("2.5e-3 * 2", 0.005),
    ("3 x 4", 12),
    ("[1] * 10", 10),
    ("10 divided by 4", 2.5),
    ("10^20", "100000000000000000000"),
    ("0.1^20", "0.00000000000000000001"),
]

REFUSED = [
    ("1/0", "Division by zero"),
    ("0^-1", "Division by zero"),
    ("sqrt(-1)", "outside"),
    ("ln(0)", "outside"),
    ("9**9**9**9", "3000 digits"),
    ("10**1000000", "3000 digits"),
    ("2^10000", "3000 digits"),
    ("1e1000^4", "3000 digits"),
    ("1e9999999", "exponent"),
    ("5000!", "factorial"),
    ("2.5!", "factorial"),
    ("(((3!)!)!)!", "factorial"),
    ("round(1, 10^9)", "round"),
    ("exp(1000)", "too large"),
    ("sin(1e400)", "too large"),
    ("tan()", "nothing before it"),
    ("sqrt(1, 2, 3)", "arguments"),
    ("sqrt 2 + ", "ends in an operator"),
    ("sqrt + 2", "brackets"),
    ("2 340", "side by side"),
    ("2(3)", "side by side"),
    ("2.340,5", "comma"),
    ("17,5", "comma"),
    ("1,00,000", "comma"),
    ("max(1,234)", "could be"),
    ("10 % 3", "follows '%'"),
    ("% 3", "lacks a value"),
    ("5 off 80", "percentage"),
    ("0x10", "known"),
    ("", "empty"),
    ("()", "bracket"),
    ("(1", "bracket"),
    ("1)", "bracket"),
    ("max(, 1)", "missing"),
    ("* 3", "lacks a value"),
    ("٣ + ٤", "Cannot read"),
    ("'a' * 10**9", "Cannot read"),
    ("__import__('os').system('true')", "Cannot read"),
    ("lambda: 1", "known"),
    ("a.b", "known"),
    ("1 if 1 else 2", "known"),
    ("n0 + 1", "known"),
    ("percent", "lacks a value"),
    ("(" * 100 + "1" + ")" * 100, "nested"),
    ("-" * 500 + "1", "lacks a value"),
    ("1" + "+1" * 400, "300 numbers"),
    ("1+" * 1_000_000 + "1", "1000 characters"),
]

ASKED = [
    ("What is 17.5 % of 2,340?", "17.5 % of 2,340"),
    ("how much is 20% of 50", "20% of 50"),
    ("what's (3+4)*5", "(3+4)*5"),
    ("What’s 100 minus 7 divided by 2?", "100 minus 7 divided by 2"),
    ("What is 17.5 % of 2,340 and how many days are there between 3 March 2024 and 24 December 2026?", "17.5 % of 2,340"),
    ("Convert 26.2 miles to kilometres. Also, what is 17.5 % of 2,340?", "17.5 % of 2,340"),
    ("What time is it in Tokyo when it is 9:30 in Berlin? And what is 3*4?", "3*4"),
    ("How much is a 15% tip on $84.50?", "15% tip on $84.50"),
    ("what is 20% off 80 euros?", "20% off 80"),
    ("calculate sqrt(2) please", "sqrt(2)"),
    ("Can you tell me what 12 * 12 is?", "12 * 12"),
    ("I need to know how much 35% of 1200 is", "35% of 1200"),
    ("what is the square root of 16?", "square root of 16"),
    ("what is 2+2!", "2+2"),
    ("what is 10! / 8!", "10! / 8!"),
    ("compute: 2^10", "2^10"),
    ("2340 * 17.5 %", "2340 * 17.5 %"),
    ("12 / 4 =", "12 / 4"),
    ("max(1, 2)", "max(1, 2)"),
    ("what percentage of 80 is 20?", "20 / 80 * 100"),
    ("20 is what percent of 80", "20 / 80 * 100"),
    ("Was sind 20 % von 50?", "20 % von 50"),
    ("wie viel ist 3 mal 4", "3 mal 4"),
    ("¿Cuánto es el 20% de 50?", "20% de 50"),
    ("Dear assistant, " + "blah " * 20_000 + "\nWhat is 17.5 % of 2,340?", "17.5 % of 2,340"),
]

NOT_ASKED = [
    "", "hi", "thanks, great", "what a great time we had", "meet me at 9:30", "what is 5", "what is 20%?",
    "what is 9:30 in Tokyo",
    "what is 24/7", "what is 2024-03-03", "3-4", "1/2", "call 555-1234", "+49 30 123456", "I have 3+4 apples", "we are open 24/7",
    "What is 26.2 miles in km", "Convert 26.2 miles to kilometres", "What is 1 - the loneliest number?", "1. Buy milk", "* item",
    "what is 17,5 % von 2.340", "days from 2024-03-03 to 2026-12-24", "what is 1/0/", "- 5", "What is 3 March 2024?",
    "how much is 20% of my income", "what are 2 plus points of this plan",
]  # fmt: skip


@pytest.mark.parametrize(("expression", "result"), EXACT)
def test_results_are_exact(expression: str, result: Json) -> None:
    """Fractions inside: no rounding error, numbers where JSON can carry them, text where it cannot."""
    assert calculate(expression) == {"expression": expression, "result": result, "exact": True}


def test_endless_decimals_are_fractions_with_an_approximation() -> None:
    """1/3 + 1/3 is 2/3, and its decimal to 15 digits stands beside it."""
    assert calculate("1/3 + 1/3") == {
        "expression": "1/3 + 1/3",
        "result": "2/3",
        "exact": True,
        "decimal": 0.666666666666667,
    }


@pytest.mark.parametrize(
    ("expression", "result"),
    [("sqrt(2)", 1.4142135623731), ("2^0.5", 1.4142135623731), ("log(1000)", 3), ("log(8, 2)", 3), ("ln(e)", 1), ("cos(pi)", -1),
     ("degrees(pi)", 180), ("sin(pi)", "1.22464679914735E-16"), ("round(sqrt(2), 2)", 1.41)],
)  # fmt: skip
def test_rounded_functions_are_flagged(expression: str, result: Json) -> None:
    """A root or function without an exact value gives 15 digits and `exact: false`."""
    assert calculate(expression) == {"expression": expression, "result": result, "exact": False}


@pytest.mark.parametrize(("expression", "reason"), REFUSED)
def test_refusals_name_their_reason(expression: str, reason: str) -> None:
    """Whatever cannot be worked out, or would take too long, is a `SkillRetry` that says why."""
    with pytest.raises(SkillRetry) as caught:
        calculate(expression)
    assert reason in caught.value.message


@given(st.text(max_size=80) | st.text(alphabet="0123456789+-*/^%!().,e npisqrtofx ", max_size=40))
def test_any_text_has_a_result_or_a_reason(text: str) -> None:
    """No input raises anything but `SkillRetry`."""
    try:
        row = calculate(text)
    except SkillRetry:
        return
    assert {"expression", "result", "exact"} <= set(row) <= {"expression", "result", "exact", "decimal"}


@given(
    st.recursive(
        st.integers(0, 99).map(str),
        lambda part: st.tuples(part, st.sampled_from("+-*"), part).map("({0[0]}{0[1]}{0[2]})".format),
        max_leaves=8,
    )
)
def test_small_expressions_agree_with_python(expression: str) -> None:
    """Whole-number arithmetic is Python's."""
    assert evaluate(read_expression(expression)) == eval(expression)


@given(st.fractions(max_denominator=1000), st.sampled_from("+-*/"), st.fractions(max_denominator=1000))
def test_fractions_agree_with_fraction(left: Fraction, sign: str, right: Fraction) -> None:
    """Two fractions and an operator give what `Fraction` gives."""
    operations = {"+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv}
    if sign == "/" and right == 0:
        return
    assert evaluate(read_expression(f"({left}) {sign} ({right})")) == operations[sign](left, right)


@given(st.fractions())
def test_written_values_read_back(value: Fraction) -> None:
    """What `write_exact` writes is the value itself, and `write_rounded` is within half a unit of the 15th digit."""
    assert Fraction(str(write_exact(value))) == value
    assert abs(Fraction(str(write_rounded(value))) - value) <= abs(value) * Fraction(1, 10**14)


def test_exponents_over_the_limit_are_not_read() -> None:
    """A literal never makes a number of a million digits."""
    assert read_number("1e1000") == Fraction(10) ** 1000
    assert read_number("1e" + "9" * 900) is None


@pytest.mark.parametrize(("message", "expression"), ASKED)
def test_messages_that_ask_for_a_calculation(message: str, expression: str) -> None:
    """The first calculation asked for is found in the whole text, and it can be worked out."""
    assert CalculateSkill().from_message(message) == {"expression": expression}
    calculate(expression)


@pytest.mark.parametrize("message", NOT_ASKED)
def test_messages_that_do_not(message: str) -> None:
    """Small talk, dates, times, numbers of telephones and what other skills answer are left alone."""
    assert CalculateSkill().from_message(message) is None


@pytest.mark.parametrize(
    "piece", ["what is ", "1+", "(", "9", "what is 1,", "1,000", "!", "what is (1,234", "what percent of 1 is ", " "]
)
def test_long_messages_are_looked_at_in_part(piece: str) -> None:
    """100 KB of a hostile pattern is no request, or one that fits the limits."""
    found = CalculateSkill().from_message(piece * (100_000 // len(piece)))
    assert found is None or len(found["expression"]) <= 1_000


async def test_the_row_is_what_a_model_reads() -> None:
    """Number or digits as they need be; `decimal` only beside a fraction."""
    harness = load_skill(__file__, "calculate", varying=["result", "decimal"])
    percentage = await harness.run({"expression": "17.5 % of 2,340"})
    assert percentage.data == {"expression": "17.5 % of 2,340", "result": 409.5, "exact": True}
    fraction = await harness.run({"expression": "1/3 + 1/3"})
    assert fraction.data == harness.spec.output_example
