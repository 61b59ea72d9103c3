"""The fields of an object that something beside its `properties` declares."""

from __future__ import annotations

from dataclasses import replace

from apps.sdk.schemas.dialects.shapes import ANYTHING, NOTHING, Shape


def declare_required(shape: Shape) -> dict[str, Shape]:
    """The fields, those included that are required but nowhere declared."""
    missing = [name for name in shape.required if name not in shape.properties]
    if shape.additional is False and not shape.patterns:
        other = NOTHING
    else:
        other = shape.additional if isinstance(shape.additional, Shape) else ANYTHING
    return {**shape.properties, **dict.fromkeys(missing, other)}


def declare_listed(shape: Shape) -> Shape:
    """The object with those fields besides that only its listed values have."""
    names = dict.fromkeys(name for value in shape.enum or () if isinstance(value, dict) for name in value)
    missing = [name for name in names if name not in shape.properties]
    return replace(shape, properties={**shape.properties, **dict.fromkeys(missing, ANYTHING)}) if missing else shape
