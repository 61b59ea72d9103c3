"""Whatever a schema is, what is sent is legal, and so it is for every catalog that is at hand."""

from __future__ import annotations

import copy
import json
from functools import cache

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from apps.sdk.jsontypes import Json, JsonObject
from apps.sdk.loader import load_catalog
from apps.sdk.schemas.dialects.adapting import adapt
from apps.sdk.schemas.dialects.profiles import PROFILES
from apps.sdk.schemas.dialects.records import Adapted
from apps.sdk.schemas.parameters import with_request_fields
from service.settings import ROOT
from tests.support.any_schema import ROOTS, SCHEMAS
from tests.support.provider_rules import find_faults

DATA = ROOT.parent / "shared" / "data"
CATALOGS = ("bfcl", "catalogs_github_mcp", "catalogs_docker_mcp_registry")
PER_CATALOG = 400


@cache
def read_schemas(name: str) -> tuple[JsonObject, ...]:
    """An even sample of a catalog's schemas; none where it is absent."""
    if name == "bundled":
        skills = load_catalog((ROOT / "apps",)).skills.values()
        return tuple(with_request_fields(skill.parameters, limit=5) for skill in skills)
    file = DATA / name / "tools.jsonl"
    lines = file.read_text(encoding="utf-8").splitlines() if file.is_file() else []
    return tuple(json.loads(line)["parameters"] for line in lines[:: max(1, len(lines) // PER_CATALOG)])


@settings(deadline=None, max_examples=150, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(st.one_of(ROOTS, SCHEMAS), st.sampled_from(sorted(PROFILES)))
def test_any_schema_is_sent_legally_or_not_at_all(schema: Json, profile: str) -> None:
    """No exception; legal by the strict checker; the same again when it is adapted again; the given schema untouched."""
    before = copy.deepcopy(schema)
    found = adapt(schema, PROFILES[profile])
    assert schema == before
    if isinstance(found, Adapted):
        assert find_faults(found.schema, profile) == []
        again = adapt(found.schema, PROFILES[profile])
        assert isinstance(again, Adapted)
        assert json.dumps(again.schema) == json.dumps(found.schema)


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("catalog", ["bundled", *CATALOGS])
def test_real_catalogs_are_sent_legally(catalog: str, profile: str) -> None:
    """Bundled apps always; the others where they are at hand. Refused is only what no arguments can fit."""
    schemas = read_schemas(catalog)
    assert schemas or catalog != "bundled"
    refused = [schema for schema in schemas if not isinstance(adapt(schema, PROFILES[profile]), Adapted)]
    assert len(refused) <= len(schemas) // 100
    faults = [find_faults(found.schema, profile) for s in schemas if isinstance(found := adapt(s, PROFILES[profile]), Adapted)]
    assert not any(faults)
