"""A skill's tests in a folder of its author's, run by pytest as it is, with no plugin but its own."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.apps import skill_manifest, write_app

SKILL = """
from apps.sdk.skill import Skill


class EchoSkill(Skill):
    async def execute(self, request, context):
        return {"greeting": f"Hello, {request['query']}!"}
"""

TEST = """
import asyncio

import pytest

from apps.sdk.testing import RequestMismatch, load_skill

hello = load_skill(__file__, "hello")


def test_it_greets():
    from apps.greeter.skills.echo import EchoSkill

    run = asyncio.run(hello.run({"query": "Ada"}))
    assert run.data == {"greeting": "Hello, Ada!"}
    assert isinstance(hello.spec.implementation, EchoSkill)
    print(run)


def test_it_refuses():
    with pytest.raises(RequestMismatch):
        asyncio.run(hello.run({"query": 1}))
"""


@pytest.mark.parametrize(("mode", "folder"), [("importlib", "apps"), ("prepend", "mine")])
def test_an_author_s_tests_need_no_server_and_no_plugin(tmp_path: Path, mode: str, folder: str) -> None:
    """Under both ways in which pytest imports tests; a folder that is named as ours needs a line in a conftest.py for one."""
    skill = skill_manifest("greeter", "hello", output_example={"greeting": "Hello, Ada!"})
    app = write_app(tmp_path / folder, "greeter", {"skills": [skill]}, {"echo": SKILL})
    (app / "tests").mkdir()
    (app / "tests" / "test_hello.py").write_text(TEST)
    (tmp_path / "conftest.py").write_text("import apps.sdk\n" if (mode, folder) == ("importlib", "apps") else "")
    command = [sys.executable, "-m", "pytest", "-q", "-s", "-p", "no:cacheprovider", "-p", "no:xdist", "-p", "no:asyncio"]
    options = [f"--import-mode={mode}", f"--rootdir={tmp_path}", "-c", str(tmp_path / "none.ini")]
    (tmp_path / "none.ini").write_text("[pytest]\n")
    done = subprocess.run([*command, *options, str(app)], cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False)
    assert "2 passed" in done.stdout, done.stdout + done.stderr
    assert 'greeting: "Hello, Ada!"' in done.stdout
