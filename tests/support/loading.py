"""Catalogs of small apps, and what is said of them."""

from __future__ import annotations

from pathlib import Path
from textwrap import indent

from apps.sdk.catalog import Catalog
from apps.sdk.findings import Finding
from apps.sdk.loader import load_catalog
from tests.support.apps import ECHO_MODULE, write_app

SCHEMA_HEAD = """\
skills:
- id: a
  description: d
  examples: [e]
  class_path: apps.one.skills.echo.EchoSkill
  tool_schema:
"""


def load_manifest(directory: Path, manifest: str) -> Catalog:
    """The catalog of one app `one`, whose module `echo` has a working class."""
    write_app(directory, "one", manifest, {"echo": ECHO_MODULE})
    return load_catalog([directory])


def find(catalog: Catalog, code: str) -> Finding:
    """The only finding of that code."""
    (finding,) = [finding for finding in catalog.findings if finding.code == code]
    return finding


def list_reasons(catalog: Catalog) -> dict[str, str]:
    """Why each quarantined item is set aside."""
    return {item.id: item.reason for item in catalog.quarantined}


def list_shown(catalog: Catalog) -> list[Finding]:
    """The findings without the extras, which only `lint --strict` shows."""
    return [finding for finding in catalog.findings if not finding.is_extra]


def load_schema(directory: Path, schema: str) -> Catalog:
    """An app whose one skill has this schema; its first line is line 7, its first column 5."""
    return load_manifest(directory, SCHEMA_HEAD + indent(schema, "    "))


def list_places(catalog: Catalog, code: str) -> list[tuple[int, int]]:
    """Line and column of each finding of that code."""
    return [(finding.position.line, finding.position.column) for finding in catalog.findings if finding.code == code]


def list_findings(directory: Path, code: str) -> list[Finding]:
    """The findings of that code in the apps of `directory`."""
    return [finding for finding in load_catalog([directory]).findings if finding.code == code]
