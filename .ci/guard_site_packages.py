"""Fail when a file that Python runs at every start lies in site-packages: compromised packages have come that way."""

import sys
import sysconfig
from pathlib import Path

EXPECTED = {
    "_shortlist.pth": 1,  # ours: the path of this checkout
    "distutils-precedence.pth": 1,  # setuptools, as Python itself ships it
    "_virtualenv.pth": 1,  # some environments are made by virtualenv
}


def find_intruders(folder: Path) -> list[str]:
    found = [*folder.glob("*.pth"), *folder.glob("sitecustomize*"), *folder.glob("usercustomize*")]
    return [path.name for path in found if path.name not in EXPECTED or len(path.read_text().splitlines()) > EXPECTED[path.name]]


if __name__ == "__main__":
    intruders = [name for kind in ("purelib", "platlib") for name in find_intruders(Path(sysconfig.get_path(kind)))]
    sys.exit(f"unexpected start-up files in site-packages: {', '.join(sorted(set(intruders)))}" if intruders else 0)
