"""Switches and credentials."""

from __future__ import annotations

import asyncio
import gc
from typing import Any

import pytest

from apps.sdk.catalog import Provider
from preprocessor.availability import Availabilities, Override, ask_skill, resolve_availability
from tests.support.catalogs import ScriptedAvailability, make_app, make_catalog, make_mode, make_skill


def resolve(*overrides: Override, app: bool | None = None, skill: bool | None = None) -> Availabilities:
    apps = make_app(
        "web", make_skill("web-read", default_enabled=skill), make_mode("web-read", default_enabled=skill), default_enabled=app
    )
    return resolve_availability(make_catalog(apps), overrides, frozenset())


def test_author_ships_a_skill_off() -> None:
    """Case 8: `default_enabled: false` on a skill or focus mode is off, with a reason; its app stays on."""
    found = resolve(skill=False)
    assert found.apps["web"].enabled
    assert found.skills["web-read"].reason == "web-read is disabled by default"
    assert not found.focus_modes["web-read"].enabled


@pytest.mark.parametrize("default", [None, True, False])
def test_an_override_beats_the_default(default: bool | None) -> None:
    """Case 8: an override decides, whatever the author's default; of two that disagree the enabling one wins."""
    on, off = Override("skill", "web-read", enabled=True), Override("skill", "web-read", enabled=False)
    assert resolve(on, skill=default).skills["web-read"].enabled
    assert not resolve(off, skill=default).skills["web-read"].enabled
    assert resolve(on, off, skill=default).skills["web-read"].enabled
    assert resolve(off, on, skill=default).skills["web-read"].enabled


def test_a_child_of_a_disabled_app_is_off() -> None:
    """Case 8: an enabled child of a disabled app is off and the reason names the app."""
    found = resolve(Override("app", "web", enabled=False), Override("skill", "web-read", enabled=True), skill=True)
    assert found.skills["web-read"].reason == "the app web is disabled by an override"
    assert found.focus_modes["web-read"].reason == "the app web is disabled by an override"
    assert resolve(app=False).skills["web-read"].reason == "the app web is disabled by default"
    assert resolve(Override("app", "web", enabled=True), app=False).skills["web-read"].enabled


def test_a_skill_and_a_focus_mode_of_one_name_are_two_things() -> None:
    """An override on the skill leaves the focus mode of the same id alone."""
    found = resolve(Override("skill", "web-read", enabled=False), Override("skill", "no-such", enabled=True))
    assert not found.skills["web-read"].enabled
    assert found.focus_modes["web-read"].enabled


@pytest.mark.parametrize(
    ("providers", "credentials", "enabled"),
    [
        ((Provider("Brave"),), (), False),
        ((Provider("Brave"),), ("brave",), True),
        ((Provider("Brave", no_api_key=True),), (), True),
        ((Provider("Brave"), Provider("Exa")), ("exa",), True),
        ((Provider("Brave"), Provider("Exa")), ("other",), False),
        ((), (), True),
    ],
)
def test_credentials(providers: tuple[Provider, ...], credentials: tuple[str, ...], enabled: bool) -> None:
    """Case 9: without the credential unavailable, with it or without need of one available; providers are alternatives."""
    catalog = make_catalog(make_app("web", make_skill("web-search", providers=providers)))
    found = resolve_availability(catalog, (), frozenset(credentials)).skills["web-search"]
    assert found.enabled is enabled
    assert enabled or "no credential for Brave" in str(found.reason)


async def not_awaited() -> bool:
    return True


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (True, None),
        (False, "it says that it cannot work here"),
        ("  ", "it says that it cannot work here"),
        ("the key is\nrefused", "the key is refused"),
        ("no: hunter2-secret", "no: ***"),
        (None, "its availability check gave neither true, false nor a reason"),
        (1, "its availability check gave neither true, false nor a reason"),
        (lambda _: not_awaited(), "its availability check gave neither true, false nor a reason"),
        (ValueError("hunter2-secret"), "its availability check failed (ValueError)"),
        (SystemExit(3), "its availability check failed (SystemExit)"),
        (asyncio.CancelledError(), "its availability check failed (CancelledError)"),
        (RecursionError(), "its availability check failed (RecursionError)"),
    ],
)
def test_what_a_skill_says_of_itself(answer: Any, reason: str | None) -> None:
    """Whatever `available` gives or raises costs that skill only, and no reason repeats a secret."""
    skill = make_skill(
        "web-search", implementation=ScriptedAvailability(answer), providers=(Provider("Brave"), Provider("Empty"))
    )
    assert ask_skill(skill, {"brave": "hunter2-secret", "empty": ""}) == reason
    gc.collect()


def test_a_skill_is_asked_with_its_own_credentials_only() -> None:
    """Rule 6: `available` sees those of the declared providers, as `execute` does, and no other skill's."""
    asking = ScriptedAvailability(lambda secrets: f"given: {sorted(secrets)}")
    secrets = {"brave": "key-b", "exa": "key-e"}
    assert (
        ask_skill(make_skill("web-search", implementation=asking, providers=(Provider("Brave"),)), secrets) == "given: ['brave']"
    )
    assert ask_skill(make_skill("web-read", implementation=asking), secrets) == "given: []"


def test_a_long_reason_is_cut() -> None:
    """A reason is one bounded line."""
    skill = make_skill("web-search", implementation=ScriptedAvailability("x" * 100_000))
    assert ask_skill(skill, {}) == "x" * 200
