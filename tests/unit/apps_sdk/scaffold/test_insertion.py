"""A skill added to an app.yml: where it goes, what stays, and when it is left to a person."""

from __future__ import annotations

from textwrap import indent

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from apps.sdk.manifest.yaml_source import parse_source
from apps.sdk.scaffold.insertion import insert_skill
from apps.sdk.scaffold.refusals import NotInserted, NotWritten

ITEM = "- id: new\n  name: New\n  examples: [one]\n"
ADDED = {"id": "new", "name": "New", "examples": ["one"]}
INDENTED = "  - id: new\n    name: New\n    examples: [one]\n"
FLUSH = ITEM


def insert(text: str) -> str:
    """Bytes in, bytes out; the texts are what the cases show."""
    return insert_skill(text.encode(), ITEM, "app.yml").decode()


PLACES = {
    "an empty file": ("", f"skills:\n{INDENTED}"),
    "only a comment": ("# mine\n", f"# mine\nskills:\n{INDENTED}"),
    "no skills": ("name: X\n", f"name: X\nskills:\n{INDENTED}"),
    "no skills, no newline": ("name: X", f"name: X\nskills:\n{INDENTED}"),
    "no skills, an indented mapping": ("  name: X\n", "  name: X\n  skills:\n" + indent(INDENTED, "  ")),
    "no skills, a text that takes what follows": ("a: |+\n  x\n\n", f"a: |+\n  x\n\nskills:\n{INDENTED}"),
    "no skills, a text that a newline would change": ("a: |\n  x", f"skills:\n{INDENTED}a: |\n  x"),
    "nothing after the key": ("skills:\nname: X\n", f"skills:\n{INDENTED}name: X\n"),
    "nothing after the key, no newline": ("name: X\nskills:", f"name: X\nskills:\n{INDENTED}"),
    "a comment after the key": ("skills: # none\n  # yet\nname: X\n", f"skills: # none\n{INDENTED}  # yet\nname: X\n"),
    "null": ("skills: ~  # none\nname: X\n", f"skills:  # none\n{INDENTED}name: X\n"),
    "an empty list": ("skills: []\nname: X\n", f"skills:\n{INDENTED}name: X\n"),
    "an empty list, no newline": ("skills: []", f"skills:\n{INDENTED}"),
    "an empty list over two lines": ("skills: [\n]\nname: X\n", f"skills:\n{INDENTED}name: X\n"),
    "an indented list": ("skills:\n  - id: a\nname: X\n", f"skills:\n  - id: a\n{INDENTED}name: X\n"),
    "a flush list": ("skills:\n- id: a\nname: X\n", f"skills:\n- id: a\n{FLUSH}name: X\n"),
    "a wide list": ("skills:\n    -   id: a\n", "skills:\n    -   id: a\n" + indent(ITEM, "    ")),
    "a last line without newline": ("skills:\n  - id: 'a'", f"skills:\n  - id: 'a'\n{INDENTED}"),
    "a blank line behind": ("skills:\n  - id: a\n\nname: X\n", f"skills:\n  - id: a\n{INDENTED}\nname: X\n"),
    "a comment of the item behind": (
        "skills:\n  - id: a # one\n    # more\n  # of the list\nname: X\n",
        f"skills:\n  - id: a # one\n    # more\n{INDENTED}  # of the list\nname: X\n",
    ),
    "a folded text": (
        "skills:\n  - id: a\n    name: >-\n      x\n\n# end\n",
        f"skills:\n  - id: a\n    name: >-\n      x\n{INDENTED}\n# end\n",
    ),
    "a text that keeps blank lines": (
        "skills:\n  - id: a\n    name: |+\n      x\n\n\nz: 1\n",
        f"skills:\n  - id: a\n    name: |+\n      x\n\n\n{INDENTED}z: 1\n",
    ),
    "a flow item": ("skills:\n  - { id: a,\n      name: A } # x\n", f"skills:\n  - {{ id: a,\n      name: A }} # x\n{INDENTED}"),
    "an alias": ("x: &x { id: a }\nskills:\n  - *x\nz: 1\n", f"x: &x {{ id: a }}\nskills:\n  - *x\n{INDENTED}z: 1\n"),
    "an empty value": ("skills:\n  - id: a\n    timeout:\nz: 1\n", f"skills:\n  - id: a\n    timeout:\n{INDENTED}z: 1\n"),
    "a key in quotes": ('"skills":\n  - id: a\n', f'"skills":\n  - id: a\n{INDENTED}'),
    "a list of lists": ("skills:\n  - - id: a\n    - b\nz: 1\n", f"skills:\n  - - id: a\n    - b\n{INDENTED}z: 1\n"),
    "a mark of the start": ("---\nskills:\n  - id: a\n", f"---\nskills:\n  - id: a\n{INDENTED}"),
    "a mark of the end": ("name: X\n...\n", f"skills:\n{INDENTED}name: X\n...\n"),
    "a byte order mark": ("\ufeffskills:\n  - id: ä\n", f"\ufeffskills:\n  - id: ä\n{INDENTED}"),
    "skills of something else": ("x:\n  skills: []\n", f"x:\n  skills: []\nskills:\n{INDENTED}"),
    "characters beyond the plane": ("skills:\n  - id: 😀 # 😀\nz: 1\n", f"skills:\n  - id: 😀 # 😀\n{INDENTED}z: 1\n"),
}  # fmt: skip


@pytest.mark.parametrize(("before", "after"), PLACES.values(), ids=list(PLACES))
def test_a_skill_goes_to_the_end_of_the_list(before: str, after: str) -> None:
    """With the indentation that the list has; comments, quotes and blank lines stay where they are."""
    assert insert(before) == after


@pytest.mark.parametrize(("before", "after"), PLACES.values(), ids=list(PLACES))
def test_line_ends_stay_as_they_are(before: str, after: str) -> None:
    """A file with CRLF is one afterwards too."""
    if "\n" in before:
        assert insert(before.replace("\n", "\r\n")) == after.replace("\n", "\r\n")


BY_HAND = {
    "a flow list with items": "skills: [{ id: a }]\n",
    "all in flow": "{ name: X, skills: [] }\n",
    "skills from a merge": "base: &b { skills: [{ id: a }] }\n<<: *b\n",
    "an anchor on the list": "skills: &all []\nother: *all\n",
    "a last text that a newline would change": "skills:\n  - id: |\n      a",
}


@pytest.mark.parametrize("text", BY_HAND.values(), ids=list(BY_HAND))
def test_what_cannot_be_extended_is_left_to_a_person(text: str) -> None:
    """The error holds what is to be added."""
    with pytest.raises(NotInserted) as raised:
        insert(text)
    assert raised.value.snippet == ITEM


@pytest.mark.parametrize(
    "text",
    [
        "skills: {}\nx: 1\n",
        "skills: one\n",
        "- a\n",
        "a: [\n",
        "skills: []\nskills: []\n",
        "a: 1\n---\nb: 2\n",
        "a: \x07\n",
        "\x80",
    ],
)
def test_a_file_with_errors_is_not_touched(text: str) -> None:
    """Its first error is named, or what it is instead of a list."""
    with pytest.raises(NotWritten, match=r"app\.yml"):
        insert_skill(text.encode("latin-1"), ITEM, "app.yml")


skill_texts = st.dictionaries(
    st.sampled_from(["id", "name", "description", "examples", "timeout"]),
    st.one_of(st.text(alphabet="ab:# \n'\"-é", max_size=12), st.integers(0, 9), st.none(), st.lists(st.just("x"), max_size=2)),
    max_size=4,
)


@given(
    skills=st.lists(skill_texts, max_size=3),
    width=st.sampled_from([20, 200]),
    flow=st.sampled_from([False, None]),
    style=st.sampled_from([None, "|", ">", "'", '"']),
    tail=st.sampled_from(["", "\n\n# the end\n", "z: 1\n", "\n# c\nz: 1"]),
)
def test_nothing_else_changes(
    skills: list[dict[str, object]], width: int, flow: bool | None, style: str | None, tail: str
) -> None:
    """Whatever stands there: every line of it is still there in its order, and the data is the old data and the new skill."""
    text = yaml.safe_dump({"a": 1, "skills": skills}, width=width, default_flow_style=flow, default_style=style) + tail
    document = parse_source(text.encode(), "app.yml")
    if any(finding.severity == "error" for finding in document.findings) or not isinstance(document.data["skills"], list):
        return
    try:
        after = insert(text)
    except NotInserted:
        return
    assert parse_source(after.encode(), "app.yml").data == {**document.data, "skills": [*document.data["skills"], ADDED]}
    rest = iter(after.splitlines())
    assert all(line in rest for line in text.splitlines() if "[]" not in line)
