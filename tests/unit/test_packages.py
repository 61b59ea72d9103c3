"""Our packages are ours: on the package index their names belong to others."""

from __future__ import annotations

import importlib
import tomllib
from pathlib import Path

import pytest

PACKAGES = ["apps", "executor", "preprocessor", "service"]
ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("name", PACKAGES)
def test_a_package_is_imported_from_the_repository(name: str) -> None:
    """Not from somebody's distribution of the same name."""
    package = importlib.import_module(name)
    assert Path(str(package.__file__)).resolve().parent == ROOT / name


def test_the_build_lists_exactly_these() -> None:
    """Explicitly, and the project cannot be uploaded by mistake."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    assert project["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"] == PACKAGES
    assert "Private :: Do Not Upload" in project["project"]["classifiers"]
    assert project["tool"]["importlinter"]["root_packages"] == PACKAGES
