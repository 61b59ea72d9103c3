"""Whether an address is this machine's own."""

from __future__ import annotations

import asyncio
import re
from ipaddress import ip_address
from socket import SOCK_STREAM
from typing import Final

HOST_FORM: Final = re.compile(r"(\[[0-9A-Fa-f:.]+\]|[^\[\]:]+)(:[0-9]*)?")
"""A Host header: a name or an address, an IPv6 one in brackets, perhaps a port."""


async def is_loopback_only(host: str) -> bool:
    """Whether whoever listens on `host` can be reached from this machine only. Raises `OSError` for a name that leads nowhere."""
    if not host:
        return False  # every address
    found = await asyncio.get_running_loop().getaddrinfo(host, None, type=SOCK_STREAM)
    return all(is_loopback(str(entry[4][0])) for entry in found)


def names_loopback(host_header: str) -> bool:
    """Whether a Host header names this machine as only this machine does."""
    match = HOST_FORM.fullmatch(host_header)
    name = match[1].strip("[]").lower().rstrip(".") if match else ""
    return name == "localhost" or name.endswith(".localhost") or is_loopback(name)


def is_loopback(address: str) -> bool:
    """Whether it is a loopback address, written in the usual way."""
    try:
        return ip_address(address.partition("%")[0]).is_loopback
    except ValueError:
        return False
