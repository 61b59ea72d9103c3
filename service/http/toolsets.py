"""What intents may name and switch."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from aiohttp import web

from preprocessor.availability import Availability, resolve_availability
from preprocessor.name_patterns import NameIndex
from preprocessor.toolsets import FULL, Members, Toolset, Toolsets
from service.http.reading import get_services, read_scope
from service.http.responses import answer_json
from service.views.catalog import OverlayView, ToolsetsView, ToolsetView


async def get_toolsets(request: web.Request) -> web.Response:
    """Every toolset against the catalog, and every overlay."""
    services = get_services(request)
    tenant, _ = read_scope(request)
    catalog, toolsets = services.apps.catalog, services.apps.toolsets
    overrides = await services.overrides.current(tenant)
    switches = resolve_availability(catalog, overrides, frozenset(services.settings.skill_secrets))
    index = NameIndex(catalog.skills)
    view = ToolsetsView(
        catalog=catalog.digest,
        toolsets=(*_view_toolsets(toolsets, index), _view_full(switches.skills)),
        overlays=tuple(
            OverlayView(name=item.name, skill=item.skill, known=item.skill in catalog.skills, builtins=tuple(item.builtins))
            for item in toolsets.overlays.values()
        ),
    )
    return answer_json(view)


def _view_toolsets(toolsets: Toolsets, index: NameIndex) -> Iterator[ToolsetView]:
    for toolset in toolsets.sets.values():
        members = toolsets.resolve(toolset.name, index) or Members(())
        yield _view(toolset, members)


def _view_full(skills: Mapping[str, Availability]) -> ToolsetView:
    """Those that are on; what a skill says of itself is asked when an intent is expanded."""
    names = tuple(name for name, state in skills.items() if state.enabled)
    return _view(Toolset(FULL, description="Every available skill."), Members(names))


def _view(toolset: Toolset, members: Members) -> ToolsetView:
    return ToolsetView(
        name=toolset.name,
        description=toolset.description,
        includes=toolset.includes,
        skills=members.names,
        unknown=members.unknown,
    )
