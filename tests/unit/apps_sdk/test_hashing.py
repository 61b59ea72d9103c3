import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from apps.sdk.hashing import hash_content
from apps.sdk.jsontypes import Json
from apps.sdk.loader import load_catalog
from tests.support.apps import ECHO_MODULE, skill_manifest, write_app, write_echo_app

SCRIPT = """
import sys
from pathlib import Path
from apps.sdk.loader import load_catalog
catalog = load_catalog([Path(argument) for argument in sys.argv[1:]])
print(catalog.digest, [skill.content_hash for skill in catalog.skills.values()])
"""


def run_elsewhere(seed: int, *directories: Path) -> str:
    command = [sys.executable, "-c", SCRIPT, *map(str, directories)]
    root = Path(__file__).parents[3]
    done = subprocess.run(command, env={"PYTHONHASHSEED": str(seed)}, cwd=root, capture_output=True, text=True, check=True)
    return done.stdout


def test_digest_is_the_same_everywhere(tmp_path: Path) -> None:
    """Two processes with other hash seeds, directories copied elsewhere, split and in another order, see one digest."""
    manifest = {
        "skills": [skill_manifest("web", "search", sources=["api", "chat", "scheduled"], providers=["X", "Y"])],
        "focus_modes": [{"id": "deep", "system_prompt": "Be deep.", "allowed_skills": ["web:*"]}],
        "memory": [{"id": "saved", "schema": {"type": "object"}}],
    }
    write_app(tmp_path / "a", "web", manifest, {"echo": ECHO_MODULE})
    write_echo_app(tmp_path / "a", "mail", "send")
    shutil.copytree(tmp_path / "a" / "web", tmp_path / "far" / "b" / "web")
    shutil.copytree(tmp_path / "a" / "mail", tmp_path / "far" / "c" / "mail")
    here = run_elsewhere(1, tmp_path / "a")
    assert here == run_elsewhere(2, tmp_path / "far" / "b", tmp_path / "far" / "c")
    assert here == run_elsewhere(3, tmp_path / "far" / "c", tmp_path / "far" / "b")
    assert here.startswith(load_catalog([tmp_path / "a"]).digest)


CHANGES: list[tuple[str, Json]] = [
    ("name", "New"), ("description", "New."), ("preprocessor_hint", "New."), ("examples", ["new"]), ("effect", "write"),
    ("tool_schema", {"type": "object", "properties": {}}), ("exclude_fields_for_llm", ["x"]), ("providers", ["X"]),
    ("default_enabled", False), ("standard", False), ("resident", True), ("idempotent", True), ("timeout", 5),
    ("sources", ["chat"]), ("follow_ups", ["one-a"]), ("class_path", "apps.one.skills.echo.Twin"),
]  # fmt: skip


@pytest.mark.parametrize(("key", "value"), CHANGES)
def test_whatever_matters_changes_the_hash(tmp_path: Path, key: str, value: Json) -> None:
    """What a model is shown, and what decides how a call runs, is in the skill's hash and in the digest."""
    module = ECHO_MODULE + "\n\nclass Twin(EchoSkill): ...\n"
    for place, changes in (("before", {}), ("after", {key: value})):
        write_app(tmp_path / place, "one", {"skills": [skill_manifest("one", "a", **changes)]}, {"echo": module})
    before, after = (load_catalog([tmp_path / place]) for place in ("before", "after"))
    assert before.skills["one-a"].content_hash != after.skills["one-a"].content_hash
    assert before.digest != after.digest


def test_what_does_not_matter_leaves_the_hash(tmp_path: Path) -> None:
    """Comments, opaque keys, the order of keys and broken neighbours change neither hash nor digest."""
    skill = skill_manifest("one", "a")
    write_app(tmp_path / "before", "one", {"name": "One", "skills": [skill]}, {"echo": ECHO_MODULE})
    shuffled = {key: skill[key] for key in reversed(skill)} | {"pricing": {"fixed": 1}}
    write_app(tmp_path / "after", "one", {"skills": [shuffled, {"id": "b"}], "name": "One"}, {"echo": ECHO_MODULE})
    before, after = (load_catalog([tmp_path / place]) for place in ("before", "after"))
    assert before.skills["one-a"].content_hash == after.skills["one-a"].content_hash
    assert before.digest == after.digest


@pytest.mark.parametrize(
    "changes",
    [
        {"name": "New"},
        {"description": "New"},
        {"default_enabled": False},
        {"instructions": [{"instruction": "New", "categories": ["x"]}]},
        {"focus_modes": [{"id": "a", "system_prompt": "New"}]},
        {"memory": [{"id": "a", "schema": {"type": "string"}}]},
    ],
)
def test_the_digest_covers_the_whole_app(tmp_path: Path, changes: dict[str, Json]) -> None:
    write_app(tmp_path / "before", "one", {"name": "One"})
    write_app(tmp_path / "after", "one", {"name": "One"} | changes)
    assert load_catalog([tmp_path / "before"]).digest != load_catalog([tmp_path / "after"]).digest


def test_order_of_arguments_is_content(tmp_path: Path) -> None:
    """Rule 3: the schema is sent in the author's order, so another order is other bytes and another hash."""
    for place, names in (("before", "ab"), ("after", "ba")):
        schema = {"type": "object", "properties": {name: {"type": "string"} for name in names}}
        write_echo_app(tmp_path / place, "one", "a", tool_schema=schema)
    before, after = (load_catalog([tmp_path / place]) for place in ("before", "after"))
    assert before.skills["one-a"].content_hash != after.skills["one-a"].content_hash
    assert before.digest != after.digest


def test_order_of_skills_is_content(tmp_path: Path) -> None:
    write_echo_app(tmp_path / "before", "one", "a", "b")
    write_echo_app(tmp_path / "after", "one", "b", "a")
    assert load_catalog([tmp_path / "before"]).digest != load_catalog([tmp_path / "after"]).digest


def test_canonical_json_ignores_the_order_of_keys() -> None:
    assert hash_content({"a": 1, "b": ["ä", "\ud800"]}) == hash_content({"b": ["ä", "\ud800"], "a": 1})
    assert hash_content([1]) != hash_content([1.0]) != hash_content(["1"])
