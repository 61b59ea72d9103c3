"""What can be wrong with what an author wrote: where, what, and every code there is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal, TypeAlias

Severity: TypeAlias = Literal["error", "warning", "hint"]


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
    """One thing that is wrong with what an author wrote. `code` is stable, e.g. `unknown-key`."""

    position: Position
    code: str
    severity: Severity
    message: str
    suggestion: str | None = None

    def __str__(self) -> str:
        text = f"{self.position}: {self.severity}: {self.message} [{self.code}]"
        return f"{text}; {self.suggestion}" if self.suggestion else text


_TABLE: Mapping[str, tuple[Severity, str]] = MappingProxyType(
    {
        # the file
        "file-unreadable": ("error", "The file cannot be read, or is no regular file."),
        "file-too-large": ("error", "The file is larger than a manifest may be."),
        "file-not-utf8": ("error", "The file is not UTF-8 text."),
        "yaml-character": ("error", "A control character that YAML forbids."),
        "yaml-syntax": ("error", "The file is not YAML."),
        "yaml-depth": ("error", "Values are nested too deeply."),
        "yaml-size": ("error", "The file holds too many values, counted after aliases are expanded."),
        "yaml-alias": ("error", "An alias to nothing, or to a value that holds the alias."),
        "yaml-merge": ("error", "A merge key whose value is not a mapping or a list of mappings."),
        "yaml-key": ("error", "A key that is not text."),
        "yaml-duplicate-key": ("error", "The same key twice in one mapping."),
        "yaml-tag": ("error", "A tag beyond YAML's core ones, or a value that its tag does not fit."),
        "yaml-ambiguous": ("hint", "A plain word or number that YAML versions read differently; it is read as text."),
        # the app
        "app-id": ("error", "The folder's name is no legal app id, or a reserved one."),
        "app-duplicate": ("error", "Two directories hold an app of the same id; the first one counts."),
        "app-empty": ("warning", "The app has no skills, focus modes or memories."),
        "app-id-differs": ("warning", "The id in the file is not the folder's name, which counts."),
        # keys and values
        "unknown-key": ("warning", "A key that nothing reads."),
        "alias-twice": ("warning", "Two spellings of one key; the first one counts."),
        "missing-key": ("error", "A key that must be there is not."),
        "wrong-value": ("error", "A value of the wrong type or outside its range."),
        "item-id": ("error", "An illegal id of a skill, focus mode or memory."),
        "item-duplicate": ("error", "Two skills, focus modes or memories of one app with the same id; the first one counts."),
        "text-placeholder": ("error", "A template placeholder that nobody filled, in a text for a model."),
        # skills
        "tool-name-length": ("error", "The app's id and the item's together are longer than a tool name may be."),
        "skill-unfinished": ("warning", "A skill without a class: a placeholder that cannot be called."),
        "skill-unsupported": ("warning", "A kind of skill that cannot run yet."),
        "skill-import": ("error", "The skill's class cannot be imported or made."),
        "skill-class": ("error", "The class is no skill, or does not say what to execute."),
        "skill-not-async": ("warning", "`execute` is not an `async def`."),
        "tool-schema": ("error", "`tool_schema` is missing, not an object schema or not valid JSON Schema."),
        # focus modes and memories
        "focus-without-prompt": ("error", "A focus mode without any prompt text."),
        "memory-schema": ("error", "A memory's `schema` is not valid JSON Schema."),
        # rules
        "no-examples": ("hint", "A skill without example messages; they sharpen the ranking."),
        "no-description": ("warning", "Neither description nor hint tells a model what the item is for."),
        "text-length": ("hint", "A text that costs many tokens in every request."),
        "tool-name-long": ("hint", "A tool name that some clients cut off."),
        "similar-names": ("warning", "Tool names that differ only in separators: a misspelt call cannot be repaired."),
        "exclude-path": ("warning", "A path of `exclude_fields_for_llm` that `output_example` does not have."),
        "unknown-reference": ("warning", "A name of a skill or app that is not in the catalog."),
    }
)

CODES: Mapping[str, str] = MappingProxyType({code: meaning for code, (_, meaning) in _TABLE.items()})
"""What each code means; codes are stable."""


def report(code: str, position: Position, message: str, suggestion: str | None = None) -> Finding:
    """A finding with the severity of its code."""
    return Finding(position, code, _TABLE[code][0], message, suggestion)
