"""A YAML file as data with positions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from apps.sdk.findings import Finding, Position
from apps.sdk.jsontypes import Json, JsonPath


@dataclass(slots=True, eq=False)
class Node:
    """Where a value stands. `damage` is the first error inside it, `size` counts its values and keys, `height` its levels."""

    line: int
    column: int
    children: dict[str | int, Node] = field(default_factory=dict)
    keys: dict[str | int, tuple[int, int]] = field(default_factory=dict)
    size: int = 1
    height: int = 1
    damage: str | None = None

    def adopt(self, key: str | int, child: Node) -> None:
        self.children[key] = child
        self.height = max(self.height, child.height + 1)
        self.damage = self.damage or child.damage


@dataclass(frozen=True, slots=True)
class SourceDocument:
    """What a file says: `data` is None when it is empty or cannot be read at all, which `readable` tells apart."""

    file: str
    data: Json
    root: Node
    findings: tuple[Finding, ...] = ()
    readable: bool = True

    def position(self, path: JsonPath) -> Position:
        """Where the value at `path` starts, or its nearest parent that is in the file."""
        node = self.root
        for key in path:
            child = node.children.get(key)
            if child is None:
                break
            node = child
        return Position(self.file, node.line, node.column)

    def key_position(self, path: JsonPath) -> Position:
        """Where the key at the end of `path` stands; a list's items have none, so the item itself."""
        node = self._find(path[:-1])
        place = node.keys.get(path[-1]) if node and path else None
        return Position(self.file, *place) if place else self.position(path)

    def has_key(self, path: JsonPath) -> bool:
        """Whether the mapping that holds the last key of `path` has it, whatever its value."""
        parent = self._find(path[:-1])
        return parent is not None and path[-1] in parent.keys

    def damage(self, path: JsonPath) -> str | None:
        """The first error inside the value at `path` that makes it other than the author meant."""
        node = self._find(path)
        return node.damage if node else None

    def positions_under(self, path: JsonPath) -> Iterator[Position]:
        """The positions of every key and value in the value at `path`, its own included."""
        waiting = [node] if (node := self._find(path)) else []
        while waiting:
            node = waiting.pop()
            yield Position(self.file, node.line, node.column)
            yield from (Position(self.file, *place) for place in node.keys.values())
            waiting.extend(node.children.values())

    def _find(self, path: JsonPath) -> Node | None:
        node: Node | None = self.root
        for key in path:
            node = node.children.get(key) if node else None
        return node


def unreadable(finding: Finding) -> SourceDocument:
    """The document of a file that says nothing usable."""
    return SourceDocument(finding.position.file, None, Node(1, 1, damage=finding.message), (finding,), readable=False)
