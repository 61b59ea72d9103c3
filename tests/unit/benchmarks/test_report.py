"""The report and what it says of the machine."""

from __future__ import annotations

import platform

import pytest

from benchmarks.machine import Machine, describe_machine, read_model
from benchmarks.report import Section, Table, show_mb, show_ms, show_ratio, write_report, write_table

MACHINE = Machine(2, 7.8, "3.11.9", "Some Processor", "Linux", "asyncio")


def test_table_has_text_left_and_numbers_right() -> None:
    """The first column says what, the others how much."""
    table = Table(("what", "ms"), [("a turn", "1.5")])
    assert write_table(table) == "| what | ms |\n| --- | ---: |\n| a turn | 1.5 |\n"


def test_report_has_the_machine_and_every_section() -> None:
    """Readers see what it was measured on before any number."""
    sections = [Section("First", "How to read it.", [Table(("a",), [("1",)])]), Section("Second", "Why.", [])]
    report = write_report(MACHINE, sections)
    machine = "Machine: 2 cores of Some Processor, 8 GiB of memory, Linux, Python 3.11.9, asyncio."
    places = [report.index(text) for text in ("# Benchmarks", machine, "## First", "How to read it.", "| a |", "## Second")]
    assert places == sorted(places)
    assert "quick run" not in report


def test_quick_report_says_so() -> None:
    """Numbers of a quick run are not taken for the real ones."""
    assert "A quick run" in write_report(MACHINE, [], quick=True)


def test_machine_is_described_without_its_name() -> None:
    """Cores and memory are there; the host's name is not."""
    machine = describe_machine()
    assert machine.cores >= 1
    assert machine.memory_gib > 0
    assert not platform.node() or platform.node() not in (machine.processor, machine.system, machine.event_loop)


@pytest.mark.parametrize(
    ("text", "expected"),
    [("processor\t: 0\nmodel name\t: A: Fine CPU\nmodel name\t: Another\n", "A: Fine CPU"), ("", None), ("flags: x", None)],
)
def test_processor_is_the_first_model_name(text: str, expected: str | None) -> None:
    """Linux lists every core; one name is enough, and some machines give none."""
    assert read_model(text) == expected


@pytest.mark.parametrize(("seconds", "expected"), [(0.000_123_4, "0.123"), (0.0789, "78.9"), (1.234_5, "1,234"), (0.0, "0")])
def test_times_have_three_digits(seconds: float, expected: str) -> None:
    """More digits would pretend to be known."""
    assert show_ms(seconds) == expected


def test_what_is_not_known_is_a_dash() -> None:
    """No memory figure and no floor give a dash, not a made-up number."""
    assert show_mb(None) == show_ratio(1.0, 0.0) == "-"
    assert (show_mb(12_400_000), show_ratio(3.0, 2.0)) == ("12", "1.5x")
