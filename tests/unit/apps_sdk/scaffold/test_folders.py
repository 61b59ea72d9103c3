"""New apps and skills on disk: all of it or nothing."""

from __future__ import annotations

import os
import resource
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from apps.sdk.loader import load_catalog
from apps.sdk.scaffold import folders, replacing
from apps.sdk.scaffold.folders import create_app, create_skill
from apps.sdk.scaffold.refusals import NotInserted, NotWritten, Refused


def list_files(folder: Path) -> dict[str, bytes]:
    """Every file below, hidden ones too."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.fixture
def greetings(tmp_path: Path) -> Path:
    create_app(tmp_path, "greetings", name=None, skill_id="hello")
    return tmp_path / "greetings"


def test_an_app_is_made_whole(tmp_path: Path) -> None:
    """app.yml, class and test, with the modes of any new file; nothing hidden is left."""
    made = create_app(tmp_path, "greetings", name="Grüße: 'alle'", skill_id="hello")
    assert [str(path.relative_to(tmp_path)) for path in made] == [
        "greetings/app.yml", "greetings/skills/hello.py", "greetings/tests/test_greetings_hello.py",
    ]  # fmt: skip
    assert set(list_files(tmp_path)) == {str(path.relative_to(tmp_path)) for path in made}
    catalog = load_catalog([tmp_path])
    assert catalog.findings == ()
    assert [(app.name, list(catalog.skills)) for app in catalog.apps] == [("Grüße: 'alle'", ["greetings-hello"])]
    umask = os.umask(0)
    os.umask(umask)
    assert (tmp_path / "greetings").stat().st_mode & 0o777 == 0o777 & ~umask


@pytest.mark.parametrize("place", ["sdk/app.schema.json", "app.schema.json", None])
def test_editors_are_told_where_the_schema_lies(tmp_path: Path, place: str | None) -> None:
    """Where one is in reach."""
    if place:
        (tmp_path / place).parent.mkdir(exist_ok=True)
        (tmp_path / place).write_text("{}")
    create_app(tmp_path, "greetings", name=None, skill_id="hello")
    first = (tmp_path / "greetings" / "app.yml").read_text().splitlines()[0]
    assert first == (f"# yaml-language-server: $schema=../{place}" if place else "name: Greetings")


def test_an_id_that_is_taken_is_refused(tmp_path: Path, greetings: Path) -> None:
    """By a folder, by a file, or by an app of another folder of apps."""
    before = list_files(tmp_path)
    (tmp_path / "plain").touch()
    (tmp_path / "other").mkdir()
    for directory, app_id in ((tmp_path, "greetings"), (tmp_path, "plain"), (tmp_path / "other", "greetings")):
        with pytest.raises(Refused, match="already"):
            create_app(directory, app_id, name=None, skill_id="hello", others=[tmp_path])
    assert list_files(tmp_path) == before | {"plain": b""}


@pytest.mark.parametrize("name", ["", " ", "x" * 101, "two\nlines", "\x1b[31mred", "{{name}}", "<TODO: a name>"])
def test_a_name_that_nobody_can_read_is_refused(tmp_path: Path, name: str) -> None:
    """For an app and for a skill."""
    with pytest.raises(Refused, match="name"):
        create_app(tmp_path, "greetings", name=name, skill_id="hello")
    assert list_files(tmp_path) == {}


def fail_at(monkeypatch: pytest.MonkeyPatch, module: object, name: str, call: int, error: BaseException) -> None:
    """Let the `call`th call of a function of the module raise."""
    real: Callable[..., object] = getattr(module, name)
    calls = iter(range(1, 100))

    def fail(*arguments: object, **options: object) -> object:
        if next(calls) == call:
            raise error
        return real(*arguments, **options)

    monkeypatch.setattr(module, name, fail)


FULL = OSError(28, "No space left on device")


@pytest.mark.parametrize("call", [1, 2, 3])
@pytest.mark.parametrize("error", [FULL, KeyboardInterrupt()], ids=["disk", "ctrl-c"])
def test_a_failure_leaves_no_half_an_app(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: int, error: BaseException
) -> None:
    """At whichever file the disk is full, or somebody presses Ctrl-C."""
    fail_at(monkeypatch, folders, "_write_new", call, error)
    with pytest.raises((NotWritten, KeyboardInterrupt)):
        create_app(tmp_path, "greetings", name=None, skill_id="hello")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("name", "call"), [("_write_new", 1), ("_write_new", 2), ("replace_file", 1)])
@pytest.mark.parametrize("error", [FULL, KeyboardInterrupt()], ids=["disk", "ctrl-c"])
def test_a_failure_leaves_no_half_a_skill(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, call: int, error: BaseException
) -> None:
    """The folders that were made for it are gone too."""
    folder = tmp_path / "bare"
    folder.mkdir()
    (folder / "app.yml").write_text("name: Bare\n")
    fail_at(monkeypatch, folders, name, call, error)
    with pytest.raises((NotWritten, KeyboardInterrupt)):
        create_skill(folder, "hello", name=None)
    assert [path.name for path in folder.rglob("*")] == ["app.yml"]
    assert (folder / "app.yml").read_text() == "name: Bare\n"


@contextmanager
def limit_files(size: int) -> Iterator[None]:
    """No file takes more bytes than this: a real failure in the middle of writing."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@pytest.mark.parametrize("size", [10, 500, 1_300])
def test_a_skill_that_is_half_written_goes_again(greetings: Path, size: int) -> None:
    """Whichever file is the one that no longer fits, the app.yml included."""
    before = list_files(greetings)
    with limit_files(size), pytest.raises(NotWritten, match="File too large"):
        create_skill(greetings, "goodbye", name=None)
    assert list_files(greetings) == before


@pytest.mark.parametrize("size", [10, 500])
def test_an_app_that_is_half_written_goes_again(tmp_path: Path, size: int) -> None:
    """Its hidden folder, too."""
    with limit_files(size), pytest.raises(NotWritten, match="File too large"):
        create_app(tmp_path, "greetings", name=None, skill_id="hello")
    assert list(tmp_path.iterdir()) == []


def test_an_app_yml_that_is_no_file_is_not_waited_for(greetings: Path) -> None:
    """Reading a pipe that nobody writes to would never end."""
    (greetings / "app.yml").unlink()
    os.mkfifo(greetings / "app.yml")
    with pytest.raises(NotWritten, match="no regular file"):
        create_skill(greetings, "goodbye", name=None)


def test_an_app_yml_that_changes_meanwhile_is_kept(greetings: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What somebody saves while the skill is made is not written over."""
    manifest = greetings / "app.yml"
    real = replacing.replace_file

    def save_first(path: Path, content: bytes, expected: bytes | None = None) -> None:
        manifest.write_text("name: Saved\n")
        real(path, content, expected)

    monkeypatch.setattr(folders, "replace_file", save_first)
    with pytest.raises(NotWritten, match="meanwhile"):
        create_skill(greetings, "goodbye", name=None)
    assert manifest.read_text() == "name: Saved\n"
    assert not (greetings / "skills" / "goodbye.py").exists()


def test_two_that_add_at_once_lose_nothing(greetings: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """While one looks whether the app.yml is the same and replaces it, another one is told to try again."""
    answers: list[str] = []
    real = Path.read_bytes

    def read_while_another_comes(path: Path) -> bytes:
        content = real(path)
        monkeypatch.setattr(Path, "read_bytes", real)
        try:
            create_skill(greetings, "second", name=None)
        except NotWritten as refused:
            answers.append(str(refused))
        return content

    monkeypatch.setattr(Path, "read_bytes", read_while_another_comes)
    create_skill(greetings, "first", name=None)
    assert [answer.rpartition("; ")[2] for answer in answers] == ["nothing was written, try again"]
    create_skill(greetings, "third", name=None)
    assert list(load_catalog([greetings.parent]).skills) == ["greetings-hello", "greetings-first", "greetings-third"]
    assert sorted(path.stem for path in (greetings / "skills").glob("*.py")) == ["first", "hello", "third"]


def test_a_skill_is_added(greetings: Path) -> None:
    """Its item, class and test; the rest of app.yml stays, its mode too, and a link stays a link."""
    elsewhere = greetings.parent / "elsewhere.yml"
    (greetings / "app.yml").rename(elsewhere)
    (greetings / "app.yml").symlink_to(elsewhere)
    elsewhere.chmod(0o640)
    before = elsewhere.read_text()
    create_skill(greetings, "good-bye", name="Good bye!")
    assert (greetings / "app.yml").is_symlink()
    assert elsewhere.read_text().startswith(before)
    assert elsewhere.stat().st_mode & 0o777 == 0o640
    catalog = load_catalog([greetings.parent])
    assert catalog.findings == ()
    assert [skill.name for skill in catalog.skills.values()] == ["Hello", "Good bye!"]
    assert not list(greetings.glob(".new-*"))


@pytest.mark.parametrize(
    ("skill_id", "told"), [("hello", "already"), ("a_b", "a-b"), ("taken", "taken.py already"), ("Bad", "write 'bad'")]
)
def test_a_skill_whose_names_are_taken_is_refused(greetings: Path, skill_id: str, told: str) -> None:
    """The same id, an id with the same module, or a file that is there: nothing is written."""
    create_skill(greetings, "a-b", name=None)
    (greetings / "skills" / "taken.py").touch()
    before = list_files(greetings)
    with pytest.raises(Refused, match=told):
        create_skill(greetings, skill_id, name=None)
    assert list_files(greetings) == before


def test_where_a_person_must_help_nothing_is_written(greetings: Path) -> None:
    """The snippet is what would have been added."""
    (greetings / "app.yml").write_text("skills: [{ id: a }]\n")
    before = list_files(greetings)
    with pytest.raises(NotInserted) as raised:
        create_skill(greetings, "goodbye", name=None)
    assert raised.value.snippet.startswith("- id: goodbye\n")
    assert list_files(greetings) == before


@pytest.mark.parametrize("content", [b"a: [\n", b"\xff", b"x" * 1_048_577])
def test_an_app_yml_with_errors_is_not_touched(greetings: Path, content: bytes) -> None:
    """It is to be mended first."""
    (greetings / "app.yml").write_bytes(content)
    with pytest.raises(NotWritten, match="mend"):
        create_skill(greetings, "goodbye", name=None)
    assert (greetings / "app.yml").read_bytes() == content


def test_a_folder_that_takes_no_files_is_told(tmp_path: Path) -> None:
    """In the words of the system; here a folder that is a file."""
    (tmp_path / "file").touch()
    with pytest.raises(NotWritten, match="Not a directory"):
        create_app(tmp_path / "file", "greetings", name=None, skill_id="hello")
