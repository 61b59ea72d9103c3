"""The service's logging: structlog and every stdlib logger through one renderer, to standard error, by `service.log_rules`."""

from __future__ import annotations

import logging
import sys
from collections.abc import Sequence
from typing import Final

import stamina
import structlog
from structlog.typing import EventDict, Processor, WrappedLogger

from service.log_rules import LogLevel, clean_field, describe_error, read_fields, send_to_stderr, withhold_quotation

OWN_KEYS: Final = frozenset({"_record", "_from_structlog", "exc_info", "stack_info"})
"""Fields of structlog itself."""


def configure_logging(level: LogLevel = "info", *, json: bool | None = None) -> None:
    """Set up logging for this process, once, from the composition root; `json` None = only when stderr is no terminal."""
    as_json = not sys.stderr.isatty() if json is None else json
    shared = _shared_processors()
    structlog.configure(
        processors=[structlog.stdlib.filter_by_level, *shared, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
    )
    send_to_stderr(_make_formatter(shared, as_json=as_json), level)
    stamina.instrumentation.set_on_retry_hooks(())  # retries are told by what retries: stamina's lines hold arguments


def remove_sensitive(_: WrappedLogger, method: str, event: EventDict) -> EventDict:
    """Take the values of fields out that must not be logged at this level."""
    return {key: value if key in OWN_KEYS else clean_field(key, value, method) for key, value in event.items()}


def read_record(_: WrappedLogger, __: str, event: EventDict) -> EventDict:
    """Add what a stdlib logger was given in `extra`, or leave of the line only that there was one."""
    record = event["_record"]
    withheld = withhold_quotation(record)
    if withheld is None:
        return {**read_fields(record), **event}
    event.pop("exc_info", None)
    return {**event, **withheld}


def describe_exception(_: WrappedLogger, __: str, event: EventDict) -> EventDict:
    """Put what may be told of an exception in its place."""
    error = event.pop("exc_info", None)
    return {**event, **describe_error(error)}


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
        foreign_pre_chain=[read_record, *shared],
        processors=[remove_meta, describe_exception, renderer],
    )
