"""Where an item of app.yml stands."""

from __future__ import annotations

from dataclasses import dataclass

from apps.sdk.findings import Position
from apps.sdk.jsontypes import JsonPath
from apps.sdk.manifest.document import SourceDocument


@dataclass(frozen=True, slots=True)
class Place:
    """An item's app, its file, and its path in the file."""

    app_id: str
    document: SourceDocument
    path: JsonPath

    def at(self, *steps: str | int) -> Position:
        """Where the value at `steps` inside the item starts, or the nearest one around it that is in the file."""
        return self.document.position((*self.path, *steps))

    def has_key(self, name: str) -> bool:
        """Whether the file has the key in the item, whatever its value."""
        return self.document.has_key((*self.path, name))

    def at_key(self, *steps: str | int) -> Position:
        """Where the key at the end of `steps` stands; a list's item itself."""
        return self.document.key_position((*self.path, *steps))
