"""Skill ids for tools that others have named (an MCP server's, an OpenAPI description's), and the way back to their names.

An id depends on the app and the imported name alone: it stays the same whatever else is listed, in whatever order. What is
legal is kept, capitals and all: of the 755 names of Docker's MCP registry 2 are spelled otherwise, 10 if ids had to be in
lower case; of API-Bank's 101 none or all. What has to change ends in `_` and a hash of the name, and so does a name that looks
like that by itself: two names share an id only where 32 bits of their hashes are the same.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal, TypeAlias

from apps.sdk.names import MAX_PORTABLE_NAME, tool_name

HASH_LENGTH = 8
"""Hexadecimal digits that tell apart what has become alike."""

_KEPT = re.compile(r"[A-Za-z0-9_-]+")
_ILLEGAL = re.compile(r"[^A-Za-z0-9_-]+")
_HASHED = re.compile(rf".*_[0-9a-f]{{{HASH_LENGTH}}}")
_NAMELESS = "tool"

ClashReason: TypeAlias = Literal["repeated", "declared", "same_id", "no_room"]


@dataclass(frozen=True, slots=True)
class NameClash:
    """Imported `names` without a skill each; `skill_id` is what they would be called, None where no id fits.

    `repeated`: the one name was listed more than once, and has one skill. In the other cases no name has any: the file itself
    declares the id (`declared`), several names come to it (`same_id`), or the app's own id leaves it `no_room`.
    """

    reason: ClashReason
    names: tuple[str, ...]
    skill_id: str | None


@dataclass(frozen=True, slots=True)
class ImportedNames:
    """What imported tools are called here. `ids`: skill ids by imported name, in the names' order; `originals`: imported names
    by tool name; `clashes`: what has no skill of its own, and why.
    """

    ids: Mapping[str, str]
    originals: Mapping[str, str]
    clashes: tuple[NameClash, ...] = ()


def import_id(name: str, app_id: str) -> str | None:
    """The skill id of an imported name in the app `app_id` (a legal id), or None where that id leaves it no room.

    The tool name has at most `MAX_PORTABLE_NAME` characters, since nobody here can shorten the name.
    """
    room = MAX_PORTABLE_NAME - len(tool_name(app_id, ""))
    if len(name) <= room and _KEPT.fullmatch(name) and not _HASHED.fullmatch(name):
        return name
    ending = f"_{hashlib.sha256(name.encode('utf-8', 'surrogatepass')).hexdigest()[:HASH_LENGTH]}"
    beginning = room - len(ending)
    if beginning < len(_NAMELESS):
        return None
    spelled = _ILLEGAL.sub("_", name[:room])[:beginning].strip("_-")
    return f"{spelled or _NAMELESS}{ending}"


def import_names(names: Iterable[str], app_id: str, declared: Collection[str] = ()) -> ImportedNames:
    """The ids of all `names` of one app, whose file declares the skill ids `declared`; the same for any order of either.

    No name takes another's id: where several come to one, none of them has it.
    """
    counts = Counter(names)
    by_id: defaultdict[str | None, list[str]] = defaultdict(list)
    for name in sorted(counts):
        by_id[import_id(name, app_id)].append(name)
    clashes = [NameClash("repeated", (name,), import_id(name, app_id)) for name in sorted(counts) if counts[name] > 1]
    clashes += _find_clashes(by_id, frozenset(declared))
    without = {name for clash in clashes if clash.reason != "repeated" for name in clash.names}
    ids = {name: skill_id for skill_id, [name, *_] in by_id.items() if skill_id is not None and name not in without}
    originals = {tool_name(app_id, skill_id): name for name, skill_id in ids.items()}
    return ImportedNames(MappingProxyType(ids), MappingProxyType(originals), tuple(clashes))


def _find_clashes(by_id: Mapping[str | None, list[str]], declared: frozenset[str]) -> Iterator[NameClash]:
    for skill_id, names in by_id.items():
        if skill_id is None:
            yield NameClash("no_room", tuple(names), None)
        elif skill_id in declared:
            yield NameClash("declared", tuple(names), skill_id)
        elif len(names) > 1:
            yield NameClash("same_id", tuple(names), skill_id)
