import json
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml
from jsonschema import Draft7Validator

from apps.sdk.jsontypes import Json, JsonObject
from apps.sdk.manifest.app import PARTS
from apps.sdk.manifest.editor_schema import app_schema, render_app_schema
from tests.support.apps import skill_manifest
from tests.support.field_manifests import make_manifests

SCHEMA_FILE = Path(__file__).parents[4] / "apps" / "sdk" / "app.schema.json"

EVERYTHING = """
name: Web
description: Search the web and read pages.
instructions:
- {instruction: Prefer web-read when the user gives a URL., categories: [research]}
skills:
- id: search
  name: Search the web
  description: What the main model reads.
  preprocessor_hint: What the shortlisting model reads.
  examples: ["who won the match last night?", find reviews of this phone]
  class_path: apps.web.skills.search.SearchSkill
  tool_schema: {type: object, properties: {requests: {type: array, items: {type: object}}}, required: [requests]}
  exclude_fields_for_llm: [hash, meta_url.favicon]
  output_example: {hash: x}
  providers: [Brave, {name: Tavily, no_api_key: true}]
  default_enabled: false
  standard: false
  resident: true
  effect: write
  idempotent: true
  timeout: 20
  sources: [chat, api, scheduled]
  follow_ups: [web-read]
  pricing: {fixed: 1}
focuses:
- {id: research, name: Research, description: d, preprocessor_hint: h, systemprompt: p,
   allowed_skills: ["web:*"], denied_skills: []}
memory:
- {id: bookmarks, name: Bookmarks, description: d, type: list, schema: {}}
embed_types: []
x-shared: {a: 1}
"""


def test_schema_file_is_fresh() -> None:
    """`python -c "from apps.sdk.manifest.editor_schema import render_app_schema as r; print(r(), end='')"` gives the file."""
    assert SCHEMA_FILE.read_text(encoding="utf-8") == render_app_schema()


def test_schema_is_draft_7() -> None:
    Draft7Validator.check_schema(app_schema())
    assert json.loads(render_app_schema()) == app_schema()


def test_an_editor_accepts_every_key_of_the_dialect() -> None:
    manifests: list[Json] = [yaml.safe_load(EVERYTHING), {"skills": None, "name": None, "memory": []}]
    for manifest in manifests:
        assert list(Draft7Validator(app_schema()).iter_errors(manifest)) == []


@pytest.mark.parametrize(
    "changes",
    [
        {"preprocesor_hint": "x"},
        {"effect": "wirte"},
        {"timeout": 0},
        {"timeout": 601},
        {"examples": [5]},
        {"id": None},
        {"sources": []},
    ],
)
def test_an_editor_refuses_what_the_loader_refuses(changes: dict[str, Json]) -> None:
    assert not Draft7Validator(app_schema()).is_valid({"skills": [skill_manifest("one", "a", **changes)]})


def test_no_key_is_both_read_and_opaque() -> None:
    for part in PARTS:
        assert not part.keys() & (part.OPAQUE.keys() | part.ALIASES.keys())


def list_keys() -> Iterator[tuple[str, str, JsonObject]]:
    """Part, key and schema of every key that an editor knows."""
    schema = app_schema()
    for name, part in {"AppManifest": schema, **schema["definitions"]}.items():
        described = part if "properties" in part else part["anyOf"][1]
        yield from ((name, key, value) for key, value in described["properties"].items())


def test_every_key_says_what_it_is_for() -> None:
    """Opaque keys too: who reads them; keys that are read have an example as well."""
    keys = list(list_keys())
    assert len(keys) > 90
    assert [(part, key) for part, key, schema in keys if not schema.get("description", "").endswith(".")] == []
    opaque = {key for part in PARTS for key in part.OPAQUE}
    assert [(part, key) for part, key, schema in keys if key not in opaque and not schema.get("examples")] == []


def test_every_example_is_right() -> None:
    """What an editor offers is accepted by the editor and by the loader's model."""
    definitions = app_schema()["definitions"]
    for part, key, schema in list_keys():
        for example in schema.get("examples", []):
            errors = list(Draft7Validator({**schema, "definitions": definitions}).iter_errors(example))
            assert errors == [], (part, key)


def test_every_key_of_the_field_is_known_to_editors() -> None:
    """A real deployment's manifests have no red line under a key."""
    validator = Draft7Validator(app_schema())
    for app_id, manifest in make_manifests().items():
        assert [error.message for error in validator.iter_errors(manifest)] == [], app_id
