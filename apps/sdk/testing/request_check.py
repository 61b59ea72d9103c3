"""Whether a request fits the schema that the author wrote, as in a model's tool call."""

from __future__ import annotations

import json
import reprlib
from itertools import islice
from typing import TYPE_CHECKING

from apps.sdk.catalog import SkillSpec
from apps.sdk.jsontypes import Json, JsonObject
from apps.sdk.schemas.faults import Fault, find_faults
from apps.sdk.schemas.parameters import REQUESTS, compile_validator, request_items
from apps.sdk.schemas.references import properties_of

if TYPE_CHECKING:
    from jsonschema.protocols import Validator

_MAX_ERRORS = 20


class RequestMismatch(AssertionError):
    """A request does not fit the skill's `tool_schema`."""


class RequestCheck:
    """Checks requests of one skill; paths are those of the call's arguments, `requests[0].city`."""

    def __init__(self, spec: SkillSpec) -> None:
        self._spec = spec
        self._validator: Validator = compile_validator(spec.parameters)
        items = request_items(spec.parameters)
        self._takes_requests = items is not None
        entry_keys = properties_of(items, spec.parameters) if items is not None else {}
        self._beside = properties_of(spec.parameters, spec.parameters).keys() - {REQUESTS, *entry_keys}

    def check(self, request: Json, origin: str = "the request") -> None:
        """Raises `RequestMismatch`, in which `origin` says whose request it is."""
        if not isinstance(request, dict):
            raise RequestMismatch(f"{self._spec.tool_name}: {origin} is no JSON object: {reprlib.repr(request)}")
        if not _is_json(request):
            raise RequestMismatch(f"{self._spec.tool_name}: {origin} holds what JSON cannot hold: {reprlib.repr(request)}")
        errors = islice(self._validator.iter_errors(self._make_arguments(request)), _MAX_ERRORS)
        faults = {fault.text: fault for error in errors for fault in find_faults(error, "")}
        if faults:
            raise RequestMismatch("\n".join(self._explain(origin, faults)))

    def _make_arguments(self, request: JsonObject) -> JsonObject:
        """The arguments of the call whose only entry this is; what the author declared beside `requests` stands there."""
        if not self._takes_requests:
            return request
        beside = {key: value for key, value in request.items() if key in self._beside}
        return {**beside, REQUESTS: [{key: value for key, value in request.items() if key not in beside}]}

    def _explain(self, origin: str, faults: dict[str, Fault]) -> list[str]:
        head = f"{self._spec.tool_name}: {origin} does not fit tool_schema ({self._spec.position}):"
        return [head, *(f"  {fault.describe()}" for fault in faults.values())]


def _is_json(value: Json) -> bool:
    """Whether a model could write just this: no dates, tuples, numbers as keys, infinities, loops."""
    try:
        return bool(json.loads(json.dumps(value, allow_nan=False)) == value)
    except (TypeError, ValueError, RecursionError):
        return False
