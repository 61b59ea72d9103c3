"""What a skill returns to plain JSON.

Unusable            the result cannot be used
├── NotJson         JSON cannot hold it
└── TooLarge        over the limit
"""

from __future__ import annotations

import base64
import dataclasses
import itertools
import json
import math
from collections.abc import Mapping
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum
from pathlib import PurePath
from uuid import UUID

import orjson
from pydantic import BaseModel

from apps.sdk.jsontypes import Json, JsonObject
from apps.sdk.truncation import replace_surrogates
from apps.sdk.walks import MAX_DEPTH, exceeds_depth

RESULT_BYTES = 10_000_000
"""The largest result of one request as JSON, unless the service sets another limit."""

_MAX_INTEGER = 2**63
_LARGE = 100_000
"""Characters, each value counted as a few: converted in 5 ms the slow way."""
_ITEM_WEIGHT = 8


class Unusable(Exception):
    """The result cannot be used."""


class NotJson(Unusable):
    """JSON cannot hold it."""


class TooLarge(Unusable):
    """Over the limit."""


def to_json(value: object, *, max_bytes: int) -> Json:
    """A deep copy of `value` as JSON; raises `NotJson` and `TooLarge`.

    Pydantic models, dataclasses and mappings become objects; sets become lists in a fixed order; dates, times, UUIDs, paths
    and decimals become text, durations seconds, bytes text (base64 when they are not UTF-8); NaN and infinities become null;
    integers beyond 64 bits become text, because most JSON readers would round them.
    """
    try:
        text = _encode(value)
    except RecursionError:
        raise NotJson(f"the result nests deeper than {MAX_DEPTH} levels or refers to itself") from None
    except Unusable:
        raise
    except BaseException as error:  # an author's object may raise anything when it is read, SystemExit too
        raise NotJson("the result holds something that cannot be read") from error
    if len(text) > max_bytes:
        raise TooLarge(f"the result is {len(text)} bytes of JSON")
    result: Json = orjson.loads(text)
    if text.count(b"[") + text.count(b"{") > MAX_DEPTH and exceeds_depth(result):
        raise NotJson(f"the result nests deeper than {MAX_DEPTH} levels")
    return result


def to_note(value: object) -> str | None:
    """A skill's word on its result as text; None when there is none, or none that can be read."""
    try:
        return "".join(str(value)) if value else None
    except BaseException:  # noqa: BLE001 - as in `to_json`
        return None


def is_large(value: object) -> bool:
    """A guess, soon made: whether converting `value` may take longer than an event loop should be held up, some milliseconds."""
    try:
        return _weigh(value) > _LARGE
    except BaseException:  # noqa: BLE001 - as in `to_json`
        return True


def _weigh(value: object) -> int:
    weight, waiting = 0, [value]
    while waiting and weight <= _LARGE:
        item = waiting.pop()
        weight += _ITEM_WEIGHT
        if isinstance(item, str | bytes | bytearray):
            weight += len(item)
        elif isinstance(item, Mapping):
            weight += _ITEM_WEIGHT * len(item)
            waiting.extend(itertools.islice(itertools.chain(item.keys(), item.values()), _LARGE))
        elif isinstance(item, list | tuple | set | frozenset):
            weight += _ITEM_WEIGHT * len(item)
            waiting.extend(itertools.islice(item, _LARGE))
        elif isinstance(item, BaseModel):
            waiting.extend(item.__dict__.values())
        elif dataclasses.is_dataclass(item) and not isinstance(item, type):
            waiting.extend(getattr(item, field.name, None) for field in dataclasses.fields(item))
    return weight


def _encode(value: object) -> bytes:
    """The quick way first; what it cannot do (odd keys, large integers, half surrogates) is done step by step."""
    try:
        return orjson.dumps(value, default=_convert, option=orjson.OPT_PASSTHROUGH_DATACLASS)
    except orjson.JSONEncodeError:
        return orjson.dumps(_rebuild(value, 0))


def _rebuild(value: object, depth: int) -> Json:
    if depth > MAX_DEPTH:
        raise RecursionError
    if isinstance(value, Enum):
        return _rebuild(value.value, depth)
    if value is None or isinstance(value, bool | str | int | float):
        return _rebuild_scalar(value)
    if isinstance(value, Mapping):
        return _rebuild_mapping(value, depth)
    if isinstance(value, list | tuple):
        return [_rebuild(item, depth + 1) for item in value]
    return _rebuild(_convert(value), depth + 1)


def _rebuild_scalar(value: str | float | None) -> Json:
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        return replace_surrogates(str(value))
    if isinstance(value, int):
        return int(value) if -_MAX_INTEGER <= value < 2 * _MAX_INTEGER else _write_long(value)
    return float(value) if math.isfinite(value) else None


def _rebuild_mapping(value: Mapping[object, object], depth: int) -> JsonObject:
    result: JsonObject = {}
    for key, item in value.items():
        name = _name(key)
        if name in result:
            raise NotJson(f"two keys of the result are both {name[:60]!r} as text")
        result[name] = _rebuild(item, depth + 1)
    return result


def _name(key: object) -> str:
    if isinstance(key, Enum):
        return _name(key.value)
    if isinstance(key, str):
        return replace_surrogates(str(key))
    if key is None or isinstance(key, bool):
        return {None: "null", True: "true", False: "false"}[key]
    if isinstance(key, int | float | Decimal | date | time | UUID):
        return str(key)
    raise NotJson(f"the result has a key of type {type(key).__name__}")


def _write_long(value: int) -> str:
    try:
        return str(value)
    except ValueError:
        raise NotJson("the result holds an integer of more than 4,300 digits") from None


def _convert(value: object) -> object:
    """Kinds that JSON does not know, one step nearer to it."""
    if isinstance(value, BaseModel):
        return _dump_model(value)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        names = (field.name for field in dataclasses.fields(value) if not field.name.startswith("_"))
        return {name: getattr(value, name, None) for name in names}
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, tuple):
        return list(value)
    if isinstance(value, set | frozenset):
        return sorted((_rebuild(item, 0) for item in value), key=lambda item: json.dumps(item, sort_keys=True))
    return _convert_scalar(value)


def _convert_scalar(value: object) -> Json:
    if isinstance(value, datetime | date | time):
        return value.isoformat()
    if isinstance(value, timedelta):
        return value.total_seconds()
    if isinstance(value, Decimal):
        return str(value) if value.is_finite() else None
    if isinstance(value, bytes | bytearray | memoryview):
        return _read_bytes(bytes(value))
    if isinstance(value, UUID | PurePath):
        return str(value)
    raise NotJson(f"the result holds a value of type {type(value).__name__}")


def _dump_model(model: BaseModel) -> object:
    try:
        return model.model_dump(mode="json", warnings=False)
    except BaseException as error:  # an author's serializer may raise anything
        raise NotJson(f"the {type(model).__name__} cannot be written as JSON") from error


def _read_bytes(value: bytes) -> str:
    try:
        return value.decode()
    except UnicodeDecodeError:
        return base64.b64encode(value).decode()
