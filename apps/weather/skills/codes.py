"""Weather codes and directions in words."""

from __future__ import annotations

from types import MappingProxyType
from typing import Final

_CODES: Final = MappingProxyType(
    {
        0: "clear sky", 1: "mainly clear", 2: "partly cloudy", 3: "overcast",
        45: "fog", 48: "rime fog",
        51: "light drizzle", 53: "drizzle", 55: "dense drizzle", 56: "light freezing drizzle", 57: "dense freezing drizzle",
        61: "slight rain", 63: "rain", 65: "heavy rain", 66: "light freezing rain", 67: "heavy freezing rain",
        71: "slight snow", 73: "snow", 75: "heavy snow", 77: "snow grains",
        80: "slight showers", 81: "showers", 82: "violent showers", 85: "slight snow showers", 86: "heavy snow showers",
        95: "thunderstorm", 96: "thunderstorm with slight hail", 99: "thunderstorm with heavy hail",
    }
)  # fmt: skip
"""The codes of WMO table 4677 that Open-Meteo uses (https://open-meteo.com/en/docs, "WMO Weather interpretation codes")."""

_WINDS: Final = ("N", "NE", "E", "SE", "S", "SW", "W", "NW")


def name_weather(code: float | None) -> str | None:
    """The code in words; an unknown one keeps its number."""
    return None if code is None else _CODES.get(int(code), f"code {int(code)}")


def name_wind(degrees: float | None) -> str | None:
    """Where the wind comes from, as one of eight."""
    return None if degrees is None else _WINDS[round(degrees / 45) % 8]
