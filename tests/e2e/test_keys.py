"""`shortlist keys`, and a service that needs keys as a real process."""

from __future__ import annotations

import re
from pathlib import Path

import aiohttp
import pytest

from service.access.keys import digest_key
from tests.e2e.process import Command, Ended, run_all, serve, start
from tests.support.apps import write_echo_app

KEY = re.compile(r"sl_[0-9a-f]{16}_[A-Za-z0-9_-]{43}\n")
OPEN = {"host": "0.0.0.0"}
COMMANDS = {
    "doctor, no key": Command(("doctor",), OPEN),
    "none": Command(("keys", "list")),
    "add": Command(("keys", "add", "bot")),
    "add again": Command(("keys", "add", "bot", "--scope", "admin")),
    "add bound": Command(("keys", "add", "acme.bot", "--scope", "author", "--tenant", "acme")),
    "setting": Command(("keys", "add", "ops", "--scope", "admin", "--setting")),
    "doctor, with keys": Command(("doctor",), {**OPEN, "api_keys": f"ops:admin:{digest_key('x')}"}),
    "doctor, loopback": Command(("doctor",)),
    "doctor, open to all": Command(("doctor",), {**OPEN, "allow_anonymous": "true"}),
    "doctor, no such host": Command(("doctor",), {"host": "nowhere.invalid"}),
    "list": Command(("keys", "list"), {"api_keys": f"ops:admin:{digest_key('x')}"}),
    "revoke": Command(("keys", "revoke", "bot")),
    "revoke again": Command(("keys", "revoke", "bot")),
    "list after": Command(("keys", "list")),
    "a wrong scope": Command(("keys", "add", "x", "--scope", "root")),
    "a wrong name": Command(("keys", "add", "two words")),
    "a wrong tenant": Command(("keys", "add", "x", "--tenant", "a/b")),
    "a wrong setting": Command(("keys", "list"), {"api_keys": "ops:admin:marmalade"}),
    "a wrong origin": Command(("keys", "list"), {"cors_origins": "https://chat.example.com/"}),
    "a store that is none": Command(("keys", "list"), {"database_url": "sqlite:///nowhere/x.db"}),
}


@pytest.fixture(scope="module")
def ended(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Ended]:
    """All commands, one after the other on one database."""
    return run_all(tmp_path_factory.mktemp("keys"), COMMANDS)


def test_a_key_is_shown_once(ended: dict[str, Ended]) -> None:
    """Alone on standard output, so that a script can take it; no list ever has it or its digest."""
    added = ended["add"]
    assert added.code == 0
    assert KEY.fullmatch(added.out)
    assert "shown only now" in added.err
    for name in ("list", "list after"):
        assert added.out.strip() not in ended[name].out
        assert digest_key(added.out.strip()) not in ended[name].out


def test_keys_are_listed_with_what_they_may_do(ended: dict[str, Ended]) -> None:
    """Those of the settings too; a revoked key stays, as revoked."""
    assert ended["none"].out == "no keys\n"
    bot, acme, ops = ended["list"].out.splitlines()
    assert bot.startswith("bot  use  every tenant  valid")
    assert acme.startswith("acme.bot  author  acme  valid")
    assert ops == "ops  admin  every tenant  in SHORTLIST_API_KEYS"
    assert ended["list after"].out.startswith("bot  use  every tenant  revoked ")
    assert (ended["revoke"].code, ended["revoke again"].code) == (0, 1)
    assert ended["add again"].code == 1
    assert "there is a key bot already" in ended["add again"].err


def test_a_first_key_needs_no_store(ended: dict[str, Ended]) -> None:
    """What it prints is the setting with the digest of the key beside it."""
    done = ended["setting"]
    assert f"SHORTLIST_API_KEYS=ops:admin:{digest_key(done.out.strip())}" in done.err
    assert "ops" not in ended["list after"].out


@pytest.mark.parametrize(
    ("name", "code", "line"),
    [
        ("no key", 1, "MEND keys: every request would need one and there is none, so the service would not start; "),
        ("with keys", 0, "ok   keys: every request needs one; active: use 1, author 1, admin 1\n"),
        (
            "loopback",
            0,
            "ok   keys: none is needed, since only this machine reaches 127.0.0.1; active: use 1, author 1, admin 0\n",
        ),
        ("open to all", 0, "WARN keys: whoever reaches 0.0.0.0 may do everything without one (SHORTLIST_ALLOW_ANONYMOUS); "),
        ("no such host", 1, "MEND keys: SHORTLIST_HOST=nowhere.invalid leads nowhere\n"),
    ],
)
def test_doctor_says_who_needs_a_key(ended: dict[str, Ended], name: str, code: int, line: str) -> None:
    """And how many there are of each scope, those of the settings too; only what would not start must be mended."""
    assert ended[f"doctor, {name}"].code == code
    assert line in ended[f"doctor, {name}"].out


@pytest.mark.parametrize(
    ("name", "code", "words"),
    [
        ("a wrong scope", 2, "--scope: one of use, author, admin"),
        ("a wrong name", 2, "NAME: 1 to 64"),
        ("a wrong tenant", 2, "--tenant: 1 to 128"),
        ("a wrong setting", 2, "SHORTLIST_API_KEYS: "),
        ("a wrong origin", 2, "SHORTLIST_CORS_ORIGINS: "),
        ("a store that is none", 1, "folder does not exist"),
    ],
)
def test_a_mistake_is_one_line(ended: dict[str, Ended], name: str, code: int, words: str) -> None:
    """On standard error, with what would be right, and without what may be a secret."""
    done = ended[name]
    assert (done.code, done.out, len(done.err.splitlines())) == (code, "", 1)
    assert words in done.err
    assert "marmalade" not in done.err


async def test_it_does_not_start_open_to_the_world_without_a_key(tmp_path: Path) -> None:
    """The message names what would do; with a key it starts, and takes nothing without one."""
    write_echo_app(tmp_path / "own", "cosy", "echo")
    process = await start(tmp_path, "serve", "--port", "0", host="0.0.0.0", apps_dirs=tmp_path / "own")
    _, error = await process.communicate()
    assert process.returncode == 1
    for words in (
        b"shortlist cannot start",
        b"shortlist keys add NAME --scope admin",
        b"SHORTLIST_ALLOW_ANONYMOUS=true",
        b"0.0.0.0",
    ):
        assert words in error
    assert b"Traceback" not in error
    adding = await start(tmp_path, "keys", "add", "bot")
    key = (await adding.communicate())[0].decode().strip()
    async with serve(tmp_path, host="0.0.0.0", apps_dirs=tmp_path / "own") as server, aiohttp.ClientSession() as client:
        for headers, status in (({}, 401), ({"Authorization": f"Bearer {key}"}, 200)):
            async with client.get(server.url.replace("0.0.0.0", "127.0.0.1") + "/v1/skills", headers=headers) as response:
                assert response.status == status
        assert await revoke_meanwhile(tmp_path, client, server.url.replace("0.0.0.0", "127.0.0.1"), key) == 401


async def revoke_meanwhile(folder: Path, client: aiohttp.ClientSession, url: str, key: str) -> int:
    """Revoke it with another process; the status of a request as soon as it is not 200, which takes a second at most."""
    revoking = await start(folder, "keys", "revoke", "bot")
    await revoking.communicate()
    assert revoking.returncode == 0
    for _ in range(10_000):
        async with client.get(url + "/v1/skills", headers={"Authorization": f"Bearer {key}"}) as response:
            if response.status != 200:
                return response.status
    return 200


async def test_allowing_everybody_is_said_aloud(tmp_path: Path) -> None:
    """It starts without a key, with a warning in the log."""
    write_echo_app(tmp_path / "own", "cosy", "echo")
    async with serve(tmp_path, host="0.0.0.0", apps_dirs=tmp_path / "own", allow_anonymous="true") as server:
        server.terminate()
        assert await server.end() == 0
    assert "anonymous_access" in server.err
