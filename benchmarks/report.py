"""The report as Markdown: what was measured, on what, and how to read it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from benchmarks.machine import Machine

HEAD = """# Benchmarks

```sh
make bench                                # runs all and writes this file
python -m benchmarks turns --quick        # one, in short, to standard output; see `python -m benchmarks --help`
```

Everything runs on one machine over its loopback interface: the service, the scripted model and the client share its cores. So
milliseconds say little about another machine; **read the ratios**. Each is taken in one run with a floor (the least that any
implementation would need) or a peer, whose samples alternate with those of the service (A B C A B C ...). p50 and p99 are
nearest-rank percentiles of all samples.
"""


@dataclass(frozen=True, slots=True)
class Table:
    header: Sequence[str]
    rows: Sequence[Sequence[str]]


@dataclass(frozen=True, slots=True)
class Section:
    """One benchmark's result; `reading` says what was measured and how to read it."""

    title: str
    reading: str
    tables: Sequence[Table]


def write_report(machine: Machine, sections: Iterable[Section], *, quick: bool = False) -> str:
    """The whole document."""
    parts = [HEAD, *(["**A quick run: too few samples for p99.**\n"] if quick else []), write_machine(machine)]
    return "\n".join([*parts, *map(write_section, sections)])


def write_machine(machine: Machine) -> str:
    return (
        f"Machine: {machine.cores} cores of {machine.processor}, {machine.memory_gib:.0f} GiB of memory, {machine.system}, "
        f"Python {machine.python}, {machine.event_loop}.\n"
    )


def write_section(section: Section) -> str:
    return "\n".join([f"## {section.title}", "", section.reading.strip(), "", *map(write_table, section.tables)])


def write_table(table: Table) -> str:
    """Text in the first column, numbers to the right in the others."""
    marks = ["---", *["---:"] * (len(table.header) - 1)]
    return "".join(f"| {' | '.join(row)} |\n" for row in (table.header, marks, *table.rows))


def show_ms(seconds: float) -> str:
    """Three significant digits and no more: `0.123`, `4.56`, `78.9`, `1,230`."""
    value = seconds * 1000
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


def show_ratio(value: float, floor: float) -> str:
    return f"{value / floor:.3g}x" if floor > 0 else "-"


def show_mb(size: float | None) -> str:
    """Megabytes; `-` where the system does not tell."""
    return "-" if size is None else f"{size / 1e6:,.0f}"
