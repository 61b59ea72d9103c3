"""Models through litellm; the only file that imports it.

litellm takes seconds to import and about 200 MB, so it is imported in a thread, on demand. It reads some of its settings from
the environment while it is imported: `_import_library` is the one place besides the settings that touches `os.environ`.

litellm's own retries are off (see service.models.fallbacks), and each attempt runs under a deadline of its own, since litellm's
`timeout` is per read and a dripping stream outlives it.
"""

from __future__ import annotations

import asyncio
import gc
import importlib
import logging
import os
import re
import sys
import warnings
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field, replace
from itertools import count

import structlog

from apps.sdk.chat import (
    BUILTIN_ARGUMENTS,
    ChatRequest,
    ContextWindowExceeded,
    Message,
    ModelError,
    ModelRateLimited,
    ModelRefused,
    ModelReply,
    ModelTimeout,
    ModelUnavailable,
    TextDelta,
    find_builtin,
)
from apps.sdk.jsontypes import Json, JsonObject
from apps.sdk.schemas.dialects.families import find_profile
from apps.sdk.schemas.dialects.profiles import Profile
from service.models.chunks import ReplyAssembler
from service.models.history import HistoryRefused, check_answerable, repair_history
from service.models.replies import NoReply, OversizedReply, read_reply, taken_ids
from service.models.sent_names import SentNames, map_names

NO_KEY = "none"
"""Sent to a server of one's own that needs no key; without it litellm would send it the key of some provider's variable."""

MAX_LOGGED = 2_000
"""Characters of a provider's error that the debug log holds; some answer with a whole page."""

KEYS = re.compile(
    r"\b(?:sk|gsk|xai|AKIA|ASIA|AIza|ya29|eyJ)[\w.-]{12,}|\b(?:bearer|basic)\s+\S+|\b[\w-]*key\W{1,5}[\w.-]{12,}", re.IGNORECASE
)
"""What looks like the key of a provider: those of its own variables are known to litellm only."""

CHUNKS_PER_BREATH = 20
"""Streamed chunks after which other tasks get their turn: those that came together are read without waiting for anything."""


@dataclass(frozen=True, slots=True)
class ModelSpec:
    """A model as litellm names it (`openai/gpt-5-mini`) and how to reach it.

    `family`: whose names of tools it takes, None = that of the name. `timeout` is in seconds, for one attempt in all, streaming
    included. `extra` goes to litellm as it is (`temperature`, ...).
    """

    name: str
    api_base: str | None = field(default=None, repr=False)
    api_key: str | None = field(default=None, repr=False)
    timeout: float = 60.0
    max_output_tokens: int | None = None
    extra: Mapping[str, Json] = field(default_factory=dict)
    family: Profile | None = None


class LiteLLM:
    """The library, loaded once; whoever needs it first waits for it."""

    def __init__(self) -> None:
        self._library: Json = None
        self._lock = asyncio.Lock()

    @property
    def loaded(self) -> bool:
        return self._library is not None

    async def load(self) -> Json:
        """Import litellm in a thread, unless that was done, and return it. Raises what the import raises."""
        if not self.loaded:
            async with self._lock:
                if not self.loaded:
                    self._library = await asyncio.to_thread(_import_library)
        return self._library

    def model(self, spec: ModelSpec) -> LiteLLMModel:
        return LiteLLMModel(self, spec)

    def find_window(self, name: str) -> int | None:
        """Tokens of a model's window by litellm's own list; None for one that is not in it, and before it is loaded.

        The list alone is read: `get_model_info` asks the network about some providers' models.
        """
        costs: Mapping[str, JsonObject] = self._library.model_cost if self.loaded else {}
        provider, _, bare = name.partition("/")
        same_name = costs.get(bare, {})
        same_provider = str(same_name.get("litellm_provider", "")).startswith(provider)
        known = costs.get(name, same_name if same_provider else {}).get("max_input_tokens")
        return known if isinstance(known, int) and known > 0 else None

    async def close(self) -> None:
        """Close litellm's HTTP clients; calls that are under way fail."""
        if self.loaded:
            await self._library.close_litellm_async_clients()
            self._library.in_memory_llm_clients_cache.flush_cache()


class LiteLLMModel:
    """A `ChatModel` behind litellm. One method call is one attempt."""

    def __init__(self, library: LiteLLM, spec: ModelSpec) -> None:
        self._library = library
        self._spec = spec
        self._family = spec.family or find_profile(spec.name)
        self._logger = structlog.get_logger(__name__)

    @property
    def name(self) -> str:
        return self._spec.name

    async def complete(self, request: ChatRequest) -> ModelReply:
        async with self._mapping_errors():
            library = await self._library.load()
            sent, names = self._prepare(request)
            async with asyncio.timeout(self._spec.timeout):
                response = await library.acompletion(**self._arguments(sent))
            return names.read(read_reply(response.model_dump(warnings=False), self.name, taken_ids(request)))

    async def stream(self, request: ChatRequest) -> AsyncGenerator[TextDelta | ModelReply, None]:
        async with self._mapping_errors():
            library = await self._library.load()
            sent, names = self._prepare(request)
            arguments = {**self._arguments(sent), "stream": True, "stream_options": {"include_usage": True}}
        assembler, numbers = ReplyAssembler(taken_ids(request), [tool.name for tool in sent.tools]), count(1)
        deadline = asyncio.get_running_loop().time() + self._spec.timeout
        chunks = await self._await(deadline, lambda: library.acompletion(**arguments))
        try:
            # no `asyncio.timeout` around a yield: it would cancel the consumer
            while (text := await self._await(deadline, lambda: _read_chunk(chunks, assembler, next(numbers)))) is not None:
                if text:
                    yield TextDelta(text)
        finally:
            await chunks.aclose()
        async with self._mapping_errors():
            reply = names.read(assembler.finish(self.name))
        yield reply

    async def _await(self, deadline: float, step: Callable[[], Awaitable[Json]]) -> Json:
        async with self._mapping_errors(), asyncio.timeout_at(deadline):
            return await step()

    def _prepare(self, request: ChatRequest) -> tuple[ChatRequest, SentNames]:
        """The request as the model's family takes it, and the way back for the names in its reply. Raises `HistoryRefused`."""
        repaired = replace(request, messages=repair_messages(request.messages))
        names = map_names(repaired, self._family)
        return names.write(repaired), names

    def _arguments(self, request: ChatRequest) -> JsonObject:
        spec = self._spec
        own_server_key = NO_KEY if spec.api_base else None
        arguments: JsonObject = {
            **spec.extra,
            "model": spec.name,
            "messages": [message.to_wire() for message in request.messages],
            "api_base": spec.api_base,
            "api_key": spec.api_key or own_server_key,
            "timeout": spec.timeout,
            "max_retries": 0,
            "num_retries": 0,
            "drop_params": True,
            # litellm knows what each provider takes, but not what a model of one's own does: tools are never dropped in silence
            "allowed_openai_params": ["tools", "tool_choice"],
        }
        if max_tokens := request.max_output_tokens or spec.max_output_tokens:
            arguments["max_tokens"] = max_tokens
        return {**arguments, **_write_tools(request, spec.name)}

    @asynccontextmanager
    async def _mapping_errors(self) -> AsyncIterator[None]:
        try:
            yield
        except (OversizedReply, HistoryRefused) as error:
            raise ModelRefused(self.name, str(error)) from None
        except NoReply as error:
            raise ModelUnavailable(self.name, str(error)) from None
        except Exception as error:  # noqa: BLE001  the port promises ModelError and nothing else
            self._logger.debug("model.failed", model=self.name, error=_describe(error, self._spec))
            raise self._map(error) from None

    def _map(self, error: Exception) -> ModelError:
        keyless = not self._spec.api_key and not self._spec.api_base
        if keyless and "api_key" in str(error):  # litellm calls a missing key HTTP 500
            return ModelRefused(self.name, "no API key: set SHORTLIST_MODEL_API_KEY or export its provider's own variable")
        return map_error(error, self.name)


async def _read_chunk(chunks: Json, assembler: ReplyAssembler, number: int) -> str | None:
    """The text that the next chunk, the `number`th, adds, None at the end."""
    if number % CHUNKS_PER_BREATH == 0:
        await asyncio.sleep(0)
    chunk = await anext(chunks, None)
    return None if chunk is None else assembler.add(chunk.model_dump(exclude_none=True, warnings=False))


def map_error(error: Exception, model: str) -> ModelError:
    """What litellm or the network raised, as a `ModelError`; its detail names status and type and quotes no text of theirs.

    litellm's exceptions are told apart by `status_code` (it copies openai's classes): a refused connection and junk instead
    of JSON come as 500, a stream that broke with the status of what broke it.
    """
    status = getattr(error, "status_code", None)
    detail = _explain(error, status)
    if isinstance(error, TimeoutError) or status == 408:
        return ModelTimeout(model, f"no reply in time ({type(error).__name__})")
    if type(error).__name__ == "ContextWindowExceededError":
        return ContextWindowExceeded(model, detail)
    if _is_unreadable(error):
        return ModelRefused(model, "the reply cannot be read: too deep, or a number too long")
    match status:
        case 429:
            return ModelRateLimited(model, detail, retry_after=_read_retry_after(error))
        case 400 | 401 | 402 | 403 | 404 | 405 | 413 | 422:
            return ModelRefused(model, detail)
        case _:
            return ModelUnavailable(model, detail, retry_after=_read_retry_after(error))


def _explain(error: Exception, status: Json) -> str:
    """Status and type, or what they stand for where litellm makes a status up."""
    kinds = {type(cause).__name__ for cause in _walk_causes(error)}
    if kinds & {"ConnectError", "ClientConnectorError", "ClientConnectorDNSError", "ConnectionRefusedError"}:
        return "cannot connect to its server"
    if "LLM Provider NOT provided" in str(error):
        return "the name says no provider; write provider/model, for example openai/gpt-5"
    detail = f"HTTP {status} ({type(error).__name__})" if isinstance(status, int) else type(error).__name__
    return f"{detail}; does the server's URL lack /v1?" if status == 404 else detail


def _is_unreadable(error: Exception) -> bool:
    """Whether Python's JSON reader gave up on what came: it limits depth and the digits of a number."""
    return any(
        isinstance(cause, RecursionError) or (type(cause) is ValueError and "integer string conversion" in str(cause))
        for cause in _walk_causes(error)
    )


def _walk_causes(error: BaseException | None) -> Iterator[BaseException]:
    """The error, what it was raised from, and so on; bounded, since chains may be circles."""
    for _ in range(10):
        if error is None:
            return
        yield error
        error = error.__cause__ or error.__context__


def _read_retry_after(error: Exception) -> float | None:
    """Seconds from the `Retry-After` header; its date form is rare among providers and is not read."""
    headers = getattr(getattr(error, "response", None), "headers", None) or {}
    try:
        seconds = float(headers.get("retry-after", ""))
    except (TypeError, ValueError):
        return None
    return seconds if 0 <= seconds < float("inf") else None


def _write_tools(request: ChatRequest, model: str) -> JsonObject:
    """Each tool as a function, or as what the model's provider has in its place: a tool, arguments of the request, or both."""
    written = [find_builtin(tool.builtins, model) or tool.to_wire() for tool in request.tools]
    arguments: JsonObject = {key: tool[key] for tool in written for key in tool if key in BUILTIN_ARGUMENTS}
    tools = [{key: value for key, value in tool.items() if key not in BUILTIN_ARGUMENTS} for tool in written]
    if sent := [tool for tool in tools if tool]:
        arguments["tools"] = sent
        if request.forced_tool is not None:
            arguments["tool_choice"] = {"type": "function", "function": {"name": request.forced_tool}}
    return arguments


def repair_messages(messages: Sequence[Message]) -> tuple[Message, ...]:
    """The messages as a strict provider takes them. Raises `HistoryRefused`."""
    history = repair_history(messages)
    check_answerable(history.messages)
    return history.messages


def _describe(error: Exception, spec: ModelSpec) -> str:
    """An error in full, for the debug log: it may quote the request, but holds neither key nor password."""
    text = f"{type(error).__name__}: {error}"[: 2 * MAX_LOGGED]  # cut in the end: half a key would not be found
    without_key = text.replace(spec.api_key, "***") if spec.api_key else text
    without_keys = KEYS.sub("***", without_key)
    return re.sub(r"://[^/@\s]+@", "://***@", without_keys)[:MAX_LOGGED]


def _import_library() -> Json:
    """Import and quieten litellm.

    The collector is off meanwhile, or the event loop stands still four times longer (120 instead of 27 ms at worst); what was
    loaded is then exempt from it, or each full collection would take 0.3 s more.
    """
    os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")  # or it asks the network for prices
    os.environ.setdefault("LITELLM_MODE", "PRODUCTION")  # or it loads `.env` into the environment
    os.environ.setdefault("HF_HUB_OFFLINE", "1")  # or counting tokens may wait for a hub
    # or it searches a failed reply for secrets six times, 5 s for each megabyte, in which nobody else is served; see `_describe`
    os.environ["LITELLM_DISABLE_REDACT_SECRETS"] = "true"
    _filter_warnings()
    collecting = gc.isenabled()
    gc.disable()
    try:
        import litellm  # noqa: PLC0415  it costs seconds

        litellm.suppress_debug_info = True
        litellm.REPEATED_STREAMING_CHUNK_LIMIT = sys.maxsize  # or it cuts a table's long rule off
        litellm.modify_params = True  # or Bedrock refuses a history with calls but without tools: the last call of a turn
        for name in ("LiteLLM", "LiteLLM Router", "LiteLLM Proxy"):
            _silence(logging.getLogger(name))
        _leave_calls_alone()
        with suppress(Exception):  # a comfort, not a condition
            asyncio.run(_warm_up(litellm))
        gc.freeze()
    finally:
        if collecting:
            gc.enable()
    return litellm


def _leave_calls_alone() -> None:
    """Or litellm parses the arguments of all calls, to undo one invented function, and gives the reply up where it cannot."""
    for name in ("litellm_core_utils.llm_response_utils.convert_dict_to_response", "llms.openai.chat.gpt_transformation"):
        module: Json = importlib.import_module(f"litellm.{name}")
        module.handle_invalid_parallel_tool_calls = lambda tool_calls: tool_calls


def _filter_warnings() -> None:
    """What no operator can mend: litellm's typing, odd replies, and coroutines that nobody awaits once a client has left."""
    warnings.filterwarnings("ignore", "Item '.*' on TypedDict class '.*' is using the `ReadOnly` qualifier", UserWarning)
    # each text of it is remembered for good, and quotes what a model wrote
    warnings.filterwarnings("ignore", "Pydantic serializer warnings", UserWarning)
    never_awaited = r"coroutine 'OpenAIChatCompletion\.(acompletion|async_streaming)' was never awaited"
    warnings.filterwarnings("ignore", never_awaited, RuntimeWarning)


async def _warm_up(litellm: Json) -> None:
    """Two made-up calls that reach no network: litellm puts off much of its loading, up to a second, until the first ones."""
    call: JsonObject = {"model": "openai/warm-up", "messages": [{"role": "user", "content": "."}], "mock_response": "."}
    await litellm.acompletion(**call, api_key=NO_KEY)
    async for chunk in await litellm.acompletion(**call, api_key=NO_KEY, stream=True):
        chunk.model_dump(warnings=False)


def _silence(logger: logging.Logger) -> None:
    """What litellm logs quotes requests and replies; failures are logged here instead."""
    logger.handlers.clear()
    logger.propagate = False
    logger.addHandler(logging.NullHandler())
