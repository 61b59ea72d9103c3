"""The next snapshot, loaded beside the one that runs, in a thread of its own."""

from __future__ import annotations

import dataclasses
import sys
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias

from apps.sdk.loader import load_catalog
from apps.sdk.loading.held_modules import HeldModules
from preprocessor.pipeline import Preprocessor
from preprocessor.retrieval.lexical import LexicalIndex
from service.reloading.last_good import CatalogDiff, diff_catalogs, keep_last_good

Outcome: TypeAlias = Literal["applied", "kept", "unchanged", "failed"]


class LoadCrashed(Exception):
    """An app's code broke the load itself; the text names what it raised."""


@dataclass(frozen=True, slots=True)
class Reloaded:
    """What is to be used next, and what is different in it."""

    preprocessor: Preprocessor
    diff: CatalogDiff
    outcome: Outcome


def load_next(running: Preprocessor, directories: Sequence[Path]) -> Reloaded:
    """The successor of `running`, index included; an app that breaks stays as it is, and so does what its own imports find.

    Takes a second or two for thousands of skills. Raises `AppsDirectoryMissing` or `LoadCrashed`.
    """
    held = HeldModules.hold()
    try:
        candidate = load_catalog(directories)
    except (SystemExit, KeyboardInterrupt) as error:  # an app's; neither may leave this thread
        raise LoadCrashed(type(error).__name__) from error
    catalog = keep_last_good(running.catalog, candidate)
    diff = diff_catalogs(running.catalog, catalog)
    held.put_back(diff.kept)
    HeldModules().put_back(diff.removed)
    if diff.is_empty and catalog.findings == running.catalog.findings:
        return Reloaded(running, diff, "unchanged")
    same_texts = catalog.digest == running.catalog.digest
    index = running.retriever if same_texts else LexicalIndex(catalog)
    successor = dataclasses.replace(running, catalog=catalog, retriever=index)
    return Reloaded(successor, diff, "kept" if diff.kept else "applied")


def find_place(thread_name: str, directories: Sequence[Path]) -> str | None:
    """The line of an app's file, e.g. `apps/web/skills/search.py:3`, that the thread is at; None when it is in none."""
    number = next((thread.ident for thread in threading.enumerate() if thread.name == thread_name), None)
    frame = sys._current_frames().get(number or 0)  # noqa: SLF001 - the documented way to see another thread's stack
    while frame is not None:
        file = Path(frame.f_code.co_filename)
        for directory in directories:
            if file.is_relative_to(directory.absolute()):
                return f"{directory / file.relative_to(directory.absolute())}:{frame.f_lineno}"
        frame = frame.f_back
    return None
