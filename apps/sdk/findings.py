"""What can be wrong with what an author wrote: where, and what."""

from __future__ import annotations

from dataclasses import dataclass

from apps.sdk.codes import CODES, Code, Severity


@dataclass(frozen=True, slots=True, order=True)
class Position:
    """A place in a file; lines and columns count from 1."""

    file: str
    line: int = 1
    column: int = 1

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is wrong with what an author wrote."""

    position: Position
    code: Code
    severity: Severity
    message: str
    suggestion: str | None = None

    def __str__(self) -> str:
        text = f"{self.position}: {self.severity}: {self.message} [{self.code}]"
        return f"{text}; {self.suggestion}" if self.suggestion else text

    @property
    def is_extra(self) -> bool:
        """Whether only `lint --strict` shows it."""
        return self.severity == "extra"


def report(code: Code, position: Position, message: str, suggestion: str | None = None) -> Finding:
    """A finding with the severity of its code."""
    return Finding(position, code, CODES[code].severity, message, suggestion)
