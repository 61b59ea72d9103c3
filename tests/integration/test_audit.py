"""What CI makes of the advisory database's answers: pip-audit itself, against a database of the test's own."""

from __future__ import annotations

import asyncio
import json
import os
import socket
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from aiohttp import web

from apps.sdk.jsontypes import JsonObject
from service.settings import ROOT

LOCK = f"yarl==1.9.0 \\\n    --hash=sha256:{'0' * 64}\nattrs==25.1.0 --hash=sha256:{'1' * 64}\n"
NOTHING: JsonObject = {}
Answer = Callable[[str], JsonObject | None]
"""What the database knows of a package; None = it fails."""


def know(*packages: str) -> Answer:
    """A database that has an advisory for each of these, in any version."""

    def answer(name: str) -> JsonObject:
        ranges = [{"type": "ECOSYSTEM", "events": [{"introduced": "0"}, {"fixed": "9.9.9"}]}]
        affected = [{"package": {"name": name, "ecosystem": "PyPI"}, "ranges": ranges}]
        return {"vulns": [{"id": f"PYSEC-{name}", "summary": "s", "affected": affected}]} if name in packages else NOTHING

    return answer


@asynccontextmanager
async def serve_advisories(answer: Answer) -> AsyncIterator[str]:
    """A database that speaks OSV's protocol; its URL."""

    async def query(request: web.Request) -> web.Response:
        known = answer(json.loads(await request.read())["package"]["name"])
        return web.json_response(known) if known is not None else web.Response(status=503)

    app = web.Application()
    app.router.add_post("/v1/query", query)
    runner = web.AppRunner(app)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    try:
        yield f"http://127.0.0.1:{runner.addresses[0][1]}/v1/query"
    finally:
        await runner.cleanup()


async def audit(folder: Path, url: str, **environment: str) -> tuple[int | None, str]:
    """Exit code and output of CI's own script over a lock file."""
    lock = folder / "some.lock"
    lock.write_text(LOCK)
    process = await asyncio.create_subprocess_exec(
        sys.executable, str(ROOT / ".ci" / "audit.py"), "--lock", str(lock), "--osv-url", url,
        stdout=asyncio.subprocess.PIPE, env={**os.environ, "AUDIT": "", **environment},
    )  # fmt: skip
    out, _ = await process.communicate()
    return process.returncode, out.decode()


async def test_a_pin_with_a_known_vulnerability_fails(tmp_path: Path) -> None:
    """The line names the package, its version, the advisory and the release that mends it."""
    async with serve_advisories(know("jinja2", "yarl")) as url:
        code, out = await audit(tmp_path, url)
    assert (code, out) == (1, "yarl 1.9.0: PYSEC-yarl, fixed in ['9.9.9']\n")


async def test_pins_without_any_pass(tmp_path: Path) -> None:
    """When the database has shown that it knows something."""
    async with serve_advisories(know("jinja2")) as url:
        assert await audit(tmp_path, url) == (0, "")


@pytest.mark.parametrize("answer", [know(), lambda _: None, lambda name: None if name == "yarl" else know("jinja2")(name)])
async def test_a_database_that_knows_nothing_or_fails_is_no_pass(tmp_path: Path, answer: Answer) -> None:
    """Empty, broken, or broken half-way: nothing counts as checked, and that is said."""
    async with serve_advisories(answer) as url:
        code, out = await audit(tmp_path, url)
    assert code == 3
    assert out.startswith("NOT CHECKED: the vulnerability database could not be reached")


@pytest.mark.parametrize(("required", "code"), [("", 3), ("required", 1)])
async def test_nobody_there_is_said_and_fails_where_the_audit_is_required(tmp_path: Path, required: str, code: int) -> None:
    """Machines without a way out may build; a release's may not go on unchecked."""
    with socket.socket() as bound:  # bound but not listening: whoever connects is refused
        bound.bind(("127.0.0.1", 0))
        ended, out = await audit(tmp_path, f"http://127.0.0.1:{bound.getsockname()[1]}/v1/query", AUDIT=required)
    assert ended == code
    assert out.startswith("NOT CHECKED")
