"""What can be wrong with what an author wrote: where, and what."""

from __future__ import annotations

import dataclasses
import heapq
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Final, get_args

from apps.sdk.codes import CODES, Code, Severity
from apps.sdk.shown import spell_out

MAX_PER_FILE: Final = 500
"""Findings of one file that are shown: more than anybody mends before looking again. A file of 1 MiB can have 100,000."""
_SEVERITIES: Final[tuple[Severity, ...]] = get_args(Severity)


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
    """A finding with the severity of its code; what does not print in its texts is spelled out."""
    spelled = None if suggestion is None else spell_out(suggestion)
    return Finding(position, code, CODES[code].severity, spell_out(message), spelled)


def group_findings(findings: Iterable[Finding]) -> dict[str, tuple[Finding, ...]]:
    """By file, each once, by place. Of too many in one: the gravest `MAX_PER_FILE`, and at the end how many others there are."""
    files: dict[str, set[Finding]] = {}
    for finding in findings:
        files.setdefault(finding.position.file, set()).add(finding)
    return {file: _choose_gravest(files[file]) for file in sorted(files)}


def _choose_gravest(findings: set[Finding]) -> tuple[Finding, ...]:
    gravest = heapq.nsmallest(MAX_PER_FILE, findings, key=lambda finding: (_SEVERITIES.index(finding.severity), _order(finding)))
    shown = sorted(gravest, key=_order)
    hidden = findings.difference(shown)
    return (*shown, _count_hidden(hidden)) if hidden else tuple(shown)


def _count_hidden(hidden: Collection[Finding]) -> Finding:
    """As mild as a hint at most: what is graver is shown already."""
    message = f"findings of this file that are not shown: {len(hidden):,} more, the first of them here"
    more = report("findings-more", min(finding.position for finding in hidden), message)
    return dataclasses.replace(more, severity="extra") if all(finding.is_extra for finding in hidden) else more


def _order(finding: Finding) -> tuple[Position, str, str, str]:
    return finding.position, finding.code, finding.message, finding.suggestion or ""
