"""What machine it was: enough to judge the numbers, nothing that names it."""

from __future__ import annotations

import os
import platform
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

from benchmarks.loops import choose_loop

CPU_INFO = Path("/proc/cpuinfo")


@dataclass(frozen=True, slots=True)
class Machine:
    cores: int
    memory_gib: float
    python: str
    processor: str
    system: str
    event_loop: str


def describe_machine() -> Machine:
    """Of the machine and the interpreter that this runs on."""
    return Machine(
        cores=os.cpu_count() or 1,
        memory_gib=os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30,
        python=platform.python_version(),
        processor=read_model(CPU_INFO.read_text(encoding="utf-8") if CPU_INFO.exists() else "") or platform.machine(),
        system=platform.system(),
        event_loop=name_event_loop(),
    )


def read_model(cpu_info: str) -> str | None:
    """The first `model name` of Linux' cpuinfo, if it has any."""
    lines = (line.partition(":") for line in cpu_info.splitlines())
    return next((value.strip() for name, _, value in lines if name.strip() == "model name"), None)


def name_event_loop() -> str:
    """What `shortlist` runs on here: uvloop comes with the extra `fast`."""
    return "asyncio" if choose_loop() is None else f"uvloop {version('uvloop')}"
