"""Programs in processes of their own: what they get, what they may write, and that none is left."""

from __future__ import annotations

import asyncio
import contextlib
import os
import time
from pathlib import Path

import pytest

from apps.sdk.programs import Programs, run_program

ECHO = "import sys; sys.stdout.buffer.write(sys.stdin.buffer.read())"


def is_alive(process_id: int) -> bool:
    with contextlib.suppress(ProcessLookupError):
        os.kill(process_id, 0)
        return True
    return False


async def test_a_program_is_given_its_input_and_gives_its_output() -> None:
    """A megabyte each way, more than any pipe holds."""
    given = bytes(range(256)) * 4_096
    ended = await run_program(("-c", ECHO), given, max_bytes=len(given))
    assert (ended.code, ended.written) == (0, given)


async def test_a_program_gets_nothing_of_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither the environment, which holds credentials, nor the working directory."""
    monkeypatch.setenv("SHORTLIST_SECRETS__BRAVE", "sk-secret")
    ended = await run_program(("-c", "import os; print(sorted(os.environ), os.getcwd())"), b"", max_bytes=1_000)
    assert b"sk-secret" not in ended.written
    assert b"SHORTLIST" not in ended.written
    assert ended.written.rstrip().endswith(b"/")


async def test_one_that_writes_without_end_is_killed() -> None:
    """Also while it has not read its input."""
    ended = await run_program(("-c", "while True: print('x' * 10_000)"), b"y" * 1_000_000, max_bytes=100_000)
    assert ended.code == -9
    assert 100_000 < len(ended.written) < 300_000


async def test_one_that_does_not_read_ends_with_its_own_code() -> None:
    """What it leaves unread is nobody's error."""
    ended = await run_program(("-c", "raise SystemExit(3)"), b"y" * 1_000_000, max_bytes=10)
    assert (ended.code, ended.written) == (3, b"")


@pytest.mark.parametrize("given", [b"", b"y" * 1_000_000])
async def test_one_that_hangs_is_gone_once_its_caller_gives_up(tmp_path: Path, given: bytes) -> None:
    """It was running, and is not after the timeout."""
    note = tmp_path / "pid"
    source = f"import os, time; open({str(note)!r}, 'w').write(str(os.getpid())); time.sleep(60)"
    running = asyncio.create_task(run_program(("-c", source), given, max_bytes=10))
    deadline = time.monotonic() + 20
    while not (note.exists() and note.read_text()) and time.monotonic() < deadline:  # noqa: ASYNC110 - another process tells
        await asyncio.sleep(0.02)
    process_id = int(note.read_text())
    assert is_alive(process_id)
    running.cancel()
    await asyncio.wait([running], timeout=20)
    assert running.cancelled()
    assert not is_alive(process_id)


async def test_waiting_counts_and_another_owner_does_not_wait() -> None:
    """Who waits behind its own programs runs out of time without one; its places are free afterwards."""
    programs = Programs(total=2, each=1)
    hang = ("-c", "import time; time.sleep(60)")
    first = asyncio.create_task(programs.run(hang, b"", owner="eve", seconds=60, max_bytes=10))
    await asyncio.sleep(0.01)
    with pytest.raises(TimeoutError):
        await programs.run(("-c", ECHO), b"late", owner="eve", seconds=0.05, max_bytes=10)
    assert (await programs.run(("-c", ECHO), b"other", owner="ada", seconds=60, max_bytes=10)).written == b"other"
    first.cancel()
    await asyncio.wait([first], timeout=20)
    assert (await programs.run(("-c", ECHO), b"again", owner="eve", seconds=60, max_bytes=10)).written == b"again"


def test_each_loop_has_places_of_its_own() -> None:
    """One object serves several loops after another, waiting in each."""
    programs = Programs(total=1, each=1)

    async def run_two() -> list[bytes]:
        runs = (programs.run(("-c", ECHO), b"x", owner=owner, seconds=60, max_bytes=10) for owner in ("eve", "ada"))
        return [ended.written for ended in await asyncio.gather(*runs)]

    assert [asyncio.run(run_two()) for _ in range(2)] == [[b"x", b"x"]] * 2
