"""The sessions of skills: one per app, closed together."""

from __future__ import annotations

from apps.sdk.http.rules import EgressRules
from service.turns.skill_http import SkillHttp


async def test_each_app_has_one_session_of_its_own() -> None:
    """The same one again for the same app; one that an app has closed is opened anew and leaves the others alone."""
    http = SkillHttp(EgressRules())
    web, weather = http.open("web"), http.open("weather")
    assert web is not weather
    assert http.open("web") is web
    await web.close()
    assert http.open("web") is not web
    assert http.open("weather") is weather
    assert not weather.closed
    await http.aclose()


async def test_all_are_closed_at_the_end() -> None:
    """Connections included."""
    http = SkillHttp(EgressRules())
    sessions = [http.open(app_id) for app_id in ("web", "weather", "notes")]
    await http.aclose()
    assert all(session.closed for session in sessions)
