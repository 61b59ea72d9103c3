"""One folder with an app.yml, read into an app; what is broken in it is left out, with the reason."""

from __future__ import annotations

import dataclasses
import stat
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import TypeAlias, TypeVar

from apps.sdk.building import Place, Problems, build_focus_mode, build_instruction, build_memory, build_skill
from apps.sdk.catalog import App, FocusMode, Memory, Quarantined, SkillSpec
from apps.sdk.document import Path as ItemPath
from apps.sdk.document import SourceDocument, unreadable
from apps.sdk.findings import Finding, Position, report
from apps.sdk.imports import AppModules
from apps.sdk.jsontypes import Json
from apps.sdk.manifest import (
    AppManifest,
    FocusModeManifest,
    InstructionManifest,
    ManifestPart,
    MemoryManifest,
    SkillManifest,
)
from apps.sdk.names import MAX_TOOL_NAME, RESERVED_APP_IDS, humanize, is_app_id, is_skill_id, suggest_id, tool_name
from apps.sdk.reading import read_part, show
from apps.sdk.source import MAX_BYTES, parse_source

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
    """An app with its source. `places` says where each skill, focus mode and memory stands, by kind and id."""

    app: App
    document: SourceDocument
    places: Mapping[tuple[str, str], Place]

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
    document = _read_document(folder / MANIFEST, shown_as)
    if document.readable and document.data is not None and not isinstance(document.data, dict):
        place = document.position(())
        document = unreadable(report("wrong-value", place, f"an app.yml must be a mapping, not {show(document.data)}"))
    if not document.readable:
        return _reject(app_id, folder, document)
    return _Assembly(app_id, folder, document).run()


def escape(text: str) -> str:
    """`text` as it may be shown: control characters and bytes that are no UTF-8 are spelled out."""
    return text if text.isprintable() else repr(text)[1:-1]


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


def _read_document(path: Path, shown_as: str) -> SourceDocument:
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            return unreadable(report("file-unreadable", Position(shown_as), "it is no regular file"))
        with path.open("rb") as file:
            text = file.read(MAX_BYTES + 1)
    except OSError as error:
        return unreadable(report("file-unreadable", Position(shown_as), error.strerror or type(error).__name__))
    return parse_source(text, shown_as)


class _Assembly:
    """Builds one app, item by item; an item with an error is quarantined, the others are not touched by it."""

    def __init__(self, app_id: str, folder: Path, document: SourceDocument) -> None:
        self._id = app_id
        self._folder = folder
        self._document = document
        self._data: Mapping[str, Json] = document.data or {}
        self._modules = AppModules(app_id, folder)
        self._findings = list(document.findings)
        self._quarantined: list[Quarantined] = []
        self._places: dict[tuple[str, str], Place] = {}
        self._lines: dict[tuple[str, str], int] = {}

    def run(self) -> LoadedApp:
        head = self._read_head()
        switch = self._data.get("default_enabled")
        if switch is not None and not isinstance(switch, bool):
            return self._finish(self._shut(head))
        instructions = self._build_items("instructions", InstructionManifest, build_instruction)
        skills = self._build_items("skills", SkillManifest, self._build_skill)
        focus_modes = self._build_items("focus_modes", FocusModeManifest, build_focus_mode)
        memories = self._build_items("settings_and_memories", MemoryManifest, build_memory)
        if not any(self._list(kind)[1] for kind in _ITEM_MODELS):
            position = self._document.position(())
            self._findings.append(report("app-empty", position, f"the app '{self._id}' has no skills"))
        app = App(
            id=self._id,
            name=head.name or humanize(self._id),
            description=head.description or "",
            path=self._folder,
            default_enabled=head.default_enabled,
            instructions=instructions,
            skills=skills,
            focus_modes=focus_modes,
            memories=memories,
        )
        return self._finish(app)

    def _finish(self, app: App) -> LoadedApp:
        others = _find_places_of_others(self._document) if self._findings else frozenset()
        findings = (item for item in self._findings if item.code != "yaml-ambiguous" or item.position not in others)
        complete = dataclasses.replace(app, quarantined=tuple(self._quarantined), findings=tuple(findings))
        return LoadedApp(complete, self._document, MappingProxyType(self._places))

    def _shut(self, head: AppManifest) -> App:
        """The app without its items: nobody can tell whether it was to be switched off."""
        position = self._document.position(("default_enabled",))
        self._quarantined.append(Quarantined(self._id, "'default_enabled' must be true or false", position))
        return App(self._id, head.name or humanize(self._id), head.description or "", self._folder)

    def _read_head(self) -> AppManifest:
        head, findings = read_part(AppManifest, self._data, (), self._document, skip=_ITEM_MODELS, lenient=True)
        self._findings += findings
        for key in ("id", "app_id"):
            written = getattr(head, key, None)
            if written not in {None, self._id}:
                message = f"'{key}' is {written!r}, but the folder's name '{self._id}' counts"
                self._findings.append(report("app-id-differs", self._document.position((key,)), message))
        return head or AppManifest()

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
        if part is not None and damage is None:
            problem = self._check_id(kind, part, place)
            built, findings = (None, [problem]) if problem else build(part, place)
            self._findings += findings
        if built is None:
            self._quarantine(label, findings, place, damage)
        elif part is not None and not isinstance(part, InstructionManifest):
            self._places[kind, tool_name(self._id, part.id)] = place
        return built

    def _build_skill(self, part: SkillManifest, place: Place) -> tuple[SkillSpec | None, Problems]:
        return build_skill(part, place, self._modules)

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
