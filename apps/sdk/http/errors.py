"""What can go wrong with a request of a skill.

SkillError
├── SkillRetry            another address may do: malformed, unknown host, 404, 410
└── SkillFailed
    ├── FetchRefused      the address is not one that skills may reach
    └── FetchFailed       there is no usable answer: network, time, size
        ├── WrongStatus   it has another HTTP status than 2xx
        └── WrongType     it is of another type than those wanted

No text of an error holds a path or a query, since keys travel in them.
"""

from __future__ import annotations

from collections.abc import Sequence

from apps.sdk.skill import SkillFailed


class FetchRefused(SkillFailed):
    """An address, port or scheme that skills may not reach."""


class FetchFailed(SkillFailed):
    """There is no usable answer: network, time, status, size or type."""


class WrongStatus(FetchFailed):
    """The host answered with `status`, which is no success."""

    def __init__(self, host: str, status: int) -> None:
        super().__init__(f"{host} answered with HTTP status {status}.")
        self.status = status


class WrongType(FetchFailed):
    """The host answered with `content_type` (`""` when it named none), which is not one of those wanted."""

    def __init__(self, host: str, content_type: str, wanted: Sequence[str]) -> None:
        super().__init__(f"{host} answered with {content_type or 'no content type'}, wanted was {' or '.join(wanted)}.")
        self.content_type = content_type
