"""Hashes of content: the same wherever, whenever and by whichever process the same content was loaded."""

from __future__ import annotations

import dataclasses
import hashlib
import json
from collections.abc import Collection, Sequence

from apps.sdk.catalog import App, FocusMode, LocalTexts, Memory, Provider, SkillSpec
from apps.sdk.jsontypes import Json, JsonObject


def hash_content(content: Json) -> str:
    """SHA-256, in hex, of the canonical JSON."""
    return hashlib.sha256(canonical_json(content).encode("ascii")).hexdigest()


def canonical_json(value: Json) -> str:
    """The same text for the same value, whatever the order of its keys: sorted, without blanks, in ASCII."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True)


def hash_skill(skill: SkillSpec, class_path: str) -> str:
    """Everything a model is shown of `skill` and everything that decides how a call runs.

    The class counts by its import path; its code does not, so that a fix in it leaves open turns valid. Nor do the texts in
    other languages and what is `internal`, which no model sees.
    """
    content = _list_fields(skill, left_out={"implementation", "content_hash", "position", "translations", "internal"})
    content["providers"] = [_list_provider(provider) for provider in skill.providers]
    content["sources"] = sorted(skill.sources) if skill.sources is not None else None
    content["parameters"] = json.dumps(skill.parameters)  # in the author's order, which is the order that is sent
    return hash_content({**content, "class_path": class_path})


def hash_apps(apps: Sequence[App]) -> str:
    """The digest of a catalog of `apps`, in catalog order. Findings, positions, paths and quarantined items do not count."""
    return hash_content([_describe_app(app) for app in apps])


def _list_fields(record: SkillSpec | FocusMode | Memory, left_out: Collection[str]) -> JsonObject:
    return {field.name: getattr(record, field.name) for field in dataclasses.fields(record) if field.name not in left_out}


def _list_item(record: FocusMode | Memory) -> JsonObject:
    return _list_fields(record, left_out={"translations"}) | {"translations": _list_translations(record.translations)}


def _list_translations(translations: LocalTexts) -> JsonObject:
    return {language: dict(texts) for language, texts in translations.items()}


def _list_provider(provider: Provider) -> JsonObject:
    return {"name": provider.name, "no_api_key": provider.no_api_key}


def _describe_app(app: App) -> JsonObject:
    return {
        "id": app.id,
        "name": app.name,
        "description": app.description,
        "default_enabled": app.default_enabled,
        "instructions": [[part.text, part.categories] for part in app.instructions],
        "translations": _list_translations(app.translations),
        "skills": [[skill.content_hash, skill.internal, _list_translations(skill.translations)] for skill in app.skills],
        "focus_modes": [_list_item(mode) for mode in app.focus_modes],
        "memories": [_list_item(memory) for memory in app.memories],
    }
