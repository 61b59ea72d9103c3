"""A file put in the place of another at once: whoever reads it meanwhile sees the old text or the new one."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path


class ChangedMeanwhile(Exception):
    """The file is not what it was when its new text was made."""


def replace_file(path: Path, content: bytes, expected: bytes | None = None) -> None:
    """Write `content` to `path`, keeping the mode of what was there; a link goes on pointing to its file.

    With `expected`, only while the file still holds that: raises `ChangedMeanwhile`. Raises `OSError`; then nothing has changed.
    """
    target = path.resolve()
    handle, hidden = tempfile.mkstemp(prefix=".new-", dir=target.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        _copy_mode(target, Path(hidden))
        if expected is not None and target.read_bytes() != expected:
            raise ChangedMeanwhile(path)
        Path(hidden).replace(target)
    except BaseException:
        Path(hidden).unlink(missing_ok=True)
        raise


def _copy_mode(target: Path, hidden: Path) -> None:
    if target.exists():
        shutil.copymode(target, hidden)
    else:
        umask = os.umask(0)
        os.umask(umask)
        hidden.chmod(0o666 & ~umask)
