"""What every skill of the app is asked with."""

from __future__ import annotations

from typing import Final, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field

MAX_PLACE: Final = 100
"""Characters of a place's name."""

MAX_DAYS: Final = 16
"""Days of a forecast, today among them; the service knows no more."""

Units: TypeAlias = Literal["metric", "imperial"]


class PlaceRequest(BaseModel):
    """A place by name, postal code or coordinates."""

    model_config = ConfigDict(extra="forbid")

    place: str = Field(min_length=1, max_length=MAX_PLACE)
    units: Units = "metric"
