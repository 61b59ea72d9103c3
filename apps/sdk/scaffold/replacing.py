"""A file put in the place of another at once: whoever reads it meanwhile sees the old text or the new one."""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path


class ChangedMeanwhile(Exception):
    """The file is not what it was when its new text was made."""


def replace_file(path: Path, content: bytes, expected: bytes | None = None) -> None:
    """Write `content` to `path`, keeping the mode of what was there; a link goes on pointing to its file.

    With `expected`, only while the file still holds that and nobody else replaces one beside it: raises `ChangedMeanwhile`.
    Raises `OSError`, for a device or a pipe too. However it fails, nothing has changed.
    """
    target = Path(os.path.realpath(path))
    if os.path.lexists(target) and not (target.is_file() or target.is_dir()):
        raise OSError(errno.EINVAL, "It is no regular file")  # a device, a pipe, a link to itself
    handle, hidden = tempfile.mkstemp(prefix=".new-", dir=target.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        _copy_mode(target, Path(hidden))
        if expected is None:
            Path(hidden).replace(target)
        else:
            _replace_unchanged(target, Path(hidden), expected)
    except BaseException:
        Path(hidden).unlink(missing_ok=True)
        raise


def _replace_unchanged(target: Path, hidden: Path, expected: bytes) -> None:
    with _lock(target.parent):
        if target.read_bytes() != expected:
            raise ChangedMeanwhile(target)
        hidden.replace(target)


@contextlib.contextmanager
def _lock(folder: Path) -> Iterator[None]:
    """Let nobody else who does the same go on meanwhile. Raises `ChangedMeanwhile` when somebody is at it."""
    if sys.platform == "win32":
        yield
        return
    import fcntl  # noqa: PLC0415 - there is none on Windows

    handle = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    except BlockingIOError:
        raise ChangedMeanwhile(folder) from None
    finally:
        os.close(handle)


def _copy_mode(target: Path, hidden: Path) -> None:
    if target.exists():
        shutil.copymode(target, hidden)
    else:
        umask = os.umask(0)
        os.umask(umask)
        hidden.chmod(0o666 & ~umask)
