"""YAML with positions, bounded in size and depth; what the author wrote is what is read.

The tree is built from the parser's events, never by the loader's own constructors: no tag makes an object, an alias bomb or
a recursive alias is a finding, and a broken part is marked so that only the item it belongs to is lost.
"""

from __future__ import annotations

import re
import stat
from collections.abc import Iterator
from pathlib import Path
from types import MappingProxyType
from typing import TypeAlias

import yaml

from apps.sdk.codes import Code
from apps.sdk.findings import Finding, Position, report
from apps.sdk.jsontypes import Json, JsonObject
from apps.sdk.manifest.document import Node, SourceDocument, unreadable
from apps.sdk.manifest.scalars import is_ambiguous, is_boolean_word, read_plain
from apps.sdk.truncation import shorten

__all__ = ["MAX_BYTES", "MAX_DEPTH", "MAX_NODES", "SourceDocument", "parse_source", "read_source"]

MAX_BYTES = 1_048_576
"""Of a file; the largest bundled app.yml has 11 kB."""
MAX_DEPTH = 60
"""Levels of nesting; the reader takes three nested calls for each, of the thousand that Python allows."""
MAX_NODES = 100_000
"""Values and keys after aliases are expanded; a large manifest of the field has a few thousand."""

_LOADER: type[yaml.SafeLoader | yaml.CSafeLoader] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_CORE = "tag:yaml.org,2002:"
_SURROGATES = re.compile(r"(?<!\\)((?:\\\\)*)\\u([dD][89abAB][0-9a-fA-F]{2})\\u([dD][c-fC-F][0-9a-fA-F]{2})")
"""One character as JSON escapes it, in two halves, after an even number of backslashes."""
_FORBIDDEN = re.compile("[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufdcf\ufdf0-\ufffd\U00010000-\U0010ffff]")
_SEPARATORS = MappingProxyType({"\x85": "\ufdd0", "\u2028": "\ufdd1", "\u2029": "\ufdd2"})
"""Line breaks to YAML 1.1, and so to the parser; ordinary characters to YAML 1.2, to JSON and to editors. While the file is
parsed each is a character that no text may hold."""
_HIDE = str.maketrans(dict(_SEPARATORS))
_RESTORE = str.maketrans({stand_in: separator for separator, stand_in in _SEPARATORS.items()})
_MAX_QUOTED = 80
"""Characters of a key, a tag or a value that a message quotes."""


def read_source(path: Path, shown_as: str) -> SourceDocument:
    """Read the YAML file at `path`, named `shown_as` in findings; what is no regular file is a finding too."""
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            return unreadable(report("file-unreadable", Position(shown_as), "it is no regular file"))
        with path.open("rb") as file:
            text = file.read(MAX_BYTES + 1)
    except OSError as error:
        return unreadable(report("file-unreadable", Position(shown_as), error.strerror or type(error).__name__))
    return parse_source(text, shown_as)


def parse_source(text: bytes, file: str) -> SourceDocument:
    """Read one YAML document; whatever the bytes are, the answer is a document and never an exception."""
    try:
        decoded = _decode(text, file)
        return _read_escapes(decoded, file) if _SURROGATES.search(decoded) else _Reader(file).read(decoded)
    except _UnreadableError as error:
        return unreadable(error.finding)


class _UnreadableError(Exception):
    def __init__(self, finding: Finding) -> None:
        super().__init__(finding.message)
        self.finding = finding


def _read_escapes(text: str, file: str) -> SourceDocument:
    """A document with surrogate pairs, which YAML refuses where they are escapes, in double quotes, and keeps elsewhere."""
    try:
        return _Reader(file).read(text)
    except _UnreadableError as error:
        if error.finding.code != "yaml-syntax":
            raise
    return _Reader(file).read(_SURROGATES.sub(_join_halves, text))


def _join_halves(found: re.Match[str]) -> str:
    high, low = int(found[2], 16), int(found[3], 16)
    return f"{found[1]}\\U{0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00):08X}"


def _decode(text: bytes, file: str) -> str:
    if len(text) > MAX_BYTES:
        raise _UnreadableError(report("file-too-large", Position(file), f"the file is larger than {MAX_BYTES:,} bytes"))
    try:
        decoded = text.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = text.count(b"\n", 0, error.start) + 1
        column = error.start - text.rfind(b"\n", 0, error.start)
        raise _UnreadableError(report("file-not-utf8", Position(file, line, column), "the file is not UTF-8 text")) from None
    if found := _FORBIDDEN.search(decoded):
        line = decoded.count("\n", 0, found.start()) + 1
        place = Position(file, line, found.start() - decoded.rfind("\n", 0, found.start()))
        raise _UnreadableError(report("yaml-character", place, f"the character U+{ord(found[0]):04X} is not allowed"))
    return decoded


_Built: TypeAlias = tuple[Json, Node]


class _Reader:
    """Builds one document out of parser events."""

    def __init__(self, file: str) -> None:
        self._file = file
        self._findings: list[Finding] = []
        self._anchors: dict[str, _Built | None] = {}
        self._size = 0
        self._hides = False

    def read(self, text: str) -> SourceDocument:
        self._hides = any(separator in text for separator in _SEPARATORS)
        events = yaml.parse(text.translate(_HIDE) if self._hides else text, Loader=_LOADER)
        try:
            data, root = self._read_document(events)
        except yaml.MarkedYAMLError as error:
            mark = error.problem_mark or error.context_mark
            place = Position(self._file, mark.line + 1, mark.column + 1) if mark else Position(self._file)
            words = ", ".join(part for part in (error.context, error.problem) if part) or "not YAML"
            raise _UnreadableError(report("yaml-syntax", place, words)) from None
        except yaml.YAMLError as error:
            raise _UnreadableError(report("yaml-syntax", Position(self._file), str(error))) from None
        return SourceDocument(self._file, data, root, tuple(self._findings))

    def _read_document(self, events: Iterator[yaml.Event]) -> _Built:
        built: _Built = (None, Node(1, 1))
        documents = 0
        for event in events:
            if isinstance(event, yaml.DocumentStartEvent):
                documents += 1
                if documents > 1:
                    raise self._fatal("yaml-syntax", event, "the file holds more than one document")
            elif isinstance(event, yaml.NodeEvent):
                built = self._read_node(event, events, 1)
        return built

    def _read_node(self, event: yaml.NodeEvent, events: Iterator[yaml.Event], depth: int) -> _Built:
        if isinstance(event, yaml.AliasEvent):
            built = self._read_alias(event)
            self._check_depth(depth + built[1].height - 1, event)
            return built
        self._check_depth(depth, event)
        self._count(1, event)
        if event.anchor is not None:
            self._anchors[event.anchor] = None
        built = self._read_content(event, events, depth)
        if event.anchor is not None:
            self._anchors[event.anchor] = built
        return built

    def _read_content(self, event: yaml.NodeEvent, events: Iterator[yaml.Event], depth: int) -> _Built:
        if isinstance(event, yaml.ScalarEvent):
            return self._read_scalar(event)
        assert isinstance(event, yaml.CollectionStartEvent)
        is_list = isinstance(event, yaml.SequenceStartEvent)
        node = Node(*_locate(event))
        built = self._read_list(node, events, depth) if is_list else self._read_mapping(node, events, depth)
        if event.tag not in {None, "!", f"{_CORE}seq" if is_list else f"{_CORE}map"}:
            self._damage(node, "yaml-tag", event, f"the tag {_quote(event.tag)} is not allowed here")
        return built

    def _read_alias(self, event: yaml.AliasEvent) -> _Built:
        name = event.anchor
        if name not in self._anchors:
            raise self._fatal("yaml-alias", event, f"the alias *{_shorten(name)} has no anchor before it")
        built = self._anchors[name]
        if built is None:
            short = _shorten(name)
            raise self._fatal("yaml-alias", event, f"the value of &{short} holds itself through the alias *{short}")
        self._count(built[1].size, event)
        return built

    def _read_list(self, node: Node, events: Iterator[yaml.Event], depth: int) -> _Built:
        items: list[Json] = []
        for event in events:
            if isinstance(event, yaml.SequenceEndEvent):
                break
            assert isinstance(event, yaml.NodeEvent)
            value, child = self._read_node(event, events, depth + 1)
            node.adopt(len(items), child)
            node.size += child.size
            items.append(value)
        return items, node

    def _read_mapping(self, node: Node, events: Iterator[yaml.Event], depth: int) -> _Built:
        own: JsonObject = {}
        merges: list[_Built] = []
        for event in events:
            if isinstance(event, yaml.MappingEndEvent):
                break
            assert isinstance(event, yaml.NodeEvent)
            key = self._read_key(node, event, events, depth)
            after = next(events)
            assert isinstance(after, yaml.NodeEvent)
            built = self._read_node(after, events, depth + 1)
            node.size += built[1].size + 1
            if key is not None and key == "<<" and _is_plain(event):
                if merges:
                    message = f"the key << stands again on line {_locate(event)[0]}; one << may name a list of mappings"
                    self._damage(node, "yaml-duplicate-key", event, message)
                merges.append(built)
            elif key is not None:
                self._put(node, own, key, built, event)
        for merge in merges:
            self._merge(node, own, merge)
        return own, node

    def _read_key(self, node: Node, event: yaml.NodeEvent, events: Iterator[yaml.Event], depth: int) -> str | None:
        self._count(1, event)
        if isinstance(event, yaml.ScalarEvent):
            if event.anchor is not None:
                self._anchors[event.anchor] = (self._restore(event.value), Node(*_locate(event)))
            if _is_plain(event) and is_boolean_word(event.value):
                self._hint(event)
            return self._restore(event.value)
        value, _ = self._read_node(event, events, depth + 1)
        if isinstance(event, yaml.AliasEvent) and isinstance(value, str):
            return value
        self._damage(node, "yaml-key", event, "a key must be text")
        return None

    def _put(self, node: Node, own: JsonObject, key: str, built: _Built, event: yaml.NodeEvent) -> None:
        place = _locate(event)
        if key in own:
            first = node.keys[key][0]
            message = f"the key {_quote(key)} of line {first} stands again on line {place[0]}; the first one counts"
            self._damage(node, "yaml-duplicate-key", event, message)
            return
        own[key] = built[0]
        node.keys[key] = place
        node.adopt(key, built[1])

    def _merge(self, node: Node, own: JsonObject, merge: _Built) -> None:
        value, source = merge
        node.damage = node.damage or source.damage
        parts = [(part, source.children[index]) for index, part in enumerate(value)] if isinstance(value, list) else [merge]
        for part, place in parts:
            if not isinstance(part, dict):
                message = "<< must name a mapping or a list of mappings"
                node.damage = node.damage or message
                self._findings.append(report("yaml-merge", Position(self._file, place.line, place.column), message))
                continue
            for key in part:
                if key not in own:
                    own[key] = part[key]
                    node.keys[key] = place.keys[key]
                    node.adopt(key, place.children[key])

    def _read_scalar(self, event: yaml.ScalarEvent) -> _Built:
        node = Node(*_locate(event))
        text = self._restore(event.value)
        if _is_plain(event):
            value = read_plain(text)
            if isinstance(value, str) and is_ambiguous(value):
                self._hint(event)
            return value, node
        if event.tag in {None, "!", f"{_CORE}str"}:
            return text, node
        return self._read_tagged(event, text, node), node

    def _read_tagged(self, event: yaml.ScalarEvent, text: str, node: Node) -> Json:
        value = read_plain(text)
        match str(event.tag).removeprefix(_CORE), value:
            case ("null", None) | ("bool", True | False):
                return value
            case "int", int() if not isinstance(value, bool):
                return value
            case "float", int() | float() if not isinstance(value, bool):
                return float(value)
            case _:
                self._damage(node, "yaml-tag", event, f"the tag {_quote(event.tag)} is not allowed here")
                return None

    def _restore(self, text: str) -> str:
        """The text of a scalar with the separators that stood in it."""
        return text.translate(_RESTORE) if self._hides and not text.isascii() else text

    def _count(self, size: int, event: yaml.Event) -> None:
        self._size += size
        if self._size > MAX_NODES:
            raise self._fatal("yaml-size", event, f"the file holds more than {MAX_NODES:,} values")

    def _check_depth(self, depth: int, event: yaml.Event) -> None:
        if depth > MAX_DEPTH:
            raise self._fatal("yaml-depth", event, f"values are nested deeper than {MAX_DEPTH}")

    def _hint(self, event: yaml.ScalarEvent) -> None:
        message = f"read as the text '{_shorten(event.value)}'; quote it to make that plain"
        self._findings.append(report("yaml-ambiguous", self._position(event), message))

    def _damage(self, node: Node, code: Code, event: yaml.Event, message: str) -> None:
        node.damage = node.damage or message
        self._findings.append(report(code, self._position(event), message))

    def _fatal(self, code: Code, event: yaml.Event, message: str) -> _UnreadableError:
        return _UnreadableError(report(code, self._position(event), message))

    def _position(self, event: yaml.Event) -> Position:
        return Position(self._file, *_locate(event))


def _locate(event: yaml.Event) -> tuple[int, int]:
    mark = event.start_mark
    return (mark.line + 1, mark.column + 1) if mark else (1, 1)


def _shorten(text: str | None) -> str:
    return shorten(text or "", _MAX_QUOTED)


def _quote(text: str | None) -> str:
    return repr(_shorten(text))


def _is_plain(event: yaml.NodeEvent) -> bool:
    return isinstance(event, yaml.ScalarEvent) and event.tag is None and bool(event.implicit[0]) and event.style in {None, ""}
