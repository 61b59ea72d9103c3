"""The limits of one turn's execution; the service's settings fill them, an error that meets one names it."""

from __future__ import annotations

from dataclasses import dataclass

from apps.sdk.results.conversion import RESULT_BYTES
from apps.sdk.schemas.parameters import REQUESTS_PER_CALL
from apps.sdk.skill import TIMEOUT

THREADS = 64
"""Skills that are no coroutines, at once, over all turns."""
THREADS_PER_SKILL = 8
"""An eighth of them: more than one turn runs at once, and it takes eight skills that hang to use all up."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Times are in seconds, sizes in bytes of UTF-8, the rest are counts.

    - `requests_per_call`: entries of one call's `requests` that run; the others come back as `not_executed`.
    - `calls_per_reply`: calls of one reply that run; each other one gets an error result.
    - `parallel`: entries of a turn that run at once, over all its calls.
    - `timeout`: for one entry of a skill that declares none; the turn's deadline may be nearer.
    - `cancel_grace`: how long a cancelled skill may take to stop before it is abandoned.
    - `retry_attempts`: tries in all, for skills declared idempotent; `retry_wait` doubles up to `retry_wait_max`, with jitter;
      none begins with less than `retry_wait_max` left of the deadline.
    - `result_bytes`: one entry's result as JSON; over it the result is refused.
    - `result_bytes_for_llm`: one call's tool message; over it rows are left out.
    - `error_characters`: a skill's own error text or note as the model sees it.
    """

    requests_per_call: int = REQUESTS_PER_CALL
    calls_per_reply: int = 32
    parallel: int = 5
    timeout: float = TIMEOUT
    cancel_grace: float = 1.0
    retry_attempts: int = 3
    retry_wait: float = 0.1
    retry_wait_max: float = 2.0
    result_bytes: int = RESULT_BYTES
    result_bytes_for_llm: int = 60_000
    error_characters: int = 500
