"""What a strict provider refuses in a chat completion request, each rule as one small check."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from apps.sdk.jsontypes import Json, JsonObject

MAX_TOOLS = 128
TOOL_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")
KNOWN_KEYS = frozenset({
    "model", "messages", "tools", "tool_choice", "parallel_tool_calls", "stream", "stream_options", "max_tokens",
    "max_completion_tokens", "temperature", "top_p", "stop", "seed", "n", "user", "response_format", "reasoning_effort",
    "logit_bias", "presence_penalty", "frequency_penalty", "metadata", "store", "service_tier", "verbosity",
    "prompt_cache_key", "safety_identifier",
})  # fmt: skip
ROOT_COMBINATORS = ("oneOf", "anyOf", "allOf", "enum", "not")


def find_fault(body: JsonObject) -> str | None:
    """The first thing that a strict provider would answer with HTTP 400, or None."""
    checks = (_envelope_faults, _tool_faults, _tool_choice_faults, _history_faults)
    return next((fault for check in checks for fault in check(body)), None)


def _envelope_faults(body: JsonObject) -> Iterator[str]:
    if unknown := sorted(body.keys() - KNOWN_KEYS):
        yield f"Unrecognized request argument supplied: {', '.join(unknown)}"
    if not isinstance(body.get("messages"), list) or not body["messages"]:
        yield "[] is too short - 'messages'"
    if body.get("stream_options") is not None and not body.get("stream"):
        yield "stream_options is only allowed when stream is enabled"
    for key in ("max_tokens", "max_completion_tokens"):
        if key in body and not (isinstance(body[key], int) and body[key] > 0):
            yield f"{key} must be a positive integer"


def _tool_faults(body: JsonObject) -> Iterator[str]:
    if "tools" not in body:
        return
    tools = body["tools"]
    if not isinstance(tools, list) or not tools:
        yield "[] is too short - 'tools'"
        return
    if len(tools) > MAX_TOOLS:
        yield f"array too long - 'tools': at most {MAX_TOOLS}"
    names = [tool["function"]["name"] for tool in tools]
    if len(set(names)) < len(names):
        yield "tools: tool names must be unique"
    for tool in tools:
        yield from _definition_faults(tool)


def _definition_faults(tool: JsonObject) -> Iterator[str]:
    function = tool["function"]
    if not TOOL_NAME.fullmatch(function["name"]):
        yield f"tools: {function['name']!r} does not match '^[a-zA-Z0-9_-]{{1,64}}$'"
    parameters = function.get("parameters", {"type": "object"})
    if parameters.get("type") != "object" or any(key in parameters for key in ROOT_COMBINATORS):
        yield f"Invalid schema for function {function['name']!r}: the root must be a plain object schema"


def _tool_choice_faults(body: JsonObject) -> Iterator[str]:
    if "tool_choice" not in body:
        return
    if not body.get("tools"):
        yield "tool_choice is only allowed when tools are specified"
        return
    choice = body["tool_choice"]
    if isinstance(choice, dict) and choice["function"]["name"] not in {tool["function"]["name"] for tool in body["tools"]}:
        yield "tool_choice: the named function is not among the tools"


def _history_faults(body: JsonObject) -> Iterator[str]:
    seen: set[str] = set()
    waiting: set[str] = set()
    for message in body["messages"]:
        if message["role"] == "tool":
            if message.get("tool_call_id") not in waiting:
                yield "messages with role 'tool' must follow a message with 'tool_calls' that has their id"
            waiting.discard(message.get("tool_call_id"))
            continue
        if waiting:
            yield f"these tool_call_ids did not have response messages: {', '.join(sorted(waiting))}"
        if message.get("content") is None and not message.get("tool_calls"):
            yield "content must not be null"
        for call in message.get("tool_calls") or ():
            yield from _call_faults(call, seen)
            seen.add(call["id"])
            waiting.add(call["id"])
    if waiting:
        yield f"these tool_call_ids did not have response messages: {', '.join(sorted(waiting))}"


def _call_faults(call: JsonObject, seen: set[str]) -> Iterator[str]:
    if not call["id"]:
        yield "tool_calls: the id is empty"
    if call["id"] in seen:
        yield f"tool_calls: the id {call['id']!r} is not unique"
    if not TOOL_NAME.fullmatch(call["function"]["name"]):
        yield f"tool_calls: {call['function']['name']!r} does not match '^[a-zA-Z0-9_-]{{1,64}}$'"
    if not isinstance(_parse(call["function"]["arguments"]), dict):
        yield f"tool_calls: the arguments of {call['id']!r} are not a JSON object"


def _parse(text: str) -> Json:
    try:
        return json.loads(text)
    except ValueError:
        return None
