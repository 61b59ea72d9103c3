"""Logging without structlog, whose import takes longer than most commands: the same fields by the same rules."""

from __future__ import annotations

import json
import logging
import sys
from datetime import UTC, datetime

import stamina

from apps.sdk.jsontypes import JsonObject
from service.log_rules import LogLevel, clean_field, describe_error, read_fields, send_to_stderr, withhold_quotation

OPENING = ("timestamp", "level", "event")
TRACEBACK = "traceback"


def configure_plain_logging(level: LogLevel, *, json: bool | None = None) -> None:
    """Set up logging for this process, once, from the composition root; `json` None = only when stderr is no terminal."""
    as_json = not sys.stderr.isatty() if json is None else json
    send_to_stderr(JsonLines() if as_json else TextLines(), level)
    stamina.instrumentation.set_on_retry_hooks(())  # as in service.logs; by default stamina would import structlog


class JsonLines(logging.Formatter):
    """One JSON object a line."""

    def format(self, record: logging.LogRecord) -> str:
        return json.dumps(describe_record(record), default=str)


class TextLines(logging.Formatter):
    """One line for people; below it the traceback, where there is one."""

    def format(self, record: logging.LogRecord) -> str:
        described = describe_record(record)
        moment, level, event = (described.pop(name) for name in OPENING)
        traceback = described.pop(TRACEBACK, None)
        fields = (f"{name}={value!r}" for name, value in described.items())
        line = " ".join((f"{moment} [{level}] {event}", *fields))
        return f"{line}\n{str(traceback).rstrip()}" if traceback else line


def describe_record(record: logging.LogRecord) -> JsonObject:
    """Everything of a record that may be logged at its level, with the names that the service's lines have."""
    level = record.levelname.lower()
    told = withhold_quotation(record) or {
        **read_fields(record),
        **describe_error(record.exc_info),
        "event": record.getMessage(),
    }
    fixed = {"logger": record.name, "level": level, "timestamp": datetime.fromtimestamp(record.created, UTC).isoformat()}
    return {name: clean_field(name, value, level) for name, value in {**told, **fixed}.items()}
