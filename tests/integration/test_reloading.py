"""Hot reload on real files: the reloader alone, without HTTP."""

from __future__ import annotations

import asyncio
import gc
import os
import shutil
import sys
import weakref
from collections.abc import AsyncIterator, Awaitable, Callable, MutableMapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any, TypeAlias

import pytest
from structlog.testing import capture_logs

from apps.sdk.catalog import Catalog
from apps.sdk.jsontypes import Json
from apps.sdk.loader import load_catalog
from apps.sdk.skill import Skill
from apps.sdk.testing import make_context
from executor.engine.local import LocalEngine
from preprocessor.pipeline import Preprocessor
from preprocessor.retrieval.lexical import LexicalIndex
from service.apps_in_use import AppsInUse
from service.instructions import load_instructions
from service.metrics import Metrics
from service.reloading.reloader import Reloader
from service.reloading.stamps import stamp_apps
from service.settings import ROOT
from tests.e2e.lab import wait_until
from tests.support.apps import skill_manifest, write_app

Log: TypeAlias = list[MutableMapping[str, Any]]
WORD_MODULE = """
from apps.sdk.skill import Skill

from .words import WORD


class EchoSkill(Skill):
    async def execute(self, request, context):
        return WORD
"""


def write_word(directory: Path, app_id: str, word: str, **changes: object) -> Path:
    """An app whose one skill gives a word, which a module of its own holds."""
    modules = {"echo": WORD_MODULE, "words": f"WORD = {word!r}\n"}
    return write_app(
        directory, app_id, {"skills": [skill_manifest(app_id, "say", examples=[f"{app_id}, speak"], **changes)]}, modules
    )


@dataclass(frozen=True, slots=True)
class Reloading:
    """A reloader that runs, what it swaps, and what it has logged."""

    apps: AppsInUse
    reloader: Reloader
    metrics: Metrics
    log: Log

    @property
    def catalog(self) -> Catalog:
        return self.apps.preprocessor.catalog

    @property
    def outcomes(self) -> list[str]:
        return [line["outcome"] for line in self.log if line["event"] == "catalog_reloaded"]

    async def say(self, app_id: str) -> Json:
        async with make_context() as context:
            return await self.catalog.skills[f"{app_id}-say"].implementation.execute({}, context)

    async def wait_for(self, app_id: str, word: str) -> None:
        async with asyncio.timeout(10):
            while f"{app_id}-say" not in self.catalog.skills or await self.say(app_id) != word:  # noqa: ASYNC110 - no event tells
                await asyncio.sleep(0.005)

    async def rest(self) -> None:
        """Until what was written last has been looked at."""
        await asyncio.sleep(0)
        await wait_until(lambda: self.reloader._seen == stamp_apps(self.reloader._directories))


def make_apps_in_use(directory: Path, metrics: Metrics) -> AppsInUse:
    catalog = load_catalog([directory])
    texts = load_instructions(ROOT / "service" / "base_instructions.yml").preselection
    return AppsInUse(Preprocessor(catalog=catalog, retriever=LexicalIndex(catalog), texts=texts), metrics)


@asynccontextmanager
async def reloading(directory: Path, *, time_limit: float = 30.0) -> AsyncIterator[Reloading]:
    """A reloader over the apps in `directory`, at work until the block ends."""
    metrics = Metrics()
    seen = stamp_apps([directory])
    apps = make_apps_in_use(directory, metrics)
    reloader = Reloader(apps, [directory], metrics, seen=seen, time_limit=time_limit, quiet=0.03, interval=0.02)
    with capture_logs() as log:
        task = asyncio.create_task(reloader.run())
        yield Reloading(apps, reloader, metrics, log)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        assert task.cancelled(), task


async def test_edit_break_and_fix(tmp_path: Path) -> None:
    """case 10 below HTTP: the new version, the last good one with the finding, the new version; counted and told of."""
    write_word(tmp_path, "rel_a", "one")
    write_word(tmp_path, "rel_b", "other")
    async with reloading(tmp_path) as running:
        other = running.catalog.by_app["rel_b"]
        write_word(tmp_path, "rel_a", "two", description="Edited.")
        await running.wait_for("rel_a", "two")
        edited = running.catalog.by_app["rel_a"].skills
        (tmp_path / "rel_a" / "skills" / "words.py").write_text("WORD = (\n")
        await wait_until(lambda: running.catalog.by_app["rel_a"].kept)
        assert running.catalog.by_app["rel_a"].skills == edited
        assert await running.say("rel_a") == "two"
        assert any(finding.code == "skill-import" for finding in running.catalog.findings)
        write_word(tmp_path, "rel_a", "three", description="Fixed.")
        await running.wait_for("rel_a", "three")
        assert (running.catalog.findings, running.catalog.by_app["rel_a"].kept) == ((), None)
        assert running.catalog.by_app["rel_b"] is other
        assert running.catalog.digest == load_catalog([tmp_path]).digest
        hits = running.apps.preprocessor.retriever.rank("fixed", frozenset({"rel_a-say"}), 1)
        assert [hit.name for hit in hits] == ["rel_a-say"]
    assert [outcome for outcome, _ in groupby(running.outcomes)] == ["applied", "kept", "applied"]
    (finding,) = [line for line in running.log if line["event"] == "app_finding"]
    assert "SyntaxError" in finding["reason"]
    (told,) = [line["kept"] for line in running.log if line.get("outcome") == "kept"]
    assert told == [f"rel_a: {finding['place']}: {finding['reason']}"]
    assert b'shortlist_catalog_reloads_total{outcome="kept"} 1.0' in running.metrics.render()


@pytest.mark.parametrize(
    ("file", "broken"), [("app.yml", "skills: ["), ("skills/echo.py", "from . import words\nraise ValueError(words.WORD)\n")]
)
async def test_what_a_kept_app_imports_while_it_runs_is_its_own(tmp_path: Path, file: str, broken: str) -> None:
    """A module that was imported with the old version is found by the old code, not the one of the version that was refused."""
    module = """
    from apps.sdk.skill import Skill
    from . import words


    class EchoSkill(Skill):
        async def execute(self, request, context):
            from apps.rel_lazy.skills.words import WORD
            return WORD
    """
    manifest = {"skills": [skill_manifest("rel_lazy", "say")]}
    write_app(tmp_path, "rel_lazy", manifest, {"echo": module, "words": "WORD = 'old'"})
    async with reloading(tmp_path) as running:
        (tmp_path / "rel_lazy" / "skills" / "words.py").write_text("WORD = 'newer'")
        (tmp_path / "rel_lazy" / file).write_text(broken)
        await wait_until(lambda: running.catalog.by_app["rel_lazy"].kept)
        assert await running.say("rel_lazy") == "old"
        write_app(tmp_path, "rel_lazy", manifest, {"echo": module})
        await running.wait_for("rel_lazy", "newer")


@pytest.mark.parametrize("file", ["skills/word.json", "skills/data/word.csv", "word.txt", "prompts/word.yml"])
async def test_an_edit_of_a_data_file_counts(tmp_path: Path, file: str) -> None:
    """Also when the module beside it reads it once, while it is imported."""
    module = f"""
    from pathlib import Path

    from apps.sdk.skill import Skill

    WORD = (Path(__file__).parents[1] / "{file}").read_text()


    class EchoSkill(Skill):
        async def execute(self, request, context):
            return WORD
    """
    folder = write_app(tmp_path, "rel_data", {"skills": [skill_manifest("rel_data", "say")]}, {"echo": module})
    data = folder / file
    data.parent.mkdir(exist_ok=True)
    data.write_text("old")
    async with reloading(tmp_path) as running:
        assert await running.say("rel_data") == "old"
        data.write_text("new")
        await running.wait_for("rel_data", "new")


async def test_an_edit_of_texts_leaves_the_modules(tmp_path: Path) -> None:
    """What a skill holds outlives an edit of its app's manifest and translations; the texts are the new ones."""
    folder = write_word(tmp_path, "rel_text", "old", description=None, description_translation_key="say.description")
    (folder / "texts").mkdir()
    (folder / "texts" / "en.yml").write_text("say: {description: Says a word.}\n")
    async with reloading(tmp_path) as running:
        code = sys.modules["apps.rel_text.skills.words"]
        (folder / "texts" / "en.yml").write_text("say: {description: Says another word.}\n")
        await wait_until(lambda: running.catalog.skills["rel_text-say"].description == "Says another word.")
        assert sys.modules["apps.rel_text.skills.words"] is code


async def remake_directory(directory: Path) -> None:
    shutil.rmtree(directory)
    write_word(directory, "rel_h", "new")


async def remake_directory_later(directory: Path) -> None:
    shutil.rmtree(directory)
    await asyncio.sleep(0.3)
    write_word(directory, "rel_h", "new")


async def move_another_directory_there(directory: Path) -> None:
    write_word(directory.parent / "next", "rel_h", "new")
    shutil.move(directory, directory.parent / "previous")
    shutil.move(directory.parent / "next", directory)


async def replace_by_rename(directory: Path) -> None:
    skills = directory / "rel_h" / "skills"
    (skills / ".words.tmp").write_text("WORD = 'new'\n")
    (skills / ".words.tmp").replace(skills / "words.py")


async def swap_a_link(directory: Path) -> None:
    """As a mounted ConfigMap is updated."""
    folder = write_word(directory.parent / "next", "rel_h", "new")
    (directory / "link").symlink_to(folder)
    (directory / "rel_h").rename(directory.parent / "previous")
    (directory / "link").rename(directory / "rel_h")


async def save_in_two_steps(directory: Path) -> None:
    """Emptied, and written a moment later."""
    words = directory / "rel_h" / "skills" / "words.py"
    manifest = directory / "rel_h" / "app.yml"
    text = manifest.read_text()
    manifest.write_text("")
    words.write_text("")
    await asyncio.sleep(0.01)
    words.write_text("WORD = 'new'\n")
    manifest.write_text(text)


@pytest.mark.parametrize(
    "edit",
    [remake_directory, remake_directory_later, move_another_directory_there, replace_by_rename, swap_a_link, save_in_two_steps],
)
async def test_however_files_are_changed_the_new_version_comes(tmp_path: Path, edit: Callable[[Path], Awaitable[None]]) -> None:
    """And the edit after that is seen as well."""
    directory = tmp_path / "apps"
    write_word(directory, "rel_h", "old")
    async with reloading(directory) as running:
        await edit(directory)
        await running.wait_for("rel_h", "new")
        (directory / "rel_h" / "skills" / "words.py").write_text("WORD = 'latest'\n")
        await running.wait_for("rel_h", "latest")
        assert running.reloader.problem is None
        assert "kept" not in running.outcomes


async def test_a_directory_that_is_gone_keeps_everything_and_says_so(tmp_path: Path) -> None:
    """Until it is there again."""
    directory = tmp_path / "apps"
    write_word(directory, "rel_g", "old")
    async with reloading(directory) as running:
        shutil.rmtree(directory)
        await wait_until(lambda: running.reloader.problem)
        assert "the apps directory" in str(running.reloader.problem)
        assert await running.say("rel_g") == "old"
        write_word(directory, "rel_g", "new")
        await running.wait_for("rel_g", "new")
        assert running.reloader.problem is None
    assert b'shortlist_catalog_reloads_total{outcome="failed"} 1.0' in running.metrics.render()


async def test_apps_come_and_go(tmp_path: Path) -> None:
    """Without a restart; the metrics follow."""
    write_word(tmp_path, "rel_one", "one")
    async with reloading(tmp_path) as running:
        write_word(tmp_path, "rel_two", "two")
        await running.wait_for("rel_two", "two")
        shutil.rmtree(tmp_path / "rel_one")
        await wait_until(lambda: list(running.catalog.by_app) == ["rel_two"])
        assert b'shortlist_catalog_items{kind="app"} 1.0' in running.metrics.render()
        assert "apps.rel_one" not in sys.modules


async def test_a_thousand_files_at_once_are_one_load(tmp_path: Path) -> None:
    """And what changes nothing is no new snapshot."""
    folder = write_word(tmp_path, "rel_many", "old")
    for number in range(1000):
        (folder / "skills" / f"m{number}.py").touch()
    async with reloading(tmp_path) as running:
        before = running.apps.preprocessor
        for number in range(1000):
            os.utime(folder / "skills" / f"m{number}.py")
        await wait_until(lambda: running.outcomes)
        await running.rest()
        assert running.outcomes == ["applied"]
        os.utime(folder / "app.yml")
        await wait_until(lambda: len(running.outcomes) == 2)
        assert running.outcomes[1] == "unchanged"
        assert before is not running.apps.preprocessor


async def test_an_edit_during_a_load_is_loaded_after_it(tmp_path: Path) -> None:
    """One more load, whatever the first one read."""
    folder = write_word(tmp_path, "rel_during", "old")
    async with reloading(tmp_path) as running:
        go, started = tmp_path / "go", tmp_path / "started"
        hold = f"import time, pathlib\npathlib.Path({str(started)!r}).touch()\nwhile not pathlib.Path({str(go)!r}).exists():\n"
        (folder / "skills" / "words.py").write_text(f"{hold}    time.sleep(0.005)\nWORD = 'middle'\n")
        await wait_until(started.exists)
        (folder / "skills" / "words.py").write_text("WORD = 'last'\n")
        await asyncio.sleep(0.05)
        assert await running.say("rel_during") == "old"
        go.touch()
        await running.wait_for("rel_during", "last")
        await running.rest()
    assert running.outcomes == ["applied", "applied"]


async def test_an_import_that_hangs_is_told_of_and_the_fix_is_taken_once_it_ends(tmp_path: Path) -> None:
    """With its file and line; meanwhile the running version serves."""
    folder = write_word(tmp_path, "rel_hang", "old")
    async with reloading(tmp_path, time_limit=0.05) as running:
        go = tmp_path / "go"
        hold = f"import time, pathlib\nwhile not pathlib.Path({str(go)!r}).exists():\n    time.sleep(0.005)\n"
        (folder / "skills" / "words.py").write_text(hold)
        await wait_until(lambda: running.reloader.problem)
        assert "rel_hang/skills/words.py:" in str(running.reloader.problem)
        assert await running.say("rel_hang") == "old"
        (folder / "skills" / "words.py").write_text("WORD = 'fixed'\n")
        go.touch()
        await running.wait_for("rel_hang", "fixed")
        await wait_until(lambda: running.reloader.problem is None)
    assert next(line["event"] for line in running.log if line["log_level"] == "warning") == "catalog_reload_hangs"


async def test_it_ends_at_once_during_a_load(tmp_path: Path) -> None:
    """What the abandoned thread brings later is nobody's."""
    folder = write_word(tmp_path, "rel_stop", "old")
    go, started, ended = tmp_path / "go", tmp_path / "started", tmp_path / "ended"
    async with reloading(tmp_path) as running:
        before = running.apps.preprocessor
        (folder / "skills" / "words.py").write_text(
            f"import time, pathlib\npathlib.Path({str(started)!r}).touch()\n"
            f"while not pathlib.Path({str(go)!r}).exists():\n    time.sleep(0.005)\n"
            f"WORD = 'late'\npathlib.Path({str(ended)!r}).touch()\n"
        )
        await wait_until(started.exists)
    go.touch()
    await wait_until(ended.exists)
    await asyncio.sleep(0.05)
    assert running.apps.preprocessor is before


@pytest.mark.parametrize(
    "prank",
    [
        "import sys\nsys.exit(3)",
        "raise KeyboardInterrupt",
        "def __getattr__(name):\n    raise SystemExit(name)",
        "import sys\nsys.modules.clear",
        "raise RuntimeError('\\ud800')",
    ],
)
async def test_a_module_that_misbehaves_costs_its_own_app(tmp_path: Path, prank: str) -> None:
    """The app runs on, and so do the others and the reloader."""
    folder = write_word(tmp_path, "rel_prank", "old")
    write_word(tmp_path, "rel_calm", "old")
    async with reloading(tmp_path) as running:
        (folder / "skills" / "echo.py").write_text(prank + "\n")
        await wait_until(lambda: running.catalog.findings or running.reloader.problem)
        assert await running.say("rel_prank") == "old"
        write_word(tmp_path, "rel_prank", "new")
        write_word(tmp_path, "rel_calm", "new")
        await running.wait_for("rel_prank", "new")
        await running.wait_for("rel_calm", "new")


async def test_a_file_that_cannot_be_read_keeps_the_app(tmp_path: Path) -> None:
    folder = write_word(tmp_path, "rel_read", "old")
    async with reloading(tmp_path) as running:
        text = (folder / "app.yml").read_text()
        (folder / "app.yml").unlink()
        (folder / "app.yml").mkdir()
        await wait_until(lambda: running.catalog.by_app["rel_read"].kept)
        assert [finding.code for finding in running.catalog.findings] == ["file-unreadable"]
        assert await running.say("rel_read") == "old"
        (folder / "app.yml").rmdir()
        (folder / "app.yml").write_text(text)
        await wait_until(lambda: running.catalog.by_app["rel_read"].kept is None)


async def test_old_versions_are_forgotten(tmp_path: Path) -> None:
    """However often an app is edited and run: catalogs, classes and modules of old versions die."""
    module = WORD_MODULE.replace(
        "class EchoSkill",
        "from dataclasses import dataclass\n\n\n@dataclass\nclass Request:\n    query: str = ''\n\n\nclass EchoSkill",
    ).replace("request,", "request: Request,")
    folder = write_app(tmp_path, "rel_mem", {"skills": [skill_manifest("rel_mem", "say")]}, {"echo": module, "words": "WORD = 0"})
    metrics = Metrics()
    apps = make_apps_in_use(tmp_path, metrics)
    reloader = Reloader(apps, [tmp_path], metrics, seen=stamp_apps([tmp_path]), time_limit=30, quiet=0.0)
    engine = LocalEngine()
    gc.collect()
    catalogs = sum(isinstance(thing, Catalog) for thing in gc.get_objects())
    old: list[weakref.ref[object]] = []
    async with make_context() as context:
        for number in range(1, 201):
            skill = apps.preprocessor.catalog.skills["rel_mem-say"]
            assert await engine.execute(skill, [{}], context) == [number - 1]
            parts = (skill.implementation, type(skill.implementation), sys.modules["apps.rel_mem.skills.words"])
            old += map(weakref.ref, parts)
            if number % 10 == 0:
                (folder / "skills" / "words.py").write_text("WORD = (")
                await reloader.check()
            (folder / "skills" / "words.py").write_text(f"WORD = {number}")
            await reloader.check()
    del skill, parts
    gc.collect()
    assert len(old) == 600
    assert sum(reference() is not None for reference in old) < 12
    assert len([kind for kind in Skill.__subclasses__() if kind.__module__ == "apps.rel_mem.skills.echo"]) < 4
    assert sum(isinstance(thing, Catalog) for thing in gc.get_objects()) - catalogs < 3
