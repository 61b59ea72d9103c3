"""Loading many apps: how long, and in how much memory (case 11: 300 apps of 10 skills in under 3 s on two cores)."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import orjson

from apps.sdk.jsontypes import JsonObject
from benchmarks.apps import write_apps
from benchmarks.measuring import BenchmarkError, Budget, interleave, percentile, tell
from benchmarks.processes import ROOT, SHORTLIST, read_output, run_command
from benchmarks.report import Section, Table, show_mb, show_ms, show_ratio

SIZES = (50, 1_000, 3_000)
QUICK_SIZES = SIZES[:2]
QUICK, FULL = Budget(2, 2.0), Budget(5, 12.0)
READING = """
Each load is a process of its own, 10 skills an app, a module a skill; bytecode is there from a first load that is not counted
but shown as *first load*. *Load* is the catalog: manifests read with positions, schemas checked, skills imported, rules of lint
run. *Index* is the ranking's. The floor is libyaml alone on the same app.yml files, alternating with the loads. Memory is what
both added. *Lint* is the whole command. *Reload* is from an edit that is seen until the next snapshot stands, in a process
that serves: an example added to one manifest (which needs a new index), a line added to one skill's module (which does not).
Goal (case 11): 3,000 skills load in under 3 s.
"""


async def measure(*, quick: bool) -> Section:
    """The whole benchmark."""
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for skills in QUICK_SIZES if quick else SIZES:
            tell(f"  {skills} skills")
            apps = write_apps(Path(folder) / f"apps{skills}", skills // 10)
            rows.append(await measure_size(apps, skills, QUICK if quick else FULL))
    header = (
        "skills", "first load ms", "load ms", "index ms", "libyaml ms (floor)", "load : floor", "added MB", "lint ms",
        "reload, manifest ms", "reload, module ms",
    )  # fmt: skip
    return Section("Loading the catalog", READING, [Table(header, rows)])


async def measure_size(apps: Path, skills: int, budget: Budget) -> tuple[str, ...]:
    first = await probe("load", apps)
    if first["skills"] != skills:
        raise BenchmarkError(f"{first['skills']} of {skills} skills loaded")
    loads: list[JsonObject] = []

    async def load() -> float:
        loads.append(await probe("load", apps))
        return float(loads[-1]["load"])

    async def parse() -> float:
        return float((await probe("parse", apps))["parse"])

    async def lint() -> float:
        return (await run_command((str(SHORTLIST), "lint", str(apps)), apps.parent)).seconds

    samples = await interleave({"load": load, "parse": parse, "lint": lint}, budget)
    reload = await probe("reload", apps)
    middle = {name: percentile(values, 0.5) for name, values in samples.items()}
    index = percentile([told["index"] for told in loads], 0.5)
    return (
        f"{skills:,}",
        *map(show_ms, (first["load"], middle["load"], index, middle["parse"])),
        show_ratio(middle["load"], middle["parse"]),
        show_mb(find_growth(loads)),
        *map(show_ms, (middle["lint"], reload["manifest"], reload["module"])),
    )


def find_growth(loads: list[JsonObject]) -> float | None:
    """The middle of what each load added; None where memory cannot be read."""
    grown = [told["after"] - told["before"] for told in loads if told["after"] is not None]
    return percentile(grown, 0.5) if grown else None


async def probe(kind: str, apps: Path) -> JsonObject:
    told: JsonObject = orjson.loads(await read_output((sys.executable, "-m", "benchmarks.catalog_probe", kind, str(apps)), ROOT))
    return told
