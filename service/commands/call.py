"""`shortlist call`."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

import orjson
import typer

from apps.sdk.chat import ToolCall
from apps.sdk.contract import Contract, make_contract
from apps.sdk.names import resolve_name
from apps.sdk.near_names import SEVERAL, find_near
from apps.sdk.shown import spell_out
from executor import dispatch
from executor.engine.base import Engine
from executor.engine.local import LocalEngine
from preprocessor.expand import Expansion
from preprocessor.intent import Intent
from service.commands.local import LocalServices, open_locally
from service.commands.output import print_remark
from service.commands.raised import ListeningEngine
from service.commands.running import LOCAL, UsageError
from service.plain_logs import configure_plain_logging
from service.turns.call_runner import CallRunner
from service.turns.events import discard
from service.turns.limits import make_limits
from service.turns.request import start_limits
from service.turns.skill_contexts import SkillContexts
from service.turns.tool_calls import ExecutedCall

if TYPE_CHECKING:
    from service.settings import Settings


async def call_once(settings: Settings, name: str, arguments: str) -> int:
    """Run one skill as a model would and print what the model would be given; 1 when the outcome is an error.

    What the skill raised unforeseen, which a model is not shown, comes on standard error.
    """
    check_arguments(arguments)
    set_up_logging(settings)
    async with open_locally(settings) as services:
        expansion = await services.expand(LOCAL, Intent())
        contract = offer(services, expansion, name)
        engine = LocalEngine(threads=settings.skill_threads, threads_per_skill=settings.skill_threads_each)
        listening = ListeningEngine(engine, services.catalog)
        executed = await run_call(settings, services, listening, contract, ToolCall("call_1", name, arguments))
    for told in listening.describe(executed.result.name):
        print_remark(spell_out(told, keep="\n"))
    content = executed.rendered.content
    typer.echo(content if isinstance(content, str) else orjson.dumps(content, option=orjson.OPT_INDENT_2).decode())
    return 1 if executed.result.outcome == "error" else 0


def set_up_logging(settings: Settings) -> None:
    """From warnings on, but without the line for each attempt that failed, which is told at the end; everything at debug."""
    at_debug = settings.log_level == "debug"
    configure_plain_logging("debug" if at_debug else "warning", json=settings.log_json)
    logging.getLogger(dispatch.__name__).setLevel(logging.NOTSET if at_debug else logging.ERROR)


def check_arguments(text: str) -> None:
    """Raise `UsageError` unless the text is a JSON object."""
    try:
        is_object = isinstance(orjson.loads(text), dict)
    except orjson.JSONDecodeError as error:
        raise UsageError(f"--json: {error}") from None
    if not is_object:
        raise UsageError("--json: the arguments are a JSON object")


def offer(services: LocalServices, expansion: Expansion, name: str) -> Contract:
    """What may be called. Raises `UsageError` when `name` is not among it."""
    contract = make_contract(services.catalog, expansion.available)
    if resolve_name(name, contract.skills, contract.known).name is None:
        dropped = {drop.name: drop.reason for drop in expansion.dropped}
        reason = dropped.get(name) or services.catalog.why_quarantined(name)
        close = ", ".join(find_near(name, contract.skills, SEVERAL))
        unknown = f"there is no skill {name}{f'; close: {close}' if close else ''}"
        raise UsageError(f"{name} is not available: {reason}" if reason else unknown)
    return contract


async def run_call(
    settings: Settings, services: LocalServices, engine: Engine, contract: Contract, call: ToolCall
) -> ExecutedCall:
    """The same path as in a turn."""
    contexts = SkillContexts(open_http=services.client.open, secrets=services.secrets, storage=services.store)
    runner = CallRunner(engine, make_limits(settings), contexts.make)
    return await runner.run_one(call, contract, LOCAL, start_limits(settings).deadline, discard)
