"""Look for known vulnerabilities in what the lock files pin. Exit code 1 for a finding, 3 when the database does not answer.

pip-audit finds nothing, and says that all is well, where its database cannot be reached: so a release that is known to be
vulnerable is asked for too, and only when that is found does an empty answer count.
"""

import json
import subprocess
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LOCK = ROOT / "requirements-dev.lock"
KNOWN = "jinja2==2.4.1"
"""A release with published vulnerabilities; never installed."""
TIMEOUT = 300


def audit(path: Path) -> list[str] | None:
    """A line for each finding in a requirements file; None when nothing could be looked up."""
    command = [sys.executable, "-m", "pip_audit", "--disable-pip", "--no-deps", "--progress-spinner", "off", "--format", "json"]
    try:
        done = subprocess.run([*command, "-r", str(path)], capture_output=True, text=True, check=False, timeout=TIMEOUT)  # noqa: S603
        dependencies = json.loads(done.stdout)["dependencies"]
    except (subprocess.TimeoutExpired, json.JSONDecodeError, KeyError):
        return None
    found = [(item, fault) for item in dependencies for fault in item.get("vulns", [])]
    return [f"{item['name']} {item['version']}: {fault['id']}, mended in {fault['fix_versions'] or '-'}" for item, fault in found]


def is_answering() -> bool:
    """Whether the database knows the vulnerabilities of a release that has some."""
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as known:
        known.write(KNOWN)
        known.flush()
        return bool(audit(Path(known.name)))


def main() -> int:
    if find_spec("pip_audit") is None:
        sys.stdout.write("pip-audit is not installed\n")
        return 1
    found = audit(LOCK) if is_answering() else None
    if found is None:
        sys.stdout.write("NOT CHECKED: the vulnerability database could not be reached\n")
        return 3
    sys.stdout.write("".join(f"{line}\n" for line in found))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
