"""New apps and skills on disk: all of it or nothing."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from apps.sdk.jsontypes import Json
from apps.sdk.loading.app import MANIFEST
from apps.sdk.manifest.yaml_source import MAX_BYTES
from apps.sdk.scaffold.drafts import SkillDraft, draft_app, draft_skill
from apps.sdk.scaffold.identifiers import check_app_id, name_module, name_skill
from apps.sdk.scaffold.insertion import SKILLS, insert_skill, read_manifest
from apps.sdk.scaffold.refusals import NotWritten, Refused
from apps.sdk.scaffold.replacing import ChangedMeanwhile, replace_file

SCHEMA = "app.schema.json"


def create_app(directory: Path, app_id: str, *, name: str | None, skill_id: str, others: Sequence[Path] = ()) -> tuple[Path, ...]:
    """Make the app `app_id` with one skill in `directory`; the files made. `others` are folders of apps whose ids are taken too.

    Raises `Refused` and `NotWritten`, and then nothing is left behind.
    """
    check_app_id(app_id)
    files = draft_app(name, draft_skill(name_skill(app_id, skill_id), None), find_schema(directory))
    folder = directory / app_id
    for place in (folder, *(other / app_id for other in others)):
        if os.path.lexists(place):
            raise Refused(f"there is a {app_id} already: {place}")
    with _report_failures(folder):
        _move_in(directory, folder, files)
    return tuple(folder / path for path in files)


def create_skill(folder: Path, skill_id: str, *, name: str | None) -> tuple[Path, ...]:
    """Add a skill to the app in `folder`; the files made, its app.yml first. Raises `ScaffoldError`; then nothing has changed."""
    check_app_id(folder.name)
    draft = draft_skill(name_skill(folder.name, skill_id), name)
    manifest = folder / MANIFEST
    with _report_failures(manifest):
        before = _read(manifest)
        _check_free(folder, draft, read_manifest(before, str(manifest)))
        after = insert_skill(before, draft.item, str(manifest))
        _add_files(folder, draft.files, before, after)
    return (manifest, *(folder / path for path in draft.files))


def find_schema(directory: Path) -> str | None:
    """The path from an app's folder to the schema that editors use, where one lies in reach."""
    places = (f"sdk/{SCHEMA}", SCHEMA)
    return next((f"../{place}" for place in places if (directory / place).is_file()), None)


def _move_in(directory: Path, folder: Path, files: Mapping[str, str]) -> None:
    """Write the files to a folder that nobody takes for an app's, and give it its name at the end."""
    with tempfile.TemporaryDirectory(prefix=".new-", dir=directory, ignore_cleanup_errors=True) as hidden:
        draft = Path(hidden) / folder.name
        for path, text in files.items():
            _write_new(draft / path, text)
        draft.rename(folder)


def _check_free(folder: Path, draft: SkillDraft, data: Mapping[str, Json]) -> None:
    names = draft.names
    skills = [item for item in data.get(SKILLS) or [] if isinstance(item, dict)]
    for other in (str(item.get("id")).strip() for item in skills):
        if other == names.skill_id:
            raise Refused(f"the app {names.app_id} has a skill {names.skill_id} already")
        if name_module(other) == names.module:
            raise Refused(f"the id {names.skill_id} is too near to {other}: both would be the module {names.module}")
    for path in draft.files:
        if os.path.lexists(folder / path):
            raise Refused(f"there is a file {folder / path} already")


def _read(manifest: Path) -> bytes:
    if not manifest.is_file():
        raise NotWritten(f"{manifest} is no regular file")
    with manifest.open("rb") as file:
        return file.read(MAX_BYTES + 1)


def _add_files(folder: Path, files: Mapping[str, str], before: bytes, after: bytes) -> None:
    made: list[Path] = []
    try:
        for path, text in files.items():
            made += _make_folders((folder / path).parent)
            _write_new(folder / path, text)
            made.append(folder / path)
        replace_file(folder / MANIFEST, after, expected=before)
    except BaseException:
        for place in reversed(made):
            _remove(place)
        raise


def _remove(place: Path) -> None:
    with contextlib.suppress(OSError):  # somebody has put something into it meanwhile, or taken it away
        if place.is_dir():
            place.rmdir()
        else:
            place.unlink()


def _make_folders(folder: Path) -> list[Path]:
    missing = [place for place in (*reversed(folder.parents), folder) if not place.exists()]
    folder.mkdir(parents=True, exist_ok=True)
    return missing


def _write_new(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        with path.open("x", encoding="utf-8", newline="\n") as file:
            file.write(text)
    except FileExistsError:
        raise
    except BaseException:
        path.unlink(missing_ok=True)
        raise


@contextlib.contextmanager
def _report_failures(path: Path) -> Iterator[None]:
    try:
        yield
    except ChangedMeanwhile:
        raise NotWritten(f"{path} was changed meanwhile; nothing was written, try again") from None
    except OSError as error:
        raise NotWritten(f"{path}: {error.strerror or type(error).__name__}; nothing was written") from error
