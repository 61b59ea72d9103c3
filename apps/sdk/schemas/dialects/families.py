"""Which family a model belongs to, by its name as litellm writes it: `anthropic/claude-opus-4`, `openrouter/openai/gpt-5`."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from types import MappingProxyType

from apps.sdk.schemas.dialects.profiles import ANTHROPIC, CEREBRAS, COMMON, GEMINI, LOCAL, OPENAI, PROFILES, Profile

_PROVIDERS: Mapping[str, Profile] = MappingProxyType(
    dict.fromkeys(("anthropic",), ANTHROPIC)
    | dict.fromkeys(("gemini",), GEMINI)
    | dict.fromkeys(("cerebras", "groq"), CEREBRAS)
    | dict.fromkeys(("ollama", "ollama_chat", "hosted_vllm", "vllm", "lm_studio", "llamafile", "xinference"), LOCAL)
)
"""Who serves models of one family only, or any model behind the same rules."""
_MODELS = (
    (re.compile(r"gpt-oss"), COMMON),
    (re.compile(r"(^|[./])(gpt-|chatgpt|o\d)"), OPENAI),
    (re.compile(r"claude"), ANTHROPIC),
    (re.compile(r"(^|[./])gemini"), GEMINI),
)
"""What the rest of a name says, the first that fits: such models keep their family's rules wherever they are served."""


def find_profile(model: str) -> Profile:
    """The profile of one model; `common` for one that nobody knows."""
    provider, slash, rest = model.lower().partition("/")
    if slash and provider in _PROVIDERS:
        return _PROVIDERS[provider]
    return next((profile for pattern, profile in _MODELS if pattern.search(rest or provider)), COMMON)


def choose_profile(models: Sequence[str], *, for_all: str | None = None, by_model: Mapping[str, str] | None = None) -> Profile:
    """The one profile for all models that may be asked: that of their family, or `common` where they are of several.

    `for_all` and `by_model` are names of profiles that an operator has set; raises `KeyError` for one that there is not.
    So a fallback is sent the same schemas as the first model.
    """
    if for_all is not None:
        return PROFILES[for_all]
    chosen = {PROFILES[(by_model or {})[name]] if name in (by_model or {}) else find_profile(name) for name in models}
    return chosen.pop() if len(chosen) == 1 else COMMON
