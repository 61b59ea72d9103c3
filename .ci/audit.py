"""audit.py [--lock FILE] [--osv-url URL]: look for known vulnerabilities in what a lock file pins.

Exit code 0: none are known; 1: there are some, or a pin could not be looked up; 3: the database does not answer, so nothing was
checked, which is said aloud and stops nobody, unless AUDIT=required makes it 1 as well.

pip-audit finds nothing, and says that all is well, where its database knows nothing: so a release that is known to be
vulnerable is asked for too, and only when that is found does an empty answer count.
"""

import argparse
import json
import os
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


def audit(path: Path, database: list[str]) -> list[str] | None:
    """A line for each finding in a requirements file; None when nothing could be looked up."""
    command = [sys.executable, "-m", "pip_audit", "--disable-pip", "--no-deps", "--progress-spinner", "off", "--format", "json"]
    command += [*database, "-r", str(path)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=TIMEOUT)  # noqa: S603
        dependencies = json.loads(done.stdout)["dependencies"]
    except (subprocess.TimeoutExpired, json.JSONDecodeError, KeyError):
        return None
    skipped = [f"{item['name']}: not looked up: {item['skip_reason']}" for item in dependencies if "skip_reason" in item]
    found = [(item, fault) for item in dependencies for fault in item.get("vulns", [])]
    known = [f"{item['name']} {item['version']}: {fault['id']}, fixed in {fault['fix_versions'] or '-'}" for item, fault in found]
    return known + skipped


def is_answering(database: list[str]) -> bool:
    """Whether the database knows the vulnerabilities of a release that has some."""
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as known:
        known.write(KNOWN)
        known.flush()
        return any("fixed in" in line for line in audit(Path(known.name), database) or ())


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--lock", type=Path, default=LOCK)
    parser.add_argument("--osv-url", help="a database that speaks OSV's protocol, in place of the package index's own")
    arguments = parser.parse_args()
    if find_spec("pip_audit") is None:
        sys.stdout.write("pip-audit is not installed\n")
        return 1
    database = ["--vulnerability-service", "osv", "--osv-url", arguments.osv_url] if arguments.osv_url else []
    found = audit(arguments.lock, database) if is_answering(database) else None
    if found is None:
        sys.stdout.write("NOT CHECKED: the vulnerability database could not be reached (AUDIT=required would make this fail)\n")
        return 1 if os.environ.get("AUDIT") == "required" else 3
    sys.stdout.write("".join(f"{line}\n" for line in found))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
