"""How `shortlist lint` writes findings: for people, for programs, for a workflow of GitHub's."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import TypeAlias

from apps.sdk.findings import Finding
from apps.sdk.shown import spell_out

Format: TypeAlias = Callable[[Sequence[Finding]], Iterator[str]]

_COMMANDS = MappingProxyType({"error": "error", "warning": "warning"})
"""The workflow command of each severity; the milder ones are notices."""


def write_text(findings: Sequence[Finding]) -> Iterator[str]:
    """`file:line:column: severity: message [code]; suggestion`, a line each."""
    return (spell_out(str(finding)) for finding in findings)


def write_json(findings: Sequence[Finding]) -> Iterator[str]:
    """One object, in ASCII: `findings`, and how many there are of the three severities."""
    counts = count_severities(findings)
    report = {"findings": [_describe(finding) for finding in findings], **counts}
    yield json.dumps(report, indent=2)


def write_github(findings: Sequence[Finding]) -> Iterator[str]:
    """A workflow command each, which GitHub shows beside the line.

    Escaped as its toolkit does: https://github.com/actions/toolkit/blob/main/packages/core/src/command.ts.
    """
    for finding in findings:
        place = finding.position
        properties = {"file": place.file, "line": place.line, "col": place.column, "title": finding.code}
        shown = ",".join(f"{name}={_escape_property(str(value))}" for name, value in properties.items())
        message = f"{finding.message}; {finding.suggestion}" if finding.suggestion else finding.message
        yield f"::{_COMMANDS.get(finding.severity, 'notice')} {shown}::{_escape_data(message)}"


FORMATS: Mapping[str, Format] = MappingProxyType({"text": write_text, "json": write_json, "github": write_github})


def count_severities(findings: Sequence[Finding]) -> dict[str, int]:
    """`errors`, `warnings` and `hints`."""
    counts = Counter(finding.severity for finding in findings)
    return {"errors": counts["error"], "warnings": counts["warning"], "hints": counts["hint"]}


def _describe(finding: Finding) -> dict[str, str | int | None]:
    return {
        "file": finding.position.file,
        "line": finding.position.line,
        "column": finding.position.column,
        "code": finding.code,
        "severity": finding.severity,
        "message": finding.message,
        "suggestion": finding.suggestion,
    }


def _escape_data(text: str) -> str:
    plain = spell_out(text, keep="\r\n")
    return plain.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _escape_property(text: str) -> str:
    return _escape_data(text).replace(":", "%3A").replace(",", "%2C")
