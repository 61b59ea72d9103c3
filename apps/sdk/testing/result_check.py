"""Whether a result has the shape of `output_example`.

Objects have the example's keys, values its types; whole and broken numbers are one type. Items of a list are compared with all
items of the example's list together. A key may be missing, or null, where the example has null or where one of several rows of
the example lacks it. Null, `{}` and `[]` in the example stand for anything, any object and any list.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from apps.sdk.catalog import SkillSpec
from apps.sdk.jsontypes import Json, JsonObject
from apps.sdk.kinds import json_type
from apps.sdk.results.blocks import holds_blocks
from apps.sdk.schemas.faults import describe, join_path
from apps.sdk.truncation import shorten

_MAX_FAULTS = 20
_NUMBERS = frozenset({"integer", "number"})


class ResultMismatch(AssertionError):
    """A result does not fit `output_example`, or is nothing that JSON can hold."""


def check_result(data: Json, spec: SkillSpec, varying: Collection[str] = ()) -> None:
    """Raises `ResultMismatch`. Content blocks pass; a skill without `output_example` promises nothing.

    `varying` are dotted paths, lists passed through, whose values may be missing or of any type.
    """
    if spec.output_example is None or holds_blocks(data):
        return
    faults = list(_Comparison(frozenset(varying)).compare(data, [spec.output_example], "", ""))
    if not faults:
        return
    more = [f"  and {len(faults) - _MAX_FAULTS} more"] if len(faults) > _MAX_FAULTS else []
    head = f"{spec.tool_name}: the result does not fit output_example ({spec.position}):"
    raise ResultMismatch("\n".join([head, *(f"  {fault}" for fault in faults[:_MAX_FAULTS]), *more]))


class _Comparison:
    """Compares a value with samples of what may stand in its place.

    `path` is where it stands, `name` the same without the places in lists.
    """

    def __init__(self, varying: frozenset[str]) -> None:
        self._varying = varying

    def compare(self, value: Json, samples: Sequence[Json], path: str, name: str) -> Iterator[str]:
        telling = [sample for sample in samples if sample is not None]
        if name in self._varying or not telling or (value is None and len(telling) < len(samples)):
            return
        kind = _kind(value)
        alike = [sample for sample in telling if _kind(sample) == kind]
        if not alike:
            wanted = " or ".join(dict.fromkeys(map(_kind, telling)))
            yield f"{path or 'the result'}: {describe(value)} came, the example has {wanted}"
        elif isinstance(value, dict):
            yield from self._compare_objects(value, alike, path, name)
        elif isinstance(value, list):
            items = [item for sample in alike for item in sample]
            for index, item in enumerate(value):
                yield from self.compare(item, items, join_path(path, index), name)

    def _compare_objects(self, value: JsonObject, samples: Sequence[JsonObject], path: str, name: str) -> Iterator[str]:
        known = dict.fromkeys(key for sample in samples for key in sample)
        if not known:
            return
        for key in known:
            inner = _join(name, key)
            if key in value:
                found = [sample.get(key) for sample in samples]
                yield from self.compare(value[key], found, join_path(path, key), inner)
            elif inner not in self._varying and all(sample.get(key) is not None for sample in samples):
                yield f"{join_path(path, key)}: missing"
        for key in value:
            if key not in known and _join(name, key) not in self._varying:
                yield f"{join_path(path, key)}: unexpected, the example has {shorten(', '.join(known), 200)}"


def _join(name: str, key: str) -> str:
    return f"{name}.{key}" if name else key


def _kind(value: Json) -> str:
    kind = json_type(value)
    return "number" if kind in _NUMBERS else kind
