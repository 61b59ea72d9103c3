"""A real deployment's folder of 36 apps, as it is (issue 3, point 2; the counts are those of app-yml-dialect.md)."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest

from apps.sdk.catalog import Catalog
from apps.sdk.chat import ToolDefinition
from apps.sdk.jsontypes import Json, JsonObject
from apps.sdk.loader import load_catalog
from apps.sdk.manifest.yaml_source import read_source
from apps.sdk.schemas.dialects.profiles import ANTHROPIC
from apps.sdk.schemas.dialects.tool_schemas import ToolSchemas
from apps.sdk.schemas.parameters import request_items
from apps.sdk.testing import make_context
from preprocessor.prompt import Candidates, build_function, build_list
from preprocessor.tools import build_definition
from tests.support.field_items import BARE, BROKEN, NO_PROMPT, NO_SCHEMA, UNFINISHED
from tests.support.field_manifests import COUNTS, list_translation_keys, make_manifests, write_field_apps
from tests.support.loading import list_reasons, list_shown
from tests.unit.preprocessor.texts import TEXTS


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_field_apps(tmp_path_factory.mktemp("field"))


@pytest.fixture(scope="module")
def catalog(folder: Path) -> Catalog:
    return load_catalog([folder])


def read_manifests(folder: Path) -> list[JsonObject]:
    return [read_source(path, path.name).data or {} for path in sorted(folder.glob("*/app.yml"))]


def list_items(manifests: list[JsonObject], *keys: str) -> list[JsonObject]:
    return [item for manifest in manifests for key in keys for item in manifest.get(key, [])]


def count_keys(items: list[JsonObject]) -> JsonObject:
    return dict(Counter(key for item in items for key in item))


def test_the_folder_has_the_counts_of_the_field(folder: Path) -> None:
    """36 files, one of them empty; 62 skills, 30 focus modes, 41 memories, 68 embed types; every key as often as counted."""
    manifests = read_manifests(folder)
    skills, modes = list_items(manifests, "skills"), list_items(manifests, "focuses", "focus_modes")
    memories = list_items(manifests, "settings_and_memories", "memory")
    assert (len(manifests), manifests.count({}), len(list_items(manifests, "embed_types"))) == (36, 1, 68)
    assert (len(skills), len(modes), len(memories)) == (62, 30, 41)
    counts = {"app": manifests, "skill": skills, "focus": modes, "memory": memories}
    assert {kind: count_keys(items) for kind, items in counts.items()} == COUNTS
    assert sum(COUNTS["app"][key] for key in ("settings_and_memories", "memory")) == 26


def test_the_folder_has_the_shapes_of_the_field(folder: Path) -> None:
    """Schemas, providers, prices, ids and texts come in every shape that was seen."""
    manifests = read_manifests(folder)
    skills, modes = list_items(manifests, "skills"), list_items(manifests, "focuses", "focus_modes")
    schemas = [skill["tool_schema"] for skill in skills if "tool_schema" in skill]
    with_requests = [schema for schema in schemas if "requests" in schema["properties"]]
    assert (len(with_requests), len(schemas) - len(with_requests)) == (30, 24)
    assert [len(schema["properties"]) for schema in with_requests].count(2) == 1
    assert all("maxItems" not in schema["properties"]["requests"] for schema in with_requests)
    providers = [provider for skill in skills for provider in skill.get("providers", [])]
    sub_keys = {key for provider in providers if isinstance(provider, dict) for key in provider}
    assert any(isinstance(provider, str) for provider in providers)
    assert sub_keys == {
        "name", "no_api_key", "id", "scope", "region", "display_name", "api_key_vault_path", "requires_api_key",
    }  # fmt: skip
    prices = {key for skill in skills for key in skill.get("pricing", {})}
    assert prices == {"per_unit", "fixed", "per_minute", "per_second", "per_started_minute"}
    assert (
        sum("systemprompt_translation_key" in mode and not {"systemprompt", "system_prompt"} & mode.keys() for mode in modes) == 6
    )
    assert any(skill.get("class_path", "").endswith("\n") for skill in skills)
    assert any(manifest.get("icon_image", "").endswith("\n") for manifest in manifests)
    assert {"-" in skill["id"] for skill in skills} == {"_" in skill["id"] for skill in skills} == {True, False}
    assert {memory["type"] for memory in list_items(manifests, "settings_and_memories", "memory")} == {"single", "list"}


def test_every_skill_that_can_run_runs(catalog: Catalog) -> None:
    """Each that cannot is set aside alone, with the reason; its app and its neighbours are not touched by it."""
    skills_without = UNFINISHED | NO_SCHEMA | BROKEN.keys()
    assert len(catalog.apps) == 36
    assert len(catalog.skills) == 62 - len(skills_without)
    assert (len(catalog.focus_modes), len(catalog.memories)) == (30 - len(NO_PROMPT | BARE), 41)
    reasons = Counter(_classify(reason) for reason in list_reasons(catalog).values())
    assert reasons == {
        "placeholder": len(UNFINISHED), "no schema": len(NO_SCHEMA - UNFINISHED), "no class": len(BROKEN),
        "no text": len(NO_PROMPT), "no prompt": len(BARE),
    }  # fmt: skip
    assert all(item.position.line > 1 for item in catalog.quarantined)


def _classify(reason: str) -> str:
    marks = {
        "is a placeholder": "placeholder", "there is no tool_schema": "no schema", "cannot import": "no class",
        "has no text for its key": "no text", "has no system_prompt": "no prompt",
    }  # fmt: skip
    return next(name for mark, name in marks.items() if mark in reason)


async def test_the_skills_are_really_called(catalog: Catalog) -> None:
    for skill in catalog.skills.values():
        async with make_context() as context:
            result = await skill.implementation.execute({"query": "x"}, context)
        assert result == {"asked": {"query": "x"}}


def test_nothing_is_said_of_what_others_own(catalog: Catalog) -> None:
    """Without --strict there is no finding about a key of the dialect; with it each key that has no effect is listed."""
    shown = Counter((finding.severity, finding.code) for finding in list_shown(catalog))
    assert shown == {
        ("hint", "no-examples"): 49, ("hint", "argument-description"): 49, ("warning", "no-texts"): 30,
        ("error", "focus-without-prompt"): 8, ("warning", "skill-unfinished"): 6, ("error", "tool-schema"): 4,
        ("error", "skill-import"): 3, ("warning", "app-id-differs"): 1, ("warning", "app-empty"): 1,
    }  # fmt: skip
    extras = [finding for finding in catalog.findings if finding.is_extra]
    assert {finding.code for finding in extras} == {"opaque-key"}
    assert sum("'pricing'" in finding.message for finding in extras) == 20


def test_no_raw_translation_key_stands_before_a_model(catalog: Catalog) -> None:
    """Not in names, descriptions, hints, tool definitions, the cheap model's list and function, instructions or prompts."""
    keys = set(list_translation_keys(make_manifests()))
    assert len(keys) > 250
    texts = list(_list_model_texts(catalog))
    assert len(texts) > 250
    everything = "\n".join(texts)
    assert [key for key in keys if "." in key and key in everything] == []
    assert [text for text in texts if text.strip() in keys] == []


def _list_model_texts(catalog: Catalog) -> Iterator[str]:
    candidates = Candidates(tuple(catalog.skills), tuple(catalog.focus_modes), tuple(catalog.memories))
    yield from build_list(catalog, candidates, TEXTS).splitlines()
    yield json.dumps(build_function(candidates, TEXTS).parameters)
    for skill in catalog.skills.values():
        definition = build_definition(skill, ToolSchemas(ANTHROPIC, 5))
        assert isinstance(definition, ToolDefinition)
        yield from (skill.name, skill.hint, definition.description, json.dumps(definition.parameters))
    for mode in catalog.focus_modes.values():
        yield from (mode.name, mode.description, mode.system_prompt, mode.hint)
    for memory in catalog.memories.values():
        yield from (memory.name, memory.description)
    for app in catalog.apps:
        yield from (app.name, app.description, *(part.text for part in app.instructions))


def test_what_stands_in_for_a_missing_text_is_readable(catalog: Catalog) -> None:
    """A name is made from the id, a description from the hint."""
    skill = catalog.skills["web-get-posts"]
    assert (catalog.by_app["social_media"].name, skill.name) == ("Social media", "Get posts")
    assert skill.description == skill.hint
    assert skill.hint.startswith("Use it to")


def test_schemas_are_what_was_written(folder: Path, catalog: Catalog) -> None:
    """Integer enums stay integers, `requests` is known where it is an array of objects, and the catalog holds the author's."""
    written: list[Json] = [skill.get("tool_schema") for skill in list_items(read_manifests(folder), "skills")]
    assert all(skill.parameters in written for skill in catalog.skills.values())
    entries = [request_items(skill.parameters) or skill.parameters for skill in catalog.skills.values()]
    assert all(entry["properties"]["level"]["enum"] == [1, 2, 3] for entry in entries)
    assert 0 < sum(request_items(skill.parameters) is not None for skill in catalog.skills.values()) < len(catalog.skills)


def test_the_app_that_is_off_is_off_and_the_order_is_the_ids(catalog: Catalog) -> None:
    assert [app.id for app in catalog.apps if app.default_enabled is False] == ["design"]
    assert all(first.id < second.id for first, second in pairwise(catalog.apps))


def test_the_folder_is_the_same_every_time(folder: Path, tmp_path: Path) -> None:
    again = write_field_apps(tmp_path)
    for path in folder.glob("*/app.yml"):
        assert path.read_bytes() == (again / path.parent.name / "app.yml").read_bytes()
