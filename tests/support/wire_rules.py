"""What a strict provider refuses in a chat completion request, each rule as one small check.

Written from what the providers document, and from nothing of ours: OpenAI (results directly after their calls, 128 calls in a
message, ids of at most 40 characters), Anthropic (alphabet of ids, no empty text, the user first), Mistral and the chat
templates of local servers (one system message at the beginning, user and assistant in turns, no user after a result).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from apps.sdk.jsontypes import Json, JsonObject

MAX_TOOLS = 128
MAX_CALLS = 128
TOOL_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")
CALL_ID = re.compile(r"[A-Za-z0-9_-]{1,40}")
BLOCKS = {"user": {"text", "image_url", "input_audio", "file"}, "assistant": {"text", "refusal"}}
KNOWN_KEYS = frozenset({
    "model", "messages", "tools", "tool_choice", "parallel_tool_calls", "stream", "stream_options", "max_tokens",
    "max_completion_tokens", "temperature", "top_p", "stop", "seed", "n", "user", "response_format", "reasoning_effort",
    "logit_bias", "presence_penalty", "frequency_penalty", "metadata", "store", "service_tier", "verbosity",
    "prompt_cache_key", "safety_identifier",
})  # fmt: skip
ROOT_COMBINATORS = ("oneOf", "anyOf", "allOf", "enum", "not")


def find_fault(body: JsonObject) -> str | None:
    """The first thing that a strict provider would answer with HTTP 400, or None."""
    checks = (_envelope_faults, _tool_faults, _tool_choice_faults, _content_faults, _history_faults, _order_faults)
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


def _content_faults(body: JsonObject) -> Iterator[str]:
    for message in body["messages"]:
        content = message.get("content")
        if content is None:
            if message["role"] != "assistant" or not message.get("tool_calls"):
                yield "content must not be null"
        elif isinstance(content, str):
            if not content.strip() and not message.get("tool_calls"):
                yield f"messages: the content of a message of the role {message['role']} is empty"
            yield from _text_faults(content)
        elif not isinstance(content, list) or not content:
            yield "content must be text or a list of blocks"
        else:
            for block in content:
                yield from _block_faults(block, message["role"])


def _block_faults(block: Json, role: str) -> Iterator[str]:
    if not isinstance(block, dict) or block.get("type") not in BLOCKS.get(role, {"text", "image_url"}):
        yield f"a content block of the role {role} has no type that is known"
    elif block["type"] == "text":
        if not isinstance(block.get("text"), str) or not block["text"].strip():
            yield "text content blocks must be non-empty"
        else:
            yield from _text_faults(block["text"])


def _text_faults(text: str) -> Iterator[str]:
    if any("\ud800" <= character <= "\udfff" for character in text):
        yield "the request is no UTF-8: half a surrogate pair"


def _order_faults(body: JsonObject) -> Iterator[str]:
    """Who may speak after whom; images of a result, which OpenAI takes in a user's message only, may follow it."""
    before = "nobody"
    for message in body["messages"]:
        role = message["role"]
        if role not in {"system", "user", "assistant", "tool"}:
            yield f"{role!r} is not one of the roles"
        if role == "system" and before != "nobody":
            yield "system message must be at the beginning"
        if role == "assistant" and before in {"nobody", "system"}:
            yield "first message must use the user role"
        if role in {"user", "assistant"} and role == before:
            yield "roles must alternate between user and assistant"
        if role == "user" and before == "tool" and not _holds_images(message):
            yield "unexpected role 'user' after role 'tool'"
        before = role
    if before not in {"user", "tool"}:
        yield "expected last role user or tool"


def _holds_images(message: JsonObject) -> bool:
    content = message.get("content")
    return isinstance(content, list) and any(block.get("type") == "image_url" for block in content)


def _history_faults(body: JsonObject) -> Iterator[str]:
    """Each message with calls is followed by one result for each of them, before anything else."""
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
        calls = message.get("tool_calls")
        if calls is not None and (message["role"] != "assistant" or not 1 <= len(calls) <= MAX_CALLS):
            yield f"tool_calls: from 1 to {MAX_CALLS}, in an assistant's message"
        for call in calls or ():
            yield from _call_faults(call, seen)
            seen.add(call["id"])
            waiting.add(call["id"])
    if waiting:
        yield f"these tool_call_ids did not have response messages: {', '.join(sorted(waiting))}"


def _call_faults(call: JsonObject, seen: set[str]) -> Iterator[str]:
    if not CALL_ID.fullmatch(call["id"]):
        yield f"tool_calls: the id {call['id']!r} does not match '^[a-zA-Z0-9_-]{{1,40}}$'"
    if call["id"] in seen:
        yield f"tool_calls: the id {call['id']!r} is not unique"
    if not TOOL_NAME.fullmatch(call["function"]["name"]):
        yield f"tool_calls: {call['function']['name']!r} does not match '^[a-zA-Z0-9_-]{{1,64}}$'"
    arguments = call["function"]["arguments"]
    if not isinstance(arguments, str) or not isinstance(_parse(arguments), dict):
        yield f"tool_calls: the arguments of {call['id']!r} are not a JSON object"


def _refuse(word: str) -> Json:
    raise ValueError(word)


def _parse(text: str) -> Json:
    try:
        value = json.loads(text, parse_constant=_refuse)
        json.dumps(value, ensure_ascii=False).encode()
    except ValueError:
        return None
    return value
