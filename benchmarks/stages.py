"""What the stages before the models cost for one message, by the size of the catalog."""

from __future__ import annotations

import tempfile
from pathlib import Path

from benchmarks.apps import write_apps
from benchmarks.catalog_load import QUICK_SIZES, SIZES, probe
from benchmarks.measuring import tell
from benchmarks.report import Section, Table, show_ms, show_ratio

READING = """
p50 for one message, in one process, the stages in turns. The floor of the ranking is a plain scan of all hints for the
message's words: no stems, no weights, no index. The prompt is the preselection call's, of at most 200 candidates. *All* is
expanding, ranking and exposing without a model, as the offline stand-in does it.
"""


async def measure(*, quick: bool) -> Section:
    """The whole benchmark."""
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for skills in QUICK_SIZES if quick else SIZES:
            tell(f"  {skills} skills")
            told = await probe("stages", write_apps(Path(folder) / f"apps{skills}", skills // 10))
            shown = (show_ms(told[name]) for name in ("scan", "expand", "rank", "prompt", "all"))
            rows.append((f"{skills:,}", *shown, show_ratio(told["rank"], told["scan"])))
    header = ("skills", "scan ms (floor)", "expand ms", "rank ms", "prompt ms", "all ms", "rank : floor")
    return Section("Stages before the models", READING, [Table(header, rows)])
