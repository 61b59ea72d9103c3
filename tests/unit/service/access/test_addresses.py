"""Whether an address is this machine's own."""

from __future__ import annotations

import pytest

from service.access.addresses import is_loopback_only, names_loopback


@pytest.mark.parametrize(
    ("host", "local"),
    [
        ("127.0.0.1", True),
        ("127.9.9.9", True),
        ("::1", True),
        ("localhost", True),
        ("0.0.0.0", False),
        ("::", False),
        ("", False),
    ],
)
async def test_the_address_that_is_listened_on_decides(host: str, local: bool) -> None:
    """Every address of this machine, or none given, is not loopback only."""
    assert await is_loopback_only(host) is local


async def test_a_host_that_does_not_exist_is_an_error() -> None:
    """It is told where the service starts, and never counts as local."""
    with pytest.raises(OSError, match=r"."):
        await is_loopback_only("no.such.host.invalid")


@pytest.mark.parametrize(
    ("header", "local"),
    [("127.0.0.1", True), ("127.0.0.1:8080", True), ("localhost:8080", True), ("LOCALHOST.", True), ("app.localhost:1", True),
     ("[::1]:8080", True), ("[::1]", True), ("evil.example", False), ("127.0.0.1.evil.example", False),
     ("localhost.evil.example", False),
     ("evil.example:127", False), ("0.0.0.0:8080", False), ("10.0.0.1", False), ("", False), ("[::1", False),
     ("2130706433", False),
     ("localhost@evil.example", False), ("::1", False)],
)  # fmt: skip
def test_a_host_header_names_this_machine_or_not(header: str, local: bool) -> None:
    """Only names that no one else can own, in their usual writing."""
    assert names_loopback(header) is local
