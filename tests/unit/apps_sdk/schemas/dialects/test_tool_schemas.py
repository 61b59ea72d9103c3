"""Skills as a family is sent them, and what the executor makes of the answer."""

from __future__ import annotations

import json
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from apps.sdk.chat import ToolCall, ToolDefinition
from apps.sdk.contract import make_contract
from apps.sdk.schemas.dialects import tool_schemas
from apps.sdk.schemas.dialects.profiles import GEMINI, OPENAI_STRICT, PROFILES, Profile
from apps.sdk.schemas.dialects.records import Refused
from apps.sdk.schemas.dialects.tool_schemas import ToolSchemas
from executor.calls import parse_calls
from executor.policy import Limits
from preprocessor.exposure import Exposure, expose
from preprocessor.intent import Intent
from preprocessor.tools import build_definition
from tests.support.catalogs import make_app, make_catalog, make_skill
from tests.support.expanding import expand
from tests.support.hostile_schemas import HOSTILE, make_object

SIZED = make_skill(
    "shop-find", arguments={"size": {"enum": [1, 2]}, "full name": {"type": "string"}, "days": {"type": "integer"}}
)
BROKEN = make_skill("shop-broken", parameters={**make_object(n={"enum": []}), "required": ["n"]})
CATALOG = make_catalog(make_app("shop", SIZED, BROKEN))


def expose_all(schemas: ToolSchemas) -> Exposure:
    expansion = expand(CATALOG, Intent(), overrides=(), credentials=frozenset(), secrets={}, source="chat")
    return expose(CATALOG, expansion, ["shop-find", "shop-broken"], schemas=schemas)


@pytest.mark.parametrize("profile", PROFILES)
def test_the_same_skill_is_the_same_bytes(profile: str) -> None:
    """Whoever makes them, whenever; each is made once."""
    first, second = ToolSchemas(PROFILES[profile]), ToolSchemas(PROFILES[profile])
    definitions = [build_definition(SIZED, schemas) for schemas in (first, second)]
    assert all(isinstance(definition, ToolDefinition) for definition in definitions)
    assert len({json.dumps(d.to_wire()) for d in definitions if isinstance(d, ToolDefinition)}) == 1
    assert first.find(SIZED) is first.find(SIZED)


def test_a_schema_that_cannot_be_sent_costs_its_own_skill() -> None:
    """The good one beside it is sent; the broken one cannot be called, and why is told."""
    exposure = expose_all(ToolSchemas(GEMINI))
    assert exposure.names == ("shop-find",)
    assert dict(exposure.refused) == {"shop-broken": "no value fits the required field 'n'"}
    assert list(exposure.contract.skills) == ["shop-find"]
    assert set(exposure.sources) == {"shop-find"}


@pytest.mark.parametrize("profile", [GEMINI, OPENAI_STRICT], ids=lambda profile: profile.name)
def test_a_models_arguments_are_read_by_what_it_was_shown(profile: Profile) -> None:
    """Casts, names and nulls are undone before the author's own schema judges."""
    schemas = ToolSchemas(profile)
    contract = expose_all(schemas).contract
    written = (
        {"size": "2", "full_name": "Ada"} if profile is GEMINI else {"id": None, "size": 2, "full name": "Ada", "days": None}
    )
    (call,) = parse_calls([ToolCall("1", "shop-find", json.dumps({"requests": [written]}))], contract, Limits()).calls
    assert [entry.error for entry in call.entries] == [None]
    assert call.entries[0].arguments == {"size": 2, "full name": "Ada"}


def test_other_callers_use_the_authors_own_schema() -> None:
    """Outside a conversation nothing was rewritten, so nothing is undone."""
    (call,) = parse_calls(
        [ToolCall("1", "shop-find", '{"requests": [{"size": 2, "full_name": "Ada"}]}')],
        make_contract(CATALOG, ["shop-find"]),
        Limits(),
    ).calls
    assert call.entries[0].arguments == {"size": 2, "full_name": "Ada"}


def test_strict_is_asked_for_where_the_schema_is_made_for_it() -> None:
    """On the wire, and nowhere else."""
    strict = build_definition(SIZED, ToolSchemas(OPENAI_STRICT))
    plain = build_definition(SIZED, ToolSchemas(GEMINI))
    assert isinstance(strict, ToolDefinition)
    assert isinstance(plain, ToolDefinition)
    assert strict.to_wire()["function"]["strict"] is True
    assert "strict" not in plain.to_wire()["function"]


def test_the_roots_rule_stands_in_the_functions_description() -> None:
    """Every model reads that; some templates leave out what the root of the parameters says."""
    skill = make_skill("shop-any", description="Finds.", parameters=HOSTILE["root anyOf of required"])
    definition = build_definition(skill, ToolSchemas())
    assert not isinstance(definition, Refused)
    assert definition.description == "Finds.\nat least one of these must be given: a, b"
    assert "description" not in definition.parameters


def test_threads_share_what_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """A reload reads schemas in a thread of its own while turns do; what is kept stays bounded."""
    monkeypatch.setattr(tool_schemas, "_MAX_KEPT", 4)
    schemas = ToolSchemas(PROFILES["common"])
    skills = [make_skill(f"shop-s{number}") for number in range(40)] * 20
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(4) as pool:
            found = list(pool.map(schemas.find, skills))
    finally:
        sys.setswitchinterval(interval)
    assert not any(isinstance(adapted, Refused) for adapted in found)
    assert len(schemas._kept) <= 4
