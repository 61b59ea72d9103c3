"""Every text for the models, from one file; a wrong file is an error before the service starts."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, TypeAlias

from pydantic import AfterValidator, Field, StringConstraints, field_validator

from apps.sdk.jsontypes import Json, JsonObject
from apps.sdk.manifest.placeholders import find_placeholder
from apps.sdk.schemas.checks import check_schema
from apps.sdk.schemas.upgrading import upgrade_schema
from preprocessor.prompt import FIELDS, NEEDS, PreselectionTexts
from service.config_file import ConfigError, Section, read_config
from service.models.offline import OfflineTexts
from service.settings import Settings, SettingsMismatch


class InstructionsError(ConfigError):
    """The instructions file cannot be used."""


@dataclass(frozen=True, slots=True)
class TurnTexts:
    """What the main model is told: `system` first, `last_call` when it is asked without tools."""

    system: str
    last_call: str


@dataclass(frozen=True, slots=True)
class AnswerTexts:
    """What is said in place of a model's answer; `results` comes before what was found."""

    deadline: str
    token_budget: str
    model_failed: str
    no_answer: str
    results: str


@dataclass(frozen=True, slots=True)
class BaseInstructions:
    """All texts of one file, checked."""

    turn: TurnTexts
    answers: AnswerTexts
    offline: OfflineTexts
    preselection: PreselectionTexts


def load_instructions(path: Path) -> BaseInstructions:
    """Read and check the file; raises `InstructionsError` with everything that is wrong with it."""
    return read_config(path, _InstructionsFile, InstructionsError)[0].to_record()


def check_rules(settings: Settings, instructions: BaseInstructions) -> None:
    """Raise `SettingsMismatch` when a rule that chooses a model speaks of a field or value that the preselection never gives."""
    extra = instructions.preselection.extra
    for field, rules in settings.model_rules.items():
        if field not in extra:
            raise SettingsMismatch(f"SHORTLIST_MODEL_RULES: base instructions declare no extra field {field!r}")
        allowed = [str(value) for value in extra[field].get("enum", rules)]
        for value in rules:
            if value not in allowed:
                raise SettingsMismatch(f"SHORTLIST_MODEL_RULES: {field} is one of {', '.join(allowed)}, not {value!r}")


# no text here takes placeholders at all, so the notations of other template languages are refused as well
_PLACEHOLDERS = re.compile(r"\{[A-Za-z_][\w.]*\}|%\([A-Za-z_]\w*\)s|\[\[ ?\w+ ?\]\]|<[A-Z][A-Z_]{2,}>")


def _refuse_placeholder(text: str) -> str:
    found = _PLACEHOLDERS.search(text)
    if placeholder := find_placeholder(text) or (found and found[0]):
        raise ValueError(f"nobody filled the placeholder {placeholder}")
    return text


_Text: TypeAlias = Annotated[str, StringConstraints(min_length=1, max_length=50_000), AfterValidator(_refuse_placeholder)]
_Identifier: TypeAlias = Annotated[str, StringConstraints(pattern=r"^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$")]


class _Turn(Section):
    system: _Text
    last_call: _Text


class _Answers(Section):
    deadline: _Text
    token_budget: _Text
    model_failed: _Text
    no_answer: _Text
    results: _Text


class _Offline(Section):
    intro: _Text
    results_intro: _Text
    empty_result: _Text
    nothing_found: _Text
    configure: _Text
    skills_intro: _Text
    no_skills: _Text


class _Function(Section):
    name: _Identifier
    description: _Text


class _Group(Section):
    heading: _Text
    field: _Text


class _Groups(Section):
    relevant_app_skills: _Group
    relevant_app_focus_modes: _Group
    relevant_app_settings_and_memories: _Group


class _Preselection(Section):
    system: _Text
    function: _Function
    groups: _Groups
    needs: _Text
    left_out: _Text
    no_text: _Text
    extra: dict[_Identifier, JsonObject] = Field(default_factory=dict)

    @field_validator("extra", mode="before")
    @classmethod
    def _read_lists_as_enums(cls, extra: Json) -> Json:
        """`complexity: [simple, complex]` is short for a schema with that enum."""
        if not isinstance(extra, dict):
            return {} if extra is None else extra
        return {name: {"type": "string", "enum": value} if isinstance(value, list) else value for name, value in extra.items()}

    @field_validator("extra")
    @classmethod
    def _check_extra(cls, extra: dict[str, JsonObject]) -> dict[str, JsonObject]:
        upgraded: dict[str, JsonObject] = {name: upgrade_schema(schema).schema for name, schema in extra.items()}
        for name, schema in upgraded.items():
            if name in FIELDS:
                raise ValueError(f"{name} is a field of the function already")
            if reason := check_schema(schema):
                raise ValueError(f"{name} is no JSON Schema: {reason}")
            _refuse_placeholder(str(schema))
        return upgraded

    def to_record(self) -> PreselectionTexts:
        groups = {name: getattr(self.groups, name) for name in _Groups.model_fields}
        return PreselectionTexts(
            system=self.system,
            function=self.function.name,
            description=self.function.description,
            headings={name: group.heading for name, group in groups.items()},
            fields={**{name: group.field for name, group in groups.items()}, NEEDS: self.needs},
            left_out=self.left_out,
            no_text=self.no_text,
            extra=self.extra,
        )


class _InstructionsFile(Section):
    turn: _Turn
    answers: _Answers
    offline: _Offline
    preselection: _Preselection

    def to_record(self) -> BaseInstructions:
        return BaseInstructions(
            turn=TurnTexts(**self.turn.model_dump()),
            answers=AnswerTexts(**self.answers.model_dump()),
            offline=OfflineTexts(**self.offline.model_dump()),
            preselection=self.preselection.to_record(),
        )
