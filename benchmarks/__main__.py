"""`python -m benchmarks` runs all and writes benchmarks/README.md; with names it runs those and prints."""

from __future__ import annotations

import argparse
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Protocol

from benchmarks import (
    catalog_load,
    conversations,
    dialects,
    expansion,
    fan_out,
    stages,
    start_up,
    token_savings,
    toon_size,
    turn_overhead,
)
from benchmarks.loops import run
from benchmarks.machine import describe_machine
from benchmarks.measuring import tell
from benchmarks.report import Section, write_report

REPORT = Path(__file__).with_name("README.md")


class Benchmark(Protocol):
    async def __call__(self, *, quick: bool) -> Section: ...


BENCHMARKS: Mapping[str, Benchmark] = {
    "turns": turn_overhead.measure,
    "start-up": start_up.measure,
    "fan-out": fan_out.measure,
    "catalog": catalog_load.measure,
    "stages": stages.measure,
    "conversations": conversations.measure,
    "expand": expansion.measure,
    "tokens": token_savings.measure,
    "toon": toon_size.measure,
    "dialects": dialects.measure,
}


async def measure_all(names: Sequence[str], *, quick: bool) -> list[Section]:
    """One after the other; two at once would measure each other."""
    sections = []
    for name in names:
        begun = time.monotonic()
        tell(f"{name} ...")
        sections.append(await BENCHMARKS[name](quick=quick))
        tell(f"{name}: {time.monotonic() - begun:.0f} s")
    return sections


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("names", nargs="*", help=f"some of {', '.join(BENCHMARKS)}; none = all, into {REPORT.name}")
    parser.add_argument("--quick", action="store_true", help="few samples, about a minute in all; printed, never written")
    options = parser.parse_args()
    if unknown := set(options.names) - set(BENCHMARKS):
        parser.error(f"no such benchmark: {', '.join(sorted(unknown))}")
    names = options.names or list(BENCHMARKS)
    report = write_report(describe_machine(), run(measure_all(names, quick=options.quick)), quick=options.quick)
    if options.names or options.quick:
        print(report)
    else:
        REPORT.write_text(report, encoding="utf-8")
        tell(f"written: benchmarks/{REPORT.name}")


if __name__ == "__main__":
    main()
