"""Reads JSON bodies: strict about types, every mistake with a JSON pointer."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, TypeVar

import orjson
from aiohttp import hdrs, web
from pydantic import BaseModel, ValidationError

from apps.sdk.jsontypes import Json, JsonObject
from apps.sdk.walks import exceeds_depth
from service.field_names import phrase_error
from service.http.problems import (
    ENCODINGS,
    FieldError,
    InvalidRequest,
    MalformedBody,
    OverLimit,
    UnsupportedEncoding,
    UnsupportedMediaType,
)

M = TypeVar("M", bound=BaseModel)
BODY_DEPTH: Final = web.AppKey("body_depth", int)
DEFAULT_DEPTH: Final = 64
VALIDATION_CONTEXT: Final = web.AppKey("validation_context", dict)
"""What the models of bodies are checked against beside themselves, as pydantic's validation context."""
MAX_ERRORS: Final = 50
"""Errors that one answer lists."""
MAX_COUNTED: Final = 1_000
"""Errors that are looked at; describing 340,000 of them took 0.9 s, in which nobody else was served."""


async def read_json(request: web.Request, model: type[M]) -> M:
    """The body as `model`. Raises `UnsupportedMediaType`, `MalformedBody`, `OverLimit`, `InvalidRequest`; aiohttp raises 413."""
    check_content_type(request)
    app = request.app
    return parse_json(await read_body(request), model, app.get(BODY_DEPTH, DEFAULT_DEPTH), app.get(VALIDATION_CONTEXT))


async def read_body(request: web.Request) -> bytes:
    """The raw body, at most the application's `client_max_size` bytes; may be called again. Raises `MalformedBody`."""
    try:
        return await request.read()
    except web.RequestPayloadError:
        raise MalformedBody("The body ended early, or its Content-Encoding is not what it says.") from None


def check_content_type(request: web.Request) -> None:
    """Raise `UnsupportedMediaType` unless the body is declared as JSON in UTF-8, `UnsupportedEncoding` for an odd compression."""
    kind, charset = request.content_type, (request.charset or "utf-8").lower()
    is_json = kind == "application/json" or (kind.startswith("application/") and kind.endswith("+json"))
    if not is_json or charset not in {"utf-8", "utf8", "us-ascii"}:
        raise UnsupportedMediaType
    if request.headers.get(hdrs.CONTENT_ENCODING, "identity").lower() not in ENCODINGS:
        raise UnsupportedEncoding


def parse_json(body: bytes, model: type[M], depth: int = DEFAULT_DEPTH, context: JsonObject | None = None) -> M:
    """`body` as `model`, as strict about types as `model` itself says. Raises `MalformedBody`, `OverLimit`, `InvalidRequest`."""
    # Twice, on purpose: orjson refuses what is not JSON (NaN, 1e999, lone surrogates) and gives the data that the pointers
    # are checked against; only pydantic's own parser takes arrays for tuples and text for enums in strict mode.
    try:
        data = orjson.loads(body)
    except orjson.JSONDecodeError as error:
        raise MalformedBody(f"The body is no JSON: {error.msg} at line {error.lineno}, column {error.colno}.") from None
    if exceeds_depth(data, depth):
        raise OverLimit("body_too_deep", f"A body may be nested {depth} levels deep", "SHORTLIST_BODY_DEPTH", depth)
    try:
        return model.model_validate_json(body, context=context)
    except ValidationError as error:
        raise _explain(error, data, model) from None


def from_validation_error(error: ValidationError, data: Json, model: type[BaseModel]) -> InvalidRequest:
    """The problem that lists what pydantic found; pointers name only places that `data` has or lacks."""
    count = error.error_count()
    if count > MAX_COUNTED:
        return InvalidRequest([FieldError("", f"{count} values are invalid")])
    errors = error.errors(include_url=False, include_context=False, include_input=False)
    told = (phrase_error(item, model if index < MAX_ERRORS else None) for index, item in enumerate(errors))
    unique = dict.fromkeys(FieldError(write_pointer(item["loc"], data), words) for item, words in zip(errors, told, strict=True))
    listed = list(unique)[:MAX_ERRORS]
    return InvalidRequest(listed, left_out=len(unique) - len(listed))


def write_pointer(path: tuple[int | str, ...], data: Json = None) -> str:
    """An RFC 6901 pointer. pydantic puts the branches of unions into its paths: with `data`, these are left out."""
    parts = path if data is None else tuple(_walk(path, data))
    return "".join("/" + str(part).replace("~", "~0").replace("/", "~1") for part in parts)


def _walk(path: tuple[int | str, ...], data: Json) -> Iterator[int | str]:
    node = data
    for index, part in enumerate(path):
        if _holds(node, part):
            node = node[part]
            yield part
        elif isinstance(node, dict) and index == len(path) - 1:
            yield part  # what is missing


def _holds(node: Json, part: int | str) -> bool:
    if isinstance(node, list):
        return isinstance(part, int) and part < len(node)
    return isinstance(node, dict) and part in node


def _explain(error: ValidationError, data: Json, model: type[BaseModel]) -> MalformedBody | InvalidRequest:
    if error.error_count() == 1 and error.errors(include_url=False)[0]["type"] == "json_invalid":
        return MalformedBody("The body is JSON that is nested too deeply or holds a number with too many digits.")
    return from_validation_error(error, data, model)
