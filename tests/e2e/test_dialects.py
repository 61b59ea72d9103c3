"""Schemas on the wire: as the models' family takes them, and the answers read back."""

from __future__ import annotations

import pytest

from apps.sdk.schemas.dialects.profiles import PROFILES
from tests.e2e.conftest import OpenLab
from tests.e2e.lab import calling, shortlisting
from tests.support.model_replies import Reply
from tests.support.model_server import ScriptedModelServer
from tests.support.provider_rules import find_faults

pytestmark = pytest.mark.filterwarnings("ignore:Accessing the 'model_.*' attribute on the instance:DeprecationWarning")


@pytest.mark.parametrize("profile", PROFILES)
async def test_both_models_are_sent_what_their_family_takes(
    start_lab: OpenLab, models: ScriptedModelServer, profile: str
) -> None:
    """By the settings: the tools of the main model, the function of the cheap one; what comes back runs."""
    models.script("cheap", [shortlisting("lab-echo")])
    models.script("main", [Reply(calls=[calling("lab-echo", "jam")]), Reply("Done.")])
    async with start_lab(schema_profile=profile, schema_profiles={"openai/cheap": profile}) as lab:
        answer = await lab.turn()
    for name in ("cheap", "main"):
        functions = [tool["function"] for tool in models.bodies(name)[0]["tools"]]
        assert functions
        assert [find_faults(function["parameters"], profile) for function in functions] == [[]] * len(functions)
        assert {function.get("strict", False) for function in functions} == {profile == "openai_strict"}
    [call] = answer["trace"]["calls"]
    assert call["execution"]["outcome"] == "ok"


async def test_models_that_nobody_knows_are_sent_what_all_take(start_lab: OpenLab, models: ScriptedModelServer) -> None:
    """`openai/main` at a URL of one's own says nothing of what answers there."""
    models.script("cheap", [shortlisting("lab-echo")])
    models.script("main", [Reply("Hello.")])
    async with start_lab() as lab:
        await lab.turn()
    [function] = [tool["function"] for tool in models.bodies("main")[0]["tools"]]
    assert find_faults(function["parameters"], "common") == []
