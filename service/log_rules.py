"""What a log line may hold, whether `service.logs` renders it or, for commands that start at once, `service.plain_logs`.

At info level and above no line holds a message's text, a call's arguments or a result; at no level a field that is named as a
credential. At debug an exception's text is there, which may quote what was sent.
"""

from __future__ import annotations

import logging
import re
import sys
from collections.abc import Mapping
from datetime import date
from enum import Enum
from pathlib import PurePath
from traceback import extract_tb, format_exception
from typing import Final, Literal, TypeAlias
from uuid import UUID

LogLevel: TypeAlias = Literal["debug", "info", "warning", "error"]

REMOVED: Final = "[removed]"
CREDENTIALS: Final = re.compile(r"(^|[_-])(authorization|api[_-]?key|cookie|password|passwd|secrets?|token)$")
"""How the name of a field ends that holds one."""
TEXTS: Final = frozenset({
    "answer", "arguments", "body", "content", "data", "message", "messages", "prompt", "query", "request", "result", "text",
})  # fmt: skip
LITELLM: Final = ("LiteLLM", "LiteLLM Router", "LiteLLM Proxy")
"""The names that litellm's loggers have."""
QUIET: Final = ("aiohttp", "alembic", "asyncio", "httpcore", "httpx", "openai", "psycopg", "sqlalchemy")
"""Libraries that have their say from warning on."""
OURS: Final = frozenset({"apps", "executor", "preprocessor", "service", "skill"})
"""The first part of the names of loggers whose fields are logged; a library's may quote what was sent."""
FIELDS: Final = "fields"
"""The attribute of a record with fields of any name, which `extra` itself does not take."""
FRAMES: Final = 10
"""Frames of an exception that are logged."""
PYTHON_WARNINGS: Final = "py.warnings"
"""The name of the logger to which Python's own warnings go."""
_WARNING: Final = re.compile(r"(.*?:[0-9]+): (\w+):")
"""Place and category, in front of a warning's text."""
_STANDARD: Final = frozenset({*vars(logging.makeLogRecord({})), "asctime", "message", "taskName"})


def send_to_stderr(formatter: logging.Formatter, level: LogLevel) -> None:
    """Make standard error the one place where every logger of this process writes, from `level` on."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(formatter)
    root = logging.getLogger()
    root.handlers = [handler]
    root.setLevel(level.upper())
    for name in (*QUIET, *LITELLM):
        logging.getLogger(name).setLevel(logging.WARNING)
    logging.captureWarnings(capture=True)  # or they stand between the lines as they are, with what they quote


def read_fields(record: logging.LogRecord) -> dict[str, object]:
    """What one of our loggers was given in `extra`; nothing of a library's."""
    if record.name.partition(".")[0] not in OURS:
        return {}
    extra = {name: value for name, value in vars(record).items() if name not in _STANDARD}
    given = extra.get(FIELDS)
    if isinstance(given, Mapping):
        del extra[FIELDS]
        extra.update(given)
    return extra


def clean_field(key: object, value: object, level: str, depth: int = 5) -> object:
    """The value, without what must not be logged at `level`; looks into nested objects and lists."""
    name = str(key).lower()
    if CREDENTIALS.search(name) or (level != "debug" and name in TEXTS):
        return REMOVED
    if depth and isinstance(value, dict):
        return {name: clean_field(name, item, level, depth - 1) for name, item in value.items()}
    if depth and isinstance(value, list | tuple | set | frozenset):
        return [clean_field(None, item, level, depth - 1) for item in value]
    if isinstance(value, date | Enum | PurePath | UUID):
        return str(value)
    # The representation of anything else may hold whatever its fields hold.
    return value if isinstance(value, str | int | float | None) else f"<{type(value).__name__}>"


def withhold_quotation(record: logging.LogRecord) -> dict[str, object] | None:
    """What stands in place of a line that quotes what was sent: litellm's, aiohttp's about what is no HTTP, Python's warnings."""
    if record.name == PYTHON_WARNINGS:
        found = _WARNING.match(record.getMessage())
        return {"event": f"{found[2]} at {found[1]}, text withheld" if found else "a warning, text withheld"}
    error = record.exc_info[0] if record.exc_info else None
    if record.name not in LITELLM and not (error and error.__module__ == "aiohttp.http_exceptions"):
        return None
    event = f"{record.levelname.lower()} at {record.module}:{record.lineno}, text withheld"
    return {"event": event, "error_type": error.__name__ if error else None}


def describe_error(given: object) -> dict[str, object]:
    """An exception (or `exc_info`) as its type and frames, innermost last; its text, which may quote a message, at debug only."""
    error = _read_exception(given)
    if error is None:
        return {}
    frames = [f"{frame.filename}:{frame.lineno} in {frame.name}" for frame in extract_tb(error.__traceback__)[-FRAMES:]]
    described: dict[str, object] = {"error_type": type(error).__name__, "frames": frames}
    if logging.getLogger().isEnabledFor(logging.DEBUG):
        described["traceback"] = "".join(format_exception(error))
    return described


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
