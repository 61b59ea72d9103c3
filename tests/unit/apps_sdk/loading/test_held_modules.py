"""Modules of apps, held and put back."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

import apps
from apps.sdk.loader import load_one_app
from apps.sdk.loading.held_modules import HeldModules
from tests.support.apps import write_echo_app

PACKAGE = "apps.held_one"
ECHO = f"{PACKAGE}.skills.echo"


@pytest.fixture
def held(tmp_path: Path) -> Iterator[HeldModules]:
    """The modules of an app that is loaded."""
    load_one_app(write_echo_app(tmp_path / "first", "held_one", "say"))
    held = HeldModules.hold()
    yield held
    HeldModules().put_back(["held_one"])


def load_another(tmp_path: Path) -> ModuleType:
    load_one_app(write_echo_app(tmp_path / "second", "held_one", "say"))
    return sys.modules[ECHO]


def test_what_is_put_back_is_what_imports_find(held: HeldModules, tmp_path: Path) -> None:
    """By every way to import it."""
    other = load_another(tmp_path)
    assert other is not held.modules[ECHO]
    held.put_back(["held_one"])
    assert importlib.import_module(ECHO) is held.modules[ECHO]
    assert vars(apps)["held_one"] is held.modules[PACKAGE]


def test_what_was_imported_since_stays(held: HeldModules) -> None:
    """While the package is still the same: a skill may import as it runs, and its module must not run twice."""
    late = sys.modules[f"{PACKAGE}.late"] = ModuleType(f"{PACKAGE}.late")
    held.put_back(["held_one"])
    assert sys.modules[f"{PACKAGE}.late"] is late


def test_what_is_held_nowhere_is_forgotten(held: HeldModules) -> None:
    """Nobody else's modules are."""
    HeldModules().put_back(["held"])
    assert sys.modules[ECHO] is held.modules[ECHO]
    HeldModules().put_back(["held_one"])
    assert not [name for name in sys.modules if name.startswith(PACKAGE)]
    assert not hasattr(apps, "held_one")
