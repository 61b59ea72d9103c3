"""The HTTP client of skills: one session per app over shared connections, without cookies."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import aiohttp


class SkillHttp:
    """Opens what is asked for, and closes it all at the end.

    A session of their own keeps apps apart: one that closes its session harms itself only, until it asks again. Cookies are
    not kept, since they would carry one user's log-in to the next.
    """

    def __init__(self) -> None:
        self._connector: aiohttp.TCPConnector | None = None
        self._sessions: dict[str, aiohttp.ClientSession] = {}

    def open(self, app_id: str) -> aiohttp.ClientSession:
        """The app's session."""
        import aiohttp  # noqa: PLC0415 - a command whose skill makes no request need not pay for it

        session = self._sessions.get(app_id)
        if session is None or session.closed:
            if self._connector is None:
                self._connector = aiohttp.TCPConnector()
            session = aiohttp.ClientSession(connector=self._connector, connector_owner=False, cookie_jar=aiohttp.DummyCookieJar())
            self._sessions[app_id] = session
        return session

    async def aclose(self) -> None:
        """Close every session and connection."""
        for session in self._sessions.values():
            await session.close()
        if self._connector is not None:
            await self._connector.close()
