"""One folder with an app.yml, read into an app; what is broken in it is left out, with the reason."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import TypeAlias, TypeVar

from apps.sdk.catalog import App, FocusMode, Memory, Quarantined, SkillSpec
from apps.sdk.findings import Finding, Position, report
from apps.sdk.jsontypes import Json
from apps.sdk.loading.items import Place, Problems, build_focus_mode, build_instruction, build_memory, build_skill
from apps.sdk.loading.localization import AppTexts
from apps.sdk.loading.modules import AppModules
from apps.sdk.loading.translations import FOLDER, read_translations
from apps.sdk.manifest.app import (
    AppManifest,
    FocusModeManifest,
    InstructionManifest,
    ManifestPart,
    MemoryManifest,
    SkillManifest,
)
from apps.sdk.manifest.document import Path as ItemPath
from apps.sdk.manifest.document import SourceDocument, unreadable
from apps.sdk.manifest.reading import read_part, show
from apps.sdk.manifest.yaml_source import read_source
from apps.sdk.names import MAX_TOOL_NAME, RESERVED_APP_IDS, humanize, is_app_id, is_skill_id, suggest_id, tool_name

MANIFEST = "app.yml"

ItemPart: TypeAlias = SkillManifest | FocusModeManifest | MemoryManifest | InstructionManifest
Part = TypeVar("Part", bound=ItemPart)
Built = TypeVar("Built")

Builder: TypeAlias = Callable[[Part, Place], tuple[Built | None, Problems]]

_ITEM_MODELS: Mapping[str, type[ManifestPart]] = MappingProxyType(
    {
        "instructions": InstructionManifest,
        "skills": SkillManifest,
        "focus_modes": FocusModeManifest,
        "settings_and_memories": MemoryManifest,
    }
)


@dataclass(frozen=True, slots=True)
class LoadedApp:
    """An app with its source. `places` says where each skill, focus mode and memory stands, by kind and id;
    `has_texts` whether some file of `texts/` could be read.
    """

    app: App
    document: SourceDocument
    places: Mapping[tuple[str, str], Place]
    has_texts: bool = False

    def skills(self) -> Iterator[tuple[SkillSpec, Place]]:
        return ((skill, self.places["skills", skill.tool_name]) for skill in self.app.skills)

    def focus_modes(self) -> Iterator[tuple[FocusMode, Place]]:
        return ((mode, self.places["focus_modes", mode.id]) for mode in self.app.focus_modes)

    def memories(self) -> Iterator[tuple[Memory, Place]]:
        return ((memory, self.places["settings_and_memories", memory.id]) for memory in self.app.memories)


def load_app(folder: Path, shown_as: str) -> LoadedApp:
    """Read the app in `folder`; `shown_as` is how its app.yml is named in findings."""
    app_id = escape(folder.name)
    if problem := _check_app_id(app_id, Position(shown_as)):
        return _reject(app_id, folder, unreadable(problem))
    document = read_source(folder / MANIFEST, shown_as)
    if document.readable and document.data is not None and not isinstance(document.data, dict):
        place = document.position(())
        document = unreadable(report("wrong-value", place, f"an app.yml must be a mapping, not {show(document.data)}"))
    if not document.readable:
        return _reject(app_id, folder, document)
    translations = read_translations(folder, os.path.join(os.path.dirname(shown_as), FOLDER))  # noqa: PTH118, PTH120 - a shown name
    return _Assembly(folder, document, AppTexts(app_id, document, translations)).run()


def escape(text: str) -> str:
    """`text` as it may be shown: control characters and bytes that are no UTF-8 are spelled out, each for itself."""
    return text if text.isprintable() else "".join(char if char.isprintable() else repr(char)[1:-1] for char in text)


def _check_app_id(app_id: str, position: Position) -> Finding | None:
    if app_id in RESERVED_APP_IDS:
        return report("app-id", position, f"the app id '{app_id}' is reserved")
    if is_app_id(app_id):
        return None
    suggestion = suggest_id(app_id, hyphens=False)
    message = f"the folder's name '{app_id[:100]}' is no app id: only a-z, 0-9 and _ are allowed, no _ first"
    return report("app-id", position, message, f"rename it to '{suggestion}'" if suggestion else None)


def _reject(app_id: str, folder: Path, document: SourceDocument) -> LoadedApp:
    """An app that cannot be used at all, for the document's first finding."""
    problem = document.findings[0]
    quarantined = Quarantined(app_id, problem.message, problem.position)
    name = humanize(app_id) or app_id
    return LoadedApp(App(app_id, name, "", folder, quarantined=(quarantined,), findings=document.findings), document, {})


class _Assembly:
    """Builds one app, item by item; an item with an error is quarantined, the others are not touched by it."""

    def __init__(self, folder: Path, document: SourceDocument, texts: AppTexts) -> None:
        self._id = texts.app_id
        self._folder = folder
        self._document = document
        self._texts = texts
        self._data: Mapping[str, Json] = document.data or {}
        self._modules = AppModules(self._id, folder)
        self._findings = list(document.findings)
        self._quarantined: list[Quarantined] = []
        self._places: dict[tuple[str, str], Place] = {}
        self._lines: dict[tuple[str, str], int] = {}

    def run(self) -> LoadedApp:
        app = self._read_head()
        if (problem := self._find_unclear_switch()) is not None:
            self._quarantined.append(Quarantined(self._id, *problem))
            return self._finish(app)
        complete = dataclasses.replace(
            app,
            instructions=self._build_items("instructions", InstructionManifest, build_instruction),
            skills=self._build_items("skills", SkillManifest, self._build_skill),
            focus_modes=self._build_items("focus_modes", FocusModeManifest, self._build_focus_mode),
            memories=self._build_items("settings_and_memories", MemoryManifest, self._build_memory),
        )
        if not any(self._list(kind)[1] for kind in _ITEM_MODELS):
            position = self._document.position(())
            self._findings.append(report("app-empty", position, f"the app '{self._id}' has no skills"))
        self._findings += self._texts.check_leftovers()
        return self._finish(complete)

    def _finish(self, app: App) -> LoadedApp:
        others = _find_places_of_others(self._document) if self._findings else frozenset()
        about = [item for item in self._findings if item.code != "yaml-ambiguous" or item.position not in others]
        findings = (*about, *self._texts.translations.findings, *self._texts.findings)
        complete = dataclasses.replace(app, quarantined=tuple(self._quarantined), findings=findings)
        has_texts = self._texts.translations.main is not None
        return LoadedApp(complete, self._document, MappingProxyType(self._places), has_texts)

    def _find_unclear_switch(self) -> tuple[str, Position] | None:
        """Why nobody can tell whether the app was to be switched off, which shuts it, or None."""
        switch = self._data.get("default_enabled")
        if switch is not None and not isinstance(switch, bool):
            return "'default_enabled' must be true or false", self._document.position(("default_enabled",))
        guard = next((finding for finding in self._findings if finding.code == "guard-key"), None)
        return (f"{guard.message}: {guard.suggestion}", guard.position) if guard else None

    def _read_head(self) -> App:
        """The app without its items."""
        read, findings = read_part(AppManifest, self._data, (), self._document, skip=_ITEM_MODELS, lenient=True)
        self._findings += findings
        for key in ("id", "app_id"):
            written = getattr(read, key, None)
            if written not in {None, self._id}:
                message = f"'{key}' is {written!r}, but the folder's name '{self._id}' counts"
                self._findings.append(report("app-id-differs", self._document.position((key,)), message))
        head, translations = self._texts.localize(read or AppManifest(), ())
        name, description = head.name or humanize(self._id), head.description or ""
        return App(self._id, name, description, self._folder, head.default_enabled, translations=translations)

    def _list(self, kind: str) -> tuple[str, list[Json]]:
        """The items of a kind and the key they were written under."""
        spellings = [kind, *(alias for alias, key in AppManifest.ALIASES.items() if key == kind)]
        written = next((key for key in spellings if self._data.get(key) is not None), kind)
        items = self._data.get(written)
        return written, items if isinstance(items, list) else []

    def _build_items(self, kind: str, model: type[Part], build: Builder[Part, Built]) -> tuple[Built, ...]:
        written, items = self._list(kind)
        value = self._data.get(written)
        if value is not None and not isinstance(value, list):
            message = f"'{written}' must be a list, not {show(value)}"
            self._findings.append(report("wrong-value", self._document.position((written,)), message))
        built = (self._build_item(kind, model, build, item, (written, index)) for index, item in enumerate(items))
        return tuple(item for item in built if item is not None)

    def _build_item(self, kind: str, model: type[Part], build: Builder[Part, Built], value: Json, path: ItemPath) -> Built | None:
        place = Place(self._id, self._document, path)
        label = self._label(value, path)
        part, findings = read_part(model, value, path, self._document)
        self._findings += findings
        built: Built | None = None
        damage = self._document.damage(path)
        if part is not None and damage is None and not any(finding.severity == "error" for finding in findings):
            problem = self._check_id(kind, part, place)
            built, findings = (None, [problem]) if problem else build(part, place)
            self._findings += findings
        if built is None:
            self._quarantine(label, findings, place, damage)
        elif part is not None and not isinstance(part, InstructionManifest):
            self._places[kind, tool_name(self._id, part.id)] = place
        return built

    def _build_skill(self, part: SkillManifest, place: Place) -> tuple[SkillSpec | None, Problems]:
        localized, translations = self._texts.localize(part, place.path)
        skill, problems = build_skill(localized, place, self._modules)
        if skill is not None and translations:
            skill = dataclasses.replace(skill, translations=translations)
        return skill, problems

    def _build_focus_mode(self, part: FocusModeManifest, place: Place) -> tuple[FocusMode | None, Problems]:
        localized, translations = self._texts.localize(part, place.path)
        mode, problems = build_focus_mode(localized, place)
        return mode and dataclasses.replace(mode, translations=translations), problems

    def _build_memory(self, part: MemoryManifest, place: Place) -> tuple[Memory | None, Problems]:
        localized, translations = self._texts.localize(part, place.path)
        memory, problems = build_memory(localized, place)
        return memory and dataclasses.replace(memory, translations=translations), problems

    def _quarantine(self, label: str, problems: Problems, place: Place, damage: str | None) -> None:
        worst = next((item for item in problems if item.severity == "error"), problems[0] if problems else None)
        if damage is not None or worst is None:
            self._quarantined.append(Quarantined(label, damage or "it cannot be read", place.at()))
        else:
            self._quarantined.append(Quarantined(label, worst.message, worst.position))

    def _label(self, value: Json, path: ItemPath) -> str:
        item_id = value.get("id") if isinstance(value, dict) else None
        if isinstance(item_id, str) and item_id.strip():
            return tool_name(self._id, escape(item_id.strip()[:100]))
        return f"{self._id}-{path[0]}[{path[1]}]"

    def _check_id(self, kind: str, part: ItemPart, place: Place) -> Finding | None:
        if isinstance(part, InstructionManifest):
            return None
        if not is_skill_id(part.id):
            suggestion = suggest_id(part.id)
            message = f"{part.id[:100]!r} is no legal id: only a-z, 0-9, _ and - are allowed, a letter or digit first"
            return report("item-id", place.at("id"), message, f"write '{suggestion}'" if suggestion else None)
        name = tool_name(self._id, part.id)
        if len(name) > MAX_TOOL_NAME:
            message = f"the name '{name[:100]}' has {len(name)} characters; at most {MAX_TOOL_NAME} are allowed"
            return report("tool-name-length", place.at("id"), message, "shorten the id here or the app's")
        first = self._lines.get((kind, part.id))
        if first is None:
            self._lines[kind, part.id] = place.at("id").line
            return None
        message = f"the id '{part.id}' of line {first} stands again; the first one counts"
        return report("item-duplicate", place.at("id"), message)


def _find_places_of_others(document: SourceDocument) -> frozenset[Position]:
    """Where the keys and values stand that other readers of the file own."""
    data = document.data or {}
    paths: list[ItemPath] = [(key,) for key in data if key in AppManifest.OPAQUE]
    for kind, model in _ITEM_MODELS.items():
        for written in (kind, *(alias for alias, key in AppManifest.ALIASES.items() if key == kind)):
            items = data.get(written)
            for index, item in enumerate(items if isinstance(items, list) else ()):
                paths += [(written, index, key) for key in item if key in model.OPAQUE] if isinstance(item, dict) else []
    return frozenset(position for path in paths for position in document.positions_under(path))
