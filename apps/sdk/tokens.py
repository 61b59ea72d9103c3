"""An estimate of how many tokens a text costs, for budgets and traces; the bill is the provider's own count."""

import orjson

from apps.sdk.chat import ChatRequest, ModelReply, ToolDefinition

BYTES_PER_TOKEN = 4
"""UTF-8 bytes per token: the usual rule of thumb for English and JSON. It overestimates for scripts of three bytes a letter."""


def estimate_tokens(text: str) -> int:
    """UTF-8 bytes divided by four, rounded up; 0 for the empty text."""
    return -(-len(text.encode("utf-8", "surrogatepass")) // BYTES_PER_TOKEN)


def estimate_definition(tool: ToolDefinition) -> int:
    """Tokens of one tool: its JSON as it is sent."""
    return estimate_tokens(orjson.dumps(tool.to_wire()).decode())


def estimate_request(request: ChatRequest) -> int:
    """Tokens of a whole prompt: every message's text, every earlier call, every tool."""
    words = (message.text + "".join(call.name + call.arguments for call in message.tool_calls) for message in request.messages)
    return sum(map(estimate_tokens, words)) + sum(map(estimate_definition, request.tools))


def estimate_reply(reply: ModelReply) -> int:
    """Tokens of a reply: its text and its calls."""
    return estimate_tokens(reply.text + "".join(call.name + call.arguments for call in reply.tool_calls))
