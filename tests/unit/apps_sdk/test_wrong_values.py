"""What is written wrongly is found at its place and costs its own item only."""

from __future__ import annotations

from pathlib import Path

import pytest

from apps.sdk.loader import load_catalog
from tests.support.apps import ECHO_MODULE, skill_manifest, write_app, write_echo_app
from tests.support.loading import find, list_reasons, load_manifest


def test_unknown_key_is_a_warning_with_a_suggestion(tmp_path: Path) -> None:
    """case 7: `preprocesor_hint` is a warning that asks `did you mean`; the skill works."""
    catalog = load_manifest(
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
        ("sources: []", "'sources' must not be empty"),
        ("providers: [{name: 5}]", "'providers.0.name' must be text, not the number 5"),
        ("providers: [5]", "'providers.0' must be a mapping, not the number 5"),
        ("http: yes please", "'http' must be a mapping, not the text 'yes please'"),
    ],
)
def test_wrong_values_are_errors_at_their_place(tmp_path: Path, line: str, message: str) -> None:
    """case 7: a wrong type, a bad enum or a value out of range is an error with line and column; that skill alone is out."""
    catalog = load_manifest(
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
    assert list_reasons(catalog) == {"one-a": message}


def test_too_many_examples_are_an_error(tmp_path: Path) -> None:
    write_echo_app(tmp_path, "one", "a", examples=[f"number {n}" for n in range(21)])
    assert find(load_catalog([tmp_path]), "wrong-value").message == "'examples' must be at most 20 items, not a list"


@pytest.mark.parametrize("item", ["", "just text", "5", "[a]"])
def test_an_item_that_is_no_mapping_is_an_error(tmp_path: Path, item: str) -> None:
    catalog = load_manifest(tmp_path, f"skills:\n- {item}\n")
    assert find(catalog, "wrong-value").position.line == 2
    assert list(list_reasons(catalog)) == ["one-skills[0]"]


def test_empty_lists_are_empty(tmp_path: Path) -> None:
    """`skills:` with nothing after it is an app without skills."""
    catalog = load_manifest(tmp_path, "name: One\nskills:\nfocuses:\nmemory:\ninstructions:\n")
    assert [finding.code for finding in catalog.findings] == ["app-empty"]


@pytest.mark.parametrize("value", ["{a: b}", "text", "5"])
def test_skills_must_be_a_list(tmp_path: Path, value: str) -> None:
    assert find(load_manifest(tmp_path, f"skills: {value}"), "wrong-value").message.startswith("'skills' must be a list")


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
    assert list_reasons(catalog) == {"one": "'default_enabled' must be true or false"}
    assert find(catalog, "wrong-value").position.line == 1


def test_a_duplicate_key_quarantines_the_item_it_is_in(tmp_path: Path) -> None:
    catalog = load_manifest(
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
    assert "line 3" in list_reasons(catalog)["one-a"]
    assert "line 4" in list_reasons(catalog)["one-a"]


def test_both_spellings_of_a_list_are_a_warning(tmp_path: Path) -> None:
    catalog = load_manifest(tmp_path, "focuses: [{id: a, system_prompt: x}]\nfocus_modes: [{id: b, system_prompt: x}]\n")
    assert find(catalog, "alias-twice").position.line == 1
    assert list(catalog.focus_modes) == ["one-b"]


@pytest.mark.parametrize(
    ("schema", "reason"),
    [
        (None, "there is no tool_schema"),
        ({"type": "string"}, "tool_schema must be an object schema: `type: object` with `properties`"),
        ({"type": "object", "properties": {"a": {"type": "strin"}}}, "'type' must be one of"),
        ({"type": "object", "properties": {"a": {"$ref": "https://example.com/x"}}}, "not local"),
    ],
)
def test_a_skill_without_a_usable_schema_is_quarantined(tmp_path: Path, schema: object, reason: str) -> None:
    """case 6: no schema, no object schema, no JSON Schema: quarantined with the reason; its neighbour works."""
    skills = [skill_manifest("one", "a", tool_schema=schema), skill_manifest("one", "b")]
    write_app(tmp_path, "one", {"skills": skills}, {"echo": ECHO_MODULE})
    catalog = load_catalog([tmp_path])
    assert list(catalog.skills) == ["one-b"]
    assert reason in list_reasons(catalog)["one-a"]
    assert find(catalog, "tool-schema").severity == "error"


def test_a_focus_mode_needs_a_prompt(tmp_path: Path) -> None:
    """A focus mode without any prompt text is an error and never active."""
    catalog = load_manifest(tmp_path, "focuses: [{id: a, process: x}, {id: b, systemprompt: 'Be brief.\n'}]")
    assert list(catalog.focus_modes) == ["one-b"]
    assert catalog.focus_modes["one-b"].system_prompt == "Be brief."
    assert find(catalog, "focus-without-prompt").severity == "error"


def test_a_memory_needs_a_usable_schema(tmp_path: Path) -> None:
    catalog = load_manifest(
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
    catalog = load_manifest(
        tmp_path,
        """\
        instructions: [{instruction: "Answer in {{language}}."}, {instruction: Be kind.}]
        focus_modes: [{id: a, system_prompt: "You are ${persona}"}, {id: b, system_prompt: Be brief.}]
        """,
    )
    assert [part.text for part in catalog.by_app["one"].instructions] == ["Be kind."]
    assert list(catalog.focus_modes) == ["one-b"]
    assert set(list_reasons(catalog)) == {"one-a", "one-instructions[0]"}


def test_a_wrong_word_has_one_advice(tmp_path: Path) -> None:
    """`yes` is not both to be quoted and to be written without quotes; where it is right to say that it is text, it is said."""
    catalog = load_manifest(tmp_path, "name: no\nfocuses:\n- {id: a, system_prompt: p, description: d, default_enabled: yes}\n")
    assert [(finding.code, finding.position.line) for finding in catalog.findings if finding.code != "app-empty"] == [
        ("yaml-ambiguous", 1), ("wrong-value", 3),
    ]  # fmt: skip
