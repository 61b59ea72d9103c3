"""`shortlist ask`."""

from __future__ import annotations

import contextlib

import typer
from rich.console import Console

from apps.sdk.chat import Message
from apps.sdk.shown import spell_out
from preprocessor.intent import Intent
from service.commands.in_process import open_for_command
from service.commands.output import keep_output_clean, print_json
from service.commands.running import LOCAL, UsageError, read_intent
from service.commands.stage_display import StageDisplay
from service.http.middleware.problem_answers import map_error
from service.http.problems import describe_problem
from service.services import Services
from service.settings import Settings
from service.store.conversations import Owner
from service.turns.begun import carry_out
from service.turns.events import Emit, discard
from service.turns.request import start_limits, start_turn
from service.turns.turn import TurnOutcome
from service.views.turn import describe_turn

NEW = "new"


async def ask_once(
    settings: Settings, message: str, *, trace: bool, as_json: bool, intent: str | None, conversation: str | None = None
) -> int:
    """Answer one message and print the answer; with `trace` each stage as it happens, with `as_json` the whole outcome.

    With both, the stages go to standard error, so that standard output is JSON alone. `conversation`: a stored one that the
    message belongs to, `NEW` for one that begins with it; the intent is then this turn's own.
    """
    if not message.strip():
        raise UsageError("the message is empty")
    wanted = read_intent(intent, settings)
    display = StageDisplay(Console(stderr=as_json, highlight=False, soft_wrap=True)) if trace else None
    if display:
        display.open(message)
    with keep_output_clean() if as_json else contextlib.nullcontext():
        async with open_for_command(settings) as services:
            if display and settings.uses_models:
                display.announce("loading the models' library, a few seconds")
                await services.models.load()
                display.announce(f"asking {settings.preselection_model or 'the ranking'} to shortlist")
            emit = display.show if display else discard
            if conversation is None:
                request = start_turn(LOCAL, (Message("user", message),), wanted, start_limits(settings), stream=False)
                outcome = await services.turns.run(request, emit)
            else:
                patch = None if intent is None else wanted
                outcome = await _ask_in(services, conversation, message, patch, emit)
    if display:
        display.close(outcome)
    if as_json:
        print_json(describe_turn(outcome).model_dump(mode="json"))
    elif not display:
        typer.echo(spell_out(outcome.answer.text, keep="\n\t"))
        for notice in outcome.answer.notices:
            typer.echo(f"({notice.message})", err=True)
    return 0


async def _ask_in(services: Services, conversation: str, message: str, patch: Intent | None, emit: Emit) -> TurnOutcome:
    """A turn of a stored conversation; the id of a new one goes to standard error."""
    if conversation == NEW:
        conversation = (await services.conversations.create(Owner(LOCAL.tenant, LOCAL.user))).id
        typer.echo(f"conversation {conversation}", err=True)
    hold = services.conversation_turns.hold(
        LOCAL, conversation, (Message("user", message),), patch, start_limits(services.settings), stream=False
    )
    async with hold as turn:
        return await carry_out(turn, emit, lambda error: describe_problem(map_error(error), None))
