"""Schemathesis over the described operations of a running service, with every check, for a bounded time.

`python -m tests.support.fuzzing [SECONDS]` starts a service over the bundled apps without models and prints what is wrong.
"""

from __future__ import annotations

import asyncio
import sys
import tempfile
from pathlib import Path

from service.access.keys import make_key, write_setting
from service.logs import configure_logging
from tests.support.running import make_settings, run_shortlist

CONFIG = Path(__file__).parent / "schemathesis.toml"
SECONDS = 45
LIMIT = 40
"""Seconds beyond that after which it counts as hanging."""


async def fuzz(seconds: int) -> int:
    """Run it; the exit code of schemathesis, 1 when it hangs."""
    configure_logging("error")
    key = make_key("fuzzer", "admin")
    with tempfile.TemporaryDirectory() as folder:
        settings = make_settings(
            Path(folder), allow_anonymous=False, api_keys=(write_setting(key.key),), turn_timeout=2.0, turn_timeout_max=2.0,
            skill_timeout=1.0,
        )  # fmt: skip
        async with run_shortlist(settings) as running:
            process = await asyncio.create_subprocess_exec(
                sys.executable, "-m", "schemathesis.cli", "--config-file", str(CONFIG), "run", f"{running.url}/openapi.json",
                "--header", f"Authorization: Bearer {key.secret}", "--checks", "all", "--max-time", str(seconds),
                "--request-timeout", "5", "--continue-on-failure", "--warnings", "off",
                cwd=folder,
            )  # fmt: skip
            try:
                return await asyncio.wait_for(process.wait(), seconds + LIMIT)
            except TimeoutError:
                process.kill()
                await process.wait()
                print(f"schemathesis did not end within {seconds + LIMIT} seconds")
                return 1


if __name__ == "__main__":
    sys.exit(asyncio.run(fuzz(int(sys.argv[1]) if len(sys.argv) > 1 else SECONDS)))
