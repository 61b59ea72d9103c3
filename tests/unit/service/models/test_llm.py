"""What can be shown of the litellm adapter without importing litellm; the rest is in tests/integration/test_litellm.py."""

from __future__ import annotations

import gc
import subprocess
import sys
import warnings
from typing import Any

import httpx
import pytest
from pydantic import BaseModel

from apps.sdk.chat import (
    ChatRequest,
    ContextWindowExceeded,
    Message,
    ModelError,
    ModelRateLimited,
    ModelRefused,
    ModelTimeout,
    ModelUnavailable,
    ToolCall,
)
from service.models.history import HistoryRefused
from service.models.llm import LiteLLM, ModelSpec, _describe, _filter_warnings, map_error, repair_messages


class StatusError(Exception):
    def __init__(self, status: int, headers: dict[str, str] | None = None) -> None:
        super().__init__("the user's words, sk-secret and http://user:password@host")
        self.status_code = status
        self.response = httpx.Response(status, headers=headers)


class ContextWindowExceededError(StatusError):
    """Named as litellm names its own."""


@pytest.mark.parametrize(
    ("status", "kind"),
    [(status, ModelRefused) for status in (400, 401, 403, 404, 422)]
    + [(408, ModelTimeout), (429, ModelRateLimited)]
    + [(status, ModelUnavailable) for status in (409, 500, 502, 503, 504, 529)],
)
def test_a_status_decides_the_error(status: int, kind: type[ModelError]) -> None:
    """Case 14: 400 must not be retried; 429, 5xx and timeouts may be. No text of the provider is quoted."""
    error = map_error(StatusError(status), "m")
    assert type(error) is kind
    assert error.retryable == (status in {408, 409, 429} or status >= 500)
    assert not {"words", "secret", "password"} & set(str(error).replace(":", " ").split())


def test_what_has_no_status() -> None:
    """A deadline of ours is a timeout; a request that is too long says so; anything unexpected may pass and names its type."""
    assert type(map_error(TimeoutError(), "m")) is ModelTimeout
    assert type(map_error(ContextWindowExceededError(400), "m")) is ContextWindowExceeded
    error = map_error(KeyError("a secret"), "m")
    assert (type(error), error.detail) == (ModelUnavailable, "KeyError")


class OpenAIChatCompletion:
    """Named as litellm names its own."""

    async def async_streaming(self) -> None: ...
    async def acompletion(self) -> None: ...
    async def another(self) -> None: ...


def test_coroutines_that_litellm_leaves_behind_are_not_warned_of() -> None:
    """A client that leaves early makes litellm drop a coroutine, which is no news for an operator; others are."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        _filter_warnings()
        for left in ("async_streaming", "acompletion", "another"):
            getattr(OpenAIChatCompletion(), left)()
        gc.collect()
    assert [str(warning.message) for warning in caught] == ["coroutine 'OpenAIChatCompletion.another' was never awaited"]


def test_replies_of_other_types_are_not_warned_of() -> None:
    """Python would keep the text of each such warning, and pydantic quotes the value in it."""

    class Call(BaseModel):
        arguments: str

    wrong: Any = {"n": 1}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        Call.model_construct(arguments=wrong).model_dump()
        assert len(caught) == 1
        _filter_warnings()
        Call.model_construct(arguments=wrong).model_dump()
    assert len(caught) == 1


@pytest.mark.parametrize(
    ("header", "seconds"),
    [("3", 3.0), ("0.5", 0.5), ("-1", None), ("inf", None), ("nan", None), ("Mon, 30 Nov", None), ("", None)],
)
def test_retry_after(header: str, seconds: float | None) -> None:
    """Seconds are read; what is no usable number of seconds is not."""
    assert map_error(StatusError(429, {"retry-after": header}), "m").retry_after == seconds


def test_a_spec_shows_no_secret() -> None:
    """Neither key nor address is in a spec's text."""
    spec = ModelSpec("openai/m", api_base="http://user:password@host/v1", api_key="sk-secret")
    assert "secret" not in repr(spec)
    assert "password" not in repr(spec)
    told = _describe(ValueError("key sk-secret at http://user:password@host/v1"), spec)
    assert told == "ValueError: key *** at http://***@host/v1"


@pytest.mark.parametrize(
    ("name", "arguments", "sent"),
    [
        ("a-b", '{"x": 1}', ("a-b", '{"x": 1}')),
        ("web.search ", '{"x', ("web_search_", "{}")),
        ("", "", ("unnamed", "{}")),
        ("x" * 80, "[1]", ("x" * 64, "{}")),
        ("a-b", "[" * 100_000, ("a-b", "{}")),
    ],
)
def test_a_call_of_the_history_is_sent_in_a_form_that_providers_take(name: str, arguments: str, sent: tuple[str, str]) -> None:
    """Whatever a model once wrote: a legal name and arguments that are a JSON object."""
    called = Message("assistant", tool_calls=(ToolCall("c", name, arguments),))
    [call] = repair_messages((Message("user", "go"), called, Message("tool", "2", tool_call_id="c")))[1].tool_calls
    assert (call.name, call.arguments) == sent


def test_a_history_without_anything_to_answer_is_not_sent() -> None:
    """The model is refused with a clear word instead of the provider's."""
    with pytest.raises(HistoryRefused, match="nothing to answer"):
        repair_messages((Message("user", "go"), Message("assistant", "gone")))


def test_a_choice_without_tools_is_not_sent() -> None:
    """hostile C: no empty list and no tool_choice that is left over, which some servers refuse."""
    request = ChatRequest((Message("user", "go"),), (), forced_tool="a-b")
    assert not LiteLLM().model(ModelSpec("openai/m"))._arguments(request).keys() & {"tools", "tool_choice"}


async def test_nothing_is_loaded_until_it_is_needed() -> None:
    """A model can be made, named and closed without importing litellm."""
    library = LiteLLM()
    assert library.model(ModelSpec("openai/m")).name == "openai/m"
    await library.close()
    assert not library.loaded


def test_importing_the_adapter_imports_no_litellm() -> None:
    """The CLI and the start-up may import service.models.llm: litellm comes with the first use only."""
    modules = "service.models.llm, service.models.fallbacks, service.models.offline"
    code = f"import sys, {modules}; print('litellm' in sys.modules, 'openai' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "False"]
