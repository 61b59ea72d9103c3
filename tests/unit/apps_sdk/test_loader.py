import os
import subprocess
import sys
from pathlib import Path

from apps.sdk.loader import add_app, load_catalog, load_one_app
from tests.support.apps import REQUESTS_SCHEMA, skill_manifest, write_app, write_echo_app
from tests.support.loading import load_manifest


def test_parameters_are_the_authors_own_schema(tmp_path: Path) -> None:
    """The catalog holds what the author wrote, key for key in the author's order; `type: object` is added when implied."""
    write_echo_app(tmp_path, "one", "a", tool_schema=REQUESTS_SCHEMA)
    write_echo_app(tmp_path, "two", "a", tool_schema={"properties": {"x": {"type": "string"}}})
    catalog = load_catalog([tmp_path])
    assert str(catalog.skills["one-a"].parameters) == str(REQUESTS_SCHEMA)
    assert catalog.skills["two-a"].parameters == {"type": "object", "properties": {"x": {"type": "string"}}}


def test_every_field_of_a_skill_arrives(tmp_path: Path) -> None:
    write_echo_app(
        tmp_path, "one", "a",
        exclude_fields_for_llm=["echo.x"], output_example={"echo": {"x": 1}},
        providers=["Brave", {"name": "Tavily", "no_api_key": True}, {"id": "exa", "requires_api_key": False}],
        default_enabled=False, standard=False, resident=True, effect="write", idempotent=True, timeout=20,
        sources=["api", "chat"], follow_ups=["one-a"],
    )  # fmt: skip
    catalog = load_catalog([tmp_path])
    skill = catalog.skills["one-a"]
    assert catalog.findings == ()
    assert [(p.name, p.no_api_key) for p in skill.providers] == [("Brave", False), ("Tavily", True), ("exa", True)]
    assert (skill.exclude_fields, skill.output_example) == (("echo.x",), {"echo": {"x": 1}})
    assert (skill.default_enabled, skill.standard, skill.resident, skill.effect) == (False, False, True, "write")
    assert (skill.idempotent, skill.timeout, skill.sources) == (True, 20.0, frozenset({"api", "chat"}))
    assert skill.follow_ups == ("one-a",)


def test_findings_are_sorted_and_shown_with_their_app(tmp_path: Path) -> None:
    catalog = load_manifest(tmp_path, "zzz: 1\nskills:\n- {id: a}\nyyy: 2\n")
    assert [finding.position.line for finding in catalog.findings] == [1, 3, 4]
    assert catalog.by_app["one"].findings == catalog.findings


def test_nothing_an_author_names_can_control_a_terminal(tmp_path: Path) -> None:
    """Escape sequences in names of folders, keys, ids and exceptions are spelled out or left out wherever they are shown."""
    write_echo_app(tmp_path, "one", "a\x1b[2Jb", **{"key\x1b[2J": 1})
    write_app(tmp_path, "two\x1b[2J\n", "")
    (tmp_path / os.fsdecode(b"three\xff")).mkdir()
    (tmp_path / os.fsdecode(b"three\xff") / "app.yml").touch()
    write_app(tmp_path, "four", {"skills": [skill_manifest("four", "a")]}, {"echo": "raise ValueError('x\\x1b[2Jy')"})
    catalog = load_catalog([tmp_path])
    shown = [*map(str, catalog.findings), *(app.id for app in catalog.apps)]
    shown += [text for item in catalog.quarantined for text in (item.id, item.reason)]
    assert len(catalog.quarantined) == 4
    assert [text for text in shown if not text.isprintable()] == []


def test_loading_imports_nothing_heavy(tmp_path: Path) -> None:
    """Apps load without the HTTP client, the schema validator and the model library: commands stay quick."""
    write_echo_app(tmp_path, "one", "a")
    script = f"""
import sys
from pathlib import Path
from apps.sdk.loader import load_catalog
assert load_catalog([Path({str(tmp_path)!r})]).skills
print(sorted({{"aiohttp", "jsonschema", "litellm"}} & sys.modules.keys()))
"""
    root = Path(__file__).parents[3]
    done = subprocess.run([sys.executable, "-c", script], cwd=root, capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_three_thousand_skills_load(tmp_path: Path) -> None:
    """case 11: 300 apps with 10 skills each load (how long that takes is measured in benchmarks)."""
    for number in range(300):
        write_echo_app(tmp_path, f"many{number:03}", *[f"skill{n}" for n in range(10)])
    catalog = load_catalog([tmp_path])
    assert len(catalog.skills) == 3000
    assert catalog.findings == ()


def test_the_bundled_apps_load_without_an_error() -> None:
    directory = Path(__file__).parents[3] / "apps"
    catalog = load_catalog([directory])
    assert [str(finding) for finding in catalog.findings if finding.severity == "error"] == []
    for skill in catalog.skills.values():
        assert type(skill.implementation).__module__.startswith(f"apps.{skill.app_id}.")


def test_one_app_alone_is_the_catalog_s(tmp_path: Path) -> None:
    """Whatever its folder's neighbours are; and it can take the place of one of its id in a catalog."""
    write_echo_app(tmp_path / "one", "solo", "sing")
    write_echo_app(tmp_path / "one", "other", "play")
    write_echo_app(tmp_path / "two", "solo", "hum")
    catalog = load_catalog([tmp_path / "one"])
    alone = load_one_app(tmp_path / "one" / "solo")
    assert [(skill.tool_name, skill.content_hash) for skill in alone.skills] == [
        (skill.tool_name, skill.content_hash) for skill in catalog.by_app["solo"].skills
    ]
    assert alone.findings == catalog.by_app["solo"].findings
    changed = add_app(catalog, load_one_app(tmp_path / "two" / "solo"))
    assert list(changed.skills) == ["other-play", "solo-hum"]
    assert changed.digest != catalog.digest
    assert add_app(catalog, catalog.by_app["solo"]).digest == catalog.digest


def test_one_app_whose_folder_is_not_there(tmp_path: Path) -> None:
    """It is set aside, not raised."""
    (gone,) = load_one_app(tmp_path / "gone").quarantined
    assert gone.id == "gone"
