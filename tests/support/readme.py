"""The commands of the README, and a check that each of them exists as it is written there."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
CHAPTER = re.compile(r"^## Write a skill in five minutes$.*?(?=^## )", re.DOTALL | re.MULTILINE)
FENCE = re.compile(r"^```sh\n(.*?)^```", re.DOTALL | re.MULTILINE)


def read_chapter() -> str:
    """The chapter whose commands write files: it is followed as a whole, in a copy."""
    found = CHAPTER.search((ROOT / "README.md").read_text())
    assert found
    return found[0]


def read_commands() -> list[str]:
    """Each command of the README's shell blocks outside of that chapter."""
    return [
        command for block in FENCE.findall(CHAPTER.sub("", (ROOT / "README.md").read_text())) for command in split_block(block)
    ]


def split_block(block: str) -> list[str]:
    """The commands of a shell block, continued lines joined, comments gone."""
    lines = block.replace("\\\n", " ").splitlines()
    return [command for line in lines if (command := re.sub(r"\s+#\s.*$", "", line).strip())]


def find_fault(command: str) -> str | None:
    """Why the command cannot be run as it stands, or None. `make` targets are only looked up: they run elsewhere."""
    words = shlex.split(command)
    match words[0]:
        case "make":
            target = next(word for word in words[1:] if "=" not in word)
            done = subprocess.run(["make", "-n", target], cwd=ROOT, capture_output=True, text=True, check=False)
            return None if done.returncode == 0 else done.stderr.strip()
        case "shortlist":
            done = subprocess.run([*command_line(words)], cwd=ROOT, capture_output=True, text=True, check=False)
            return None if done.returncode == 0 else f"exit code {done.returncode}: {done.stderr.strip()}"
        case "curl" | "export":
            return None
        case other:
            return f"nobody shows that {other!r} works"


def command_line(words: list[str]) -> list[str]:
    """The `shortlist` command of this environment."""
    return [sys.executable, "-m", "service", *words[1:]]


if __name__ == "__main__":
    faults = [f"{command}\n    {fault}" for command in read_commands() if (fault := find_fault(command))]
    sys.exit("\n".join(faults) if faults else 0)
