"""Which text of which language belongs to which item of an app, and what is wrong with those texts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from types import MappingProxyType
from typing import Generic, TypeVar

from apps.sdk.catalog import NO_TRANSLATIONS, LocalTexts
from apps.sdk.findings import Finding, Position, report
from apps.sdk.jsontypes import Json, JsonPath
from apps.sdk.kinds import show
from apps.sdk.languages import is_english, widen
from apps.sdk.loading.translations import FOLDER, Entry, Language, Translations
from apps.sdk.manifest.app import MAX_WORD, ManifestPart
from apps.sdk.manifest.document import SourceDocument
from apps.sdk.manifest.placeholders import find_placeholder
from apps.sdk.near_names import suggest

Part = TypeVar("Part", bound=ManifestPart)

FOR_MODELS = frozenset({"system_prompt"})
"""Fields that only models are shown: their text is always the main one."""
MAX_LISTED = 50
"""Unused texts of one file that are listed one by one."""
MAX_NAMED = 5
"""Missing texts that one finding names."""
MAX_SUGGESTIONS = 10
"""Keys without a text for which close ones are looked up; each costs a comparison with every text."""


@dataclass(frozen=True, slots=True)
class Found:
    """What a language has under a key; with a `problem` it cannot be shown."""

    language: Language
    entry: Entry
    problem: Finding | None


@dataclass(frozen=True, slots=True)
class Lookup:
    """A translation key of app.yml for the text of `field`, and what each language that knows the key has there.

    `written`: app.yml has the text itself, beside the key. `set_aside`: the item is not used, so that no text of it is missed.
    """

    field: str
    key: str
    position: Position
    found: tuple[Found, ...]
    written: bool
    set_aside: bool = False

    def texts(self) -> Iterator[tuple[Language, str]]:
        """The texts that can be shown."""
        return ((item.language, item.entry.value.strip()) for item in self.found if item.problem is None)

    def has_text(self, language: Language) -> bool:
        return any(item.language is language and item.problem is None for item in self.found)

    def has_entry(self, language: Language) -> bool:
        """Whether the language has anything there, be it wrong: that has a finding of its own."""
        return any(item.language is language for item in self.found)


@dataclass(frozen=True, slots=True)
class Localized(Generic[Part]):
    """A part whose main texts are filled in, its texts in other languages, and the look-ups that they came from."""

    part: Part
    translations: LocalTexts
    lookups: tuple[Lookup, ...] = ()


@dataclass(frozen=True, slots=True)
class AppTexts:
    """The texts of one app.yml."""

    app_id: str
    document: SourceDocument
    translations: Translations

    def localize(self, part: Part, path: JsonPath) -> Localized[Part]:
        """The part that stands at `path` with its texts.

        A text that app.yml has itself is what models are shown, and its key gives people the other languages; a key alone takes
        the main language's text.
        """
        main = self.translations.main
        if main is None or not part.TRANSLATED:
            return Localized(part, NO_TRANSLATIONS)
        lookups = tuple(self._look_up(part, path))
        filled: dict[str, str] = {}
        others: dict[str, dict[str, str]] = {}
        for lookup in lookups:
            for language, text in lookup.texts():
                if language is main and not lookup.written:
                    filled[lookup.field] = text
                elif lookup.field not in FOR_MODELS:
                    others.setdefault(language.tag.lower(), {})[lookup.field] = text
        frozen = MappingProxyType({tag: MappingProxyType(texts) for tag, texts in others.items()})
        complete = part.model_copy(update=filled) if filled else part
        return Localized(complete, frozen if others else NO_TRANSLATIONS, lookups)

    def list_set_aside(self, model: type[ManifestPart], value: Json, path: JsonPath) -> tuple[Lookup, ...]:
        """The keys of an item that is set aside: their texts are used as soon as it is mended."""
        written = value if isinstance(value, dict) else {}
        keys = {name: written.get(key_name) for name, key_name in model.TRANSLATED.items()}
        place = self.document.position(path)
        return tuple(
            Lookup(name, key, place, self._find(key, name), written=True, set_aside=True)
            for name, key in keys.items()
            if isinstance(key, str)
        )

    def check(self, lookups: Sequence[Lookup]) -> Iterator[Finding]:
        """What is wrong with the texts, once every key of app.yml has been looked up.

        Yields `wrong-value`, `text-placeholder`, `texts-main`, `text-missing`, `texts-incomplete` and `text-unused`.
        """
        wanted = [lookup for lookup in lookups if not lookup.set_aside]
        yield from (item.problem for lookup in wanted for item in lookup.found if item.problem)
        if (main := self.translations.main) is None:
            return
        yield from _check_main(main, wanted)
        yield from _check_missing(main, wanted)
        used = {(item.language.tag, item.entry.path) for lookup in lookups for item in lookup.found}
        known = main.list_texts()
        for language in self.translations.languages:
            if not self._has_wider(language):
                yield from _check_gaps(language, main, wanted)
            yield from _list_unused(language, used, {} if language is main else known)

    def _look_up(self, part: ManifestPart, path: JsonPath) -> Iterator[Lookup]:
        for name, key_name in part.TRANSLATED.items():
            if key := getattr(part, key_name):
                position = self.document.key_position((*path, key_name))
                yield Lookup(name, key, position, self._find(key, name), written=bool(getattr(part, name)))

    def _find(self, key: str, field: str) -> tuple[Found, ...]:
        limit = MAX_WORD if field == "name" else None
        entries = ((language, language.find(key, self.app_id)) for language in self.translations.languages)
        return tuple(
            Found(language, entry, _check_entry(entry, language.at(entry), limit))
            for language, entry in entries
            if entry is not None
        )

    def _has_wider(self, language: Language) -> bool:
        wider = set(widen(language.tag)) - {language.tag.lower()}
        return any(other.tag.lower() in wider for other in self.translations.languages)


def _check_main(main: Language, lookups: Sequence[Lookup]) -> Iterator[Finding]:
    """`texts-main`: models are shown a language that was not chosen for them."""
    if not is_english(main.tag) and any(lookup.has_text(main) and not lookup.written for lookup in lookups):
        message = f"the main language is {main.tag}, since there is no {FOLDER}/en.yml: models are shown it"
        advice = f"add {FOLDER}/en.yml, or write the texts for models into app.yml"
        yield report("texts-main", main.document.position(()), message, advice)


def _check_missing(main: Language, lookups: Sequence[Lookup]) -> Iterator[Finding]:
    """`text-missing`: a key alone in the main language, a key beside a written text in every language."""
    missing = [lookup for lookup in lookups if not (lookup.found if lookup.written else lookup.has_text(main))]
    for index, lookup in enumerate(missing):
        where = "no language has a" if lookup.written else f"the language '{main.tag}' has no"
        advice = suggest(lookup.key, main.entries.keys()) if index < MAX_SUGGESTIONS else None
        yield report("text-missing", lookup.position, f"{where} text for the key {lookup.key[:100]!r}", advice)


def _check_gaps(language: Language, main: Language, lookups: Sequence[Lookup]) -> Iterator[Finding]:
    """`texts-incomplete`: what another language has and this one lacks; what app.yml has written is taken to be English."""
    if language is main and is_english(main.tag):
        return
    translated = (lookup for lookup in lookups if lookup.found and (lookup.written or lookup.has_entry(main)))
    expected = {lookup.found[0].entry.key: lookup for lookup in translated if lookup.field not in FOR_MODELS}
    missing = [key for key, lookup in expected.items() if not lookup.has_entry(language)]
    if missing:
        message = f"'{language.tag}' lacks {len(missing):,} of {len(expected):,} texts: {_name_some(missing)}"
        yield report("texts-incomplete", language.document.position(()), message)


def _list_unused(language: Language, used: set[tuple[str, JsonPath]], known: Mapping[str, Entry]) -> Iterator[Finding]:
    texts = {entry.path: entry for entry in language.entries.values()}
    unused = [entry for path, entry in texts.items() if (language.tag, path) not in used and entry.key not in known]
    for entry in unused[:MAX_LISTED]:
        yield report("text-unused", language.at(entry), f"no key of app.yml leads to the text {entry.key[:100]!r}")
    if len(unused) > MAX_LISTED:
        message = f"{len(unused) - MAX_LISTED:,} more texts are used by no key of app.yml"
        yield report("text-unused", language.at(unused[MAX_LISTED]), message)


def _check_entry(entry: Entry, position: Position, limit: int | None) -> Finding | None:
    """Why what stands under a key cannot be shown as a text, or None."""
    name = repr(entry.key[:100])
    if not isinstance(entry.value, str):
        advice = "put it in quotes" if isinstance(entry.value, bool | int | float) else None
        return report("wrong-value", position, f"{name} must be text, not {show(entry.value)}", advice)
    if not entry.value.strip():
        return report("wrong-value", position, f"{name} must not be empty")
    if placeholder := find_placeholder(entry.value):
        return report("text-placeholder", position, f"{name} holds the placeholder {placeholder!r}, which nobody filled")
    if limit is not None and len(entry.value.strip()) > limit:
        return report("wrong-value", position, f"{name} must be at most {limit} characters")
    return None


def _name_some(keys: Sequence[str]) -> str:
    named = ", ".join(repr(key[:100]) for key in islice(keys, MAX_NAMED))
    return f"{named} and {len(keys) - MAX_NAMED:,} more" if len(keys) > MAX_NAMED else named
