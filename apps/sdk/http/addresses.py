"""Which internet addresses are public: the one table that decides where skills may connect to."""

from __future__ import annotations

from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address

PRIVATE_V4 = tuple(
    map(
        IPv4Network,
        (
            "0.0.0.0/8",  # this network
            "10.0.0.0/8",  # private
            "100.64.0.0/10",  # shared by a carrier's customers; some clouds keep their metadata here
            "127.0.0.0/8",  # loopback
            "168.63.129.16/32",  # a cloud's agent, reachable from inside only though its address is a public one
            "169.254.0.0/16",  # link-local, and the clouds' metadata
            "172.16.0.0/12",  # private
            "192.0.0.0/24",  # protocol assignments
            "192.0.2.0/24",  # documentation
            "192.88.99.0/24",  # 6to4 relays
            "192.168.0.0/16",  # private
            "198.18.0.0/15",  # benchmarks
            "198.51.100.0/24",  # documentation
            "203.0.113.0/24",  # documentation
            "224.0.0.0/3",  # multicast, reserved, broadcast
        ),
    )
)
"""From the IANA IPv4 Special-Purpose Address Registry (RFC 6890), what is not globally reachable, and one cloud's agent."""

GLOBAL_V6 = IPv6Network("2000::/3")
"""All of IPv6 that is handed out; outside are mapped, compatible and NAT64 IPv4, unique local, link-local and multicast."""

PRIVATE_V6 = tuple(
    map(
        IPv6Network,
        (
            "2001::/23",  # protocol assignments: Teredo, benchmarks, identifiers
            "2001:db8::/32",  # documentation
            "2002::/16",  # 6to4, which carries an IPv4 address
            "3ffe::/16",  # a test network that is no more
            "3fff::/20",  # documentation
        ),
    )
)
"""From the IANA IPv6 Special-Purpose Address Registry, what lies inside `GLOBAL_V6`."""


def is_public(address: str) -> bool:
    """Whether `address`, an IPv4 or IPv6 address in its usual spelling, is a host's on the public internet; never raises."""
    if "%" in address:  # a scope names one of the machine's own networks
        return False
    try:
        parsed: IPv4Address | IPv6Address = ip_address(address)
    except ValueError:
        return False
    if isinstance(parsed, IPv4Address):
        return not any(parsed in network for network in PRIVATE_V4)
    return parsed in GLOBAL_V6 and not any(parsed in network for network in PRIVATE_V6)
