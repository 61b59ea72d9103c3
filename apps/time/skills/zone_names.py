"""Short names of time zones, and names of countries that the data of GeoNames lacks. Keys are folded: lower case, no accents."""

from __future__ import annotations

from types import MappingProxyType
from typing import Final

ABBREVIATIONS: Final = MappingProxyType(
    {
        "utc": "UTC",
        "gmt": "UTC",
        "z": "UTC",
        "cet": "Europe/Berlin",
        "cest": "Europe/Berlin",
        "mez": "Europe/Berlin",
        "mesz": "Europe/Berlin",
        "eet": "Europe/Athens",
        "eest": "Europe/Athens",
        "msk": "Europe/Moscow",
        "jst": "Asia/Tokyo",
        "kst": "Asia/Seoul",
        "hkt": "Asia/Hong_Kong",
        "sgt": "Asia/Singapore",
        "aest": "Australia/Sydney",
        "aedt": "Australia/Sydney",
        "nzst": "Pacific/Auckland",
        "nzdt": "Pacific/Auckland",
        "edt": "America/New_York",
        "pdt": "America/Los_Angeles",
    }
)
"""To the zone whose clocks they name; summer and winter names alike, as people use them alike."""
AMBIGUOUS: Final = MappingProxyType(
    {
        "est": "America/New_York, Australia/Brisbane",
        "cst": "America/Chicago, Asia/Shanghai, America/Havana",
        "cdt": "America/Chicago, America/Havana",
        "mst": "America/Denver, America/Phoenix, Asia/Yangon",
        "pst": "America/Los_Angeles, Asia/Manila",
        "ist": "Asia/Kolkata, Europe/Dublin, Asia/Jerusalem",
        "bst": "Europe/London, Asia/Dhaka",
        "ast": "America/Halifax, Asia/Riyadh",
        "wst": "Australia/Perth, Pacific/Apia",
        "gst": "Asia/Dubai, Atlantic/South_Georgia",
        "et": "America/New_York",
        "ct": "America/Chicago",
        "mt": "America/Denver",
        "pt": "America/Los_Angeles",
    }
)
"""Abbreviations in use for several zones, or for half of one, to what to write instead."""
COUNTRY_NAMES: Final = MappingProxyType(
    {
        "uk": "GB",
        "great britain": "GB",
        "england": "GB",
        "scotland": "GB",
        "wales": "GB",
        "usa": "US",
        "america": "US",
        "uae": "AE",
        "deutschland": "DE",
        "alemania": "DE",
        "osterreich": "AT",
        "schweiz": "CH",
        "frankreich": "FR",
        "espana": "ES",
        "japon": "JP",
    }
)
"""To ISO 3166 codes."""
