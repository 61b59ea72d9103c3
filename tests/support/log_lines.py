"""What code logs in a process of its own."""

from __future__ import annotations

import asyncio
import json
import os
import sys

from apps.sdk.jsontypes import JsonObject
from tests.support.readme import ROOT

SECRET = "the user's own words"
SERVICE, PLAIN = "service.logs.configure_logging", "service.plain_logs.configure_plain_logging"


async def log_lines(code: str, level: str = "info", *, as_json: bool = True, by: str = SERVICE) -> tuple[str, str]:
    """Run `code`, which may name `SECRET`, with logging configured by `by`; standard output and standard error."""
    module = by.rpartition(".")[0]
    setup = f"import logging\nimport {module}\n{by}({level!r}, json={as_json})\nSECRET = {SECRET!r}\n"
    pipe = asyncio.subprocess.PIPE
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    process = await asyncio.create_subprocess_exec(sys.executable, "-c", setup + code, stdout=pipe, stderr=pipe, env=environment)
    out, err = await process.communicate()
    assert process.returncode == 0, err.decode()
    return out.decode(), err.decode()


def parse(text: str) -> list[JsonObject]:
    """One object a line."""
    return [json.loads(line) for line in text.splitlines()]
