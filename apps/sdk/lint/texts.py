"""The texts that models read: there, short enough, and all of it to be seen."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from apps.sdk.catalog import MAX_HINT, FocusMode, Memory, SkillSpec
from apps.sdk.findings import Finding, report
from apps.sdk.jsontypes import JsonPath
from apps.sdk.loading.app import LoadedApp
from apps.sdk.loading.place import Place
from apps.sdk.results.characters import find_hidden
from apps.sdk.schemas.walks import walk_schemas

MAX_DESCRIPTION = 1024
"""Characters: the limit that several providers set on a function's description."""

KEY = "description_translation_key"


def check_texts(apps: Sequence[LoadedApp]) -> Iterator[Finding]:
    """Texts that are missing, long, or hold what people do not see.

    Yields `no-description`, `no-texts`, `text-length` and `text-hidden`.
    """
    for loaded in apps:
        hinted: list[tuple[SkillSpec | FocusMode, Place]] = [*loaded.skills(), *loaded.focus_modes()]
        described: list[tuple[SkillSpec | FocusMode | Memory, Place]] = [*hinted, *loaded.memories()]
        yield from _check_descriptions(described, has_texts=loaded.has_texts)
        for item, place in described:
            yield from _check_length("description", item.description, MAX_DESCRIPTION, place)
        for item, place in hinted:
            if item.hint != item.description:
                yield from _check_length("preprocessor_hint", item.hint, MAX_HINT, place)
        for item, place in described:
            yield from _check_characters(item, place)


def _check_descriptions(items: list[tuple[SkillSpec | FocusMode | Memory, Place]], *, has_texts: bool) -> Iterator[Finding]:
    """`no-description` for each item with neither text nor key; for those with a key one `no-texts`, if the app has no texts."""
    silent = [(item, place) for item, place in items if item.description == item.name]
    keyed = [place for _, place in silent if place.has_key(KEY)]
    for item, place in silent:
        if place not in keyed:
            yield report("no-description", place.at(), f"{item.name[:100]!r} has no description: a model sees its name only")
    if keyed and not has_texts:
        message = f"there are no texts for translation keys of descriptions ({len(keyed)} of them): models see names only"
        yield report("no-texts", keyed[0].at_key(KEY), message, "add texts/en.yml")


def _check_characters(item: SkillSpec | FocusMode | Memory, place: Place) -> Iterator[Finding]:
    for path, text in _list_texts(item):
        if (hidden := find_hidden(text)) is not None:
            name = ".".join(map(str, path))[:200]
            advice = "delete it, and those like it"
            yield report("text-hidden", place.at(*path), f"{name!r} holds U+{ord(hidden):04X}, which nobody sees", advice)


def _list_texts(item: SkillSpec | FocusMode | Memory) -> Iterator[tuple[JsonPath, str]]:
    """What a model may be shown of the item, each text once, with the path to it."""
    named: dict[str, JsonPath] = {item.name: ("name",), item.description: ("description",)}
    if not isinstance(item, Memory):
        named.setdefault(item.hint, ("preprocessor_hint",))
        named |= {example: ("examples", index) for index, example in enumerate(item.examples)}
    if isinstance(item, FocusMode):
        named.setdefault(item.system_prompt, ("system_prompt",))
    yield from ((path, text) for text, path in named.items())
    key, schema = ("tool_schema", item.parameters) if isinstance(item, SkillSpec) else ("schema", {})
    for path, node in walk_schemas(item.schema if isinstance(item, Memory) else schema):
        yield from (((key, *path, word), node[word]) for word in ("title", "description") if word in node)


def _check_length(key: str, text: str, limit: int, place: Place) -> Iterator[Finding]:
    if len(text) > limit:
        yield report("text-length", place.at(key), f"'{key}' has {len(text):,} characters; {limit:,} should do")
