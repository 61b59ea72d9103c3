"""Finding out where a server listens."""

from __future__ import annotations

import pytest

from benchmarks.processes import find_url


@pytest.mark.parametrize(
    ("log", "expected"),
    [
        ("", None),
        ("http://127.0.0.1:1/v1\n", "http://127.0.0.1:1/v1"),
        ("http://127.0.0.1:12", None),
        ('{"event": "starting"}\n{"url": "http://127.0.0.1:2", "event": "listening"}\n', "http://127.0.0.1:2"),
        ('{"url": "http://127.0.0.1:2", "event": "liste', None),
    ],
)
def test_url_is_read_from_whole_lines(log: str, expected: str | None) -> None:
    """A line that is half written says nothing yet."""
    assert find_url(log) == expected
