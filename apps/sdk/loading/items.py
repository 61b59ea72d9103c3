"""From the checked model of one item to the record that the catalog holds, or the problems that keep it out."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from apps.sdk.catalog import FocusMode, Instruction, LocalTexts, Memory, Provider, SkillSpec
from apps.sdk.codes import Code
from apps.sdk.findings import Finding, report
from apps.sdk.hashing import hash_skill
from apps.sdk.jsontypes import Json, JsonObject, JsonPath
from apps.sdk.loading.class_paths import AppClasses, locate_syntax_error
from apps.sdk.loading.modules import AppModules, NoSkillError, SkillImportError
from apps.sdk.loading.place import Place
from apps.sdk.manifest.app import FocusModeManifest, InstructionManifest, MemoryManifest, ProviderManifest, SkillManifest
from apps.sdk.manifest.placeholders import find_placeholder
from apps.sdk.manifest.reading import find_unknown_keys
from apps.sdk.names import humanize, tool_name
from apps.sdk.schemas.checks import SchemaProblem, check_schema
from apps.sdk.schemas.parameters import check_parameters, complete_parameters, upgrade_parameters
from apps.sdk.schemas.upgrading import Upgraded, upgrade_schema
from apps.sdk.skill import Skill

MAX_CHANGES = 20
"""Findings about the spelling of one schema; who has more has generated it."""


@dataclass(frozen=True, slots=True)
class Materials:
    """What an item is made of beside its part of app.yml: the app's folder and code, the item's texts in other languages."""

    folder: Path
    modules: AppModules
    classes: AppClasses
    translations: LocalTexts


Problems: TypeAlias = list[Finding]


def build_skill(part: SkillManifest, place: Place, materials: Materials) -> tuple[SkillSpec | None, Problems]:
    """The skill, or None; a finding beside a skill is a warning about it."""
    class_path = _find_class_path(part, place)
    if not isinstance(class_path, str):
        return None, [class_path]
    upgraded = upgrade_parameters(part.tool_schema)
    problems = [*_check_skill_texts(part, place), *_check_schema(upgraded, place)]
    implementation, of_class = _make_implementation(class_path, place, materials)
    problems += of_class
    if implementation is None or any(problem.severity == "error" for problem in problems):
        return None, problems
    skill = _assemble_skill(part, upgraded.schema, place, implementation, materials.translations)
    return dataclasses.replace(skill, content_hash=hash_skill(skill, class_path)), problems


def build_focus_mode(part: FocusModeManifest, place: Place, materials: Materials) -> tuple[FocusMode | None, Problems]:
    texts = {"name": part.name, "description": part.description, "preprocessor_hint": part.preprocessor_hint}
    problems = list(_check_texts({**texts, "system_prompt": part.system_prompt}, place))
    if not part.system_prompt:
        problems.append(_report_missing_prompt(part, place))
    if problems:
        return None, problems
    return _assemble_focus_mode(part, place.app_id, materials.translations), problems


def _report_missing_prompt(part: FocusModeManifest, place: Place) -> Finding:
    key = part.systemprompt_translation_key
    cause = f"has no text for its key {key[:100]!r}" if key else "has no system_prompt"
    position = place.at("systemprompt_translation_key") if key else place.at()
    return report("focus-without-prompt", position, f"the focus mode '{part.id}' {cause} and can never be active")


def build_memory(part: MemoryManifest, place: Place, materials: Materials) -> tuple[Memory | None, Problems]:
    problems = list(_check_texts({"name": part.name, "description": part.description}, place))
    upgraded = upgrade_schema({} if part.entry_schema is None else part.entry_schema)
    problems += _tell_changes(upgraded, place, "schema")
    problem = check_schema(upgraded.schema) if isinstance(upgraded.schema, dict) else SchemaProblem("it is no mapping")
    if problem is not None:
        message = f"'schema' cannot be used: {problem}"
        position = place.at_key("schema", *upgraded.find_origin(problem.path))
        problems.append(report("memory-schema", position, message, problem.suggestion))
    if any(problem.severity == "error" for problem in problems):
        return None, problems
    name = part.name or humanize(part.id)
    memory_id = tool_name(place.app_id, part.id)
    description = part.description or name
    return Memory(memory_id, place.app_id, name, description, part.type, upgraded.schema, materials.translations), problems


def build_instruction(part: InstructionManifest, place: Place, _: Materials) -> tuple[Instruction | None, Problems]:
    problems = list(_check_texts({"instruction": part.instruction}, place))
    if not part.instruction:
        problems.append(report("wrong-value", place.at("instruction"), "'instruction' must not be empty"))
    return (None if problems else Instruction(part.instruction, tuple(part.categories))), problems


def _assemble_skill(
    part: SkillManifest, schema: JsonObject, place: Place, implementation: Skill, translations: LocalTexts
) -> SkillSpec:
    return SkillSpec(
        tool_name=tool_name(place.app_id, part.id),
        app_id=place.app_id,
        skill_id=part.id,
        name=part.name or humanize(part.id),
        description=part.description or part.preprocessor_hint or part.name or humanize(part.id),
        hint=part.preprocessor_hint or part.description or part.name or humanize(part.id),
        parameters=complete_parameters(schema),
        implementation=implementation,
        content_hash="",
        position=place.at(),
        examples=tuple(part.examples),
        exclude_fields=tuple(part.exclude_fields_for_llm),
        output_example=part.output_example,
        providers=tuple(provider for item in part.providers if (provider := _build_provider(item))),
        default_enabled=part.default_enabled,
        standard=part.standard,
        internal=part.internal,
        resident=part.resident,
        effect=part.effect,
        idempotent=part.idempotent,
        timeout=part.timeout,
        sources=frozenset(part.sources) if part.sources is not None else None,
        follow_ups=tuple(part.follow_ups),
        translations=translations,
    )


def _build_provider(part: ProviderManifest) -> Provider | None:
    """The provider by the first of its names, or None when it has none."""
    name = part.name or part.id or part.display_name
    return Provider(name, no_api_key=part.no_api_key is True or part.requires_api_key is False) if name else None


def _assemble_focus_mode(part: FocusModeManifest, app_id: str, translations: LocalTexts) -> FocusMode:
    name = part.name or humanize(part.id)
    return FocusMode(
        id=tool_name(app_id, part.id),
        app_id=app_id,
        name=name,
        description=part.description or part.preprocessor_hint or name,
        hint=part.preprocessor_hint or part.description or name,
        system_prompt=part.system_prompt or "",
        process=part.process,
        examples=tuple(part.examples),
        default_enabled=part.default_enabled,
        allowed_skills=_freeze(part.allowed_skills),
        denied_skills=tuple(part.denied_skills),
        allowed_apps=_freeze(part.allowed_apps),
        allowed_models=_freeze(part.allowed_models),
        recommended_model=part.recommended_model,
        translations=translations,
    )


def _freeze(names: list[str] | None) -> tuple[str, ...] | None:
    return None if names is None else tuple(names)


def _check_schema(upgraded: Upgraded, place: Place) -> Iterator[Finding]:
    yield from _tell_changes(upgraded, place, "tool_schema")
    problem = check_parameters(upgraded.schema)
    if problem is not None:
        position = place.at_key("tool_schema", *upgraded.find_origin(problem.path))
        yield report("tool-schema", position, str(problem), problem.suggestion)


def _tell_changes(upgraded: Upgraded, place: Place, key: str) -> Iterator[Finding]:
    for change in upgraded.changes[:MAX_CHANGES]:
        code: Code = "schema-empty" if change.kind == "empty" else "schema-draft"
        yield report(code, place.at_key(key, *change.path), change.meaning)


def _check_skill_texts(part: SkillManifest, place: Place) -> Iterator[Finding]:
    texts = {"name": part.name, "description": part.description, "preprocessor_hint": part.preprocessor_hint}
    yield from _check_texts(texts, place)
    for index, example in enumerate(part.examples):
        yield from _check_text(example, place, ("examples", index))
    for path, text in _find_descriptions(part.tool_schema, ("tool_schema",)):
        yield from _check_text(text, place, path)
    for index, provider in enumerate(part.providers):
        path = (*place.path, "providers", index)
        yield from find_unknown_keys(ProviderManifest, provider.model_extra or (), path, place.document)
        if _build_provider(provider) is None:
            yield report("missing-key", place.at("providers", index), "the provider has no 'name'")


def _check_texts(texts: dict[str, str | None], place: Place) -> Iterator[Finding]:
    for key, text in texts.items():
        yield from _check_text(text or "", place, (key,))


def _check_text(text: str, place: Place, path: JsonPath) -> Iterator[Finding]:
    placeholder = find_placeholder(text)
    if placeholder:
        name = ".".join(map(str, path))[:200]
        message = f"{name!r} holds the placeholder {placeholder!r}, which nobody filled"
        yield report("text-placeholder", place.at(*path), message)


def _find_descriptions(schema: Json, path: JsonPath) -> Iterator[tuple[JsonPath, str]]:
    """The texts in a schema that a model reads."""
    entries: Iterable[tuple[str | int, Json]] = ()
    if isinstance(schema, dict):
        entries = schema.items()
    elif isinstance(schema, list):
        entries = enumerate(schema)
    for key, value in entries:
        if key in {"description", "title"} and isinstance(value, str):
            yield (*path, key), value
        else:
            yield from _find_descriptions(value, (*path, key))


def _make_implementation(class_path: str, place: Place, materials: Materials) -> tuple[Skill | None, Problems]:
    try:
        skill, is_async = materials.modules.make_skill(class_path)
    except SkillImportError as error:
        where = locate_syntax_error(error, materials.folder) or place.at("class_path")
        advice = materials.classes.suggest(class_path)
        return None, [report("skill-import", where, f"cannot import '{class_path}': {error}", advice)]
    except NoSkillError as error:
        advice = materials.classes.suggest(class_path)
        return None, [report("skill-class", place.at("class_path"), str(error), advice)]
    if not is_async:
        return skill, [report("skill-not-async", place.at("class_path"), f"{class_path} executes without `async def`")]
    return skill, []


def _find_class_path(part: SkillManifest, place: Place) -> str | Finding:
    """Where the skill's class is, or why it is not a skill with a class."""
    kinds = [key for key in ("class_path", "http", "mcp") if getattr(part, key) is not None]
    if not kinds:
        message = f"the skill '{part.id}' has no class_path: it is a placeholder and cannot be called"
        return report("skill-unfinished", place.at(), message)
    if len(kinds) > 1:
        return report("wrong-value", place.at(kinds[1]), f"only one of {' and '.join(kinds)} may be given")
    if part.class_path is None:
        return report("skill-unsupported", place.at(kinds[0]), f"'{kinds[0]}' skills are not supported yet")
    return part.class_path
