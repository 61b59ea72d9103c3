"""The made-up apps are good apps."""

from __future__ import annotations

from pathlib import Path

from apps.sdk.loader import load_catalog
from apps.sdk.names import MAX_TOOL_NAME
from benchmarks.apps import DOMAINS, VARIANTS, write_apps


def test_every_made_up_skill_loads(tmp_path: Path) -> None:
    """Nothing is set aside: 20 apps give 200 skills, so that the sizes in the report are true."""
    catalog = load_catalog((write_apps(tmp_path / "apps", 20),))
    assert (len(catalog.skills), catalog.quarantined) == (200, ())


def test_there_are_enough_names() -> None:
    """300 apps can be told apart, and their longest tool names fit."""
    assert len(set(DOMAINS)) * len(set(VARIANTS)) == 300
    longest = max(len(f"{variant}_{domain}") for variant in VARIANTS for domain in DOMAINS)
    assert longest + len("-summarise_") + longest <= MAX_TOOL_NAME


def test_apps_are_the_same_every_time(tmp_path: Path) -> None:
    """Two runs measure the same thing."""
    folders = [write_apps(tmp_path / name, 3) for name in ("one", "other")]
    one, other = ([file.read_bytes() for file in sorted(folder.glob("*/app.yml"))] for folder in folders)
    assert len(one) == 3
    assert one == other
