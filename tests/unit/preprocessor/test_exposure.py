"""What is sent, in which order and why."""

from __future__ import annotations

import hashlib
import subprocess
import sys
from random import Random

import orjson
import pytest

from apps.sdk.catalog import Catalog, Instruction
from apps.sdk.chat import Message, ToolCall
from preprocessor.exposure import AppInstruction, Exposure, expose, find_called_skills
from preprocessor.intent import Intent
from preprocessor.settings import PreprocessSettings
from preprocessor.toolsets import Overlay, Toolsets
from tests.support.catalogs import make_app, make_bundled_like, make_catalog, make_skill
from tests.support.expanding import expand

CATALOG = make_catalog(
    make_app(
        "a", make_skill("a-one"), make_skill("a-two", resident=True), make_skill("a-off", default_enabled=False, resident=True)
    ),
    make_app(
        "b",
        make_skill("b-find", follow_ups=("b-open", "a-off", "no-such")),
        make_skill("b-open", follow_ups=("b-rare",)),
        make_skill("b-rare"),
        instructions=(Instruction("Use b."), Instruction("Use b for research.", ("research",))),
    ),
    make_app("c", make_skill("c-one", resident=True), instructions=(Instruction("Use c."),)),
)


def make_exposure(
    *preselected: str,
    intent: Intent | None = None,
    history: tuple[str, ...] = (),
    settings: PreprocessSettings | None = None,
    catalog: Catalog = CATALOG,
) -> Exposure:
    return expose(catalog, expand(catalog, intent or Intent()), preselected, history, settings)


def test_order_and_sources() -> None:
    """Residents first, then what the history called, what was preselected and their follow-ups, in catalog order; each once."""
    found = make_exposure("b-find", "a-one", "c-one", history=("b-rare", "a-off", "gone"))
    assert found.sources == {
        "a-two": "resident",
        "c-one": "resident",
        "a-one": "preselected",
        "b-find": "preselected",
        "b-open": "follow_up",
        "b-rare": "history",
    }
    assert found.names == tuple(found.sources) == ("a-two", "c-one", "a-one", "b-find", "b-open", "b-rare")


def test_of_too_many_the_history_comes_before_what_was_preselected() -> None:
    """What a conversation uses is not pushed out; which ones are sent and their order are two things."""
    found = make_exposure("a-one", history=("b-rare",), settings=PreprocessSettings(tools_max=3))
    assert found.names == ("a-two", "c-one", "b-rare")


@pytest.mark.parametrize("history", [(), ("b-open",), ("b-open", "a-one"), ("a-one", "b-open")])
def test_the_same_set_is_the_same_bytes_whatever_each_is_sent_for(history: tuple[str, ...]) -> None:
    """Hostile G and H: from one turn to the next a skill was preselected, then called; a provider's cache sees no difference."""
    first = make_exposure("a-one", "b-open", intent=Intent(disabled=("b-rare",)))
    later = make_exposure("b-open", "a-one", intent=Intent(disabled=("b-rare",)), history=history)
    assert orjson.dumps([tool.to_wire() for tool in later.tools]) == orjson.dumps([tool.to_wire() for tool in first.tools])
    assert len(first.tools) == 4


def test_65_tools_in_any_order_of_preselection_are_the_same_bytes() -> None:
    """Hostile H: 65 skills of four apps in 24 orders."""
    names = [f"{app}-s{number}" for app in "dbac" for number in range(17)][:65]
    catalog = make_catalog(*(make_app(app, *(make_skill(name) for name in names if name.startswith(app))) for app in "abcd"))
    expected = orjson.dumps([tool.to_wire() for tool in make_exposure(*names, catalog=catalog).tools])
    assert expected.count(b'"name"') == 65
    for seed in range(24):
        shuffled = Random(seed).sample(names, len(names))
        found = make_exposure(*shuffled[:40], history=tuple(shuffled[40:]), catalog=catalog)
        assert orjson.dumps([tool.to_wire() for tool in found.tools]) == expected


def test_picks_are_resident_up_to_the_setting() -> None:
    """Row 24: picks are sent in full, in their own order; beyond the setting they are available only."""
    picks = Intent(picks=("b-rare", "a-one", "b-open"))
    assert make_exposure(intent=picks).names == ("b-rare", "a-one", "b-open")
    few = make_exposure(intent=picks, settings=PreprocessSettings(resident_picks=2))
    assert few.names == ("b-rare", "a-one")
    assert tuple(few.contract.skills) == ("b-rare", "a-one", "b-open")


def test_the_contract_holds_all_that_is_available() -> None:
    """Everything available may be called, sent or not; the names of all else are known."""
    contract = make_exposure("b-find").contract
    assert tuple(contract.skills) == ("a-one", "a-two", "b-find", "b-open", "b-rare", "c-one")
    assert contract.known == {*contract.skills, "a-off"}
    assert contract.catalog_digest == "fixture"


def test_nothing_widens_the_expansion() -> None:
    """Off is off: residents, history and preselection bring nothing back."""
    found = make_exposure("b-find", intent=Intent(enabled=False), history=("a-one",))
    assert (found.tools, found.instructions, dict(found.contract.skills)) == ((), (), {})


def test_app_instructions_come_with_a_skill_that_is_sent() -> None:
    """Cases 17, 18: with and without categories, only for apps with a skill really sent, in catalog order."""
    assert make_exposure().instructions == ("Use c.",)
    assert make_exposure("b-rare").app_instructions == (
        AppInstruction("b", "Use b."),
        AppInstruction("b", "Use b for research.", ("research",)),
        AppInstruction("c", "Use c."),
    )
    assert make_exposure(intent=Intent(picks=("a-one",))).instructions == ()


def test_never_more_than_128_tools() -> None:
    """Hostile C: 150 residents and 20 preselected are 128 tools; the rest stays callable."""
    catalog = make_catalog(make_app("x", *(make_skill(f"x-s{number}", resident=number < 150) for number in range(170))))
    found = make_exposure(*(f"x-s{number}" for number in range(150, 170)), catalog=catalog)
    assert len(found.tools) == len(found.sources) == 128
    assert len(found.contract.skills) == 170


@pytest.mark.parametrize(("most", "expected"), [(12, ("b-find", "a-one")), (1, ("a-one",))])
def test_called_skills_are_found_in_the_history(most: int, expected: tuple[str, ...]) -> None:
    """Case 16: what was called and is still available, in order of the last calls, misspelt names too."""
    calls = [ToolCall("1", "b-find", "{}"), ToolCall("2", "made-up", "{}"), ToolCall("3", "a.one", "{}")]
    messages = [Message("user", "x"), *(Message("assistant", "", (call,)) for call in calls)]
    assert find_called_skills(messages, CATALOG, ("a-one", "b-find"), most) == expected


def test_what_is_not_available_takes_no_place() -> None:
    """Calls of skills that are gone or switched off since do not push the available one out of those called last."""
    names = ("b-find", "b-open", "made-up", "a-off")
    messages = [Message("assistant", "", (ToolCall(name, name, "{}"),)) for name in names]
    assert find_called_skills(messages, CATALOG, ("b-find", "a-one"), 1) == ("b-find",)


def test_a_called_skill_that_is_switched_off_is_not_its_twin() -> None:
    """Case 4: `a_b-c` in the history, denied today, is not read as `a-b_c`."""
    catalog = make_catalog(make_app("a", make_skill("a-b_c")), make_app("a_b", make_skill("a_b-c")))
    assert find_called_skills([Message("assistant", "", (ToolCall("1", "a_b-c", "{}"),))], catalog, ("a-b_c",), 12) == ()


BYTES = """
import hashlib, orjson
from tests.support.expanding import expand
from preprocessor.exposure import expose
from preprocessor.intent import Intent
from tests.support.catalogs import make_bundled_like
catalog = make_bundled_like()
found = expose(catalog, expand(catalog, Intent(disabled=("time-a*",))), ("time-now", "math-calculate", "time-convert"))
print(hashlib.sha256(orjson.dumps([tool.to_wire() for tool in found.tools])).hexdigest())
"""


def test_the_same_bytes_under_any_hash_seed() -> None:
    """Rule 3, hostile H: same intent and catalog, two processes, two hash seeds: byte-identical tools array."""
    run = [
        subprocess.run([sys.executable, "-c", BYTES], env={"PYTHONHASHSEED": seed}, capture_output=True, check=True, text=True)
        for seed in "12"
    ]
    assert run[0].stdout == run[1].stdout != ""


def test_the_same_bytes_whatever_the_load_order() -> None:
    """Rule 3, hostile H: apps found in another order give the same tools array."""
    apps = make_bundled_like().apps
    digests = set()
    for order in (apps, apps[::-1]):
        tools = make_exposure("time-now", "math-calculate", catalog=make_catalog(*order)).tools
        digests.add(hashlib.sha256(orjson.dumps([tool.to_wire() for tool in tools])).hexdigest())
    assert len(digests) == 1


def test_an_overlay_is_resident_and_carries_its_built_ins() -> None:
    """Beyond the limit of resident picks too; without the switch the same skill is an ordinary one, the same on the wire."""
    builtins = {"anthropic/*": {"type": "web_search_20250305", "name": "web_search"}}
    toolsets = Toolsets(overlays={"web_search": Overlay("web_search", "b-rare", builtins)})
    settings = PreprocessSettings(resident_picks=0)
    switched = expand(CATALOG, Intent(web_search=True, picks=("a-one", "b-rare")), toolsets=toolsets)
    found = expose(CATALOG, switched, (), settings=settings, toolsets=toolsets)
    assert found.sources == {"b-rare": "resident"}
    assert found.tools[0].builtins == builtins
    plain = expose(CATALOG, expand(CATALOG, Intent(), toolsets=toolsets), ["b-rare"], toolsets=toolsets)
    [rare] = [tool for tool in plain.tools if tool.name == "b-rare"]
    assert plain.sources["b-rare"] == "preselected"
    assert not rare.builtins
    assert rare.to_wire() == found.tools[0].to_wire()
