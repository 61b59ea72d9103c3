"""The hostile schemas of the field, from app.yml to what each family of providers is sent and what calls are held to."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import pytest

from apps.sdk.catalog import Catalog, SkillSpec
from apps.sdk.chat import ToolDefinition
from apps.sdk.jsontypes import JsonObject
from apps.sdk.schemas.dialects.profiles import OPENAI, PROFILES
from apps.sdk.schemas.dialects.records import Adapted
from apps.sdk.schemas.dialects.tool_schemas import ToolSchemas
from apps.sdk.schemas.parameters import compile_validator
from preprocessor.tools import build_definition
from tests.support.loading import list_reasons, load_manifest, load_schema
from tests.support.provider_rules import find_faults


@dataclass(frozen=True)
class Row:
    """A schema as an author writes it, arguments that it allows, and some that it refuses."""

    schema: str
    good: JsonObject
    bad: JsonObject


ROWS = {
    "root anyOf of two required lists": Row(
        "type: object\nproperties: {a: {type: string}, b: {type: string}}\nanyOf: [{required: [a]}, {required: [b]}]\n",
        {"b": "x"},
        {},
    ),
    "root oneOf": Row(
        "type: object\nproperties: {}\noneOf:\n- {properties: {a: {type: string}}, required: [a]}\n"
        "- {properties: {b: {type: integer}}, required: [b]}\n",
        {"b": 1},
        {"a": "x", "b": 1},
    ),
    "root allOf": Row(
        "type: object\nproperties: {}\nallOf: [{properties: {a: {type: string}}, required: [a]}]\n", {"a": "x"}, {}
    ),
    "root enum": Row('type: object\nproperties: {a: {type: string}}\nenum: [{a: "x"}]\n', {"a": "x"}, {"a": "z"}),
    "draft-4 exclusive bound": Row(
        "$schema: https://json-schema.org/draft/2020-12/schema\ntype: object\n"
        "properties: {count: {type: integer, minimum: 0, exclusiveMinimum: true}}\n",
        {"count": 1},
        {"count": 0},
    ),
    "a list of types": Row("type: object\nproperties: {count: {type: [number, null]}}\n", {"count": None}, {"count": "1"}),
    "a nullable array": Row(
        "type: object\nproperties: {tags: {type: [array, 'null'], items: {type: integer}}}\n", {"tags": [1]}, {"tags": ["x"]}
    ),
    "an array without items": Row(
        "type: object\nproperties: {tags: {type: array, description: t}}\n", {"tags": ["x"]}, {"tags": 1}
    ),
    "required with nothing after it": Row("type: object\nproperties: {a: {type: string}}\nrequired:\n", {}, {"a": 1}),
    "a nested model": Row(
        "type: object\nproperties: {owner: {$ref: '#/$defs/Owner'}}\nrequired: [owner]\n"
        "$defs: {Owner: {title: Owner, type: object, properties: {age: {type: integer}}, required: [age]}}\n",
        {"owner": {"age": 3}},
        {"owner": {}},
    ),
}


def load_one(catalog: Catalog) -> SkillSpec:
    [skill] = catalog.skills.values()
    return skill


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("row", ROWS.values(), ids=list(ROWS))
def test_each_is_sent_legally_and_calls_are_held_to_its_meaning(tmp_path: Path, row: Row, profile: str) -> None:
    """The skill is there; what is sent passes the strict checker; what comes back is judged by what the author wrote."""
    skill = load_one(load_schema(tmp_path, row.schema))
    schemas = ToolSchemas(PROFILES[profile])
    found = schemas.find(skill)
    assert isinstance(found, Adapted)
    assert find_faults(found.schema, profile) == []
    assert "$ref" not in json.dumps(found.schema)
    validator = compile_validator(skill.parameters)
    assert validator.is_valid(schemas.restore(skill, row.good).arguments)
    assert not validator.is_valid(schemas.restore(skill, row.bad).arguments)


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize(
    ("row", "path", "kind"),
    [("a nullable array", ("tags",), "integer"), ("a nested model", ("owner", "age"), "integer")],
)
def test_the_shape_inside_survives(tmp_path: Path, row: str, path: tuple[str, ...], kind: str, profile: str) -> None:
    """The type of the items and the fields of the nested model reach every provider."""
    found = ToolSchemas(PROFILES[profile]).find(load_one(load_schema(tmp_path, ROWS[row].schema)))
    assert isinstance(found, Adapted)
    text = json.dumps(found.schema)
    assert all(f'"{name}"' in text for name in path)
    assert f'"type": "{kind}"' in text


def test_a_root_that_is_no_object_costs_its_own_skill(tmp_path: Path) -> None:
    """The good one beside it works; why the other is set aside is told."""
    skills = "\n".join(
        f"- {{id: {name}, description: d, class_path: apps.one.skills.echo.EchoSkill, tool_schema: {schema}}}"
        for name, schema in {"good": "{type: object, properties: {a: {type: string}}}", "bad": "{type: string}"}.items()
    )
    catalog = load_manifest(tmp_path, f"skills:\n{skills}\n")
    assert list(catalog.skills) == ["one-good"]
    assert "must be an object schema" in list_reasons(catalog)["one-bad"]


def test_a_skill_is_shown_the_same_whenever_it_is_loaded(tmp_path: Path) -> None:
    """Alone or after others, by whichever process: the definition has the same bytes, those of the source where it is legal."""
    source = "type: object\nproperties: {b: {type: string}, a: {type: integer, description: d}}\nrequired: [b]\n"
    skill = load_one(load_schema(tmp_path, source))
    early, late = ToolSchemas(OPENAI), ToolSchemas(OPENAI)
    late.find(load_one(load_schema(tmp_path / "other", ROWS["a nested model"].schema)))
    definitions = [build_definition(skill, schemas) for schemas in (early, late)]
    written = [json.dumps(d.to_wire()["function"]["parameters"]) for d in definitions if isinstance(d, ToolDefinition)]
    meant = {
        "type": "object",
        "properties": {"b": {"type": "string"}, "a": {"type": "integer", "description": "d"}},
        "required": ["b"],
    }
    assert written == [json.dumps(meant)] * 2
