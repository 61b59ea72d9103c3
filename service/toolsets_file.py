"""The file of toolsets and overlays; a wrong one is an error before the service starts."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, TypeAlias

from pydantic import AfterValidator, Field, StringConstraints

from apps.sdk.chat import BUILTIN_ARGUMENTS
from apps.sdk.jsontypes import JsonObject
from apps.sdk.manifest.document import SourceDocument
from apps.sdk.names import RESERVED_APP_IDS
from apps.sdk.near_names import suggest
from preprocessor.intent import MAX_NAME_LENGTH
from preprocessor.toolsets import FULL, OVERLAYS, Overlay, Toolset, Toolsets
from service.config_file import ConfigError, Section, read_config, tell

MAX_TOOLSETS = 1_000


class ToolsetsError(ConfigError):
    """The toolsets file cannot be used."""


def load_toolsets(path: Path) -> Toolsets:
    """Read and check the file; raises `ToolsetsError` with everything that is wrong with it."""
    file, document = read_config(path, _ToolsetsFile, ToolsetsError)
    if problems := tuple(_find_faults(file, document)):
        raise ToolsetsError(problems)
    return file.to_record()


def _find_faults(file: _ToolsetsFile, document: SourceDocument) -> Iterator[str]:
    """What each value by itself cannot show."""
    known = (*file.toolsets, FULL)
    for name, toolset in file.toolsets.items():
        if name == FULL:
            yield tell(document, ("toolsets", name), f"{FULL} is every available skill and cannot be defined", of_key=True)
        for place, include in enumerate(toolset.includes):
            if include not in known:
                meant = suggest(include, known)
                message = f"there is no toolset {include!r}{f'; {meant}' if meant else ''}"
                yield tell(document, ("toolsets", name, "includes", place), message)
    for name in file.overlays:
        if name not in OVERLAYS:
            yield tell(document, ("overlays", name), f"no intent has such a switch; there is {', '.join(OVERLAYS)}", of_key=True)


def _refuse_reserved(name: str) -> str:
    if name.partition("-")[0] in RESERVED_APP_IDS:
        raise ValueError(f"{name} belongs to the service itself")
    return name


def _check_builtin(builtin: JsonObject) -> JsonObject:
    tool = {key: value for key, value in builtin.items() if key not in BUILTIN_ARGUMENTS}
    if tool.get("type") == "function":
        raise ValueError("a function is called by the service: it must be a skill")
    if not builtin or (len(tool) > 1 and not isinstance(tool.get("type"), str)):
        raise ValueError("must be a tool with a `type`, a tool of one key, as {googleSearch: {}}, or {web_search_options: {}}")
    return builtin


_Skill: TypeAlias = Annotated[str, StringConstraints(min_length=1, max_length=MAX_NAME_LENGTH), AfterValidator(_refuse_reserved)]
_Name: TypeAlias = Annotated[str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9_-]{0,63}$")]
_Pattern: TypeAlias = Annotated[str, StringConstraints(min_length=1, max_length=MAX_NAME_LENGTH)]
_Builtin: TypeAlias = Annotated[JsonObject, AfterValidator(_check_builtin)]


class _Toolset(Section):
    description: Annotated[str, StringConstraints(max_length=1_000)] = ""
    includes: list[_Name] = Field(default_factory=list)
    skills: list[_Skill] = Field(default_factory=list)


class _Overlay(Section):
    skill: _Skill
    builtin: dict[_Pattern, _Builtin] = Field(default_factory=dict)


class _ToolsetsFile(Section):
    toolsets: dict[_Name, _Toolset] = Field(default_factory=dict, max_length=MAX_TOOLSETS)
    overlays: dict[str, _Overlay] = Field(default_factory=dict)

    def to_record(self) -> Toolsets:
        sets = {
            name: Toolset(name, tuple(item.skills), tuple(item.includes), item.description)
            for name, item in self.toolsets.items()
        }
        overlays = {name: Overlay(name, item.skill, MappingProxyType(item.builtin)) for name, item in self.overlays.items()}
        return Toolsets(MappingProxyType(sets), MappingProxyType(overlays))


def _to_toolset(name: str, item: _Toolset) -> Toolset:
    return Toolset(name, tuple(item.skills), tuple(item.includes), item.description)
