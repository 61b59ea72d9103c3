"""The model port and the records that cross it; the wire format is OpenAI's chat completions.

ModelError              a model gave no usable reply
├── ModelTimeout        not within its time
├── ModelRateLimited    HTTP 429
├── ModelUnavailable    refused connection, cut stream, HTTP 5xx, junk instead of JSON
└── ModelRefused        HTTP 400, 401, 403, 404, 422: asking again changes nothing
    └── ContextWindowExceeded   the request is longer than the model's window
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import ClassVar, Final, Literal, Protocol, TypeAlias

from apps.sdk.jsontypes import Json, JsonObject

BUILTIN_ARGUMENTS: Final = frozenset({"web_search_options", "include_server_side_tool_invocations"})
"""Keys of a built-in that are arguments of litellm's and no part of a tool: the portable web search
(https://docs.litellm.ai/docs/completion/web_search), and what lets Gemini 3 search beside functions.
"""

Role: TypeAlias = Literal["system", "user", "assistant", "tool"]
FinishReason: TypeAlias = Literal["stop", "tool_calls", "length", "content_filter"]


@dataclass(frozen=True, slots=True)
class ToolCall:
    """One call as the model wrote it: `arguments` is its raw text, not yet parsed, possibly not JSON at all."""

    id: str
    name: str
    arguments: str

    def to_wire(self) -> JsonObject:
        return {"id": self.id, "type": "function", "function": {"name": self.name, "arguments": self.arguments}}


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a history. `content` is text or a list of content blocks (`{"type": "text" | "image_url", ...}`)."""

    role: Role
    content: Json = ""
    tool_calls: tuple[ToolCall, ...] = ()
    tool_call_id: str | None = None

    def to_wire(self) -> JsonObject:
        wire: JsonObject = {"role": self.role, "content": self.content}
        if self.tool_calls:
            wire["tool_calls"] = [call.to_wire() for call in self.tool_calls]
            wire["content"] = self.content or None
        if self.tool_call_id is not None:
            wire["tool_call_id"] = self.tool_call_id
        return wire

    @property
    def text(self) -> str:
        """The message's words alone; blocks that are not text are left out."""
        if isinstance(self.content, str):
            return self.content
        blocks = self.content if isinstance(self.content, list) else []
        texts = (block.get("text", "") for block in blocks if isinstance(block, dict) and block.get("type") == "text")
        return "\n".join(map(str, texts))


@dataclass(frozen=True, slots=True)
class ToolDefinition:
    """A function as a model is shown it; `parameters` is a JSON Schema whose root is an object.

    `strict` asks the provider to let the model write nothing that does not fit them. `builtins` holds, by model pattern (a
    case-sensitive glob of `fnmatch`), what a provider has of its own in the function's place, as litellm takes it.
    """

    name: str
    description: str
    parameters: JsonObject
    strict: bool = False
    builtins: Mapping[str, JsonObject] = field(default_factory=dict)

    def to_wire(self) -> JsonObject:
        function: JsonObject = {"name": self.name, "description": self.description, "parameters": self.parameters}
        if self.strict:
            function["strict"] = True
        return {"type": "function", "function": function}


def find_builtin(builtins: Mapping[str, JsonObject], model: str) -> JsonObject | None:
    """What `model` is sent in a function's place: that of the first pattern that its name fits."""
    return next((builtin for pattern, builtin in builtins.items() if fnmatchcase(model, pattern)), None)


@dataclass(frozen=True, slots=True)
class ChatRequest:
    """One model call. With no `tools` neither `tools` nor `tool_choice` is sent. `forced_tool` must be one of `tools`.

    `timeout` is what is left of the caller's time, in seconds, over all attempts; None = as long as the model may take.
    """

    messages: tuple[Message, ...]
    tools: tuple[ToolDefinition, ...] = ()
    forced_tool: str | None = None
    max_output_tokens: int | None = None
    timeout: float | None = None


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens as the provider counted them; all zero when it did not say."""

    prompt_tokens: int = 0
    completion_tokens: int = 0
    cached_tokens: int = 0

    @property
    def total(self) -> int:
        return self.prompt_tokens + self.completion_tokens

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            self.prompt_tokens + other.prompt_tokens,
            self.completion_tokens + other.completion_tokens,
            self.cached_tokens + other.cached_tokens,
        )


@dataclass(frozen=True, slots=True)
class ModelReply:
    """A whole reply. `model` is the name of the model that really served it."""

    text: str
    tool_calls: tuple[ToolCall, ...]
    finish_reason: FinishReason
    model: str
    usage: Usage = Usage()


@dataclass(frozen=True, slots=True)
class TextDelta:
    """A piece of a streamed reply's text."""

    text: str


class ChatModel(Protocol):
    """A chat model behind a name. Both methods raise `ModelError` and nothing else; neither retries."""

    @property
    def name(self) -> str: ...

    async def complete(self, request: ChatRequest) -> ModelReply: ...

    def stream(self, request: ChatRequest) -> AsyncGenerator[TextDelta | ModelReply, None]:
        """Yield the text as it comes and, last, the whole reply, calls assembled."""
        ...


class ModelError(Exception):
    """A model gave no usable reply. `retry_after` is in seconds, where the provider named them."""

    code: ClassVar[str] = "model_error"
    retryable: ClassVar[bool] = False

    def __init__(self, model: str, detail: str, *, retry_after: float | None = None) -> None:
        super().__init__(f"{model}: {detail}")
        self.model = model
        self.detail = detail
        self.retry_after = retry_after


class ModelTimeout(ModelError):
    """The model did not answer within its time."""

    code = "model_timeout"
    retryable = True


class ModelRateLimited(ModelError):
    """The provider asks for fewer requests."""

    code = "model_rate_limited"
    retryable = True


class ModelUnavailable(ModelError):
    """The model cannot be reached or answers with something that is no reply."""

    code = "model_unavailable"
    retryable = True


class ModelRefused(ModelError):
    """The provider refuses this request, or its reply cannot be used; asking again changes nothing."""

    code = "model_refused"


class ContextWindowExceeded(ModelRefused):
    """The request is longer than the model's window."""

    code = "context_window_exceeded"


def last_user_text(messages: Sequence[Message]) -> str:
    """The text of the latest user message, or "" when there is none."""
    return next((message.text for message in reversed(messages) if message.role == "user"), "")
