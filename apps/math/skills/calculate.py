"""Skill `math-calculate`: exact arithmetic and percentages."""

from __future__ import annotations

import asyncio
from fractions import Fraction

from pydantic import BaseModel, ConfigDict, Field

from apps.math.skills.arithmetic import evaluate
from apps.math.skills.expressions import MAX_LENGTH, read_expression
from apps.math.skills.numerals import write_exact, write_rounded
from apps.math.skills.questions import find_calculation
from apps.sdk.jsontypes import JsonObject
from apps.sdk.skill import Skill, SkillContext


class CalculateRequest(BaseModel):
    """One expression, as a person would type it."""

    model_config = ConfigDict(extra="forbid")

    expression: str = Field(min_length=1, max_length=MAX_LENGTH)


class CalculateSkill(Skill):
    """Works an expression out on fractions; roots and functions that are not exact are flagged so."""

    async def execute(self, request: CalculateRequest, context: SkillContext) -> JsonObject:
        """`{expression, result, exact}`, plus `decimal` when the result is a fraction without an end as a decimal."""
        return await asyncio.to_thread(calculate, request.expression)

    def from_message(self, text: str) -> JsonObject | None:
        """The first calculation that `text` asks for."""
        expression = find_calculation(text)
        return None if expression is None else {"expression": expression}


def calculate(expression: str) -> JsonObject:
    """The result row of `expression`; raises `SkillRetry`."""
    value = evaluate(read_expression(expression))
    if isinstance(value, float):
        return {"expression": expression, "result": write_rounded(Fraction(value)), "exact": False}
    exact = write_exact(value)
    row: JsonObject = {"expression": expression, "result": exact, "exact": True}
    if isinstance(exact, str) and "/" in exact:
        row["decimal"] = write_rounded(value)
    return row
