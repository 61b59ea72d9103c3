import json

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from apps.sdk.findings import Position
from apps.sdk.jsontypes import Json
from apps.sdk.manifest.yaml_source import MAX_BYTES, parse_source

TEXTS = st.text(alphabet=st.characters(codec="utf-8", exclude_categories=["Cc"]), max_size=20)
SCALARS = st.none() | st.booleans() | st.integers(-(2**63), 2**63 - 1) | TEXTS
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4), max_leaves=20
)


def codes(text: str | bytes) -> list[str]:
    document = parse_source(text.encode() if isinstance(text, str) else text, "app.yml")
    return [finding.code for finding in document.findings]


@given(VALUES)
def test_json_is_read_as_it_is(value: Json) -> None:
    """JSON is YAML: whatever JSON a file holds is read unchanged and without a finding."""
    document = parse_source(json.dumps(value, ensure_ascii=False).encode(), "app.yml")
    assert document.findings == ()
    assert document.data == value


@given(
    st.lists(
        st.sampled_from(["no", "On", "0x1F", "012", "12:30", "1.10", "1_000", "2020-01-02", "true", "~", "5", "a: b", "# x", ""])
    )
)
def test_what_a_yaml_writer_quotes_is_text(texts: list[str]) -> None:
    """Texts that a YAML writer puts in quotes come back as texts, without a hint."""
    document = parse_source(yaml.safe_dump(texts).encode(), "app.yml")
    assert document.data == texts
    assert document.findings == ()


@given(st.binary(max_size=300))
def test_no_bytes_break_the_reader(data: bytes) -> None:
    """Any bytes give a document or a finding, never an exception."""
    document = parse_source(data, "app.yml")
    assert document.readable or document.findings[0].severity == "error"


@given(st.text(alphabet="ab:-[]{}&*!|>'\"#\n \t,?<<~0123.", max_size=80))
def test_no_yaml_like_text_breaks_the_reader(text: str) -> None:
    document = parse_source(text.encode(), "app.yml")
    assert document.readable or document.findings[0].severity == "error"


def test_country_codes_stay_text_and_are_hinted_with_their_place() -> None:
    """Plain `no`, `On` and numbers with traps are text, and each is a hint with line and column."""
    document = parse_source(b"languages: [de, no, se]\nlabels: {no: Norway}\nid: 012\nat: 12:30\n", "app.yml")
    assert document.data == {"languages": ["de", "no", "se"], "labels": {"no": "Norway"}, "id": "012", "at": "12:30"}
    assert [(f.position.line, f.position.column, f.severity) for f in document.findings] == [
        (1, 17, "hint"), (2, 10, "hint"), (3, 5, "hint"), (4, 5, "hint"),
    ]  # fmt: skip
    assert document.findings[0].message == "read as the text 'no'; quote it to make that plain"


def test_quoted_words_are_text_without_a_hint() -> None:
    document = parse_source(b"a: 'no'\nb: \"012\"\nc: !!str 5\n", "app.yml")
    assert document.data == {"a": "no", "b": "012", "c": "5"}
    assert document.findings == ()


def test_keys_are_always_text() -> None:
    assert parse_source(b"1: a\ntrue: b\n~: c\n1.5: d\n", "app.yml").data == {"1": "a", "true": "b", "~": "c", "1.5": "d"}


def test_duplicate_key_names_both_lines_and_damages_its_item_only() -> None:
    """A key that stands twice is an error that names both lines; the items beside it are sound."""
    document = parse_source(b"skills:\n- id: a\n  name: one\n  name: two\n- id: b\n", "app.yml")
    (finding,) = document.findings
    assert (finding.code, finding.position) == ("yaml-duplicate-key", Position("app.yml", 4, 3))
    assert "line 3" in finding.message
    assert "line 4" in finding.message
    assert document.damage(("skills", 0)) is not None
    assert document.damage(("skills", 1)) is None


def test_positions_of_keys_and_values() -> None:
    document = parse_source(b"a:\n  b: [x, y]\n", "app.yml")
    assert document.position(("a", "b", 1)) == Position("app.yml", 2, 10)
    assert document.key_position(("a", "b")) == Position("app.yml", 2, 3)
    assert document.position(("a", "b", 1, "gone", "far")) == Position("app.yml", 2, 10)
    assert document.position(("a", "b", 0)) == Position("app.yml", 2, 7)


def test_merge_keys_fill_what_is_not_there() -> None:
    document = parse_source(b"a: &a {x: 1, y: 2}\nb: &b {z: 3}\nc: {<<: [*a, *b], y: 9}\nd: {<<: *a}\n", "app.yml")
    assert document.data["c"] == {"y": 9, "x": 1, "z": 3}
    assert document.data["d"] == {"x": 1, "y": 2}
    assert document.position(("d", "x")) == Position("app.yml", 1, 11)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("a: b".encode("utf-16"), "file-not-utf8"),
        (b"\xfe\xff" + "a: b".encode("utf-16-be"), "file-not-utf8"),
        ("a: b".encode("utf-16-le"), "yaml-character"),
        ("a: b".encode("utf-32"), "file-not-utf8"),
        ("a: größe".encode("latin-1"), "file-not-utf8"),
        (b"\x89PNG\r\n\x1a\n\x00", "file-not-utf8"),
        (b"a: b\n" * 2_000_000, "file-too-large"),
        ("a: \ufdd0".encode(), "yaml-character"),
        (b"a: \x00", "yaml-character"),
        (b"a: \x1b[31m", "yaml-character"),
        (b"x" * (MAX_BYTES + 1), "file-too-large"),
        (b"a:\tb\n\tc: d", "yaml-syntax"),
        (b"a: [", "yaml-syntax"),
        (b"a: b: c", "yaml-syntax"),
        (b"--- 1\n--- 2", "yaml-syntax"),
        (b"a: *gone", "yaml-alias"),
        (b"a: &a [*a]", "yaml-alias"),
        (b"a: &a {b: {c: *a}}", "yaml-alias"),
        (b"[" * 100 + b"]" * 100, "yaml-depth"),
        (b"[" * 500_000, "yaml-syntax"),
        (b"- " * 100_000, "yaml-depth"),
        (b"? " * 100_000, "yaml-depth"),
        (b"{a: " * 100_000, "yaml-depth"),
        (b"".join(b" " * depth + b"a:\n" for depth in range(1_000)), "yaml-depth"),
        (b"k" * 1_000_000 + b": v", "yaml-syntax"),
        (b"a: b\n---\nc: d", "yaml-syntax"),
        (b"a: b\n...\nc: d", "yaml-syntax"),
        (b"%YAML 9.9\n---\na: b", "yaml-syntax"),
        (b"%FOO bar\n---\na: b", "yaml-syntax"),
        (b"%TAG ! tag:x,2019:\n---\na: !b c", "yaml-tag"),
        (b"a:\n\tb: c", "yaml-syntax"),
        (b'a: "\\ud800"', "yaml-syntax"),
        (b"a: &a {<<: *a}", "yaml-alias"),
        (b"a: &a {b: &b {<<: *a}}", "yaml-alias"),
        (b"a: {<<: *gone}", "yaml-alias"),
        (b"a: &a {x: 1}\nb: {<<: *a, <<: *a}", "yaml-duplicate-key"),
        (b"a: &a [" + b"x," * 300 + b"]\nb: [" + b"*a," * 400 + b"]", "yaml-size"),
        (b"- a\n" * 200_000, "yaml-size"),
        (b"a: !!python/object/apply:os.system [echo]", "yaml-tag"),
        (b"a: !!python/name:os.system", "yaml-tag"),
        (b"!!python/object/new:os.system [x]", "yaml-tag"),
        (b"a: !!binary aGk=", "yaml-tag"),
        (b"a: !!timestamp 2001-01-01", "yaml-tag"),
        (b"a: !!set {b, c}", "yaml-tag"),
        (b"a: !!omap [b: c]", "yaml-tag"),
        (b"a: !!pairs [b: c]", "yaml-tag"),
        (b"a: !!bool yes", "yaml-tag"),
        (b"a: !!int 012", "yaml-tag"),
        (b"a: !mine {b: c}", "yaml-tag"),
        (b"? [a]\n: b", "yaml-key"),
        (b"a: {<<: 5}", "yaml-merge"),
    ],
)  # fmt: skip
def test_hostile_files_are_findings(text: bytes, code: str) -> None:
    """Whatever is wrong with a file is one named finding, at once."""
    assert codes(text) == [code]


LONG = b"x" * 100_000


@pytest.mark.parametrize(
    "text",
    [
        b"a: !" + LONG + b" b",
        b"a: *" + LONG,
        b"a: &" + LONG + b" [*" + LONG + b"]",
        b"a: " + b"9" * 100_000,
        b"? " + LONG + b"\n: 1\n? " + LONG + b"\n: 2",
    ],
    ids=["tag", "alias", "anchor", "number", "key"],
)
def test_a_finding_quotes_little(text: bytes) -> None:
    """However long what stands in the file is."""
    document = parse_source(text, "app.yml")
    assert document.findings
    assert all(len(finding.message) < 300 for finding in document.findings)


@pytest.mark.parametrize("separator", ["\x85", "\u2028", "\u2029"])
@pytest.mark.parametrize("template", ['"a {} b"', "'a {} b'", "a{}b", "|-\n  a{}b"])
def test_a_separator_is_a_character_like_any_other(separator: str, template: str) -> None:
    """hostile I: YAML 1.1 breaks the line there, YAML 1.2, JSON and editors do not: what was written is what is read."""
    text = f"x: {template.format(separator)}\nkey{separator}: no\n"
    document = parse_source(text.encode(), "app.yml")
    assert list(document.data) == ["x", f"key{separator}"]
    assert document.data["x"].replace(" ", "") == f"a{separator}b"
    assert document.findings[0].position.line == (3 if "|" in template else 2)


BLOCKS = st.sampled_from(
    [
        *(b"- ", b"? ", b"[", b"{", b"{a: ", b"&a ", b"*a ", b"!!str ", b'"', b"'", b"|\n", b"# x\n", b": ", b"a:\n", b"- a\n"),
        *(b"\n", b"\t", b"\r", b"---\n", b"%YAML 1.2\n", b"<<: *a\n", b",", b"[],", b"a: !!set {b}\n", b"- !!binary |\n  a\n"),
        *(b"\xe2\x80\xa8", b'"\\ud83d\\ude00"\n', b"\\"),
    ]
)


@settings(max_examples=15)
@pytest.mark.timeout(60)
@given(st.lists(BLOCKS, min_size=1, max_size=3), st.sampled_from([b"", b"a: &a {x: y}\nb:\n  "]))
def test_a_file_full_of_anything_is_read_at_once(blocks: list[bytes], beginning: bytes) -> None:
    """The same few bytes, a quarter of a megabyte of them: time grows with the size and not faster."""
    block = b"".join(blocks)
    document = parse_source(beginning + block * (250_000 // len(block)), "app.yml")
    assert document.readable or document.findings[0].severity == "error"


def test_alias_bomb_is_a_finding() -> None:
    """A billion laughs are counted, not expanded."""
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 10)]
    assert codes("\n".join(lines)) == ["yaml-size"]


def test_depth_through_aliases_is_counted() -> None:
    """A chain of aliases cannot nest deeper than brackets may."""
    lines = ["a0: &a0 [x]", *(f"a{n}: &a{n} [[[[[[*a{n - 1}]]]]]]" for n in range(1, 40))]
    assert codes("\n".join(lines)) == ["yaml-depth"]


def test_windows_files_read_as_others() -> None:
    """A byte order mark and CRLF change nothing, nor do the line ends of old Macs."""
    for line_end in ("\r\n", "\r", "\n"):
        document = parse_source(f"\ufeffa: 1{line_end}b: |{line_end}  x{line_end}".encode(), "app.yml")
        assert document.data == {"a": 1, "b": "x\n"}


@pytest.mark.parametrize("text", ["", "# only a comment\n", "---\n", "~"])
def test_empty_files_say_nothing(text: str) -> None:
    document = parse_source(text.encode(), "app.yml")
    assert (document.data, document.findings, document.readable) == (None, (), True)


def test_core_tags_are_understood() -> None:
    document = parse_source(b"a: !!float 1\nb: !!int 2\nc: !!null\nd: !!seq [1]\ne: !!map {x: 1}\nf: ! 5", "app.yml")
    assert document.data == {"a": 1.0, "b": 2, "c": None, "d": [1], "e": {"x": 1}, "f": "5"}
    assert document.findings == ()


def test_characters_that_json_writes_in_two_halves_are_read() -> None:
    """As programs write them that write JSON, which is YAML but for this."""
    source = parse_source(rb'{"a": "x \ud83d\ude00 y", "b": "\\ud83d\\ude00"}', "a")
    assert source.data == {"a": "x \U0001f600 y", "b": "\\ud83d\\ude00"}
    assert parse_source(rb"a: \ud83d\ude00", "a").data == {"a": "\\ud83d\\ude00"}
    (finding,) = parse_source(b'a: 1\nb: "\\ud83d"', "a").findings
    assert (finding.code, finding.position.line) == ("yaml-syntax", 2)
