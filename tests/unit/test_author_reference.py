"""KEYS.md, which is made from the models of app.yml."""

from __future__ import annotations

from apps.sdk.manifest.app import PARTS
from tests.support.author_reference import render_keys


def test_every_key_is_in_the_reference() -> None:
    """Each with what it is, its type and an example; keys of other programs with what they are for."""
    sections = render_keys().split("\n## ")[1:]
    assert len(sections) == len(PARTS)
    for part, section in zip(PARTS, sections, strict=True):
        rows = {line.split("`")[1]: line.split(" | ") for line in section.splitlines() if line.startswith("| `")}
        assert rows.keys() == part.keys() | part.OPAQUE.keys()
        read = [rows[key] for key in rows if key not in part.OPAQUE]
        assert all(len(row) == 5 and row[1] and row[2] and "`" in row[4] for row in read)
        assert all(f"`{alias}`" in rows[key][0] for alias, key in part.ALIASES.items())
