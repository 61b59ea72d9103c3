"""Whatever a schema is, what is sent is legal, and so it is for every catalog that is at hand."""

from __future__ import annotations

import copy
import json
import re
from functools import cache

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from apps.sdk.jsontypes import Json, JsonObject
from apps.sdk.loader import load_catalog
from apps.sdk.schemas.dialects.profiles import PROFILES
from apps.sdk.schemas.dialects.records import Adapted
from apps.sdk.schemas.parameters import with_request_fields
from apps.sdk.schemas.walks import walk_schemas
from service.settings import ROOT
from tests.support.adapted import upgrade_and_adapt
from tests.support.any_schema import ROOTS, SCHEMAS
from tests.support.provider_rules import find_faults

DATA = ROOT.parent / "shared" / "data"
CATALOGS = ("bfcl", "catalogs_github_mcp", "catalogs_docker_mcp_registry")
LARGE = 1_000


@cache
def read_schemas(name: str) -> tuple[JsonObject, ...]:
    """A catalog's schemas; none where it is absent."""
    if name == "bundled":
        skills = load_catalog((ROOT / "apps",)).skills.values()
        return tuple(with_request_fields(skill.parameters, limit=5) for skill in skills)
    file = DATA / name / "tools.jsonl"
    lines = file.read_text(encoding="utf-8").splitlines() if file.is_file() else []
    return tuple(json.loads(line)["parameters"] for line in lines)


@settings(deadline=None, max_examples=150, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(st.one_of(ROOTS, SCHEMAS), st.sampled_from(sorted(PROFILES)))
def test_any_schema_is_sent_legally_or_not_at_all(schema: Json, profile: str) -> None:
    """No exception; legal by the strict checker; the same again when it is adapted again; the given schema untouched."""
    before = copy.deepcopy(schema)
    found = upgrade_and_adapt(schema, PROFILES[profile])
    assert schema == before
    if isinstance(found, Adapted):
        assert find_faults(found.schema, profile) == []
        again = upgrade_and_adapt(found.schema, PROFILES[profile])
        assert isinstance(again, Adapted)
        assert json.dumps(again.schema) == json.dumps(found.schema)


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("catalog", ["bundled", *CATALOGS])
def test_real_catalogs_are_sent_legally(catalog: str, profile: str) -> None:
    """Every schema of the bundled apps, and of the others where they are at hand; of the largest catalog, but for the family
    that has the rules of all others, every eighth.

    Refused is only a schema with a required field that no value fits, since its listed values are not of its type.
    """
    schemas = read_schemas(catalog)
    assert schemas or catalog != "bundled"
    for schema in schemas[:: 1 if profile == "common" or len(schemas) < LARGE else 8]:
        found = upgrade_and_adapt(schema, PROFILES[profile])
        if isinstance(found, Adapted):
            assert find_faults(found.schema, profile) == []
        else:
            match = re.fullmatch(r"no value fits the required field '(\w+)'", found.reason)
            assert match, found.reason
            [part] = [part for part in list_fields(schema, match[1]) if part.get("enum")]
            assert not any(Draft202012Validator({"type": part["type"]}).is_valid(value) for value in part["enum"])


def list_fields(schema: JsonObject, name: str) -> list[JsonObject]:
    """The declarations of fields with this name, at any depth."""
    parts = {id(part): part for _, node in walk_schemas(schema) if isinstance(part := node.get("properties", {}).get(name), dict)}
    return list(parts.values())
