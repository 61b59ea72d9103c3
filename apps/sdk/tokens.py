"""An estimate of how many tokens a text costs, for budgets and traces; the bill is the provider's own count."""

import orjson

from apps.sdk.chat import ChatRequest, Message, ModelReply, ToolDefinition

BYTES_PER_TOKEN = 4
"""UTF-8 bytes per token: the usual rule of thumb for English and JSON.

Tokens per estimated token, measured with the encoding cl100k: prose, code and JSON 0.9 to 1.1; Russian 1.15; Hindi 1.6; Chinese
1.7; tables of numbers, ids, emoji and base64 2.6 to 2.9.
"""
BLOCK_TOKENS = 1_600
"""What a content block costs that is no text: the most that a picture does (Anthropic: its pixels / 750, up to about 1,600)."""


def estimate_tokens(text: str) -> int:
    """UTF-8 bytes divided by four, rounded up; 0 for the empty text."""
    return -(-len(text.encode("utf-8", "surrogatepass")) // BYTES_PER_TOKEN)


def estimate_definition(tool: ToolDefinition) -> int:
    """Tokens of one tool: its JSON as it is sent."""
    return estimate_tokens(orjson.dumps(tool.to_wire()).decode())


def estimate_request(request: ChatRequest) -> int:
    """Tokens of a whole prompt: every message, every tool."""
    return sum(map(estimate_message, request.messages)) + sum(map(estimate_definition, request.tools))


def estimate_message(message: Message) -> int:
    """Tokens of one message: its text and its calls, and a flat `BLOCK_TOKENS` for each block that is no text."""
    blocks = message.content if isinstance(message.content, list) else ()
    others: int = sum(not isinstance(block, dict) or block.get("type") != "text" for block in blocks)
    words = message.text + "".join(call.name + call.arguments for call in message.tool_calls)
    return estimate_tokens(words) + others * BLOCK_TOKENS


def estimate_reply(reply: ModelReply) -> int:
    """Tokens of a reply: its text and its calls."""
    return estimate_tokens(reply.text + "".join(call.name + call.arguments for call in reply.tool_calls))
