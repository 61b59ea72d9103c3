"""One folder with an app.yml, read into an app; what is broken in it is left out, with the reason."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from apps.sdk.catalog import NO_TRANSLATIONS, App, FocusMode, Memory, Quarantined, SkillSpec
from apps.sdk.findings import Finding, Position, report
from apps.sdk.jsontypes import Json, JsonPath
from apps.sdk.kinds import show
from apps.sdk.loading.class_paths import AppClasses
from apps.sdk.loading.ids import check_app_id, check_item_id, label_item
from apps.sdk.loading.item_kinds import FOCUS_MODES, INSTRUCTIONS, KINDS, MEMORIES, SKILLS, Built, ItemPart, Kind, Part
from apps.sdk.loading.items import Materials, Problems
from apps.sdk.loading.localization import AppTexts, Lookup
from apps.sdk.loading.modules import AppModules
from apps.sdk.loading.place import Place
from apps.sdk.loading.translations import FOLDER, read_translations
from apps.sdk.manifest.app import AppManifest, InstructionManifest
from apps.sdk.manifest.document import SourceDocument, unreadable
from apps.sdk.manifest.reading import read_part
from apps.sdk.manifest.yaml_source import read_source
from apps.sdk.names import humanize, tool_name
from apps.sdk.shown import spell_out

MANIFEST = "app.yml"


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
        return ((skill, self.places[SKILLS.key, skill.tool_name]) for skill in self.app.skills)

    def focus_modes(self) -> Iterator[tuple[FocusMode, Place]]:
        return ((mode, self.places[FOCUS_MODES.key, mode.id]) for mode in self.app.focus_modes)

    def memories(self) -> Iterator[tuple[Memory, Place]]:
        return ((memory, self.places[MEMORIES.key, memory.id]) for memory in self.app.memories)


def load_app(folder: Path, shown_as: str) -> LoadedApp:
    """Read the app in `folder`; `shown_as` is how its app.yml is named in findings."""
    app_id = spell_out(folder.name)
    if problem := check_app_id(app_id, Position(shown_as)):
        return _reject(app_id, folder, unreadable(problem))
    document = read_source(folder / MANIFEST, shown_as)
    if document.readable and document.data is not None and not isinstance(document.data, dict):
        place = document.position(())
        document = unreadable(report("wrong-value", place, f"an app.yml must be a mapping, not {show(document.data)}"))
    if not document.readable:
        return _reject(app_id, folder, document)
    translations = read_translations(folder, os.path.join(os.path.dirname(shown_as), FOLDER))  # noqa: PTH118, PTH120 - a shown name
    return _Assembly(folder, document, AppTexts(app_id, document, translations)).run()


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
        self._document = document
        self._texts = texts
        self._data: Mapping[str, Json] = document.data or {}
        modules = AppModules(self._id, folder, apart=(folder / MANIFEST, folder / FOLDER))
        self._materials = Materials(folder, modules, AppClasses(self._id, folder), NO_TRANSLATIONS)
        self._findings = list(document.findings)
        self._lookups: list[Lookup] = []
        self._quarantined: list[Quarantined] = []
        self._places: dict[tuple[str, str], Place] = {}
        self._ids: dict[tuple[str, str], Position] = {}

    def run(self) -> LoadedApp:
        app = self._read_head()
        if (problem := self._find_unclear_switch()) is not None:
            self._quarantined.append(Quarantined(self._id, *problem))
            return self._finish(app)
        complete = dataclasses.replace(
            app,
            instructions=self._build_items(INSTRUCTIONS),
            skills=self._build_items(SKILLS),
            focus_modes=self._build_items(FOCUS_MODES),
            memories=self._build_items(MEMORIES),
        )
        if not any(self._list(kind.spellings)[1] for kind in KINDS):
            position = self._document.position(())
            self._findings.append(report("app-empty", position, f"the app '{self._id}' has no skills"))
        self._findings += self._texts.check(self._lookups)
        return self._finish(complete)

    def _finish(self, app: App) -> LoadedApp:
        findings = (*_leave_out_needless(self._findings, self._document), *self._texts.translations.findings)
        complete = dataclasses.replace(app, quarantined=tuple(self._quarantined), findings=findings)
        has_texts = self._texts.translations.main is not None
        return LoadedApp(complete, self._document, MappingProxyType(self._places), has_texts)

    def _find_unclear_switch(self) -> tuple[str, Position] | None:
        """Why it is unclear whether the app was to be switched off, which shuts it, or None."""
        switch = self._data.get("default_enabled")
        if switch is not None and not isinstance(switch, bool):
            return "'default_enabled' must be true or false", self._document.position(("default_enabled",))
        guard = next((finding for finding in self._findings if finding.code in {"guard-key", "guard-empty"}), None)
        return (f"{guard.message} ({guard.suggestion})", guard.position) if guard else None

    def _read_head(self) -> App:
        """The app without its items."""
        skip = {kind.key for kind in KINDS}
        read, findings = read_part(AppManifest, self._data, (), self._document, skip=skip, lenient=True)
        self._findings += findings
        for key in ("id", "app_id"):
            written = getattr(read, key, None)
            if written not in {None, self._id}:
                message = f"'{key}' is {written!r}, but the folder's name '{self._id}' counts"
                self._findings.append(report("app-id-differs", self._document.position((key,)), message))
        localized = self._texts.localize(read or AppManifest(), ())
        self._lookups += localized.lookups
        head, folder = localized.part, self._materials.folder
        name, description = head.name or humanize(self._id), head.description or ""
        return App(self._id, name, description, folder, head.default_enabled, translations=localized.translations)

    def _list(self, spellings: Sequence[str]) -> tuple[str, list[Json]]:
        """The spelling of a key that is in the file, and the items under it."""
        written = next((key for key in spellings if self._data.get(key) is not None), spellings[0])
        items = self._data.get(written)
        return written, items if isinstance(items, list) else []

    def _build_items(self, kind: Kind[Part, Built]) -> tuple[Built, ...]:
        written, items = self._list(kind.spellings)
        value = self._data.get(written)
        if value is not None and not isinstance(value, list):
            message = f"'{written}' must be a list, not {show(value)}"
            self._findings.append(report("wrong-value", self._document.position((written,)), message))
        built = (
            self._build_item(kind, item, Place(self._id, self._document, (written, index))) for index, item in enumerate(items)
        )
        return tuple(item for item in built if item is not None)

    def _build_item(self, kind: Kind[Part, Built], value: Json, place: Place) -> Built | None:
        part, problems = read_part(kind.model, value, place.path, self._document)
        self._findings += problems
        damage = self._document.damage(place.path)
        built: Built | None = None
        if part is None or damage is not None or any(problem.severity == "error" for problem in problems):
            self._lookups += self._texts.list_set_aside(kind.model, value, place.path)
        else:
            built, problems = self._complete(kind, part, place)
            self._findings += problems
        if built is None:
            self._quarantine(label_item(value, self._id, place.path), problems, place, damage)
        elif part is not None and not isinstance(part, InstructionManifest):
            self._places[kind.key, tool_name(self._id, part.id)] = place
        return built

    def _complete(self, kind: Kind[Part, Built], part: Part, place: Place) -> tuple[Built | None, Problems]:
        """The item with its texts, once its id is known to be its own."""
        localized = self._texts.localize(part, place.path)
        self._lookups += localized.lookups
        if problem := self._check_id(kind.key, part, place):
            return None, [problem]
        materials = self._materials
        if localized.translations:
            materials = dataclasses.replace(materials, translations=localized.translations)
        return kind.build(localized.part, place, materials)

    def _check_id(self, kind: str, part: ItemPart, place: Place) -> Finding | None:
        if isinstance(part, InstructionManifest):
            return None
        if problem := check_item_id(part.id, place):
            return problem
        own = place.at("id")
        first = self._ids.setdefault((kind, part.id), own)
        if first is own:
            return None
        return report("item-duplicate", own, f"the id '{part.id}' of line {first.line} stands again; the first one counts")

    def _quarantine(self, label: str, problems: Problems, place: Place, damage: str | None) -> None:
        worst = next((item for item in problems if item.severity == "error"), problems[0] if problems else None)
        if damage is not None or worst is None:
            self._quarantined.append(Quarantined(label, damage or "it cannot be read", place.at()))
        else:
            self._quarantined.append(Quarantined(label, worst.message, worst.position))


def _leave_out_needless(findings: list[Finding], document: SourceDocument) -> Iterator[Finding]:
    """Without hints about how a word is read where the word belongs to other programs, or is an error anyway."""
    elsewhere = _find_places_of_others(document) if findings else frozenset()
    needless = elsewhere | {finding.position for finding in findings if finding.severity == "error"}
    return (finding for finding in findings if finding.code != "yaml-ambiguous" or finding.position not in needless)


def _find_places_of_others(document: SourceDocument) -> frozenset[Position]:
    """Where the keys and values stand that other readers of the file own."""
    data = document.data or {}
    paths: list[JsonPath] = [(key,) for key in data if key in AppManifest.OPAQUE]
    for kind in KINDS:
        for written in kind.spellings:
            items = data.get(written)
            for index, item in enumerate(items if isinstance(items, list) else ()):
                paths += [(written, index, key) for key in item if key in kind.model.OPAQUE] if isinstance(item, dict) else []
    return frozenset(position for path in paths for position in document.positions_under(path))
