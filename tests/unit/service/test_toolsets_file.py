"""The file of toolsets: the one that ships, and every way to get one wrong."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from apps.sdk.loader import load_catalog
from preprocessor.name_patterns import NameIndex
from preprocessor.toolsets import Overlay, Toolset, list_unknown_members
from service.settings import ROOT
from service.toolsets_file import MAX_TOOLSETS, ToolsetsError, load_toolsets


def write(folder: Path, text: str) -> Path:
    path = folder / "toolsets.yml"
    path.write_text(text, encoding="utf-8")
    return path


def test_the_shipped_file_names_bundled_skills_only() -> None:
    """Nothing in it is in vain."""
    toolsets = load_toolsets(ROOT / "service" / "toolsets.yml")
    assert toolsets.overlays["web_search"].skill == "web-search"
    assert list_unknown_members(toolsets, NameIndex(load_catalog([ROOT / "apps"]).skills)) == ()
    assert all(toolset.description for toolset in toolsets.sets.values())


def test_the_readmes_example_is_right(tmp_path: Path) -> None:
    """As it stands there, over the bundled apps; so is the one in the shipped file's comment."""
    block = re.search(r"```yaml\n(toolsets:\n.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), re.DOTALL)
    assert block is not None
    toolsets = load_toolsets(write(tmp_path, block[1]))
    assert list_unknown_members(toolsets, NameIndex(load_catalog([ROOT / "apps"]).skills)) == ()
    shipped = (ROOT / "service" / "toolsets.yml").read_text(encoding="utf-8")
    comment = re.search(r"^#   builtin:\n(?:#     .*\n)+", shipped, re.MULTILINE)
    assert comment is not None
    builtins = comment[0].replace("#   ", "    ")
    with_comment = load_toolsets(write(tmp_path, f"overlays:\n  web_search:\n    skill: web-search\n{builtins}"))
    assert with_comment.list_built_in(["anthropic/claude", "gemini/gemini-3-pro", "openai/gpt-4o-search-preview"])


def test_what_a_file_says(tmp_path: Path) -> None:
    """Names, includes in circles, `full` as an include, built-ins in their order; both sections may be left out."""
    toolsets = load_toolsets(
        write(
            tmp_path,
            """
            toolsets:
              one: {includes: [two, full], skills: [a-b, "c-*"], description: First.}
              two: {includes: [one]}
            overlays:
              web_search:
                skill: s-search
                builtin:
                  "anthropic/*": {type: web_search_20250305, name: web_search}
                  "gemini/*": {googleSearch: {}, include_server_side_tool_invocations: true}
                  "*": {web_search_options: {}}
            """,
        )
    )
    assert toolsets.sets["one"] == Toolset("one", ("a-b", "c-*"), ("two", "full"), "First.")
    assert toolsets.names == ("one", "two", "full")
    overlay = toolsets.overlays["web_search"]
    assert isinstance(overlay, Overlay)
    assert list(overlay.builtins) == ["anthropic/*", "gemini/*", "*"]
    assert toolsets.list_built_in(["anthropic/claude", "openai/gpt"]) == {"s-search"}
    assert load_toolsets(write(tmp_path, "{}")).names == ("full",)


@pytest.mark.parametrize(
    ("text", "place", "words"),
    [
        ("toolsets:\n  a:\n    includes: [reserch]\n  research: {}\n", "3:16",
         "toolsets.a.includes.0: there is no toolset 'reserch'; did you mean 'research'?"),
        ("toolsets:\n  full:\n    skills: [a-b]\n", "2:3", "toolsets.full: full is every available skill and cannot be defined"),
        ("toolsets:\n  A b: {}\n", "2:3", "toolsets.A b: String should match pattern"),
        ("toolsets:\n  a:\n    skils: [a-b]\n", "3:5",
         "toolsets.a.skils: Extra inputs are not permitted; did you mean 'skills'?"),
        ("toolsets:\n  a:\n    skills: a-b\n", "3:13", "toolsets.a.skills: Input should be a valid list"),
        ("toolsets:\n  a:\n    skills: [1]\n", "3:14", "toolsets.a.skills.0: Input should be a valid string"),
        ("toolsets:\n  a:\n    skills: [tool_search]\n", "3:14", "toolsets.a.skills.0: tool_search belongs to the service"),
        ("toolsets: [a]\n", "1:11", "toolsets: Input should be a valid dictionary"),
        ("- a\n", "1:1", "the file: Input should be a valid dictionary or instance of"),
        ("", "1:1", "the file: Input should be a valid dictionary or instance of"),
        ("tools: {}\n", "1:1", "tools: Extra inputs are not permitted; did you mean 'toolsets'?"),
        ("overlays:\n  search: {skill: a-b}\n", "2:3", "overlays.search: no intent has such a switch; there is web_search"),
        ("overlays:\n  web_search: {}\n", "2:15", "overlays.web_search.skill: Field required"),
        ("overlays:\n  web_search: {skill: system-x}\n", "2:23", "overlays.web_search.skill: system-x belongs to the service"),
        ("overlays:\n  web_search:\n    skill: a-b\n    builtin: {'*': {}}\n", "4:20",
         "overlays.web_search.builtin.*: must be a tool with a `type`"),
        ("overlays:\n  web_search:\n    skill: a-b\n    builtin: {'*': {a: 1, b: 2}}\n", "4:20",
         "overlays.web_search.builtin.*: must be a tool with a `type`"),
        ("overlays:\n  web_search:\n    skill: a-b\n    builtin: {'*': {type: function}}\n", "4:20",
         "overlays.web_search.builtin.*: a function is called by the service: it must be a skill"),
        ("toolsets:\n  a: {}\n  a: {}\n", "3:3", "the key 'a' of line 2 stands again on line 3"),
        ("toolsets:\n\ta: {}\n", "2:1", "found character"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_told_with_its_place(tmp_path: Path, text: str, place: str, words: str) -> None:
    """File, line and column, the field, and what is wrong with it."""
    path = write(tmp_path, text)
    with pytest.raises(ToolsetsError) as caught:
        load_toolsets(path)
    [problem] = caught.value.problems
    assert problem.startswith(f"{path}:{place}: ")
    assert words in problem


def test_everything_wrong_is_told_at_once(tmp_path: Path) -> None:
    """One line a fault."""
    with pytest.raises(ToolsetsError) as caught:
        load_toolsets(write(tmp_path, "toolsets:\n  a: {includes: [b, c]}\noverlays:\n  other: {skill: a-b}\n"))
    assert len(caught.value.problems) == str(caught.value).count("\n") + 1 == 3


def test_what_is_no_file_or_too_much(tmp_path: Path) -> None:
    """A missing file, a folder, and more toolsets than anybody reads."""
    for path in (tmp_path / "none.yml", tmp_path):
        with pytest.raises(ToolsetsError, match=r"No such file|no regular file"):
            load_toolsets(path)
    many = "".join(f"  s{number}: {{}}\n" for number in range(MAX_TOOLSETS + 1))
    with pytest.raises(ToolsetsError, match=f"at most {MAX_TOOLSETS} items"):
        load_toolsets(write(tmp_path, f"toolsets:\n{many}"))
