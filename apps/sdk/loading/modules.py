"""Skill classes by their import path, from whichever directory the app was found in.

An app's modules are `apps.<app_id>...` for Python, wherever its folder lies. When another folder, or changed files, stand
behind the same name, the old modules are dropped from `sys.modules` first: classes already made keep working, new ones are
made from the new code.
"""

from __future__ import annotations

import contextlib
import importlib
import importlib.util
import inspect
import os
import re
import sys
from collections.abc import Callable, Sequence
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType
from typing import TypeVar

import apps
from apps.sdk.loading.file_stamps import Stamp, stamp_folder
from apps.sdk.loading.held_modules import forget_modules
from apps.sdk.shown import find_working_directory
from apps.sdk.skill import BatchSkill, Skill

_ABSOLUTE_PATH = re.compile(r"""(?<![\w.:/\\])(?:[A-Za-z]:)?[/\\](?:[^\s'"():,/\\]+[/\\])+""")
_MAX_REASON = 300
_STAMP = "__files_when_imported__"
"""The attribute of an app's package that says from which files it was imported."""
_Made = TypeVar("_Made")


class SkillImportError(Exception):
    """The class cannot be had; the message is fit for authors and names no absolute path."""


class NoSkillError(Exception):
    """What the import path names is no skill that can be called."""


def make_importable(directories: Sequence[Path]) -> None:
    """Let `import apps.<name>` look into `directories` after the package's own, in place of those of the last call."""
    own = Path(apps.__file__ or "").parent
    places: dict[str, str] = {}
    for directory in (own, *directories):
        places.setdefault(os.path.realpath(directory), str(directory))
    apps.__path__[:] = places.values()
    importlib.invalidate_caches()


class AppModules:
    """The modules of one app; nothing is imported before the first skill is asked for.

    When a file in `folder` is another than at the last import, they are imported anew, unless it is `apart` or in a folder that
    is: code may read any other file beside it.
    """

    def __init__(self, app_id: str, folder: Path, apart: Sequence[Path] = ()) -> None:
        self._package = f"apps.{app_id}"
        self._app_id = app_id
        self._folder = folder
        self._apart = {str(place) for place in apart}
        self._mounted = False
        self._failure: SkillImportError | None = None

    def make_skill(self, class_path: str) -> tuple[Skill, bool]:
        """An instance of the class, and whether it is called as a coroutine, as far as can be told.

        Raises `SkillImportError` or `NoSkillError`, whatever the author's code raises.
        """
        module_path, _, class_name = class_path.rpartition(".")
        inside = class_path.removeprefix(f"{self._package}.").split(".")
        if not module_path.startswith(f"{self._package}.") or not all(map(str.isidentifier, inside)):
            raise NoSkillError(f"{class_path!r} is no import path of a class in this app: `{self._package}.<module>.<Class>`")
        self._mount()
        return _guard(_make_skill, module_path, class_name)

    def _mount(self) -> None:
        if self._failure is not None:
            raise self._failure
        if self._mounted:
            return
        try:
            self._import_package()
        except SkillImportError as failure:
            self._failure = failure
            raise
        self._mounted = True

    def _import_package(self) -> None:
        stamp = self._stamp_code()
        present = sys.modules.get(self._package)
        if present is not None and _is_current(present, self._folder, stamp):
            return
        if present is not None:
            _drop_bytecode(getattr(present, _STAMP, frozenset()), stamp)
        forget_modules(self._package)
        spec = self._specify()
        module = importlib.util.module_from_spec(spec)
        setattr(module, _STAMP, stamp)
        sys.modules[self._package] = module
        setattr(apps, self._app_id, module)
        if spec.loader is not None:
            try:
                _guard(spec.loader.exec_module, module)
            except SkillImportError:
                sys.modules.pop(self._package, None)  # its own code may have taken it out
                vars(apps).pop(self._app_id, None)
                raise

    def _stamp_code(self) -> Stamp:
        return frozenset(entry for entry in stamp_folder(self._folder) if not self._is_apart(entry[0]))

    def _is_apart(self, path: str) -> bool:
        return path in self._apart or os.path.dirname(path) in self._apart  # noqa: PTH120 - as in `stamp_folder`

    def _specify(self) -> ModuleSpec:
        places = [str(self._folder)]
        source = self._folder / "__init__.py"
        spec = None
        if source.is_file():
            spec = importlib.util.spec_from_file_location(self._package, source, submodule_search_locations=places)
        if spec is None:
            spec = ModuleSpec(self._package, None, is_package=True)
            spec.submodule_search_locations = places
        return spec


def is_async(skill: Skill) -> bool:
    """Whether the method that is called is an `async def`, as far as can be told."""
    method = type(skill).execute_batch if isinstance(skill, BatchSkill) else type(skill).execute
    return not inspect.isfunction(method) or inspect.iscoroutinefunction(method) or hasattr(method, "__wrapped__")


def _make_skill(module_path: str, class_name: str) -> tuple[Skill, bool]:
    """All questions are asked here, under guard: an author's module, metaclass or descriptor may answer any with an exception."""
    skill_class = getattr(importlib.import_module(module_path), class_name, None)
    if skill_class is None:
        raise SkillImportError(f"the module {module_path} has no class {class_name}")
    if not (inspect.isclass(skill_class) and issubclass(skill_class, Skill)):
        raise NoSkillError(f"{class_name} is no subclass of apps.sdk.skill.Skill")
    if (missing := _find_missing_method(skill_class)) is not None:
        raise NoSkillError(f"{class_name} has no {missing} method of its own")
    made: object = skill_class()
    if not isinstance(made, Skill):
        raise NoSkillError(f"{class_name}() makes something else than a skill")
    return made, is_async(made)


def _find_missing_method(skill_class: type[Skill]) -> str | None:
    """The method that would be called, when the class does not say what it does."""
    if issubclass(skill_class, BatchSkill):
        return "execute_batch" if skill_class.execute_batch is BatchSkill.execute_batch else None
    return "execute" if skill_class.execute is Skill.execute else None


def _guard(call: Callable[..., _Made], *arguments: object) -> _Made:
    """The author's code, run so that whatever it raises becomes a `SkillImportError`, and in the folder where we were before.

    A `KeyboardInterrupt` too, since a module may raise one: a Ctrl-C in the middle of an import costs that app, not the process.
    """
    here = find_working_directory()
    try:
        return call(*arguments)
    except (SkillImportError, NoSkillError):
        raise
    except BaseException as error:
        raise SkillImportError(_explain(error)) from error
    finally:
        if here is not None and find_working_directory() != here:
            with contextlib.suppress(OSError):
                os.chdir(here)


def _explain(error: BaseException) -> str:
    name = _ask(lambda: type(error).__name__) or "an exception without a name"
    words = _ABSOLUTE_PATH.sub("", _ask(lambda: str(error)))[:_MAX_REASON]
    return f"{name}: {words}" if words else name


def _ask(question: Callable[[], str]) -> str:
    """The answer on one line that prints, or nothing: an author's exception may fail to tell anything."""
    try:
        return "".join(filter(str.isprintable, " ".join("".join(question()).split())))
    except BaseException:  # noqa: BLE001
        return ""


def _is_current(package: ModuleType, folder: Path, stamp: Stamp) -> bool:
    """Whether the imported package is this folder's, unchanged; one that Python imported itself is taken as unchanged."""
    places = list(getattr(package, "__path__", ()))[:1]
    if [os.path.realpath(place) for place in places] != [os.path.realpath(folder)]:
        return False
    if not hasattr(package, _STAMP):
        setattr(package, _STAMP, stamp)
    return bool(getattr(package, _STAMP) == stamp)


def _drop_bytecode(before: Stamp, stamp: Stamp) -> None:
    """Remove what was compiled from files that changed: Python itself misses an edit of equal length in the same second."""
    names = {path for path, *_ in before}
    for path, *_ in stamp - before:
        if path in names and path.endswith(".py"):
            with contextlib.suppress(OSError):
                Path(importlib.util.cache_from_source(path)).unlink(missing_ok=True)
