"""The one place where `Any` is allowed: JSON really is anything."""

from typing import Any, TypeAlias

Json: TypeAlias = Any
"""A value that JSON can hold: object, array, string, number, boolean or null."""

JsonObject: TypeAlias = dict[str, Any]
"""A JSON object."""

JsonPath: TypeAlias = tuple[str | int, ...]
"""Keys and indexes from the root of a value to a part of it."""
