"""The files that are made from code: `--write` makes them, `--check` says which are stale (exit code 1)."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from pathlib import Path

from pydantic import SecretStr
from pydantic.fields import FieldInfo

from apps.sdk.jsontypes import Json
from apps.sdk.manifest.editor_schema import render_app_schema
from service.http.openapi import describe_service
from service.http.routes import ROUTES
from service.settings import ROOT, Settings
from tests.support.author_reference import render_codes, render_keys
from tests.support.hostile_schemas import render_golden

ENV_HEAD = """\
# Every setting with its default. Copy this file to .env and take the # away from what you change.
# Lists are comma-separated. Times are in seconds, sizes in bytes.
"""


def render_env_example() -> str:
    """Each field of the settings as its variable, with its description and default."""
    return ENV_HEAD + "".join(_write_setting(name, field) for name, field in Settings.model_fields.items())


def render_openapi() -> str:
    """The document that `/openapi.json` serves."""
    return json.dumps(describe_service(ROUTES), indent=2, ensure_ascii=False) + "\n"


def render_files() -> dict[Path, str]:
    """The content that each generated file should have."""
    return {
        ROOT / ".env.example": render_env_example(),
        ROOT / "service" / "openapi.json": render_openapi(),
        ROOT / "apps" / "sdk" / "app.schema.json": render_app_schema(),
        ROOT / "apps" / "sdk" / "lint" / "CODES.md": render_codes(),
        ROOT / "apps" / "sdk" / "lint" / "KEYS.md": render_keys(),
        ROOT / "tests" / "unit" / "apps_sdk" / "schemas" / "dialects" / "golden.json": render_golden(),
    }


def find_stale() -> Iterator[Path]:
    """The files that are missing or not what the code says."""
    for path, content in render_files().items():
        if not path.exists() or path.read_text(encoding="utf-8") != content:
            yield path


def tell_remedy(path: Path) -> str:
    """What to do about a stale file."""
    command = "shortlist schema --write" if path.name == "app.schema.json" else "python -m tests.support.generated --write"
    return f"{path.relative_to(ROOT).as_posix()} is stale: run {command}"


def _write_setting(name: str, field: FieldInfo) -> str:
    return f"\n# {field.description}\n#SHORTLIST_{name.upper()}={_write_value(field.default)}\n"


def _write_value(value: Json) -> str:
    """As the environment holds it; files of the project relative to it."""
    match value:
        case None | SecretStr():
            return ""
        case bool():
            return str(value).lower()
        case Path():
            return value.relative_to(ROOT).as_posix()
        case dict():
            return json.dumps(value)
        case tuple():
            return ",".join(map(_shorten, value))
        case _:
            return str(value)


def _shorten(text: str) -> str:
    return Path(text).relative_to(ROOT).as_posix() if text.startswith(str(ROOT)) else text


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="change nothing; exit code 1 when a file is stale")
    parser.add_argument("--write", action="store_true", help="write every file")
    options = parser.parse_args()
    if options.write:
        for path, content in render_files().items():
            path.write_text(content, encoding="utf-8")
        return 0
    stale = [tell_remedy(path) for path in find_stale()]
    for line in stale:
        print(line)
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
