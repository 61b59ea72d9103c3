"""A skill added to the text of an app.yml: what stands there stays byte for byte; what comes out is read before it is used."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from textwrap import indent

import yaml

from apps.sdk.jsontypes import Json
from apps.sdk.manifest.yaml_source import SourceDocument, parse_source
from apps.sdk.scaffold.refusals import NotInserted, NotWritten

SKILLS = "skills"
_EMPTY = frozenset({"", "~", "null", "Null", "NULL"})


def insert_skill(manifest: bytes, item: str, shown_as: str) -> bytes:
    """The app.yml with `item`, text that begins with a dash at the margin, as its last skill.

    Raises `NotWritten` for a file that has errors, `NotInserted` where the skills are written in a way that cannot be extended.
    """
    before = read_manifest(manifest, shown_as)
    [added] = parse_source(item.encode(), shown_as).data
    wanted = {**before, SKILLS: [*(before.get(SKILLS) or []), added]}
    for text in _propose(manifest.decode(), item):
        after = parse_source(text.encode(), shown_as)
        if after.data == wanted and _find_error(after) is None:
            return text.encode()
    advice = "write them as a block list and try again, or add this by hand, and the class that it names:"
    raise NotInserted(f"{shown_as}: its skills are written in a way that cannot be extended here; {advice}", item)


def read_manifest(manifest: bytes, shown_as: str) -> dict[str, Json]:
    """The data of an app.yml. Raises `NotWritten` when the file has errors, or something else than a list as its skills."""
    document = parse_source(manifest, shown_as)
    if error := _find_error(document):
        raise NotWritten(f"{error}; mend this first")
    data = document.data if document.data is not None else {}
    if not isinstance(data, dict) or not isinstance(data.get(SKILLS) or [], list):
        raise NotWritten(f"{shown_as}: it is no mapping with a list of skills; mend this first")
    return data


def _find_error(document: SourceDocument) -> str | None:
    return next((str(finding) for finding in document.findings if finding.severity == "error"), None)


def _propose(text: str, item: str) -> Iterator[str]:
    """Texts that may do, the best one first."""
    try:
        events = list(yaml.parse(text, Loader=yaml.SafeLoader))
    except yaml.YAMLError:  # a file may be fine for the C parser only
        return
    root = next((event for event in events if isinstance(event, yaml.NodeEvent)), None)
    if root is None or (isinstance(root, yaml.ScalarEvent) and root.value == ""):
        yield _put(text, len(text), _write(item, 0, with_key=True))
    elif isinstance(root, yaml.MappingStartEvent) and not root.flow_style:
        value = _find_skills(events, events.index(root) + 1)
        yield from _extend(text, item, value, _column(root)) if value else _add_key(text, item, root)


def _find_skills(events: Sequence[yaml.Event], start: int) -> Sequence[yaml.Event]:
    """The events of the value of `skills` in the mapping whose first key is at `start`; empty when it has no such key."""
    while not isinstance(events[start], yaml.MappingEndEvent):
        middle = _skip(events, start)
        end = _skip(events, middle)
        key = events[start]
        if isinstance(key, yaml.ScalarEvent) and key.value == SKILLS:
            return events[middle:end]
        start = end
    return ()


def _skip(events: Sequence[yaml.Event], start: int) -> int:
    """Where the node that begins at `start` has ended."""
    depth = 0
    for index in range(start, len(events)):
        depth += isinstance(events[index], yaml.CollectionStartEvent)
        depth -= isinstance(events[index], yaml.CollectionEndEvent)
        if depth == 0:
            return index + 1
    return len(events)


def _add_key(text: str, item: str, root: yaml.Event) -> Iterator[str]:
    block = _write(item, _column(root), with_key=True)
    yield _put(text, len(text), block)
    yield _put(text, text.rfind("\n", 0, _start(root)) + 1, block)


def _extend(text: str, item: str, value: Sequence[yaml.Event], column: int) -> Iterator[str]:
    first, last = value[0], value[-1]
    start, end = _start(first), _end(last)
    is_empty_list = isinstance(first, yaml.SequenceStartEvent) and first.flow_style and len(value) == 2
    if is_empty_list or (isinstance(first, yaml.ScalarEvent) and first.value in _EMPTY):
        head = text[:start].rstrip(" ") if end > start else text[:start]
        shortened = head + text[end:]
        yield _put(shortened, _find_line_end(shortened, len(head)), _write(item, column + 2))
    elif isinstance(first, yaml.SequenceStartEvent) and not first.flow_style:
        dash = _column(first)
        for place in _find_ends(text, _end(_find_last_leaf(value)), dash):
            yield _put(text, place, _write(item, dash))


def _find_last_leaf(value: Sequence[yaml.Event]) -> yaml.Event:
    """The last event with an end of its own: the end of a block is where the next thing begins, comments behind it."""
    leaves = (event for event in reversed(value) if not isinstance(event, yaml.CollectionEndEvent) or _is_flow_end(event))
    return next(leaves)


def _is_flow_end(event: yaml.Event) -> bool:
    return _end(event) > _start(event)


def _start(event: yaml.Event) -> int:
    assert event.start_mark is not None
    return int(event.start_mark.index)


def _end(event: yaml.Event) -> int:
    assert event.end_mark is not None
    return int(event.end_mark.index)


def _column(event: yaml.Event) -> int:
    assert event.start_mark is not None
    return int(event.start_mark.column)


def _find_ends(text: str, end: int, dash: int) -> Iterator[int]:
    """Line starts after the last item: behind its deeper comments, before its trailing blank lines, behind these."""
    content = _find_line_end(text, len(text[:end].rstrip()))
    comments = re.compile(rf"(?: {{{dash + 1},}}#[^\n]*(?:\n|\Z))*").match(text, content)
    yield comments.end() if comments else content
    yield content
    yield end if text[:end].endswith("\n") else _find_line_end(text, end)


def _find_line_end(text: str, place: int) -> int:
    found = text.find("\n", place)
    return len(text) if found < 0 else found + 1


def _write(item: str, column: int, *, with_key: bool = False) -> str:
    block = f"{SKILLS}:\n{indent(item, '  ')}" if with_key else item
    return indent(block, " " * column)


def _put(text: str, place: int, block: str) -> str:
    """The block on lines of its own at `place`, with the line ends that the text has."""
    line_end = "\r\n" if "\r\n" in text else "\n"
    head, tail = text[:place], text[place:]
    if head.removeprefix("\ufeff") and not head.endswith("\n"):
        head += line_end
    return head + block.replace("\n", line_end) + tail
