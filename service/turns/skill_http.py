"""The HTTP client of skills: one session per app, under the egress rules, without cookies."""

from __future__ import annotations

from typing import TYPE_CHECKING

from apps.sdk.http.rules import EgressRules

if TYPE_CHECKING:
    import aiohttp


class SkillHttp:
    """Opens what is asked for, and closes it all at the end.

    A session and connections of their own keep apps apart: one that closes its session, or holds every connection that it may
    open, harms itself only. Cookies are not kept, since they would carry one user's log-in to the next.
    """

    def __init__(self, rules: EgressRules) -> None:
        self._rules = rules
        self._sessions: dict[str, aiohttp.ClientSession] = {}

    def open(self, app_id: str) -> aiohttp.ClientSession:
        """The app's session."""
        from apps.sdk.http.session import open_session  # noqa: PLC0415 - imports aiohttp

        session = self._sessions.get(app_id)
        if session is None or session.closed:
            session = self._sessions[app_id] = open_session(self._rules)
        return session

    async def aclose(self) -> None:
        """Close every session and connection."""
        for session in self._sessions.values():
            await session.close()
