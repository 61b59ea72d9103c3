"""Fail when a lock file pins something without a hash, names an address, or admits a release known to be compromised."""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LOCKS = ("requirements.lock", "requirements-dev.lock", ".ci/bootstrap.lock")
COMPROMISED = {"litellm==1.107.0", "litellm==1.82.7", "litellm==1.82.8"}


def find_faults(name: str) -> list[str]:
    text = (ROOT / name).read_text()
    blocks = re.split(r"\n(?=\S)", re.sub(r"^#.*\n", "", text, flags=re.MULTILINE))
    pins = [block for block in blocks if "==" in block]
    faults = [f"{name}: {block.split()[0]} has no hash" for block in pins if "--hash=sha256:" not in block]
    faults += [f"{name}: compromised {block.split()[0]}" for block in pins if block.split()[0] in COMPROMISED]
    if "://" in text or "--index" in text:
        faults.append(f"{name}: holds an address")
    return faults if pins else [*faults, f"{name}: pins nothing"]


if __name__ == "__main__":
    found = [fault for lock in LOCKS for fault in find_faults(lock)]
    sys.exit("\n".join(found) if found else 0)
