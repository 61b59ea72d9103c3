"""Skill `math-convert_units`: a value from one unit to another."""

from __future__ import annotations

import asyncio
from decimal import Decimal
from fractions import Fraction

from pydantic import BaseModel, ConfigDict, Field

from apps.math.skills.conversions import find_conversion
from apps.math.skills.numerals import write_rounded
from apps.math.skills.units import MAX_UNIT_LENGTH, UnitConverter
from apps.sdk.jsontypes import JsonObject
from apps.sdk.skill import Skill, SkillContext

MAX_VALUE = Decimal("1e30")
MAX_DECIMALS = 60


class ConvertUnitsRequest(BaseModel):
    """`value` is read from its decimal text, so 26.2 is exactly 26.2."""

    model_config = ConfigDict(extra="forbid", validate_by_name=True, validate_by_alias=True, serialize_by_alias=True)

    value: Decimal = Field(ge=-MAX_VALUE, le=MAX_VALUE, allow_inf_nan=False, decimal_places=MAX_DECIMALS)
    source: str = Field(alias="from", min_length=1, max_length=MAX_UNIT_LENGTH)
    target: str = Field(alias="to", min_length=1, max_length=MAX_UNIT_LENGTH)


class ConvertUnitsSkill(Skill):
    """Converts with exact factors; the result is written to 15 significant digits."""

    def __init__(self) -> None:
        self._converter = UnitConverter()

    async def execute(self, request: ConvertUnitsRequest, context: SkillContext) -> JsonObject:
        """`{value, from, to, result}` with the units' names as they were understood."""
        value = Fraction(request.value)
        converted = await asyncio.to_thread(self._converter.convert, value, request.source, request.target)
        return {
            "value": write_rounded(value),
            "from": converted.source,
            "to": converted.target,
            "result": write_rounded(converted.value),
        }

    def from_message(self, text: str) -> JsonObject | None:
        """The first conversion that `text` asks for."""
        return find_conversion(text)
