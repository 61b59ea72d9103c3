"""Logging: structlog to standard error, the libraries' loggers through the same renderer.

At info level and above no line holds a message's text, a call's arguments or a result; at no level a credential.
"""

from __future__ import annotations

import logging
import sys
from collections.abc import Sequence
from datetime import date
from enum import Enum
from pathlib import PurePath
from traceback import extract_tb, format_exception
from typing import Final, Literal, TypeAlias
from uuid import UUID

import stamina
import structlog
from structlog.typing import EventDict, Processor, WrappedLogger

LogLevel: TypeAlias = Literal["debug", "info", "warning", "error"]

REMOVED: Final = "[removed]"
CREDENTIALS: Final = frozenset(
    {"authorization", "api_key", "apikey", "cookie", "password", "secret", "secrets", "set-cookie", "token"}
)
TEXTS: Final = frozenset({
    "answer", "arguments", "body", "content", "data", "message", "messages", "prompt", "query", "request", "result", "text",
})  # fmt: skip
LITELLM: Final = ("LiteLLM", "LiteLLM Router", "LiteLLM Proxy")
"""The names that litellm's loggers have."""
FRAMES: Final = 10
"""Frames of an exception that are logged."""
OWN_KEYS: Final = frozenset({"_record", "_from_structlog", "exc_info", "stack_info"})
"""Fields of structlog itself."""
QUIET: Final = ("aiohttp", "aiosqlite", "alembic", "asyncio", "httpcore", "httpx", "openai", "sqlalchemy")
"""Libraries that have their say from warning on."""


def configure_logging(level: LogLevel = "info", *, json: bool | None = None) -> None:
    """Set up logging for this process, once, from the composition root; `json` None = only when stderr is no terminal."""
    as_json = not sys.stderr.isatty() if json is None else json
    shared = _shared_processors()
    structlog.configure(
        processors=[structlog.stdlib.filter_by_level, *shared, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
    )
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(_make_formatter(shared, as_json=as_json))
    root = logging.getLogger()
    root.handlers = [handler]
    root.setLevel(level.upper())
    stamina.instrumentation.set_on_retry_hooks(())  # retries are told by what retries: stamina's lines hold arguments
    for name in (*QUIET, *LITELLM):
        logging.getLogger(name).setLevel(logging.WARNING)


def remove_sensitive(_: WrappedLogger, method: str, event: EventDict) -> EventDict:
    """Take the values of fields out that must not be logged at this level; looks into nested objects and lists."""
    hidden = CREDENTIALS if method == "debug" else CREDENTIALS | TEXTS
    return {key: value if key in OWN_KEYS else _clean(key, value, hidden) for key, value in event.items()}


def withhold_quotations(_: WrappedLogger, __: str, event: EventDict) -> EventDict:
    """Of lines that quote what was sent, leave that there was one: litellm's, and aiohttp's about requests that are no HTTP."""
    record = event.get("_record")
    if not isinstance(record, logging.LogRecord):
        return event
    error = record.exc_info[0] if record.exc_info else None
    if record.name in LITELLM or (error and error.__module__ == "aiohttp.http_exceptions"):
        event.pop("exc_info", None)
        event["event"] = f"{record.levelname.lower()} at {record.module}:{record.lineno}, text withheld"
        event["error_type"] = error.__name__ if error else None
    return event


def describe_exception(_: WrappedLogger, __: str, event: EventDict) -> EventDict:
    """An exception as its type and where it came from, innermost last; its text, which may quote a message, at debug only."""
    error = _read_exception(event.pop("exc_info", None))
    if error is None:
        return event
    event["error_type"] = type(error).__name__
    event["frames"] = [f"{frame.filename}:{frame.lineno} in {frame.name}" for frame in extract_tb(error.__traceback__)[-FRAMES:]]
    if logging.getLogger().isEnabledFor(logging.DEBUG):
        event["traceback"] = "".join(format_exception(error))
    return event


def _read_exception(given: object) -> BaseException | None:
    match given:
        case BaseException():
            return given
        case (_, BaseException() as error, _):
            return error
        case None | False:
            return None
        case _:
            return sys.exc_info()[1]


def _clean(key: object, value: object, hidden: frozenset[str], depth: int = 5) -> object:
    if str(key).lower() in hidden:
        return REMOVED
    if depth and isinstance(value, dict):
        return {name: _clean(name, item, hidden, depth - 1) for name, item in value.items()}
    if depth and isinstance(value, list | tuple | set | frozenset):
        return [_clean(None, item, hidden, depth - 1) for item in value]
    if isinstance(value, date | Enum | PurePath | UUID):
        return str(value)
    # The representation of anything else may hold whatever its fields hold.
    return value if isinstance(value, str | int | float | None) else f"<{type(value).__name__}>"


def _shared_processors() -> list[Processor]:
    return [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_logger_name,
        structlog.stdlib.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        remove_sensitive,
    ]


def _make_formatter(shared: Sequence[Processor], *, as_json: bool) -> logging.Formatter:
    remove_meta = structlog.stdlib.ProcessorFormatter.remove_processors_meta
    renderer = structlog.processors.JSONRenderer() if as_json else structlog.dev.ConsoleRenderer()
    return structlog.stdlib.ProcessorFormatter(
        foreign_pre_chain=[withhold_quotations, *shared],
        processors=[remove_meta, describe_exception, renderer],
    )
