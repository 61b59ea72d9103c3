"""Our packages are ours: on the package index their names belong to others."""

from __future__ import annotations

import importlib
import subprocess
import sys
import tomllib
import zipfile
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


def test_a_wheel_holds_what_the_commands_read(tmp_path: Path) -> None:
    """Templates, schema and texts, too: from an unpacked wheel, `new` makes an app and `schema` tells its own file."""
    run(ROOT, "hatchling", "build", "-t", "wheel", "-d", str(tmp_path))
    [wheel] = tmp_path.glob("*.whl")
    zipfile.ZipFile(wheel).extractall(tmp_path / "installed")
    made = run(tmp_path / "installed", "service", "new", "app", "greetings")
    assert made.splitlines()[0] == "created apps/greetings/app.yml"
    assert run(tmp_path / "installed", "service", "lint", "--strict", "apps/greetings") == ""
    assert run(tmp_path / "installed", "service", "schema") == (ROOT / "apps" / "sdk" / "app.schema.json").read_text()


def run(folder: Path, *line: str) -> str:
    """A module run in a folder, whose packages come first; what it prints."""
    done = subprocess.run([sys.executable, "-m", *line], cwd=folder, capture_output=True, text=True, check=True, timeout=60)
    return done.stdout
