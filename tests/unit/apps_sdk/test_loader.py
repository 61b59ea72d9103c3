import os
import subprocess
import sys
from pathlib import Path

import pytest

from apps.sdk.catalog import Catalog
from apps.sdk.findings import Finding
from apps.sdk.loader import AppsDirectoryMissing, load_catalog
from apps.sdk.skill import BatchSkill
from tests.support.apps import ECHO_MODULE, REQUESTS_SCHEMA, skill_manifest, write_app, write_echo_app


def load_one(directory: Path, manifest: str) -> Catalog:
    """The catalog of one app `one`, whose module `echo` has a working class."""
    write_app(directory, "one", manifest, {"echo": ECHO_MODULE})
    return load_catalog([directory])


def find(catalog: Catalog, code: str) -> Finding:
    (finding,) = [finding for finding in catalog.findings if finding.code == code]
    return finding


def reasons(catalog: Catalog) -> dict[str, str]:
    return {item.id: item.reason for item in catalog.quarantined}


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
    assert "ModuleNotFoundError: No module named 'apps.broken.skills.gone'" in reasons(catalog)["broken-lost"]
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
    assert list(reasons(catalog)) == [name]


def test_a_bad_app_id_comes_with_a_good_one(tmp_path: Path) -> None:
    write_echo_app(tmp_path, "SocialMedia-posts", "search")
    assert find(load_catalog([tmp_path]), "app-id").suggestion == "rename it to 'social_media_posts'"


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
    assert list(reasons(catalog)) == ["bad"]


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


def test_unknown_key_is_a_warning_with_a_suggestion(tmp_path: Path) -> None:
    """case 7: `preprocesor_hint` is a warning that asks `did you mean`; the skill works."""
    catalog = load_one(
        tmp_path,
        """\
        skills:
        - id: a
          description: d
          preprocesor_hint: h
          class_path: apps.one.skills.echo.EchoSkill
          tool_schema: {type: object, properties: {}}
          providers: [{name: Brave, no_api_kye: true, api_key_vault_path: x}]
        """,
    )
    first, second = (finding for finding in catalog.findings if finding.code == "unknown-key")
    assert (first.severity, first.position.line, first.position.column) == ("warning", 4, 3)
    assert first.suggestion == "did you mean 'preprocessor_hint'?"
    assert (second.position.line, second.suggestion) == (7, "did you mean 'no_api_key'?")
    assert list(catalog.skills) == ["one-a"]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("effect: wirte", "'effect' must be one of 'read' or 'write', not the text 'wirte'"),
        ("timeout: 0", "'timeout' must be greater than 0, not the number 0"),
        ("timeout: 601", "'timeout' must be at most 600, not the number 601"),
        ("timeout: '5'", "'timeout' must be a number, not the text '5'"),
        ("timeout: true", "'timeout' must be a number, not true"),
        ("resident: yes", "'resident' must be true or false, not the text 'yes'"),
        ("name: 5", "'name' must be text, not the number 5"),
        ("examples: hello", "'examples' must be a list, not the text 'hello'"),
        ("examples: [a, 5]", "'examples.1' must be text, not the number 5"),
        ("sources: [chat, web]", "'sources.1' must be one of 'chat', 'api' or 'scheduled', not the text 'web'"),
        ("sources: []", "'sources' must be not empty, not a list"),
        ("providers: [{name: 5}]", "'providers.0.name' must be text, not the number 5"),
        ("providers: [5]", "'providers.0' must be a mapping, not the number 5"),
        ("http: yes please", "'http' must be a mapping, not the text 'yes please'"),
    ],
)
def test_wrong_values_are_errors_at_their_place(tmp_path: Path, line: str, message: str) -> None:
    """case 7: a wrong type, a bad enum or a value out of range is an error with line and column; that skill alone is out."""
    catalog = load_one(
        tmp_path,
        f"""\
        skills:
        - id: a
          class_path: apps.one.skills.echo.EchoSkill
          tool_schema: {{type: object, properties: {{}}}}
          {line}
        - id: b
          class_path: apps.one.skills.echo.EchoSkill
          tool_schema: {{type: object, properties: {{}}}}
        """,
    )
    problem = find(catalog, "wrong-value")
    assert problem.message == message
    assert problem.severity == "error"
    assert problem.position.line == 5
    assert problem.position.column >= 3 + len(line.partition(" ")[0]) + 1
    assert list(catalog.skills) == ["one-b"]
    assert reasons(catalog) == {"one-a": message}


def test_too_many_examples_are_an_error(tmp_path: Path) -> None:
    write_echo_app(tmp_path, "one", "a", examples=[f"number {n}" for n in range(21)])
    assert find(load_catalog([tmp_path]), "wrong-value").message == "'examples' must be at most 20 items, not a list"


@pytest.mark.parametrize("item", ["", "just text", "5", "[a]"])
def test_an_item_that_is_no_mapping_is_an_error(tmp_path: Path, item: str) -> None:
    catalog = load_one(tmp_path, f"skills:\n- {item}\n")
    assert find(catalog, "wrong-value").position.line == 2
    assert list(reasons(catalog)) == ["one-skills[0]"]


def test_empty_lists_are_empty(tmp_path: Path) -> None:
    """`skills:` with nothing after it is an app without skills."""
    catalog = load_one(tmp_path, "name: One\nskills:\nfocuses:\nmemory:\ninstructions:\n")
    assert [finding.code for finding in catalog.findings] == ["app-empty"]


@pytest.mark.parametrize("value", ["{a: b}", "text", "5"])
def test_skills_must_be_a_list(tmp_path: Path, value: str) -> None:
    assert find(load_one(tmp_path, f"skills: {value}"), "wrong-value").message.startswith("'skills' must be a list")


def test_a_wrong_value_of_the_app_leaves_its_skills_alone(tmp_path: Path) -> None:
    write_app(tmp_path, "one", {"name": 5, "description": "d", "skills": [skill_manifest("one", "a")]}, {"echo": ECHO_MODULE})
    catalog = load_catalog([tmp_path])
    assert find(catalog, "wrong-value").position.line == 2
    assert (catalog.by_app["one"].name, catalog.by_app["one"].description) == ("One", "d")
    assert list(catalog.skills) == ["one-a"]


def test_an_unclear_switch_turns_the_app_off(tmp_path: Path) -> None:
    """`default_enabled: no` is neither true nor false: the app stays off until its author says which."""
    write_app(tmp_path, "one", "default_enabled: no\nskills: [{id: a}]\n")
    catalog = load_catalog([tmp_path])
    assert catalog.skills == {}
    assert reasons(catalog) == {"one": "'default_enabled' must be true or false"}
    assert find(catalog, "wrong-value").position.line == 1


def test_a_duplicate_key_quarantines_the_item_it_is_in(tmp_path: Path) -> None:
    catalog = load_one(
        tmp_path,
        """\
        skills:
        - id: a
          description: first
          description: second
          class_path: apps.one.skills.echo.EchoSkill
          tool_schema: {type: object, properties: {}}
        - id: b
          class_path: apps.one.skills.echo.EchoSkill
          tool_schema: {type: object, properties: {}}
        """,
    )
    assert list(catalog.skills) == ["one-b"]
    assert "line 3" in reasons(catalog)["one-a"]
    assert "line 4" in reasons(catalog)["one-a"]


def test_the_second_skill_of_an_id_is_quarantined(tmp_path: Path) -> None:
    write_echo_app(tmp_path, "one", "a", "b", "a")
    catalog = load_catalog([tmp_path])
    assert list(catalog.skills) == ["one-a", "one-b"]
    assert find(catalog, "item-duplicate").severity == "error"
    assert "the first one counts" in reasons(catalog)["one-a"]


@pytest.mark.parametrize(
    "skill_id", ["Dockerfile problems scanner", "calendar.respondToEvent", "DELETE_/loadpoints/{id}/plan", "-a"]
)
def test_illegal_skill_ids_are_errors_with_a_suggestion(tmp_path: Path, skill_id: str) -> None:
    """An id that a provider would refuse takes out that skill, never the list it is in."""
    write_echo_app(tmp_path, "one", skill_id, "good")
    catalog = load_catalog([tmp_path])
    assert list(catalog.skills) == ["one-good"]
    problem = find(catalog, "item-id")
    assert problem.suggestion is not None
    assert problem.severity == "error"


def test_tool_names_over_the_limit_are_quarantined(tmp_path: Path) -> None:
    """64 characters are a tool name, 65 are none; nothing is cut."""
    write_echo_app(tmp_path, "a" * 40, "s" * 23, "t" * 24)
    catalog = load_catalog([tmp_path])
    assert list(catalog.skills) == [f"{'a' * 40}-{'s' * 23}"]
    assert find(catalog, "tool-name-length").severity == "error"
    assert find(catalog, "tool-name-long").severity == "hint"


@pytest.mark.parametrize("length", [60, 101, 300])
@pytest.mark.parametrize("kind", ["focus_modes", "settings_and_memories"])
def test_ids_of_focus_modes_and_memories_have_the_same_limit(tmp_path: Path, kind: str, length: int) -> None:
    """An id over the limit costs its own item only, whatever kind it is and however long."""
    items = [{"id": "i" * length, "system_prompt": "p"}, {"id": "fine", "system_prompt": "p"}]
    if kind == "settings_and_memories":
        items = [{"id": item["id"]} for item in items]
    write_app(tmp_path, "four", {kind: items})
    write_echo_app(tmp_path, "one", "a")
    catalog = load_catalog([tmp_path])
    assert [*catalog.focus_modes, *catalog.memories] == ["four-fine"]
    assert list(catalog.skills) == ["one-a"]
    assert find(catalog, "tool-name-length").severity == "error"


def test_an_id_in_the_file_may_only_repeat_the_folder(tmp_path: Path) -> None:
    write_app(tmp_path, "one", "app_id: two\nskills: []\ninstructions: [{instruction: x}]\n")
    catalog = load_catalog([tmp_path])
    assert [app.id for app in catalog.apps] == ["one"]
    assert find(catalog, "app-id-differs").severity == "warning"


@pytest.mark.parametrize(
    ("schema", "reason"),
    [
        (None, "there is no tool_schema"),
        ({"type": "string"}, "tool_schema must be an object schema: `type: object` with `properties`"),
        ({"type": "object", "properties": {"a": {"type": "strin"}}}, "not valid JSON Schema at properties/a/type"),
        ({"type": "object", "properties": {"a": {"$ref": "https://example.com/x"}}}, "not local"),
    ],
)
def test_a_skill_without_a_usable_schema_is_quarantined(tmp_path: Path, schema: object, reason: str) -> None:
    """case 6: no schema, no object schema, no JSON Schema: quarantined with the reason; its neighbour works."""
    skills = [skill_manifest("one", "a", tool_schema=schema), skill_manifest("one", "b")]
    write_app(tmp_path, "one", {"skills": skills}, {"echo": ECHO_MODULE})
    catalog = load_catalog([tmp_path])
    assert list(catalog.skills) == ["one-b"]
    assert reason in reasons(catalog)["one-a"]
    assert find(catalog, "tool-schema").severity == "error"


def test_parameters_are_the_authors_own_schema(tmp_path: Path) -> None:
    """The catalog holds what the author wrote, key for key in the author's order; `type: object` is added when implied."""
    write_echo_app(tmp_path, "one", "a", tool_schema=REQUESTS_SCHEMA)
    write_echo_app(tmp_path, "two", "a", tool_schema={"properties": {"x": {"type": "string"}}})
    catalog = load_catalog([tmp_path])
    assert str(catalog.skills["one-a"].parameters) == str(REQUESTS_SCHEMA)
    assert catalog.skills["two-a"].parameters == {"type": "object", "properties": {"x": {"type": "string"}}}


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
        ("from apps.sdk.skill import BatchSkill\nclass EchoSkill(BatchSkill): ...", "EchoSkill has no execute method of its own"),
        (ECHO_MODULE + "    def __init__(self, x): ...\n", "TypeError"),
        (ECHO_MODULE + "    def __init__(self): raise ValueError\n", "ValueError"),
        ("class E(Exception):\n    def __str__(self): raise KeyError\nraise E", "E"),
        ("\x00", "null bytes"),
    ],
)
def test_a_class_that_cannot_be_had_is_quarantined(tmp_path: Path, source: str, reason: str) -> None:
    """case 1: whatever importing or making the class raises is that skill's reason, with type and message and no path."""
    write_app(tmp_path, "one", {"skills": [skill_manifest("one", "a")]}, {"echo": source})
    catalog = load_catalog([tmp_path])
    assert catalog.skills == {}
    assert reason in reasons(catalog)["one-a"]
    assert str(tmp_path) not in reasons(catalog)["one-a"]
    assert catalog.findings[0].position.line > 1


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
    assert list(reasons(catalog)) == ["one-a"]
    assert list(catalog.skills) == ["two-b"]


def test_an_app_id_may_start_with_a_digit(tmp_path: Path) -> None:
    """case 2: the folder `3d` is a legal app id, so its skills run."""
    write_echo_app(tmp_path, "3d", "render")
    catalog = load_catalog([tmp_path])
    assert list(catalog.skills) == ["3d-render"]
    assert catalog.findings == ()


def test_a_broken_package_quarantines_the_skills_of_its_app(tmp_path: Path) -> None:
    folder = write_echo_app(tmp_path, "one", "a", "b")
    (folder / "__init__.py").write_text("1 / 0")
    assert set(reasons(load_catalog([tmp_path])).values()) == {
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
    assert "placeholder" in reasons(catalog)["one-soon"]
    assert "not supported yet" in reasons(catalog)["one-remote"]
    assert "not supported yet" in reasons(catalog)["one-tool"]
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


@pytest.mark.parametrize(
    ("changes", "name"),
    [
        ({"description": "Search {{topic}}"}, "'description'"),
        ({"preprocessor_hint": "TODO: write"}, "'preprocessor_hint'"),
        ({"examples": ["find ${query}"]}, "'examples.0'"),
        ({"tool_schema": {"type": "object", "properties": {"a": {"type": "string", "description": "<TODO>"}}}}, "a.description'"),
    ],
)
def test_unfilled_placeholders_never_reach_a_model(tmp_path: Path, changes: dict[str, object], name: str) -> None:
    """case 19: a placeholder nobody filled is an error at load, and its item is quarantined."""
    write_echo_app(tmp_path, "one", "a", **changes)
    catalog = load_catalog([tmp_path])
    assert catalog.skills == {}
    problem = find(catalog, "text-placeholder")
    assert problem.severity == "error"
    assert name in problem.message


def test_placeholders_in_prompts_and_instructions_are_errors(tmp_path: Path) -> None:
    """case 19: also in a focus mode's prompt and in an app's instructions."""
    catalog = load_one(
        tmp_path,
        """\
        instructions: [{instruction: "Answer in {{language}}."}, {instruction: Be kind.}]
        focus_modes: [{id: a, system_prompt: "You are ${persona}"}, {id: b, system_prompt: Be brief.}]
        """,
    )
    assert [part.text for part in catalog.by_app["one"].instructions] == ["Be kind."]
    assert list(catalog.focus_modes) == ["one-b"]
    assert set(reasons(catalog)) == {"one-a", "one-instructions[0]"}


def test_a_focus_mode_needs_a_prompt(tmp_path: Path) -> None:
    """A focus mode without any prompt text is an error and never active."""
    catalog = load_one(tmp_path, "focuses: [{id: a, systemprompt_translation_key: x.y}, {id: b, systemprompt: 'Be brief.\n'}]")
    assert list(catalog.focus_modes) == ["one-b"]
    assert catalog.focus_modes["one-b"].system_prompt == "Be brief."
    assert find(catalog, "focus-without-prompt").severity == "error"


def test_a_memory_needs_a_usable_schema(tmp_path: Path) -> None:
    catalog = load_one(
        tmp_path,
        """\
        memory:
        - {id: a, type: single, schema: {type: object, properties: {t: {type: string, is_title: true, multiline: true}}}}
        - {id: b, schema: {type: wrong}}
        - {id: c, type: many}
        - {id: d, schema: text}
        """,
    )
    assert list(catalog.memories) == ["one-a"]
    assert catalog.memories["one-a"].type == "single"
    assert [f.code for f in catalog.findings if f.severity == "error"] == ["memory-schema", "wrong-value", "memory-schema"]


def test_translation_keys_without_texts_give_readable_names(tmp_path: Path) -> None:
    """Without a texts file a name is made from the id; a raw key never stands in front of a model."""
    catalog = load_one(
        tmp_path,
        """\
        name_translation_key: app.one
        skills:
        - id: get-posts
          name_translation_key: app_skills.one.get_posts
          description_translation_key: app_skills.one.get_posts.description
          preprocessor_hint: Gets posts.
          class_path: |
            apps.one.skills.echo.EchoSkill
          tool_schema: {type: object, properties: {}}
        """,
    )
    skill = catalog.skills["one-get-posts"]
    assert (catalog.by_app["one"].name, skill.name, skill.description, skill.hint) == (
        "One",
        "Get posts",
        "Gets posts.",
        "Gets posts.",
    )


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


def test_the_dialect_of_the_field_loads_without_noise(tmp_path: Path) -> None:
    """Every key in use is read or kept aside in silence, and traps inside what others own are not ours to mention."""
    catalog = load_one(
        tmp_path,
        """\
        name_translation_key: web
        description_translation_key: web.description
        icon_image: |
          web.svg
        category: information
        last_updated: 2025-11-03
        provider_display_order: [Brave]
        model_aliases: {fast: x}
        expose_in_api: yes
        embeds: []
        embed_types: [{id: card, on: 12:30}]
        marketing_discovery: {no: {y: 1}}
        instructions:
        - {instruction: "Prefer x.", categories: [research], for_embed_types: [card]}
        skills:
        - id: search
          name_translation_key: web.search
          preprocessor_hint: Searches.
          examples: [find it]
          class_path: apps.one.skills.echo.EchoSkill
          internal: true
          icon_image: s.svg
          pricing: {per_unit: {credits: 5, unit_name: on}, fixed: 1_000}
          api_config: {expose_get: true, expose_post: true}
          suggestions_follow_up_requests: [a]
          full_model_reference: x/y
          skill_config: {a: b}
          providers: [Brave, {name: X, no_api_key: true, id: x, scope: s, region: eu, display_name: X,
                      api_key_vault_path: p, requires_api_key: true}]
          tool_schema: {type: object, properties: {}}
        focuses:
        - {id: research, preprocessor_hint: h, systemprompt: p, process_translation_key: k, icon_image: i, discount: 5,
           allowed_models: [m], recommended_model: m, allowed_apps: [one],
           allowed_skills: ["one:search", "one:*"], denied_skills: []}
        memory:
        - {id: saved, description: d, type: list, schema: {}, icon_image: i, example_translation_keys: [a], example_entries: [b]}
        """,
    )
    assert catalog.findings == ()
    assert list(catalog.skills) == ["one-search"]
    assert list(catalog.focus_modes) == ["one-research"]
    assert list(catalog.memories) == ["one-saved"]


def test_keys_for_anchors_are_allowed(tmp_path: Path) -> None:
    """A key that starts with `x-` is a place for shared parts."""
    catalog = load_one(
        tmp_path,
        """\
        x-skill: &skill
          description: d
          examples: [e]
          class_path: apps.one.skills.echo.EchoSkill
          tool_schema: {type: object, properties: {}}
        skills:
        - {id: a, <<: *skill}
        - {id: b, <<: *skill, description: other}
        """,
    )
    assert catalog.findings == ()
    assert [skill.description for skill in catalog.skills.values()] == ["d", "other"]


def test_both_spellings_of_a_list_are_a_warning(tmp_path: Path) -> None:
    catalog = load_one(tmp_path, "focuses: [{id: a, system_prompt: x}]\nfocus_modes: [{id: b, system_prompt: x}]\n")
    assert find(catalog, "alias-twice").position.line == 1
    assert list(catalog.focus_modes) == ["one-b"]


def test_findings_are_sorted_and_shown_with_their_app(tmp_path: Path) -> None:
    catalog = load_one(tmp_path, "zzz: 1\nskills:\n- {id: a}\nyyy: 2\n")
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
