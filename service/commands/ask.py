"""`shortlist ask`."""

from __future__ import annotations

import contextlib

import orjson
import typer
from rich.console import Console

from apps.sdk.chat import Message
from service.commands.in_process import open_for_command
from service.commands.output import keep_output_clean
from service.commands.running import LOCAL, UsageError, read_intent
from service.commands.stage_display import StageDisplay
from service.settings import Settings
from service.turns.events import discard
from service.turns.request import start_limits, start_turn
from service.views.turn import describe_turn


async def ask_once(settings: Settings, message: str, *, trace: bool, as_json: bool, intent: str | None) -> int:
    """Answer one message and print the answer; with `trace` each stage as it happens, with `as_json` the whole outcome.

    With both, the stages go to standard error, so that standard output is JSON alone.
    """
    if not message.strip():
        raise UsageError("the message is empty")
    wanted = read_intent(intent)
    display = StageDisplay(Console(stderr=as_json, highlight=False, soft_wrap=True)) if trace else None
    if display:
        display.open(message)
    with keep_output_clean() if as_json else contextlib.nullcontext():
        async with open_for_command(settings) as services:
            if display and settings.uses_models:
                display.announce("loading the models' library, a few seconds")
                await services.models.load()
                display.announce(f"asking {settings.preselection_model or 'the ranking'} to shortlist")
            request = start_turn(LOCAL, (Message("user", message),), wanted, start_limits(settings), stream=False)
            outcome = await services.turns.run(request, display.show if display else discard)
    if display:
        display.close(outcome)
    if as_json:
        typer.echo(orjson.dumps(describe_turn(outcome).model_dump(mode="json"), option=orjson.OPT_INDENT_2).decode())
    elif not display:
        typer.echo(outcome.answer.text)
        for notice in outcome.answer.notices:
            typer.echo(f"({notice.message})", err=True)
    return 0
