"""Which text of which language belongs to which item of an app, and what is wrong with those texts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from types import MappingProxyType
from typing import TypeVar

from apps.sdk.catalog import NO_TRANSLATIONS, LocalTexts
from apps.sdk.findings import Finding, Position, report
from apps.sdk.languages import widen
from apps.sdk.loading.translations import Entry, Language, Translations
from apps.sdk.manifest.app import MAX_WORD, ManifestPart
from apps.sdk.manifest.document import Path, SourceDocument
from apps.sdk.manifest.placeholders import find_placeholder
from apps.sdk.manifest.reading import show, suggest

Part = TypeVar("Part", bound=ManifestPart)

MAX_LISTED = 50
"""Unused texts of one file that are listed one by one."""
MAX_NAMED = 5
MAX_SUGGESTIONS = 10
"""Keys without a text for which close ones are looked up; each costs a comparison with every text."""


@dataclass(slots=True)
class AppTexts:
    """Looks texts up for the parts of one app.yml; `findings` grows with each look-up."""

    app_id: str
    document: SourceDocument
    translations: Translations
    findings: list[Finding] = field(default_factory=list)
    _used: set[tuple[str, Path]] = field(default_factory=set)
    _missing: int = 0

    def localize(self, part: Part, path: Path) -> tuple[Part, LocalTexts]:
        """`part`, which stands at `path`, with the main texts of its translation keys, and those of the other languages."""
        if self.translations.main is None:
            return part, NO_TRANSLATIONS
        filled: dict[str, str] = {}
        others: dict[str, dict[str, str]] = {}
        for name, key_name in part.TRANSLATED.items():
            key = getattr(part, key_name)
            if not key or getattr(part, name):
                continue
            texts = dict(self._find_texts(key, MAX_WORD if name == "name" else None))
            if (text := texts.pop(self.translations.main.tag, None)) is not None:
                filled[name] = text
            else:
                self._miss(key, self.document.key_position((*path, key_name)))
            for tag, local in texts.items():
                others.setdefault(tag.lower(), {})[name] = local
        frozen = MappingProxyType({tag: MappingProxyType(texts) for tag, texts in others.items()})
        return part.model_copy(update=filled) if filled else part, frozen if others else NO_TRANSLATIONS

    def check_leftovers(self) -> Iterator[Finding]:
        """What can only be told once every part has been localized: languages with gaps, texts that nobody uses."""
        main = self.translations.main
        expected = main.list_texts() if main else {}
        for language in self.translations.languages:
            if language is not main and not self._has_wider(language):
                yield from _check_gaps(language, expected)
            yield from self._list_unused(language, {} if language is main else expected)

    def _find_texts(self, key: str, limit: int | None) -> Iterator[tuple[str, str]]:
        """Tag and text of each language that has one which can be used."""
        for language in self.translations.languages:
            entry = language.find(key, self.app_id)
            if entry is None:
                continue
            is_new = (language.tag, entry.path) not in self._used
            self._used.add((language.tag, entry.path))
            problem = _check_entry(entry, language.at(entry), limit)
            if problem is None:
                yield language.tag, entry.value.strip()
            elif is_new:
                self.findings.append(problem)

    def _miss(self, key: str, position: Position) -> None:
        main = self.translations.main
        assert main is not None
        advice = suggest(key, main.entries.keys()) if self._missing < MAX_SUGGESTIONS else None
        self._missing += 1
        message = f"the language '{main.tag}' has no text for the key {key[:100]!r}"
        self.findings.append(report("text-missing", position, message, advice))

    def _has_wider(self, language: Language) -> bool:
        wider = set(widen(language.tag)) - {language.tag.lower()}
        return any(other.tag.lower() in wider for other in self.translations.languages)

    def _list_unused(self, language: Language, expected: Mapping[str, Entry]) -> Iterator[Finding]:
        texts = {entry.path: entry for entry in language.entries.values()}
        unused = [entry for path, entry in texts.items() if (language.tag, path) not in self._used and entry.key not in expected]
        for entry in unused[:MAX_LISTED]:
            yield report("text-unused", language.at(entry), f"no key of app.yml leads to the text {entry.key[:100]!r}")
        if len(unused) > MAX_LISTED:
            message = f"{len(unused) - MAX_LISTED:,} more texts are used by no key of app.yml"
            yield report("text-unused", language.at(unused[MAX_LISTED]), message)


def _check_entry(entry: Entry, position: Position, limit: int | None) -> Finding | None:
    """Why what stands under a key is no text that can be shown, or None."""
    name = repr(entry.key[:100])
    if not isinstance(entry.value, str):
        advice = "put it in quotes" if isinstance(entry.value, bool | int | float) else None
        return report("wrong-value", position, f"{name} must be text, not {show(entry.value)}", advice)
    if not entry.value.strip():
        return report("wrong-value", position, f"{name} must be not empty")
    if placeholder := find_placeholder(entry.value):
        return report("text-placeholder", position, f"{name} holds the placeholder {placeholder!r}, which nobody filled")
    if limit is not None and len(entry.value.strip()) > limit:
        return report("wrong-value", position, f"{name} must be at most {limit} characters")
    return None


def _check_gaps(language: Language, expected: Mapping[str, Entry]) -> Iterator[Finding]:
    missing = [key for key in expected if key not in language.entries]
    if missing:
        named = ", ".join(repr(key[:100]) for key in islice(missing, MAX_NAMED))
        more = f" and {len(missing) - MAX_NAMED:,} more" if len(missing) > MAX_NAMED else ""
        message = f"'{language.tag}' lacks {len(missing):,} of {len(expected):,} texts: {named}{more}"
        yield report("texts-incomplete", language.document.position(()), message)
