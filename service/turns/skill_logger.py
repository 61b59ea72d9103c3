"""The logger that a skill is given."""

from __future__ import annotations

import logging
from dataclasses import dataclass

from service.log_rules import FIELDS


@dataclass(frozen=True, slots=True)
class FieldLogger:
    """A `SkillLogger` over one of stdlib's: fields may have any name, and every line has the `bound` ones.

    With `exc_info`, an exception or true, the line tells of the exception too.
    """

    logger: logging.Logger
    bound: dict[str, object]

    def debug(self, event: str, **fields: object) -> None:
        self._log(logging.DEBUG, event, fields)

    def info(self, event: str, **fields: object) -> None:
        self._log(logging.INFO, event, fields)

    def warning(self, event: str, **fields: object) -> None:
        self._log(logging.WARNING, event, fields)

    def error(self, event: str, **fields: object) -> None:
        self._log(logging.ERROR, event, fields)

    def _log(self, level: int, event: str, fields: dict[str, object]) -> None:
        given = fields.pop("exc_info", None)
        error = given if isinstance(given, BaseException) else bool(given)
        self.logger.log(level, event, exc_info=error, extra={FIELDS: {**self.bound, **fields}})
