"""What skills may reach over the network, and how much of it.

Only http and https, only public addresses, looked at where the socket is opened, at every redirect anew; `apps.sdk.http.session`
holds a session to it. `allowed_hosts` opens a name as it is spelled there, for that name only.
"""

from __future__ import annotations

from dataclasses import dataclass

HOSTS_SETTING = "SHORTLIST_EGRESS_ALLOWED_HOSTS"
"""Where an operator sets `allowed_hosts`; refusals name it."""
BYTES_SETTING = "SHORTLIST_EGRESS_RESPONSE_BYTES"
REDIRECTS_SETTING = "SHORTLIST_EGRESS_REDIRECTS"


@dataclass(frozen=True, slots=True)
class EgressRules:
    """Raises `ValueError` for an allowed host that is none.

    - `allowed_hosts`: names or IP literals, with or without a port, that may be reached although they are not public.
    - `response_bytes`: of a body after decompression, where a skill asks for all of it at once.
    - `timeout`: seconds of one request, redirects and body included, unless the skill sets its own.
    - `redirects`: followed at most.
    """

    allowed_hosts: frozenset[str] = frozenset()
    response_bytes: int = 10_000_000
    timeout: float = 60.0
    redirects: int = 5

    def __post_init__(self) -> None:
        object.__setattr__(self, "allowed_hosts", frozenset(map(normalize_host, self.allowed_hosts)))

    def opens(self, host: str, port: int | None = None) -> bool:
        """Whether the lower-case `host` is listed: alone, or with this port if one is given."""
        return host in self.allowed_hosts or (port is not None and join_port(host, port) in self.allowed_hosts)


def normalize_host(entry: str) -> str:
    """`host` or `host:port` as requests are compared with it: lower case, IDNA, no last dot, IPv6 in its shortest form."""
    from yarl import URL  # noqa: PLC0415 - a command that opens nothing need not pay for it

    text = entry.strip()
    if "/" in text:
        raise ValueError(f"{entry!r} is not a host or host:port: write it without http:// and without a path")
    if text.count(":") > 1 and not text.startswith("["):
        text = f"[{text}]"
    url = URL(f"http://{text}")
    if not url.raw_host or url.user is not None or url.raw_path != "/" or url.raw_query_string or url.raw_fragment or "*" in text:
        raise ValueError(f"{entry!r} is not a host or host:port")
    host = url.raw_host.rstrip(".")
    return host if url.explicit_port is None else join_port(host, url.explicit_port)


def join_port(host: str, port: int) -> str:
    """`host:port`, an IPv6 address in brackets."""
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
