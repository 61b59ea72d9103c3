"""Which addresses are public."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apps.sdk.http.addresses import is_public

PUBLIC = ["1.1.1.1", "8.8.8.8", "93.184.215.14", "172.32.0.1", "192.167.255.255", "223.255.255.255", "2606:4700:4700::1111"]

NOT_PUBLIC = [
    "0.0.0.0", "0.1.2.3", "10.0.0.1", "100.64.0.1", "100.100.100.200", "127.0.0.1", "127.255.255.254", "168.63.129.16",
    "169.254.169.254", "172.16.0.1", "172.31.255.255", "192.0.0.192", "192.0.2.1", "192.88.99.1", "192.168.0.1", "198.18.0.1",
    "198.51.100.1", "203.0.113.1", "224.0.0.1", "239.255.255.250", "240.0.0.1", "255.255.255.255",
    "::", "::1", "::127.0.0.1", "::ffff:127.0.0.1", "::ffff:8.8.8.8", "64:ff9b::8.8.8.8", "64:ff9b:1::1", "100::1",
    "2001::1", "2001:0:53aa:64c:0:0:8888:8888", "2001:2::1", "2001:db8::1", "2002:808:808::1", "3fff::1", "5f00::1",
    "fc00::1", "fd00:ec2::254", "fe80::1", "fec0::1", "ff02::1", "fe80::1%eth0", "2606:4700:4700::1111%eth0",
    "", "localhost", "127.1", "2130706433", "0x7f.0.0.1", "0177.0.0.1", "1.1.1.1.", "1.1.1.256", "１.1.1.1",
]  # fmt: skip


@pytest.mark.parametrize("address", PUBLIC)
def test_hosts_on_the_internet_are_public(address: str) -> None:
    """Also the neighbours of private networks."""
    assert is_public(address)


@pytest.mark.parametrize("address", NOT_PUBLIC)
def test_everything_else_is_not(address: str) -> None:
    """Private, local, shared, documentation, metadata, IPv4 inside IPv6, scopes, and what is no address in its usual spelling."""
    assert not is_public(address)


@given(st.ip_addresses())
def test_nothing_is_public_that_python_does_not_call_global(address: object) -> None:
    """The table is at least as strict as the standard library's."""
    if is_public(str(address)):
        assert getattr(address, "is_global")  # noqa: B009 - either class has it


@given(st.text(max_size=30))
def test_any_text_has_an_answer(text: str) -> None:
    """Nothing raises."""
    assert is_public(text) in {True, False}
