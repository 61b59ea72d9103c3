"""What Open-Meteo answers, believed only as far as it was checked: https://open-meteo.com/en/docs and /en/docs/geocoding-api."""

from __future__ import annotations

from datetime import date, datetime
from typing import Annotated, Literal, Self, TypeAlias, TypeVar

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, model_validator

MAX_ROWS = 400
"""Rows of a table: more than 16 days of hours."""

Number: TypeAlias = Annotated[float, Field(ge=-1e6, le=1e6)] | None
Percent: TypeAlias = Annotated[float, Field(ge=0, le=100)] | None
Code: TypeAlias = Annotated[float, Field(ge=0, le=99)] | None
Degrees: TypeAlias = Annotated[float, Field(ge=0, le=360)] | None
Name: TypeAlias = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=200)]
Region: TypeAlias = Annotated[str, StringConstraints(strip_whitespace=True, max_length=200)] | None
Item = TypeVar("Item")
Column: TypeAlias = Annotated[list[Item], Field(max_length=MAX_ROWS)]


class Part(BaseModel):
    """A piece of an answer; types are taken as they come, unknown keys are passed over."""

    model_config = ConfigDict(strict=True, frozen=True, allow_inf_nan=False)


class Complaint(Part):
    """What the service says instead of an answer."""

    error: Literal[True]
    reason: str


class GeocodedPlace(Part):
    """One place; regions run from the largest to the smallest."""

    name: Name
    latitude: Annotated[float, Field(ge=-90, le=90)]
    longitude: Annotated[float, Field(ge=-180, le=180)]
    country: Region = None
    country_code: Region = None
    admin1: Region = None
    admin2: Region = None
    admin3: Region = None
    admin4: Region = None
    population: Annotated[float, Field(ge=0)] | None = None


class GeocodingAnswer(Part):
    """`results` is missing when there are none."""

    results: Annotated[tuple[GeocodedPlace, ...], Field(max_length=100)] = ()


class Current(Part):
    """The weather at `time`, which is local."""

    time: datetime
    temperature_2m: Number = None
    apparent_temperature: Number = None
    relative_humidity_2m: Percent = None
    precipitation: Number = None
    weather_code: Code = None
    cloud_cover: Percent = None
    wind_speed_10m: Number = None
    wind_gusts_10m: Number = None
    wind_direction_10m: Degrees = None


class Table(Part):
    """Columns, each as long as `time`; one that the service left out is None."""

    @model_validator(mode="after")
    def _check_lengths(self) -> Self:
        columns = [getattr(self, name) for name in type(self).model_fields]
        if len({len(column) for column in columns if column is not None}) > 1:
            raise ValueError("columns of unequal length")
        return self


class Daily(Table):
    """A row per day."""

    time: Column[date]
    weather_code: Column[Code] | None = None
    temperature_2m_min: Column[Number] | None = None
    temperature_2m_max: Column[Number] | None = None
    precipitation_probability_max: Column[Percent] | None = None
    precipitation_sum: Column[Number] | None = None
    wind_speed_10m_max: Column[Number] | None = None
    wind_gusts_10m_max: Column[Number] | None = None
    uv_index_max: Column[Number] | None = None
    sunrise: Column[datetime | None] | None = None
    sunset: Column[datetime | None] | None = None


class Hourly(Table):
    """A row per hour; `time` is local."""

    time: Column[datetime]
    weather_code: Column[Code] | None = None
    temperature_2m: Column[Number] | None = None
    apparent_temperature: Column[Number] | None = None
    precipitation_probability: Column[Percent] | None = None
    precipitation: Column[Number] | None = None
    wind_speed_10m: Column[Number] | None = None
    wind_gusts_10m: Column[Number] | None = None


class CurrentAnswer(Part):
    current: Current
    current_units: dict[str, str] = {}


class DailyAnswer(Part):
    daily: Daily
    daily_units: dict[str, str] = {}


class HourlyAnswer(Part):
    hourly: Hourly
    hourly_units: dict[str, str] = {}


def list_variables(block: type[Current | Daily | Hourly]) -> str:
    """What to ask for to have the block filled."""
    return ",".join(name for name in block.model_fields if name != "time")
