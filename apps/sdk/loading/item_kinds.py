"""The kinds of items in app.yml: under which key each stands, how it is read, and what it becomes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeAlias, TypeVar

from apps.sdk.catalog import FocusMode, Instruction, Memory, SkillSpec
from apps.sdk.loading.items import Materials, Problems, build_focus_mode, build_instruction, build_memory, build_skill
from apps.sdk.loading.place import Place
from apps.sdk.manifest.app import AppManifest, FocusModeManifest, InstructionManifest, MemoryManifest, SkillManifest

ItemPart: TypeAlias = SkillManifest | FocusModeManifest | MemoryManifest | InstructionManifest
Item: TypeAlias = SkillSpec | FocusMode | Memory | Instruction
Part = TypeVar("Part", bound=ItemPart)
Built = TypeVar("Built", bound=Item)
Builder: TypeAlias = Callable[[Part, Place, Materials], tuple[Built | None, Problems]]


@dataclass(frozen=True, slots=True)
class Kind(Generic[Part, Built]):
    """A list of items."""

    key: str
    model: type[Part]
    build: Builder[Part, Built]

    @property
    def spellings(self) -> tuple[str, ...]:
        """The key and its other spellings, in the order in which they count."""
        return (self.key, *(alias for alias, key in AppManifest.ALIASES.items() if key == self.key))


INSTRUCTIONS = Kind("instructions", InstructionManifest, build_instruction)
SKILLS = Kind("skills", SkillManifest, build_skill)
FOCUS_MODES = Kind("focus_modes", FocusModeManifest, build_focus_mode)
MEMORIES = Kind("settings_and_memories", MemoryManifest, build_memory)
KINDS = (INSTRUCTIONS, SKILLS, FOCUS_MODES, MEMORIES)
