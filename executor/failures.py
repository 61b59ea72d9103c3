"""An exception of a skill to the error that a model is shown; what is unexpected shows its kind only, never its text."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterable
from urllib.parse import quote

from apps.sdk.catalog import SkillSpec
from apps.sdk.invocation import BadRequest
from apps.sdk.skill import MissingSecret, SkillError, SkillRetry
from apps.sdk.truncation import replace_surrogates, shorten
from executor.engine.base import EngineOverloaded
from executor.errors import CallError

_MIN_SECRET = 4
_LOG_CHARACTERS = 4_000
_LOG_FRAMES = 8
_TRANSIENT = frozenset({"timeout", "skill_crashed", "overloaded"})

Clean = Callable[[str], str]


def explain_failure(error: BaseException, skill: SkillSpec, clean: Clean) -> CallError:
    """`clean` takes secrets out of texts that a skill wrote and shortens them."""
    match error:
        case BadRequest():
            return CallError("invalid_arguments", clean(error.message), retryable=True, hint="Correct the arguments.")
        case MissingSecret():
            return CallError("missing_credential", clean(error.message), retryable=False, hint="Answer without this tool.")
        case SkillError():
            retry = isinstance(error, SkillRetry)
            message = clean(str(error.message)) or "The skill gave no reason."
            hint = clean(str(error.hint)) if error.hint else None
            return CallError("skill_retry" if retry else "skill_failed", message, retry, hint)
        case EngineOverloaded():
            return CallError("overloaded", "Not executed: the service is busy.", retryable=True, hint="Call again later.")
    message = f"The skill failed unexpectedly ({type(error).__name__})."
    return CallError("skill_crashed", message, retryable=may_run_again(skill), hint=_advise(skill))


def explain_timeout(skill: SkillSpec, seconds: float) -> CallError:
    message = f"The skill did not answer within {seconds:.3g} s."
    return CallError("timeout", message, retryable=may_run_again(skill), hint=_advise(skill))


def may_run_again(skill: SkillSpec) -> bool:
    return skill.effect == "read" or skill.idempotent


def is_foreseen(error: BaseException) -> bool:
    """Whether somebody raised it on purpose, so that it is no defect to be found."""
    return isinstance(error, SkillError | BadRequest | EngineOverloaded)


def is_transient(error: CallError | None) -> bool:
    """Whether a skill declared idempotent is tried again."""
    return error is not None and error.code in _TRANSIENT


def make_cleaner(secrets: Iterable[str], limit: int) -> Clean:
    """Replaces secrets, also percent-encoded ones, and half surrogates, and shortens to `limit` characters."""
    values = [secret for secret in secrets if len(secret) >= _MIN_SECRET]
    variants = sorted({*values, *(quote(value, safe="", errors="replace") for value in values)}, key=len, reverse=True)

    def clean(text: str) -> str:
        for secret in variants:
            text = text.replace(secret, "***")
        return shorten(replace_surrogates(text).strip(), limit)

    return clean


def describe_frames(error: BaseException) -> list[str]:
    """Where an exception came from, innermost last; never its text, which may quote a message."""
    frames = traceback.extract_tb(error.__traceback__)[-_LOG_FRAMES:]
    return [f"{frame.filename}:{frame.lineno} in {frame.name}" for frame in frames]


def describe_traceback(error: BaseException, secrets: Iterable[str]) -> str:
    """Everything there is to know of an exception, without secrets; for the debug level, since it may quote a message."""
    text = "".join(traceback.format_exception(error))
    return make_cleaner(secrets, len(text))(text)[-_LOG_CHARACTERS:]


def _advise(skill: SkillSpec) -> str | None:
    if may_run_again(skill):
        return None
    return "It may have taken effect all the same: check before calling again."
