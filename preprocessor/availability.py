"""What is switched on, and why something is not.

A switch is decided by the first that says something: an override that enables, one that disables, the author's
`default_enabled`, the parent. A child of an app that is off is off.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal, TypeAlias, assert_never

from apps.sdk.catalog import App, Catalog, Provider, SkillSpec
from apps.sdk.jsontypes import Json
from apps.sdk.names import fold_name
from apps.sdk.skill import Skill

OverrideKind: TypeAlias = Literal["app", "skill", "focus_mode"]
MAX_REASON_LENGTH = 200


@dataclass(frozen=True, slots=True)
class Override:
    """An administrator's word on one app, skill (by tool name) or focus mode."""

    kind: OverrideKind
    id: str
    enabled: bool


@dataclass(frozen=True, slots=True)
class Deactivation:
    """A user's own word that one app, skill (by tool name) or focus mode is not to be used; nothing lifts it."""

    kind: OverrideKind
    id: str


@dataclass(frozen=True, slots=True)
class Availability:
    """Whether something is on; `reason` is set exactly when it is not. `unavailable`: switched on, but lacking something."""

    enabled: bool
    reason: str | None = None
    code: Literal["disabled", "unavailable"] = "disabled"


ON = Availability(enabled=True)


@dataclass(frozen=True, slots=True)
class Availabilities:
    """The availability of everything in a catalog. Three maps: a skill and a focus mode may have the same id."""

    apps: Mapping[str, Availability]
    skills: Mapping[str, Availability]
    focus_modes: Mapping[str, Availability]


def resolve_availability(catalog: Catalog, overrides: Iterable[Override], credentials: frozenset[str]) -> Availabilities:
    """Decide every switch; `credentials` are the provider names that have one, folded (`fold_name`).

    Overrides for what the catalog does not have are without effect. What a skill says of itself is `ask_skill`'s.
    """
    return _resolve(catalog.apps, _read_switches(overrides), credentials)


def amend_availability(
    resolved: Availabilities, catalog: Catalog, overrides: Iterable[Override], credentials: frozenset[str]
) -> Availabilities:
    """`resolved`, which is without overrides, with them: only the apps that they speak of are decided again."""
    switches = _read_switches(overrides)
    if not switches:
        return resolved
    touched = {_find_app(catalog, kind, item) for kind, item in switches}
    again = _resolve([app for app in catalog.apps if app.id in touched], switches, credentials)
    pairs = ((resolved.apps, again.apps), (resolved.skills, again.skills), (resolved.focus_modes, again.focus_modes))
    return Availabilities(*(MappingProxyType({**before, **now}) if now else before for before, now in pairs))


def ask_skill(skill: SkillSpec, secrets: Mapping[str, str]) -> str | None:
    """Why the skill says it cannot work here, or None when it can; never raises and never repeats a secret.

    It is asked with those of `secrets` that it may see.
    """
    if type(skill.implementation).available is Skill.available:
        return None
    own = skill.choose_secrets(secrets)
    try:
        answer: Json = skill.implementation.available(own)
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # noqa: BLE001 - an author's code: even sys.exit() must cost this skill only
        return f"its availability check failed ({type(error).__name__})"
    return _read_answer(answer, own)


def _read_answer(answer: Json, secrets: Mapping[str, str]) -> str | None:
    if answer is True:
        return None
    if answer is False:
        return "it says that it cannot work here"
    if isinstance(answer, str):
        return _clean_reason(answer, secrets) or "it says that it cannot work here"
    if inspect.iscoroutine(answer):
        answer.close()
    return "its availability check gave neither true, false nor a reason"


def _clean_reason(text: str, secrets: Mapping[str, str]) -> str:
    for secret in sorted(filter(None, secrets.values()), key=len, reverse=True):
        text = text.replace(secret, "***")
    printable = "".join(character if character.isprintable() else " " for character in text[: 4 * MAX_REASON_LENGTH])
    return " ".join(printable.split())[:MAX_REASON_LENGTH]


Switches: TypeAlias = Mapping[tuple[OverrideKind, str], bool]


def _resolve(of_apps: Iterable[App], switches: Switches, credentials: frozenset[str]) -> Availabilities:
    apps: dict[str, Availability] = {}
    skills: dict[str, Availability] = {}
    modes: dict[str, Availability] = {}
    for app in of_apps:
        own = apps[app.id] = _resolve_app(app, switches)
        for skill in app.skills:
            key: tuple[OverrideKind, str] = ("skill", skill.tool_name)
            state = _resolve_child(key, default_enabled=skill.default_enabled, parent=own, switches=switches)
            if state.enabled and (reason := _find_missing_credential(skill.providers, credentials)):
                state = Availability(enabled=False, reason=reason, code="unavailable")
            skills[skill.tool_name] = state
        for mode in app.focus_modes:
            key = ("focus_mode", mode.id)
            modes[mode.id] = _resolve_child(key, default_enabled=mode.default_enabled, parent=own, switches=switches)
    return Availabilities(*map(MappingProxyType, (apps, skills, modes)))


def _find_app(catalog: Catalog, kind: OverrideKind, item: str) -> str | None:
    """The app that a thing belongs to, None where the catalog has no such thing."""
    match kind:
        case "app":
            return item
        case "skill":
            return catalog.skills[item].app_id if item in catalog.skills else None
        case "focus_mode":
            return catalog.focus_modes[item].app_id if item in catalog.focus_modes else None
        case _:
            assert_never(kind)


def _read_switches(overrides: Iterable[Override]) -> Switches:
    """Where several overrides speak of one thing, one that enables wins."""
    switches: dict[tuple[OverrideKind, str], bool] = {}
    for override in overrides:
        key = (override.kind, override.id)
        switches[key] = override.enabled or switches.get(key, False)
    return switches


def _resolve_app(app: App, switches: Switches) -> Availability:
    override = switches.get(("app", app.id))
    if override if override is not None else app.default_enabled is not False:
        return ON
    cause = "by an override" if override is False else "by default"
    return Availability(enabled=False, reason=f"the app {app.id} is disabled {cause}")


def _resolve_child(
    key: tuple[OverrideKind, str], *, default_enabled: bool | None, parent: Availability, switches: Switches
) -> Availability:
    if not parent.enabled:
        return parent
    override = switches.get(key)
    if override if override is not None else default_enabled is not False:
        return ON
    cause = "by an override" if override is False else "by default"
    return Availability(enabled=False, reason=f"{key[1]} is disabled {cause}")


def _find_missing_credential(providers: tuple[Provider, ...], credentials: frozenset[str]) -> str | None:
    """A list of providers is a list of alternatives, as in the field: one that can be used is enough."""
    if not providers or any(provider.no_api_key or fold_name(provider.name) in credentials for provider in providers):
        return None
    names = " or ".join(provider.name for provider in providers)
    return f"no credential for {names} is configured"
