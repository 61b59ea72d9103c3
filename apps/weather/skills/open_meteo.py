"""The weather service: its two public addresses, or one's own instance; whatever goes wrong there is a `SkillFailed`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, TypeVar

from pydantic import BaseModel, ValidationError

from apps.sdk.http.fetching import fetch
from apps.sdk.skill import SkillContext, SkillError, SkillFailed
from apps.sdk.truncation import shorten
from apps.weather.skills.requests import Units
from apps.weather.skills.wire import Complaint, GeocodedPlace, GeocodingAnswer

PROVIDER: Final = "open-meteo"
"""The provider whose credential, where there is one, is the base address of an own instance with both services."""

_FORECAST: Final = "https://api.open-meteo.com"
_GEOCODING: Final = "https://geocoding-api.open-meteo.com"
_MAX_BYTES: Final = 500_000
_TIMEOUT: Final = 3.5
"""Seconds of one request; a skill has 15 and makes at most four."""
_HINT: Final = "Say that the weather cannot be had at the moment; do not guess it."

UNIT_TEXT: Final[Mapping[Units, str]] = MappingProxyType({"metric": "°C, mm, km/h", "imperial": "°F, inch, mph"})
_DEGREES: Final[Mapping[Units, str]] = MappingProxyType({"metric": "°C", "imperial": "°F"})
_UNIT_PARAMETERS: Final[Mapping[Units, Mapping[str, str]]] = MappingProxyType(
    {
        "metric": MappingProxyType({}),
        "imperial": MappingProxyType({"temperature_unit": "fahrenheit", "wind_speed_unit": "mph", "precipitation_unit": "inch"}),
    }
)

Answer = TypeVar("Answer", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class Spot:
    """Where the weather is wanted, in degrees."""

    latitude: float
    longitude: float


@dataclass(frozen=True, slots=True)
class OpenMeteo:
    """The service as one skill's context reaches it. Every method raises `SkillFailed`."""

    context: SkillContext

    async def search(self, name: str, count: int) -> tuple[GeocodedPlace, ...]:
        """Places of that name or postal code, the likeliest first."""
        parameters = {"name": name, "count": str(count), "language": "en", "format": "json"}
        return (await self._get(_GEOCODING, "/v1/search", parameters, GeocodingAnswer)).results

    async def forecast(self, spot: Spot, units: Units, parameters: Mapping[str, str], answer: type[Answer]) -> Answer:
        """What `parameters` name, in the local time of the place."""
        place = {"latitude": f"{spot.latitude:.4f}", "longitude": f"{spot.longitude:.4f}", "timezone": "auto"}
        return await self._get(_FORECAST, "/v1/forecast", {**place, **_UNIT_PARAMETERS[units], **parameters}, answer)

    async def _get(self, public: str, path: str, parameters: Mapping[str, str], answer: type[Answer]) -> Answer:
        base = self.context.secrets.get(PROVIDER, "").strip() or public
        try:
            page = await fetch(self.context, base.rstrip("/") + path, params=parameters, max_bytes=_MAX_BYTES, timeout=_TIMEOUT)
        except SkillError as error:
            raise SkillFailed(f"The weather service gave no answer: {error.message}", hint=_HINT) from None
        return _read(page.body, answer)


def check_units(told: Mapping[str, str], variable: str, units: Units) -> None:
    """Raise `SkillFailed` when the service names another unit of temperature than it was asked for."""
    if told.get(variable, _DEGREES[units]) != _DEGREES[units]:
        raise SkillFailed("The weather service answered in other units than it was asked for.", hint=_HINT)


def _read(body: bytes, answer: type[Answer]) -> Answer:
    try:
        return answer.model_validate_json(body)
    except ValidationError:
        raise SkillFailed(_explain(body), hint=_HINT) from None


def _explain(body: bytes) -> str:
    try:
        reason = Complaint.model_validate_json(body).reason
    except ValidationError:
        return "The weather service gave an answer that cannot be used."
    return f"The weather service refused: {shorten(' '.join(reason.split()), 200)}"
