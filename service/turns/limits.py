"""The executor's limits, from the settings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from executor.policy import Limits

if TYPE_CHECKING:
    from service.settings import Settings


def make_limits(settings: Settings) -> Limits:
    """Each limit under its setting."""
    return Limits(
        requests_per_call=settings.requests_per_call,
        calls_per_reply=settings.calls_per_reply,
        parallel=settings.requests_parallel,
        timeout=settings.skill_timeout,
        retry_attempts=settings.skill_attempts,
        result_bytes=settings.result_bytes,
        result_bytes_for_llm=settings.result_bytes_for_llm,
    )
