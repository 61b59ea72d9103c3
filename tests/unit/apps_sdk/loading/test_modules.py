import importlib
import os
import sys
from pathlib import Path

import pytest

import apps
from apps.sdk.catalog import Catalog
from apps.sdk.loader import AppsDirectoryMissing, load_catalog
from apps.sdk.loading.modules import AppModules, SkillImportError, is_async, make_importable
from apps.sdk.testing import make_context
from tests.support.apps import skill_manifest, write_app

SAYING = """
from __future__ import annotations

from dataclasses import dataclass

from apps.{app}.skills.words import WORD
from apps.sdk.skill import Skill
from pydantic import BaseModel

from .words import WORD as SAME


class Request(BaseModel):
    query: str


@dataclass
class Reply:
    text: str


class EchoSkill(Skill):
    async def execute(self, request: Request, context) -> Reply:
        return Reply(WORD + SAME)
"""


def write_saying(directory: Path, app_id: str, word: str) -> Path:
    modules = {"echo": SAYING.format(app=app_id), "words": f"WORD = {word!r}\n"}
    return write_app(directory, app_id, {"skills": [skill_manifest(app_id, "say")]}, modules)


async def say(catalog: Catalog) -> str:
    (skill,) = catalog.skills.values()
    async with make_context() as context:
        reply = await skill.implementation.execute(None, context)
    return str(reply.text)


async def test_two_catalogs_with_one_app_id_have_their_own_classes(tmp_path: Path) -> None:
    """Apps of the same name in two directories, loaded in one process, each run their own code, also after the other loads."""
    write_saying(tmp_path / "a", "imp_demo", "a")
    write_saying(tmp_path / "b", "imp_demo", "b")
    first = load_catalog([tmp_path / "a"])
    second = load_catalog([tmp_path / "b"])
    again = load_catalog([tmp_path / "a"])
    assert [await say(catalog) for catalog in (first, second, again)] == ["aa", "bb", "aa"]
    classes = {type(catalog.skills["imp_demo-say"].implementation) for catalog in (first, second)}
    assert len(classes) == 2
    assert {cls.__module__ for cls in classes} == {"apps.imp_demo.skills.echo"}


async def test_loading_again_keeps_unchanged_classes(tmp_path: Path) -> None:
    write_saying(tmp_path, "imp_same", "x")
    classes = {type(load_catalog([tmp_path]).skills["imp_same-say"].implementation) for _ in range(2)}
    assert len(classes) == 1


async def test_changed_code_is_loaded_anew(tmp_path: Path) -> None:
    """After an edit a new catalog runs the new code; the old one goes on with the old."""
    folder = write_saying(tmp_path, "imp_edit", "old")
    before = load_catalog([tmp_path])
    words = folder / "skills" / "words.py"
    words.write_text("WORD = 'newer'\n")
    os.utime(words, (1, 1))
    after = load_catalog([tmp_path])
    assert (await say(before), await say(after)) == ("oldold", "newernewer")


async def test_an_edit_of_equal_length_is_seen(tmp_path: Path) -> None:
    """Also when the file keeps its size and the edit comes within a second of the last."""
    folder = write_saying(tmp_path, "imp_quick", "a")
    assert await say(load_catalog([tmp_path])) == "aa"
    (folder / "skills" / "words.py").write_text("WORD = 'b'\n")
    assert await say(load_catalog([tmp_path])) == "bb"


async def test_repaired_code_is_loaded(tmp_path: Path) -> None:
    """A class that could not be imported works after the fix."""
    folder = write_saying(tmp_path, "imp_fix", "x")
    words = folder / "skills" / "words.py"
    words.write_text("WORD = (\n")
    assert load_catalog([tmp_path]).skills == {}
    words.write_text("WORD = 'fixed'\n")
    assert await say(load_catalog([tmp_path])) == "fixedfixed"


async def test_packages_need_no_init_file(tmp_path: Path) -> None:
    folder = write_saying(tmp_path, "imp_bare", "x")
    (folder / "__init__.py").unlink()
    (folder / "skills" / "__init__.py").unlink()
    assert await say(load_catalog([tmp_path])) == "xx"


def test_directories_are_importable_until_the_next_load(tmp_path: Path) -> None:
    """Python finds the apps of the directories that were loaded last, and the package's own always."""
    own = next(iter(apps.__path__))
    write_app(tmp_path / "a", "imp_left", "")
    write_app(tmp_path / "b", "imp_right", "")
    make_importable([tmp_path / "a"])
    assert importlib.import_module("apps.imp_left.skills").__name__ == "apps.imp_left.skills"
    make_importable([tmp_path / "b", Path(own)])
    assert importlib.import_module("apps.imp_right.skills").__name__ == "apps.imp_right.skills"
    assert list(apps.__path__) == [own, str(tmp_path / "b")]
    make_importable([])
    assert list(apps.__path__) == [own]


def test_a_relative_directory_is_the_same_app(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_saying(tmp_path, "imp_here", "x")
    whole = load_catalog([tmp_path])
    monkeypatch.chdir(tmp_path)
    here = load_catalog([Path()])
    assert {type(catalog.skills["imp_here-say"].implementation) for catalog in (whole, here)} == {
        type(whole.skills["imp_here-say"].implementation)
    }
    assert [finding.position.file for finding in here.findings] == [str(Path("imp_here", "app.yml"))] * len(here.findings)


def test_a_module_that_raises_keyboard_interrupt_costs_its_own_app(tmp_path: Path) -> None:
    """Nothing that an app's code raises ends the process that loads it."""
    write_saying(tmp_path, "imp_stay", "x")
    write_app(tmp_path, "imp_stop", {"skills": [skill_manifest("imp_stop", "a")]}, {"echo": "raise KeyboardInterrupt"})
    catalog = load_catalog([tmp_path])
    assert list(catalog.skills) == ["imp_stay-say"]
    assert [part.reason for part in catalog.quarantined if "KeyboardInterrupt" in part.reason]


def test_a_failed_package_is_tried_once_per_load(tmp_path: Path) -> None:
    folder = write_app(tmp_path, "imp_bad", "")
    (folder / "__init__.py").write_text("raise RuntimeError('at ' + __file__)")
    modules = AppModules("imp_bad", folder)
    for _ in range(2):
        with pytest.raises(SkillImportError, match=r"RuntimeError: at __init__\.py"):
            modules.make_skill("apps.imp_bad.skills.x.Y")
    assert "apps.imp_bad" not in sys.modules


@pytest.mark.parametrize("prank", ["del sys.modules[__name__]", "import apps; del sys.modules[__name__], apps.imp_gone"])
def test_a_package_that_removes_itself_and_fails_is_a_finding(tmp_path: Path, prank: str) -> None:
    """Whatever an app's code does to Python's table of modules, the others load."""
    folder = write_saying(tmp_path, "imp_gone", "x")
    (folder / "__init__.py").write_text(f"import sys\n{prank}\nraise RuntimeError('gone')\n")
    write_saying(tmp_path, "imp_stay", "x")
    for _ in range(2):
        catalog = load_catalog([tmp_path])
        assert list(catalog.skills) == ["imp_stay-say"]
        assert "RuntimeError: gone" in catalog.quarantined[0].reason
    assert not hasattr(apps, "imp_gone")


def test_a_module_that_goes_elsewhere_is_brought_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Relative paths, and how files are named in findings, mean after a load what they meant before."""
    write_app(tmp_path, "imp_leave", {"skills": [skill_manifest("imp_leave", "a")]}, {"echo": "import os\nos.chdir('/')"})
    write_saying(tmp_path, "imp_stay", "x")
    monkeypatch.chdir(tmp_path)
    catalog = load_catalog([Path()])
    assert Path.cwd() == tmp_path
    assert {finding.position.file for finding in catalog.findings} == {str(Path("imp_leave", "app.yml"))}


def test_a_working_directory_that_is_gone_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the folder of apps is named from it; an absolute path needs none."""
    write_saying(tmp_path / "own", "imp_gone", "x")
    (tmp_path / "left").mkdir()
    monkeypatch.chdir(tmp_path / "left")
    (tmp_path / "left").rmdir()
    with pytest.raises(AppsDirectoryMissing, match="working directory is gone"):
        load_catalog([Path("own")])
    assert list(load_catalog([tmp_path / "own"]).skills) == ["imp_gone-say"]


def test_wrapped_methods_are_taken_on_trust(tmp_path: Path) -> None:
    """A decorated `execute` may well return a coroutine, so it is no warning."""
    module = """
    import functools

    from apps.sdk.skill import Skill


    def logged(method):
        @functools.wraps(method)
        def call(self, request, context):
            return method(self, request, context)

        return call


    class EchoSkill(Skill):
        @logged
        async def execute(self, request, context):
            return request
    """
    write_app(tmp_path, "imp_wrap", {"skills": [skill_manifest("imp_wrap", "a")]}, {"echo": module})
    catalog = load_catalog([tmp_path])
    assert catalog.findings == ()
    assert is_async(catalog.skills["imp_wrap-a"].implementation)
