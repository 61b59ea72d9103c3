"""The two fixtures of the cases about toggles: that of the truth table, and that of the numbered cases."""

from __future__ import annotations

from typing import Any

from apps.sdk.catalog import Catalog, SkillSpec
from apps.sdk.jsontypes import Json
from preprocessor.expand import Expansion
from preprocessor.intent import TOOLSET_NAMES, Intent
from preprocessor.toolsets import Overlay, Toolset, Toolsets
from tests.support.catalogs import make_app, make_catalog, make_skill
from tests.support.expanding import expand


def make_toolsets(overlay: str, **sets: Toolset) -> Toolsets:
    """Toolsets by name, and the overlay `web_search` with its skill."""
    return Toolsets(sets, {"web_search": Overlay("web_search", overlay)})


def names(*short: str) -> tuple[str, ...]:
    """Tool names of the truth table's fixture: all skills are of one app."""
    return tuple(f"t-{name}" for name in short)


STANDARD = names("read", "bash", "edit", "web_use", "send_message")
FURTHER = names("web_search", "web_fetch")
TABLE_CATALOG = make_catalog(
    make_app("t", *map(make_skill, STANDARD), *(make_skill(name, standard=False) for name in FURTHER)),
)
TABLE_TOOLSETS = make_toolsets(
    "t-web_search",
    safe=Toolset("safe", names("read")),
    research=Toolset("research", names("web_search", "web_fetch", "web_use")),
)

D = ("a-alpha", "a-beta", "a-gamma", "b-cold", "b-mail")
"""The standard set of the cases' fixture."""


def make_case_catalog(*more: SkillSpec, without: str = "") -> Catalog:
    """The catalog of the cases; `more` skills come after it, in apps of their own."""
    skills = [
        *(make_skill(name, resident=True) for name in D[:3]),
        *(make_skill(name) for name in D[3:]),
        *(make_skill(name, standard=False) for name in ("c-rare", "c-mailbox", "s-web_search")),
        *more,
    ]
    kept = [skill for skill in skills if skill.tool_name != without]
    apps = dict.fromkeys(skill.app_id for skill in kept)
    return make_catalog(*(make_app(app, *(skill for skill in kept if skill.app_id == app)) for app in apps))


CASE_CATALOG = make_case_catalog()
CASE_TOOLSETS = make_toolsets(
    "s-web_search",
    safe=Toolset("safe", ("a-alpha",)),
    mix=Toolset("mix", ("b-mail", "a-alpha"), includes=("safe",)),
    loop1=Toolset("loop1", ("a-beta",), includes=("loop2",)),
    loop2=Toolset("loop2", ("b-cold",), includes=("loop1",)),
    net=Toolset("net", ("s-web_search", "a-alpha")),
)


def read(written: Json, toolsets: Toolsets = CASE_TOOLSETS) -> Intent:
    """What a caller wrote, checked against the toolsets as at the edge. Raises `ValidationError`."""
    return Intent.model_validate(written, context={TOOLSET_NAMES: toolsets.names})


def expand_row(written: Json, **given: Any) -> Expansion:
    """A row of the truth table."""
    return expand(TABLE_CATALOG, read(written, TABLE_TOOLSETS), toolsets=TABLE_TOOLSETS, **given)


def expand_case(written: Json, catalog: Catalog = CASE_CATALOG, **given: Any) -> Expansion:
    """A case."""
    return expand(catalog, read(written), **{"toolsets": CASE_TOOLSETS, **given})
