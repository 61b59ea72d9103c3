"""What it costs to work out which skills an intent makes available, by the size of the catalog."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable
from pathlib import Path

from apps.sdk.catalog import App, Catalog, SkillSpec
from apps.sdk.findings import Position
from apps.sdk.skill import Skill
from benchmarks.measuring import Budget, interleave, summarise, tell
from benchmarks.report import Section, Table, show_ms, show_ratio
from preprocessor.availability import Deactivation, Override
from preprocessor.expand import Expander, Expansion
from preprocessor.intent import Intent
from preprocessor.toolsets import Overlay, Toolset, Toolsets

SIZES = (50, 1_000, 10_000)
GOALS_MS = {50: 0.1, 1_000: 1.0, 10_000: 10.0}
QUICK, FULL = Budget(30, 1.0), Budget(400, 6.0)
READING = """
One expansion in one process, 10 skills an app, one of them not standard, the cases in turns. The floor copies the catalog's
names that are standard into a tuple: no gate, no reason, no order but the catalog's. *Follow* is an empty intent; *typical* is
`{enabled: true, web_search: true, disabled: ["app1-*", "app2-skill3"]}`; *overridden* is the same with an administrator's
override and a user's deactivation, for which part of the switches is decided again; *toolset* and *picks* leave most skills
out, each with its reason. Skills that say themselves whether they are available are asked; here none does. *Bytes* is what is
stored of the intent. Goal of the typical case: 0.1 ms at 50 skills, 1 ms at 1,000, 10 ms at 10,000.
"""
TYPICAL = Intent(enabled=True, web_search=True, disabled=("app1-*", "app2-skill3"))
OVERRIDES = (Override("skill", "app3-skill1", enabled=False),)
DEACTIVATIONS = (Deactivation("app", "app4"),)
TOOLSETS = Toolsets({"some": Toolset("some", ("app1*", "app2-skill3"))}, {"web_search": Overlay("web_search", "app0-skill9")})
CASES = {
    "follow": Intent(),
    "typical": TYPICAL,
    "toolset": Intent(toolset="some"),
    "picks": Intent(picks=tuple(f"app1-skill{number}" for number in range(8))),
    "off": Intent(enabled=False),
}


async def measure(*, quick: bool) -> Section:
    """The whole benchmark."""
    rows, sizes = [], SIZES[:2] if quick else SIZES
    for skills in sizes:
        tell(f"  {skills} skills")
        rows.append(await measure_size(make_catalog(skills), QUICK if quick else FULL))
    cases = ("follow", "typical", "overridden", "toolset", "picks", "off")
    header = ("skills", "floor ms", *(f"{case} ms" for case in cases), "typical p99 ms", "typical : floor", "goal ms")
    sizes_stored = [(name, f"{len(intent.model_dump_json(exclude_none=True)):,}") for name, intent in CASES.items()]
    stored = Table(("stored intent", "bytes"), sizes_stored)
    return Section("Expansion of an intent", READING, [Table(header, rows), stored])


async def measure_size(catalog: Catalog, budget: Budget) -> tuple[str, ...]:
    """A row: p50 of each case."""
    expander = Expander(catalog, TOOLSETS)
    works: dict[str, Callable[[], object]] = {
        "floor": lambda: tuple(name for name, skill in catalog.skills.items() if skill.standard),
        **{name: _expand(expander, intent) for name, intent in CASES.items()},
        "overridden": lambda: expander.expand(TYPICAL, overrides=OVERRIDES, deactivations=DEACTIVATIONS),
    }
    cases = {name: _time(work) for name, work in works.items()}
    await interleave(cases, Budget(3, 1.0))
    spreads = {name: summarise(values) for name, values in (await interleave(cases, budget)).items()}
    order = ("floor", "follow", "typical", "overridden", "toolset", "picks", "off")
    typical, size = spreads["typical"], len(catalog.skills)
    times = (show_ms(spreads[name].p50) for name in order)
    return f"{size:,}", *times, show_ms(typical.p99), show_ratio(typical.p50, spreads["floor"].p50), f"{GOALS_MS[size]:g}"


def _expand(expander: Expander, intent: Intent) -> Callable[[], Expansion]:
    return lambda: expander.expand(intent)


def _time(work: Callable[[], object]) -> Callable[[], Awaitable[float]]:
    async def sample() -> float:
        begun = time.perf_counter()
        work()
        return time.perf_counter() - begun

    return sample


def make_catalog(skills: int) -> Catalog:
    """Built directly: neither files nor schemas matter here."""
    apps = (
        App(f"app{number}", "An app", "", Path(), skills=tuple(_make_skill(f"app{number}", place) for place in range(10)))
        for number in range(skills // 10)
    )
    return Catalog(tuple(sorted(apps, key=lambda app: app.id)), digest="benchmark")


def _make_skill(app_id: str, place: int) -> SkillSpec:
    name = f"{app_id}-skill{place}"
    return SkillSpec(
        tool_name=name,
        app_id=app_id,
        skill_id=f"skill{place}",
        name=name,
        description=name,
        hint=name,
        parameters={},
        implementation=Skill(),
        content_hash=name,
        position=Position("app.yml"),
        standard=place != 9,
    )
