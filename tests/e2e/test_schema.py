"""`shortlist schema`: the JSON Schema of an app.yml, for editors."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import jsonschema
import pytest
import yaml

from tests.e2e.process import Command, Ended, make_environment, run_all
from tests.support.readme import ROOT

FILE = ROOT / "apps" / "sdk" / "app.schema.json"

COMMANDS = {
    "print": Command(("schema",)),
    "copy": Command(("schema", "--output", "copy.json")),
    "both": Command(("schema", "--write", "--output", "copy.json")),
    "nowhere": Command(("schema", "--output", "nowhere/copy.json")),
    "a folder": Command(("schema", "--output", ".")),
    "a pipe": Command(("schema", "--output", "pipe")),
    "a link to itself": Command(("schema", "--output", "link")),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("schema")
    os.mkfifo(folder / "pipe")
    (folder / "link").symlink_to("link")
    return folder


@pytest.fixture(scope="module")
def ended(folder: Path) -> dict[str, Ended]:
    return run_all(folder, COMMANDS)


def test_it_is_printed_or_copied(ended: dict[str, Ended], folder: Path) -> None:
    """The same bytes that lie in apps/sdk."""
    assert ended["print"].out == FILE.read_text()
    assert (folder / "copy.json").read_text() == FILE.read_text()
    assert ended["copy"].out == "wrote copy.json\n"


@pytest.mark.parametrize(
    ("name", "code", "told"),
    [
        ("both", 2, "one of them"),
        ("nowhere", 1, "nowhere"),
        ("a folder", 1, "director"),
        ("a pipe", 1, "no regular file"),
        ("a link to itself", 1, "no regular file"),
    ],
)
def test_a_mistake_is_one_line(ended: dict[str, Ended], folder: Path, name: str, code: int, told: str) -> None:
    """Exit code 2 for what was typed, 1 for what the system refuses; no hidden file is left."""
    assert (ended[name].code, ended[name].out) == (code, "")
    [line] = ended[name].err.splitlines()
    assert told in line
    assert not list(folder.glob(".new-*"))


def test_what_is_no_file_stays_what_it_is(ended: dict[str, Ended], folder: Path) -> None:
    """A device that is replaced by a file, /dev/null say, is lost to everybody."""
    assert ended
    assert (folder / "pipe").is_fifo()
    assert (folder / "link").is_symlink()


def test_write_renews_the_file_of_the_installation(tmp_path: Path) -> None:
    """In a copy of the code, whose schema is stale; its mode stays."""
    for name in ("apps", "executor", "preprocessor", "service"):
        shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__", "tests"))
    stale = tmp_path / "apps" / "sdk" / "app.schema.json"
    stale.write_text("{}")
    stale.chmod(0o664)
    environment = make_environment(tmp_path, {}) | {"PYTHONPATH": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-m", "service", "schema", "--write"], cwd=tmp_path, env=environment,
        capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (0, "wrote apps/sdk/app.schema.json\n"), done.stderr
    assert stale.read_text() == FILE.read_text()
    assert stale.stat().st_mode & 0o777 == 0o664


@pytest.mark.parametrize("manifest", sorted((ROOT / "apps").glob("*/app.yml")), ids=lambda path: path.parent.name)
def test_each_bundled_app_fits(manifest: Path) -> None:
    """An editor shows no mistake in it, and one in a key that nobody knows."""
    validator = jsonschema.Draft7Validator(json.loads(FILE.read_text()))
    data = yaml.safe_load(manifest.read_text())
    assert [error.message for error in validator.iter_errors(data)] == []
    assert list(validator.iter_errors({**data, "skils": []}))
