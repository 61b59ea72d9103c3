"""What the operating system holds this process to, whatever DuckDB does.

DuckDB's own limits are not enough: several functions (`repeat`, `range`, `list_sort`, `printf`) allocate gigabytes under a
`memory_limit` of 256 MB, and some cannot be interrupted.
"""

from __future__ import annotations

import contextlib
import math
import resource
import signal
from pathlib import Path
from typing import Final

HEADROOM: Final = 512 * 1024 * 1024
"""Bytes of address space beyond what the process uses before it has read any data."""

FILES_OPEN: Final = 64
"""File descriptors of a query that reads Parquet below the permitted directory; every other query may open none."""


def limit_time(seconds: float) -> None:
    """The process is killed a second after `seconds`, even when nobody is left to do it; it leaves no core file."""
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_REAL, seconds + 1)
    _lower(resource.RLIMIT_CPU, math.ceil(seconds) + 2)
    _lower(resource.RLIMIT_CORE, 0)
    with contextlib.suppress(OSError):  # where there is no such file, the kernel chooses its victim alone
        Path("/proc/self/oom_score_adj").write_text("1000", encoding="ascii")


def limit_memory() -> None:
    """No more than `HEADROOM` from now on; systems without /proc have DuckDB's own limit only."""
    with contextlib.suppress(OSError):
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
        _lower(resource.RLIMIT_AS, pages * resource.getpagesize() + HEADROOM)


def close_doors(*, opens_files: bool) -> None:
    """From now on nothing is written to files and no file or socket is opened, but for reading when `opens_files`."""
    _lower(resource.RLIMIT_FSIZE, 0)
    _lower(resource.RLIMIT_NOFILE, FILES_OPEN if opens_files else 0)


def _lower(kind: int, limit: int) -> None:
    hard = resource.getrlimit(kind)[1]
    bound = limit if hard == resource.RLIM_INFINITY else min(limit, hard)
    resource.setrlimit(kind, (bound, bound))
