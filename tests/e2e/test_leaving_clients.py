"""Turns whose client leaves, or whose time runs out, in the middle of the work."""

from __future__ import annotations

import asyncio
import contextlib

import pytest

from apps.sdk.jsontypes import JsonObject
from tests.e2e.conftest import OpenLab
from tests.e2e.lab import OFFLINE, Lab, calling, read_events, shortlisting, user, wait_until
from tests.support.model_replies import Reply
from tests.support.model_server import ScriptedModelServer

WAYS = pytest.mark.parametrize("stream", [False, True], ids=["json", "sse"])
KEY = {"Idempotency-Key": "once"}


def linger(*, stream: bool) -> JsonObject:
    return {"messages": [user("linger until released")], "stream": stream}


async def send_and_leave(lab: Lab, *, stream: bool, headers: dict[str, str]) -> None:
    """Post a turn, wait until its skill runs, and close the connection."""

    async def post() -> None:
        body, url = linger(stream=stream), lab.running.url + "/v1/turns"
        async with lab.running.client.post(url, json=body, headers=headers) as response:
            await response.read()

    request = asyncio.create_task(post())
    await wait_until(lambda: lab.log)
    request.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await request


async def count_turns(lab: Lab, outcome: str) -> bool:
    return f'shortlist_turns_total{{outcome="{outcome}"}} 1.0' in await lab.metrics()


@WAYS
async def test_the_work_of_a_client_that_has_left_is_cancelled(start_lab: OpenLab, stream: bool) -> None:
    """case 48, on_disconnect=cancel: the skill is really cancelled, its place is free again, the next turn works."""
    async with start_lab(**OFFLINE, on_disconnect="cancel") as lab:
        await send_and_leave(lab, stream=stream, headers={})
        await wait_until(lambda: ("cancelled", "linger until released") in lab.log)
        await wait_until(lambda: lab.running.services.gate.running == 0)
        assert await count_turns(lab, "cancelled")
        lab.release.set()
        status, _ = await lab.running.post("/v1/turns", linger(stream=False))
    assert status == 200
    assert [what for what, *_ in lab.log] == ["started", "cancelled", "started", "finished"]


@WAYS
@pytest.mark.parametrize("on_disconnect", ["finish", "cancel"])
async def test_the_work_of_a_client_with_a_key_is_finished(start_lab: OpenLab, stream: bool, on_disconnect: str) -> None:
    """case 48: a key promises that it runs once, whatever the setting; its next use gives what the client would have got."""
    async with start_lab(**OFFLINE, on_disconnect=on_disconnect) as lab:
        await send_and_leave(lab, stream=stream, headers=KEY)
        lab.release.set()
        await wait_until(lambda: lab.running.services.gate.running == 0)
        await wait_until(lambda: not lab.running.services.tasks.running)
        assert await count_turns(lab, "done")
        body, url = linger(stream=stream), lab.running.url + "/v1/turns"
        async with lab.running.client.post(url, json=body, headers=KEY) as response:
            assert (response.status, response.headers["Idempotency-Replayed"]) == (200, "true")
            text = await response.text()
    assert [what for what, *_ in lab.log] == ["started", "finished"]
    assert "linger until released" in text
    if stream:
        assert [name for name, _ in read_events(text)][-1] == "turn.finished"


async def test_shutdown_waits_for_work_without_a_client(start_lab: OpenLab) -> None:
    """case 48: what is to be finished is finished before the process ends, within the grace."""
    async with start_lab(**OFFLINE, on_disconnect="finish") as lab:
        await send_and_leave(lab, stream=True, headers={})
        asyncio.get_running_loop().call_later(0.1, lab.release.set)
    assert [what for what, *_ in lab.log] == ["started", "finished"]


async def test_work_that_outlives_the_grace_is_cancelled(start_lab: OpenLab) -> None:
    """A skill that hangs does not keep the process from ending."""
    async with start_lab(**OFFLINE, on_disconnect="finish", shutdown_grace=0.1) as lab:
        await send_and_leave(lab, stream=False, headers={})
    assert [what for what, *_ in lab.log] == ["started", "cancelled"]


async def test_a_cancelled_batch_has_a_result_for_each_call(lab: Lab, models: ScriptedModelServer) -> None:
    """case 34: five run and five wait when the time is over; the five are cancelled, the others never start, all have results."""
    first, second = ([f"{letter}{n}" for n in range(5)] for letter in "ab")
    models.script("cheap", [shortlisting("lab-slow")])
    models.script("main", [Reply(calls=[calling("lab-slow", *first), calling("lab-slow", *second)]), Reply("Let us go on.")])
    status, answer = await lab.running.post("/v1/turns", {"messages": [user("all")]}, X_Turn_Timeout="0.7")
    assert status == 200
    assert sorted(lab.log) == sorted([*(("started", name) for name in first), *(("cancelled", name) for name in first)])
    for call in answer["trace"]["calls"]:
        entries = call["execution"]["result"]["results"]
        assert [entry["error"]["code"] in {"cancelled", "timeout", "deadline"} for entry in entries] == [True] * 5
    second_turn = await lab.turn("and now?", history=[user("all"), *answer["messages"]])
    assert second_turn["answer"]["content"] == "Let us go on."
    assert second_turn["trace"]["repairs"] == []
