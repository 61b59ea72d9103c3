"""Which family a model's name means."""

from __future__ import annotations

import pytest

from apps.sdk.schemas.dialects.families import choose_profile, find_profile


@pytest.mark.parametrize(
    ("model", "family"),
    [
        ("openai/gpt-5-mini", "openai"),
        ("gpt-4o", "openai"),
        ("azure/o3", "openai"),
        ("openai/gpt-oss-120b", "common"),
        ("openai/my-own-model", "common"),
        ("anthropic/claude-sonnet-5", "anthropic"),
        ("bedrock/anthropic.claude-opus-4", "anthropic"),
        ("openrouter/anthropic/claude-sonnet-5", "anthropic"),
        ("gemini/gemini-3-pro", "gemini"),
        ("vertex_ai/gemini-2.5-flash", "gemini"),
        ("openrouter/google/gemini-3-pro", "gemini"),
        ("cerebras/llama-4-scout", "cerebras"),
        ("groq/openai/gpt-oss-20b", "cerebras"),
        ("ollama_chat/qwen3", "local"),
        ("hosted_vllm/whatever", "local"),
        ("deepseek/deepseek-chat", "common"),
        ("", "common"),
    ],
)
def test_a_name_means_a_family(model: str, family: str) -> None:
    """By who serves it, else by what the model is called; what nobody knows gets what all of them take."""
    assert find_profile(model).name == family


def test_models_of_several_families_share_the_common_profile() -> None:
    """A fallback is sent the same bytes as the first model."""
    assert choose_profile(["openai/gpt-5", "anthropic/claude-opus-5"]).name == "common"
    assert choose_profile(["openai/gpt-5", "azure/gpt-5"]).name == "openai"
    assert choose_profile([]).name == "common"


def test_an_operator_knows_better() -> None:
    """One profile for all models, or one by model."""
    assert choose_profile(["openai/gpt-5"], for_all="openai_strict").name == "openai_strict"
    assert choose_profile(["openai/x", "ollama/y"], by_model={"openai/x": "local"}).name == "local"
