"""What was discovered: what is there, what is off or broken, and why."""

from __future__ import annotations

from collections.abc import Iterable

from aiohttp import web

from apps.sdk.catalog import App, Catalog, Quarantined, choose_text
from apps.sdk.findings import Finding
from preprocessor.availability import Availabilities, resolve_availability
from service.http.principal import may
from service.http.reading import get_services, read_language, read_scope
from service.http.responses import answer_json
from service.views.catalog import (
    AppsView,
    AppView,
    FindingView,
    FocusModesView,
    FocusModeView,
    QuarantinedView,
    SkillsView,
    SkillView,
)


async def get_apps(request: web.Request) -> web.Response:
    """Every app; with what is wrong with it, for authors."""
    language = read_language(request)
    catalog, switches = await _read_switches(request)
    of_apps = {finding for app in catalog.apps for finding in app.findings}
    others = (finding for finding in catalog.findings if finding not in of_apps)
    in_full = may(request, "author")
    apps = tuple(_view_app(app, switches, language, in_full=in_full) for app in catalog.apps)
    findings = _view_findings(others) if in_full else None
    reloading = get_services(request).reloader is not None
    return answer_json(AppsView(catalog=catalog.digest, apps=apps, findings=findings, reloading=reloading))


async def get_skills(request: web.Request) -> web.Response:
    """Every skill that can be called."""
    language = read_language(request)
    catalog, switches = await _read_switches(request)
    refused = get_services(request).apps.preprocessor.refused
    skills = tuple(
        SkillView(
            name=name,
            app=skill.app_id,
            title=choose_text(skill, "name", language),
            description=choose_text(skill, "description", language),
            hint=skill.hint,
            parameters=skill.parameters,
            effect=skill.effect,
            idempotent=skill.idempotent,
            standard=skill.standard,
            internal=skill.internal,
            resident=skill.resident,
            enabled=switches.skills[name].enabled,
            reason=switches.skills[name].reason,
            refused=refused.get(name),
        )
        for name, skill in catalog.skills.items()
    )
    return answer_json(SkillsView(catalog=catalog.digest, skills=skills))


async def get_focus_modes(request: web.Request) -> web.Response:
    """Every focus mode."""
    language = read_language(request)
    catalog, switches = await _read_switches(request)
    modes = tuple(
        FocusModeView(
            id=mode.id,
            app=mode.app_id,
            name=choose_text(mode, "name", language),
            description=choose_text(mode, "description", language),
            process=choose_text(mode, "process", language),
            enabled=switches.focus_modes[mode.id].enabled,
            reason=switches.focus_modes[mode.id].reason,
        )
        for mode in catalog.focus_modes.values()
    )
    return answer_json(FocusModesView(catalog=catalog.digest, focus_modes=modes))


async def _read_switches(request: web.Request) -> tuple[Catalog, Availabilities]:
    services = get_services(request)
    tenant, _ = read_scope(request)
    overrides = await services.overrides.current(tenant)
    catalog = services.apps.catalog
    return catalog, resolve_availability(catalog, overrides, frozenset(services.settings.skill_secrets))


def _view_app(app: App, switches: Availabilities, language: str | None, *, in_full: bool) -> AppView:
    return AppView(
        id=app.id,
        name=choose_text(app, "name", language),
        description=choose_text(app, "description", language),
        enabled=switches.apps[app.id].enabled,
        reason=switches.apps[app.id].reason,
        skills=tuple(skill.tool_name for skill in app.skills),
        focus_modes=tuple(mode.id for mode in app.focus_modes),
        memories=tuple(memory.id for memory in app.memories),
        quarantined=tuple(map(_view_quarantined, app.quarantined)) if in_full else None,
        findings=_view_findings(app.findings) if in_full else None,
        kept=app.kept.reason if app.kept and in_full else None,
    )


def _view_quarantined(item: Quarantined) -> QuarantinedView:
    place = item.position
    return QuarantinedView(id=item.id, reason=item.reason, file=place.file, line=place.line, column=place.column)


def _view_findings(findings: Iterable[Finding]) -> tuple[FindingView, ...]:
    return tuple(
        FindingView(
            file=finding.position.file,
            line=finding.position.line,
            column=finding.position.column,
            code=finding.code,
            severity=finding.severity,
            message=finding.message,
            suggestion=finding.suggestion,
        )
        for finding in findings
        if not finding.is_extra
    )
