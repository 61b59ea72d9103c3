"""Rule 3: the same apps and the same wish are the same bytes to a provider, in any process."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from service.settings import ROOT
from tests.support.apps import write_echo_app

APPS = {f"app{number}": [f"do_{word}" for word in ("find", "add", "list", "drop", "open")] for number in range(13)}
"""65 skills."""
PROGRAM = """
import sys
from pathlib import Path
from random import Random
import orjson
from apps.sdk.loader import load_catalog
from apps.sdk.schemas.dialects.profiles import PROFILES
from apps.sdk.schemas.dialects.tool_schemas import ToolSchemas
from tests.support.expanding import expand
from preprocessor.exposure import expose
from preprocessor.intent import Intent
profile, seed, *places = sys.argv[1:]
catalog = load_catalog([Path(place) for place in places])
names = Random(int(seed)).sample(sorted(catalog.skills), len(catalog.skills))
found = expose(catalog, expand(catalog, Intent()), names, schemas=ToolSchemas(PROFILES[profile]))
sys.stdout.buffer.write(orjson.dumps([tool.to_wire() for tool in found.tools]) + catalog.digest.encode())
"""


def write_apps(folder: Path, app_ids: list[str]) -> tuple[Path, Path]:
    """The same apps, in two directories, written one after the other in this order."""
    for app_id in app_ids:
        write_echo_app(folder / ("even" if int(app_id[3:]) % 2 == 0 else "odd"), app_id, *APPS[app_id])
    return folder / "even", folder / "odd"


@pytest.mark.parametrize("profile", ["common", "gemini"])
def test_no_order_of_files_directories_or_hashes_reaches_the_wire(tmp_path: Path, profile: str) -> None:
    """Hostile H: 65 tools, written and listed in other orders, read by other processes under other hash seeds."""
    even, odd = write_apps(tmp_path / "one", sorted(APPS))
    other_even, other_odd = write_apps(tmp_path / "other", sorted(APPS, reverse=True))
    seen = set()
    for seed, places in enumerate([(even, odd), (odd, even), (other_odd, other_even), (other_even, other_odd)]):
        done = subprocess.run(
            [sys.executable, "-c", PROGRAM, profile, str(seed), *map(str, places)],
            env={"PYTHONHASHSEED": str(seed), "PYTHONPATH": str(ROOT)}, capture_output=True, check=True,
        )  # fmt: skip
        seen.add(done.stdout)
    [only] = seen
    assert only.count(b'"function":') == 65
