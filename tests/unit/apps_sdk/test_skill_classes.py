"""The classes behind skills."""

from __future__ import annotations

from pathlib import Path

import pytest

from apps.sdk.loader import load_catalog
from apps.sdk.skill import BatchSkill
from tests.support.apps import ECHO_MODULE, skill_manifest, write_app, write_echo_app
from tests.support.loading import find, list_reasons


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("raise RuntimeError('no')", "RuntimeError: no"),
        ("raise SystemExit(3)", "SystemExit: 3"),
        ("class EchoSkill(:", "SyntaxError"),
        ("import module_that_is_not_there", "ModuleNotFoundError: No module named 'module_that_is_not_there'"),
        ("open('/etc/secret/of/this/machine')", "FileNotFoundError: [Errno 2] No such file or directory: 'machine'"),
        ("class Other: ...", "has no class EchoSkill"),
        ("class EchoSkill: ...", "EchoSkill is no subclass of apps.sdk.skill.Skill"),
        ("EchoSkill = 5", "EchoSkill is no subclass"),
        ("from apps.sdk.skill import Skill\nclass EchoSkill(Skill): ...", "EchoSkill has no execute method of its own"),
        ("from apps.sdk.skill import BatchSkill\nclass EchoSkill(BatchSkill): ...", "EchoSkill has no execute_batch method"),
        (ECHO_MODULE.replace("Skill", "BatchSkill").replace("EchoBatch", "Echo"), "EchoSkill has no execute_batch method"),
        (ECHO_MODULE + "    def __init__(self, x): ...\n", "TypeError"),
        (ECHO_MODULE + "    def __init__(self): raise ValueError\n", "ValueError"),
        ("class E(Exception):\n    def __str__(self): raise KeyError\nraise E", "E"),
        ("class E(Exception):\n    def __str__(self): raise SystemExit\nraise E", "E"),
        ("raise type('E\\n\\x1b[31m', (Exception,), {})('no')", "E [31m: no"),
        (
            "class M(type):\n    __name__ = property(lambda cls: 1 / 0)\nclass E(Exception, metaclass=M): ...\nraise E",
            "an exception without a name",
        ),
        ("def __getattr__(name): raise SystemExit(3)", "SystemExit: 3"),
        ("class O:\n    __class__ = property(lambda self: 1 / 0)\nEchoSkill = O()", "ZeroDivisionError"),
        ("import sys\nclass O:\n    def __getattr__(self, name): 1 / 0\nsys.modules[__name__] = O()", "ZeroDivisionError"),
        (ECHO_MODULE + "    def __new__(cls): return 5\n", "EchoSkill() makes something else than a skill"),
        (ECHO_MODULE + "    __class__ = property(lambda self: 1 / 0)\n", "ZeroDivisionError"),
        (ECHO_MODULE + "    class D:\n        def __get__(self, made, cls): 1 / 0\n    execute = D()\n", "ZeroDivisionError"),
        ("\x00", "null bytes"),
    ],
)
def test_a_class_that_cannot_be_had_is_quarantined(tmp_path: Path, source: str, reason: str) -> None:
    """case 1: whatever importing or making the class raises is that skill's reason, with type and message and no path."""
    write_app(tmp_path, "one", {"skills": [skill_manifest("one", "a")]}, {"echo": source})
    catalog = load_catalog([tmp_path])
    assert catalog.skills == {}
    assert reason in list_reasons(catalog)["one-a"]
    assert str(tmp_path) not in list_reasons(catalog)["one-a"]
    place = catalog.findings[0].position
    assert place.line > 1 or (reason == "SyntaxError" and place.file.endswith("echo.py"))


@pytest.mark.parametrize(
    "class_path",
    [
        "EchoSkill", "apps.one.skills.echo.", "../x.Echo", "os.system", ".x.Y", "apps.one.skills.echo",
        "apps.one.EchoSkill", "apps.two.skills.echo.EchoSkill", "tests.support.catalogs.ScriptedAvailability",
        "apps.one.skills.1echo.EchoSkill", "apps.ones.skills.echo.EchoSkill",
    ],
)  # fmt: skip
def test_a_class_path_that_names_no_skill_is_quarantined(tmp_path: Path, class_path: str) -> None:
    """A class outside the app's own package is refused too: an app runs its own code."""
    write_echo_app(tmp_path, "one", "a", class_path=class_path)
    write_echo_app(tmp_path, "two", "b")
    catalog = load_catalog([tmp_path])
    assert list(list_reasons(catalog)) == ["one-a"]
    assert list(catalog.skills) == ["two-b"]


def test_a_broken_package_quarantines_the_skills_of_its_app(tmp_path: Path) -> None:
    folder = write_echo_app(tmp_path, "one", "a", "b")
    (folder / "__init__.py").write_text("1 / 0")
    assert set(list_reasons(load_catalog([tmp_path])).values()) == {
        "cannot import 'apps.one.skills.echo.EchoSkill': ZeroDivisionError: division by zero"
    }


def test_kinds_of_skills_that_cannot_run_are_quarantined_quietly(tmp_path: Path) -> None:
    """No class yet, a web service or an MCP tool: known, quarantined with the reason, and no error."""
    skills = [
        skill_manifest("one", "soon", class_path=None),
        skill_manifest("one", "remote", class_path=None, http={"url": "https://example.com"}),
        skill_manifest("one", "tool", class_path=None, mcp={"server": "x", "tool": "y"}),
        skill_manifest("one", "both", http={"url": "https://example.com"}),
    ]
    write_app(tmp_path, "one", {"skills": skills}, {"echo": ECHO_MODULE})
    catalog = load_catalog([tmp_path])
    assert catalog.skills == {}
    assert "placeholder" in list_reasons(catalog)["one-soon"]
    assert "not supported yet" in list_reasons(catalog)["one-remote"]
    assert "not supported yet" in list_reasons(catalog)["one-tool"]
    assert [(f.code, f.severity) for f in catalog.findings] == [
        ("skill-unfinished", "warning"), ("skill-unsupported", "warning"), ("skill-unsupported", "warning"),
        ("wrong-value", "error"),
    ]  # fmt: skip


def test_a_batch_skill_needs_no_execute(tmp_path: Path) -> None:
    module = """
    from apps.sdk.skill import BatchSkill


    class EchoSkill(BatchSkill):
        async def execute_batch(self, requests, context):
            return requests
    """
    write_app(tmp_path, "one", {"skills": [skill_manifest("one", "a")]}, {"echo": module})
    catalog = load_catalog([tmp_path])
    assert isinstance(catalog.skills["one-a"].implementation, BatchSkill)
    assert catalog.findings == ()


def test_a_plain_function_as_execute_is_a_warning(tmp_path: Path) -> None:
    module = ECHO_MODULE.replace("async def", "def")
    write_app(tmp_path, "one", {"skills": [skill_manifest("one", "a")]}, {"echo": module})
    assert find(load_catalog([tmp_path]), "skill-not-async").severity == "warning"


def test_a_module_that_is_no_python_is_told_at_its_own_line(tmp_path: Path) -> None:
    """Where an editor or a review can show it; the skill is set aside for it."""
    folder = write_app(tmp_path, "one", {"skills": [skill_manifest("one", "a")]}, {"echo": "import os\n\ndef broken(:\n"})
    catalog = load_catalog([tmp_path])
    problem = find(catalog, "skill-import")
    assert (problem.position.file, problem.position.line) == (str(folder / "skills" / "echo.py"), 3)
    assert problem in catalog.by_app["one"].findings
    assert catalog.quarantined[0].position == problem.position


@pytest.mark.parametrize(
    ("class_path", "meant"),
    [
        ("apps.one.skills.echo.EcoSkill", "apps.one.skills.echo.EchoSkill"),
        ("apps.one.skills.eccho.EchoSkill", "apps.one.skills.echo.EchoSkill"),
        ("apps.one.skill.echo.EchoSkill", "apps.one.skills.echo.EchoSkill"),
        ("skills.echo.EchoSkill", "apps.one.skills.echo.EchoSkill"),
        ("apps.one.skills.echo", "apps.one.skills.echo.EchoSkill"),
        ("apps.two.skills.echo.EchoSkill", "apps.one.skills.echo.EchoSkill"),
        ("apps.one.skills.gone.GoneSkill", None),
        ("os.system", None),
        ("Skill", None),
    ],
)
def test_a_class_that_may_be_meant_is_named(tmp_path: Path, class_path: str, meant: str | None) -> None:
    """With its whole path, by what the app's files hold."""
    write_app(tmp_path, "one", {"skills": [skill_manifest("one", "a", class_path=class_path)]}, {"echo": ECHO_MODULE})
    (problem,) = load_catalog([tmp_path]).findings
    assert problem.suggestion == (f"did you mean {meant!r}?" if meant else None)


def test_a_class_that_is_there_is_not_suggested(tmp_path: Path) -> None:
    """It is its module that fails."""
    source = ECHO_MODULE + "\nimport module_that_is_not_there\n"
    write_app(tmp_path, "one", {"skills": [skill_manifest("one", "a")]}, {"echo": source})
    assert find(load_catalog([tmp_path]), "skill-import").suggestion is None
