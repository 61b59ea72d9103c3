"""Whether anything that a load reads has changed."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from service.reloading.stamps import stamp_apps
from tests.support.apps import write_echo_app


@pytest.fixture
def app(tmp_path: Path) -> Path:
    folder = write_echo_app(tmp_path / "apps", "stamped", "one")
    (folder / "texts").mkdir()
    (folder / "texts" / "de.yml").write_text("a: b")
    return folder


def rewrite(app: Path) -> None:
    """The same length, and the old time of change."""
    status = (app / "app.yml").stat()
    (app / "app.yml").write_text("x" * status.st_size)
    os.utime(app / "app.yml", ns=(status.st_atime_ns, status.st_mtime_ns))


def replace(app: Path) -> None:
    """By a copy with the same content and times."""
    shutil.copy2(app / "app.yml", app / "copy")
    (app / "copy").replace(app / "app.yml")


def swap_link(app: Path) -> None:
    """The module becomes a link to another file."""
    other = app.parent.parent / "other.py"
    other.write_text("X = 1")
    (app / "skills" / "echo.py").unlink()
    (app / "skills" / "echo.py").symlink_to(other)


def make_unreadable(app: Path) -> None:
    (app / "app.yml").unlink()
    (app / "app.yml").symlink_to(app / "nowhere")


@pytest.mark.parametrize(
    "edit",
    [
        rewrite,
        replace,
        swap_link,
        make_unreadable,
        lambda app: (app / "app.yml").chmod(0),
        lambda app: (app / "skills" / "new.py").touch(),
        lambda app: (app / "skills" / "cities.csv").touch(),
        lambda app: (app / "skills" / "codes.json").touch(),
        lambda app: (app / "texts" / "de.yml").write_text("a: c"),
        lambda app: (app / "app.yml").unlink(),
        shutil.rmtree,
        lambda app: shutil.rmtree(app.parent),
        lambda app: write_echo_app(app.parent, "another", "one"),
    ],
)
def test_what_counts_changes_the_stamp(app: Path, edit: Callable[[Path], object]) -> None:
    before = stamp_apps([app.parent])
    edit(app)
    assert stamp_apps([app.parent]) != before


@pytest.mark.parametrize(
    "name",
    [
        ".app.yml.swp", ".#app.yml", "app.yml~", "4913", "skills/__pycache__/echo.py", "tests/test_echo.py", "skills/store.db",
        ".git/config.yml", "notes.sqlite3-wal", "skills/echo.py.tmp",
    ],
)  # fmt: skip
def test_what_no_load_reads_does_not(app: Path, name: str) -> None:
    """Editors' temporary files, compiled modules, tests, databases; nor what is beside the apps."""
    before = stamp_apps([app.parent])
    for place in (app / name, app.parent / "tests" / "x.py", app.parent / "sdk" / "app.yml", app.parent / "folder" / "x.py"):
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text("x")
    assert stamp_apps([app.parent]) == before


def test_it_goes_into_no_link_inside_an_app_and_bears_a_missing_directory(app: Path, tmp_path: Path) -> None:
    """A link to the root would be the whole machine; an app's own folder may be a link."""
    (app / "skills" / "all").symlink_to("/")
    (app.parent / "loop").symlink_to(app.parent)
    (app.parent / "linked").symlink_to(write_echo_app(tmp_path / "far", "linked", "one"))
    stamp = stamp_apps([app.parent, tmp_path / "missing"])
    paths = {entry[0] for entry in stamp}
    assert str(app.parent / "linked" / "skills" / "echo.py") in paths
    assert len(paths) < 12
