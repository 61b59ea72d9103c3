"""An app's texts in several languages: `texts/<language>.yml`, read and looked up by translation key."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from apps.sdk.findings import Finding, Position, report
from apps.sdk.jsontypes import Json, JsonPath
from apps.sdk.kinds import show
from apps.sdk.languages import ENGLISH, is_english, is_language, write_language
from apps.sdk.manifest.document import SourceDocument
from apps.sdk.manifest.yaml_source import read_source
from apps.sdk.shown import spell_out

FOLDER = "texts"
MAX_LANGUAGES = 100
"""Files of one app that are read."""
MAX_KEY = 300
"""Characters of a dotted key; a longer one leads nowhere."""

_GENERAL = frozenset({"name", "title", "description", "text", "systemprompt", "system_prompt", "process"})
"""Last words of keys that are looked up alone only after the app's id: for `web.description`, not `web.search.description`."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A text, or what stands in its place, at `path` of its file; `key` is its shortest dotted key."""

    key: str
    path: JsonPath
    value: Json


@dataclass(frozen=True, slots=True)
class Language:
    """The texts of one language, by every dotted key that leads to one."""

    tag: str
    document: SourceDocument
    entries: Mapping[str, Entry]

    def find(self, key: str, app_id: str) -> Entry | None:
        """The text that a translation key of the app means: as written, else without its leading segments, longest first."""
        return next((entry for short in _shorten(key, app_id) if (entry := self.entries.get(short))), None)

    def list_texts(self) -> Mapping[str, Entry]:
        """Each text once, by its shortest key."""
        return {entry.key: entry for entry in self.entries.values()}

    def at(self, entry: Entry) -> Position:
        return self.document.position(entry.path)


@dataclass(frozen=True, slots=True)
class Translations:
    """The languages of an app that can be read, the main one first; `findings` says what is wrong with their files."""

    languages: tuple[Language, ...] = ()
    findings: tuple[Finding, ...] = ()

    @property
    def main(self) -> Language | None:
        """The language of texts that app.yml has a key alone for: English where there is one, else the first by its tag."""
        return self.languages[0] if self.languages else None


def read_translations(folder: Path, shown_as: str) -> Translations:
    """The texts of the app in `folder`; `shown_as` is how its `texts` folder is named in findings. Never raises."""
    findings: list[Finding] = []
    files = _find_files(folder / FOLDER, shown_as, findings)
    found = (_read_language(tag, path, f"{shown_as}{os.sep}{path.name}", findings) for tag, path in files.items())
    readable = [language for language in found if language is not None]
    return Translations(tuple(sorted(readable, key=_order)), tuple(findings))


def _order(language: Language) -> tuple[bool, bool, str]:
    return language.tag.lower() != ENGLISH, not is_english(language.tag), language.tag


def _find_files(folder: Path, shown_as: str, findings: list[Finding]) -> dict[str, Path]:
    """The files of languages, by tag, in the order of their names."""
    try:
        names = sorted(os.listdir(folder))  # noqa: PTH208 - most apps have none, and a Path costs more than the question
    except FileNotFoundError:
        return {}
    except OSError as error:
        findings.append(report("file-unreadable", Position(shown_as), error.strerror or type(error).__name__))
        return {}
    files: dict[str, Path] = {}
    for name in names:
        stem, _, ending = name.rpartition(".")
        if name.startswith(".") or ending not in {"yml", "yaml"}:
            continue
        problem = _check_name(stem, ending, files)
        if problem is None:
            files[stem] = folder / name
        else:
            place = Position(f"{shown_as}{os.sep}{spell_out(name)}")
            findings.append(report("text-language", place, *problem))
    return files


def _check_name(stem: str, ending: str, files: Mapping[str, Path]) -> tuple[str, str | None] | None:
    """Why a file is not read, and advice."""
    if not is_language(stem):
        meant = write_language(stem)
        return f"{stem[:60]!r} is no language tag", f"rename it to '{meant}.yml'" if meant else None
    if ending != "yml":
        return "only files with the ending .yml are read", f"rename it to '{stem}.yml'"
    if stem.lower() in {other.lower() for other in files}:
        return f"the language '{stem}' is there in another spelling", None
    return (f"only {MAX_LANGUAGES} languages are read", None) if len(files) >= MAX_LANGUAGES else None


def _read_language(tag: str, path: Path, shown_as: str, findings: list[Finding]) -> Language | None:
    document = read_source(path, shown_as)
    findings += (finding for finding in document.findings if finding.code != "yaml-ambiguous")  # all is text here
    if document.readable and document.data is not None and not isinstance(document.data, dict):
        place = document.position(())
        findings.append(report("wrong-value", place, f"a file of texts must be a mapping, not {show(document.data)}"))
        return None
    return Language(tag, document, MappingProxyType(_list_entries(document.data))) if document.readable else None


def _list_entries(data: Json) -> dict[str, Entry]:
    """Every text by its dotted keys; of two texts with one key the one that is nested less counts."""
    entries: dict[str, Entry] = {}
    waiting: deque[tuple[str, JsonPath, Json]] = deque([("", (), data or {})])
    while waiting:
        key, path, value = waiting.popleft()
        if isinstance(value, dict):
            waiting.extend(_list_children(key, path, value))
            continue
        short = key.removesuffix(".text") if path[-1] == "text" else key
        entry = Entry(short, path, value)
        entries.setdefault(short, entry)
        entries.setdefault(key, entry)
    return entries


def _list_children(key: str, path: JsonPath, value: Mapping[str, Json]) -> Iterator[tuple[str, JsonPath, Json]]:
    for name, child in value.items():
        longer = f"{key}.{name}" if key else name
        if len(longer) <= MAX_KEY and child is not None:
            yield longer, (*path, name), child


def _shorten(key: str, app_id: str) -> Iterator[str]:
    """`a.b.c`, `b.c`, `c`: the ways in which a file may have the key; one of `_GENERAL` alone only after the app's id."""
    rest = key[:MAX_KEY]
    yield rest
    while "." in rest:
        dropped, _, rest = rest.partition(".")
        if "." in rest or rest not in _GENERAL or dropped == app_id:
            yield rest
