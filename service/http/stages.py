"""The stages of a turn, each on its own."""

from __future__ import annotations

import json
from functools import partial

from aiohttp import web

from apps.sdk.chat import ToolCall
from apps.sdk.names import resolve_name
from apps.sdk.near_names import SEVERAL, find_near
from service.http.detached import see_through
from service.http.json_body import read_json
from service.http.problems import Disabled, FieldError, InvalidRequest, UnknownSkill
from service.http.reading import get_services, read_caller, read_timeout
from service.http.responses import answer_json
from service.http.schemas import ExecuteBody, ExpandBody, PreprocessBody, to_message
from service.services import Services
from service.turns.metering import count_event
from service.turns.request import Caller, TurnLimits, start_limits
from service.turns.tool_calls import ExecutedCall
from service.views.preparation import describe_expansion, describe_preparation
from service.views.results import describe_result


async def post_expand(request: web.Request) -> web.Response:
    """Which skills an intent makes available."""
    services = get_services(request)
    body = await read_json(request, ExpandBody)
    expansion = await services.preparation.expand(read_caller(request, body.source), body.wanted)
    return answer_json(describe_expansion(expansion))


async def post_preprocess(request: web.Request) -> web.Response:
    """What the main model would be sent for a message."""
    services = get_services(request)
    body = await read_json(request, PreprocessBody)
    limits = start_limits(services.settings, timeout=read_timeout(request))
    messages = tuple(map(to_message, body.messages))
    caller = read_caller(request, body.source)
    with services.gate.admit(caller.tenant):
        prepared = await services.preparation.prepare(caller, body.wanted, messages, limits)
    return answer_json(describe_preparation(prepared))


async def post_execute(request: web.Request) -> web.StreamResponse:
    """Run one call, a turn of its own."""
    services = get_services(request)
    body = await read_json(request, ExecuteBody)
    limits = start_limits(services.settings, timeout=read_timeout(request))
    caller = read_caller(request, body.source)

    async def produce() -> web.Response:
        with services.gate.admit(caller.tenant):
            executed = await _execute(caller, body, limits, services)
        return answer_json(describe_result(executed.result, executed.rendered))

    return await see_through(request, services.idempotency.run(request, produce, lasts=limits.timeout))


async def _execute(caller: Caller, body: ExecuteBody, limits: TurnLimits, services: Services) -> ExecutedCall:
    """Raises `UnknownSkill`, `Disabled`, or `InvalidRequest` when nothing of the call could be run."""
    contract, expansion, catalog = await services.preparation.make_contract(caller, body.wanted)
    if resolve_name(body.name, contract.skills, contract.known).name is None:
        reasons = {drop.name: drop.reason for drop in expansion.dropped}
        if name := resolve_name(body.name, reasons, contract.known).name:
            raise Disabled(name, reasons[name])
        if reason := catalog.why_quarantined(body.name):
            raise Disabled(body.name, reason)
        raise UnknownSkill(body.name, find_near(body.name, contract.skills, SEVERAL))
    call = ToolCall(body.id, body.name, json.dumps(body.arguments, ensure_ascii=False))
    count = partial(count_event, services.metrics)
    executed = await services.calls.run_one(call, contract, caller, limits.deadline, count)
    refuse_invalid(executed)
    return executed


def refuse_invalid(executed: ExecutedCall) -> None:
    """Raise `InvalidRequest` when the arguments, or those of every single request, are invalid."""
    result = executed.result
    errors = [result.error] if result.error else [entry.error for entry in result.entries]
    invalid = [error for error in errors if error and error.code == "invalid_arguments"]
    if errors and len(invalid) == len(errors):
        raise InvalidRequest([FieldError(f"/arguments{error.pointer}", error.message) for error in invalid])
