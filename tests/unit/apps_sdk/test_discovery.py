"""Which folders are apps, and what an unreadable one costs."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from apps.sdk.loader import AppsDirectoryMissing, load_catalog
from tests.support.apps import write_app, write_echo_app
from tests.support.loading import find, list_reasons


def test_one_good_app_among_broken_ones_works(tmp_path: Path) -> None:
    """case 1: an empty app.yml, an app without skills and a class that cannot be imported leave the good app alone."""
    write_app(tmp_path, "empty", "")
    write_app(tmp_path, "bare", "name: Bare\n")
    write_app(
        tmp_path,
        "broken",
        """\
        skills:
        - id: lost
          preprocessor_hint: h
          class_path: apps.broken.skills.gone.Lost
          tool_schema: {type: object, properties: {}}
        """,
    )
    write_echo_app(tmp_path, "good", "search")
    catalog = load_catalog([tmp_path])
    assert list(catalog.skills) == ["good-search"]
    assert [app.id for app in catalog.apps] == ["bare", "broken", "empty", "good"]
    assert "ModuleNotFoundError: No module named 'apps.broken.skills.gone'" in list_reasons(catalog)["broken-lost"]
    problem = find(catalog, "skill-import")
    assert problem.severity == "error"
    assert (Path(problem.position.file).parts[-2:], problem.position.line) == (("broken", "app.yml"), 4)
    empty = [Path(finding.position.file).parts[-2] for finding in catalog.findings if finding.code == "app-empty"]
    assert empty == ["bare", "empty"]


def test_catalog_order_is_apps_by_id_then_skills_as_declared(tmp_path: Path) -> None:
    write_echo_app(tmp_path, "web", "search", "read", "answer")
    write_echo_app(tmp_path, "mail", "send")
    assert list(load_catalog([tmp_path]).skills) == ["mail-send", "web-search", "web-read", "web-answer"]


@pytest.mark.parametrize("name", ["social-media", "Web", "_web", "web.app", "a b", "system", "tool_search"])
def test_a_bad_app_id_is_an_error(tmp_path: Path, name: str) -> None:
    """case 2: a hyphen, capitals or a reserved name make a folder no app; it is quarantined with the reason."""
    write_echo_app(tmp_path, name, "search")
    catalog = load_catalog([tmp_path])
    assert catalog.skills == {}
    assert find(catalog, "app-id").severity == "error"
    assert list(list_reasons(catalog)) == [name]


def test_a_bad_app_id_comes_with_a_good_one(tmp_path: Path) -> None:
    write_echo_app(tmp_path, "SocialMedia-posts", "search")
    assert find(load_catalog([tmp_path]), "app-id").suggestion == "rename it to 'social_media_posts'"


def test_an_app_id_may_start_with_a_digit(tmp_path: Path) -> None:
    """case 2: the folder `3d` is a legal app id, so its skills run."""
    write_echo_app(tmp_path, "3d", "render")
    catalog = load_catalog([tmp_path])
    assert list(catalog.skills) == ["3d-render"]
    assert catalog.findings == ()


def test_folders_that_are_no_apps_are_passed_over(tmp_path: Path) -> None:
    for name in ("sdk", "tests", "__pycache__", ".hidden"):
        write_app(tmp_path, name, "name: x")
    (tmp_path / "data").mkdir()
    (tmp_path / "app.yml").write_text("name: x")
    assert load_catalog([tmp_path]).apps == ()


def test_of_two_apps_with_one_id_the_first_directory_counts(tmp_path: Path) -> None:
    """The same app id twice is an error that names both places, and the order of the directories decides."""
    write_echo_app(tmp_path / "b", "web", "search")
    write_echo_app(tmp_path / "a", "web", "read")
    catalog = load_catalog([tmp_path / "b", tmp_path / "a"])
    assert list(catalog.skills) == ["web-search"]
    problem = find(catalog, "app-duplicate")
    assert problem.severity == "error"
    assert str(Path("b", "web", "app.yml")) in problem.message
    assert str(Path("a", "web", "app.yml")) in problem.message


def test_the_same_directory_twice_is_once(tmp_path: Path) -> None:
    write_echo_app(tmp_path, "web", "search")
    catalog = load_catalog([tmp_path, tmp_path / "."])
    assert list(catalog.skills) == ["web-search"]
    assert catalog.findings == ()


@pytest.mark.parametrize("name", ["gone", "file"])
def test_a_missing_directory_is_an_exception(tmp_path: Path, name: str) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(AppsDirectoryMissing, match=name):
        load_catalog([tmp_path / name])


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"\xff\xfe\x00", "file-not-utf8"),
        (b"\x7fELF\x00\x01", "yaml-character"),
        (b"#" * 2_000_000, "file-too-large"),
        (b"a: &a [*a]", "yaml-alias"),
        (b"[" * 500_000, "yaml-syntax"),
        (b"skills:\n\t- id: a", "yaml-syntax"),
        (b"- just\n- a list", "wrong-value"),
        (b"text", "wrong-value"),
    ],
)  # fmt: skip
def test_an_unreadable_manifest_quarantines_its_app_only(tmp_path: Path, data: bytes, code: str) -> None:
    write_app(tmp_path, "bad", "")
    (tmp_path / "bad" / "app.yml").write_bytes(data)
    write_echo_app(tmp_path, "good", "search")
    catalog = load_catalog([tmp_path])
    assert list(catalog.skills) == ["good-search"]
    assert find(catalog, code).severity == "error"
    assert list(list_reasons(catalog)) == ["bad"]


@pytest.mark.parametrize("kind", ["directory", "pipe", "dangling link", "link to itself", "device"])
def test_a_manifest_that_is_no_file_is_a_finding(tmp_path: Path, kind: str) -> None:
    """Nothing behind the name app.yml makes the loader hang or fail."""
    folder = tmp_path / "odd"
    folder.mkdir()
    manifest = folder / "app.yml"
    match kind:
        case "directory":
            manifest.mkdir()
        case "pipe":
            os.mkfifo(manifest)
        case "dangling link":
            manifest.symlink_to(tmp_path / "gone")
        case "link to itself":
            manifest.symlink_to(manifest)
        case _:
            manifest.symlink_to("/dev/zero")
    assert find(load_catalog([tmp_path]), "file-unreadable").severity == "error"


def test_linked_apps_load(tmp_path: Path) -> None:
    folder = write_echo_app(tmp_path / "real", "web", "search")
    (tmp_path / "apps").mkdir()
    (tmp_path / "apps" / "web").symlink_to(folder, target_is_directory=True)
    assert list(load_catalog([tmp_path / "apps"]).skills) == ["web-search"]


def test_an_id_in_the_file_may_only_repeat_the_folder(tmp_path: Path) -> None:
    write_app(tmp_path, "one", "app_id: two\nskills: []\ninstructions: [{instruction: x}]\n")
    catalog = load_catalog([tmp_path])
    assert [app.id for app in catalog.apps] == ["one"]
    assert find(catalog, "app-id-differs").severity == "warning"
