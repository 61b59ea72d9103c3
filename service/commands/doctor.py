"""`shortlist doctor`."""

from __future__ import annotations

from collections.abc import Iterator

import typer

from service.commands.in_process import open_for_command
from service.services import Services
from service.settings import Settings


async def examine(settings: Settings) -> int:
    """Print what was looked at, a line each; 1 when something must be mended."""
    healthy = True
    async with open_for_command(settings) as services:
        for fine, line in check_services(services):
            healthy &= fine
            typer.echo(f"{'ok  ' if fine else 'MEND'} {line}")
    return 0 if healthy else 1


def check_services(services: Services) -> Iterator[tuple[bool, str]]:
    """Whether each part is fine, and a line about it. What cannot be opened at all was told before."""
    settings, catalog = services.settings, services.catalog()
    yield True, f"settings: every limit is documented in .env.example; {len(settings.skill_secrets)} credentials of skills"
    yield True, f"base instructions: {settings.base_instructions.name}"
    yield True, "store: open and at its newest schema"
    errors = [finding for finding in catalog.findings if finding.severity == "error"]
    yield not errors, f"apps: {len(catalog.apps)} with {len(catalog.skills)} skills, {len(errors)} errors"
    for finding in errors:
        yield False, str(finding)
    yield True, f"models: {services.models.description}"
    yield True, "retrieval: lexical only"
