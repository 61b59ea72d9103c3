"""`shortlist call`."""

from __future__ import annotations

import time

import orjson
import typer

from apps.sdk.chat import ToolCall
from apps.sdk.names import resolve_name
from preprocessor.intent import Intent
from service.commands.running import LOCAL, UsageError, open_for_command
from service.events import discard
from service.problems import UnknownSkill
from service.settings import Settings


async def call_once(settings: Settings, name: str, arguments: str) -> int:
    """Run one skill as a model would and print what the model would be given; 1 when the outcome is an error."""
    try:
        if not isinstance(orjson.loads(arguments), dict):
            raise UsageError("--json: the arguments are a JSON object")
    except orjson.JSONDecodeError as error:
        raise UsageError(f"--json: {error}") from None
    async with open_for_command(settings) as services:
        contract, _ = await services.turns.make_contract(LOCAL, Intent())
        resolution = resolve_name(name, contract.skills)
        if resolution.name is None:
            raise UnknownSkill(name, resolution.close)
        deadline = time.monotonic() + settings.turn_timeout
        executed = await services.turns.execute(ToolCall("call_1", name, arguments), contract, LOCAL, deadline, discard)
    content = executed.rendered.content
    typer.echo(content if isinstance(content, str) else orjson.dumps(content, option=orjson.OPT_INDENT_2).decode())
    return 1 if executed.result.outcome == "error" else 0
