"""Why a call or one of its entries has no result, as the model and the caller are told."""

from __future__ import annotations

from dataclasses import dataclass

from apps.sdk.jsontypes import JsonObject


@dataclass(frozen=True, slots=True)
class CallError:
    """`message` says what is wrong, `hint` what to do; `retryable` = calling again may succeed.

    `pointer` is an RFC 6901 JSON pointer to the first invalid argument, "" = the arguments as a whole.

    Before anything runs:
      `unknown_tool`         no skill of this turn has the name
      `too_many_calls`       over `calls_per_reply`
      `arguments_cut_off`    the reply ended at the token limit
      `invalid_arguments`    not a JSON object, or not what the skill's schema allows
      `request_limit`        over `requests_per_call`
      `repeated_failure`     the same call failed twice already in this turn
    While it runs:
      `skill_retry`          the skill asks for other arguments
      `skill_failed`         the skill cannot do this
      `missing_credential`   the skill needs a credential that is not configured
      `skill_crashed`        the skill failed in a way its author did not foresee
      `timeout`              over the skill's own time
      `deadline`             the turn ran out of time
      `overloaded`           too many skills, or too many calls of this one, hang in threads
      `bad_result`           the skill returned what JSON cannot hold
      `result_too_large`     over `result_bytes`
      `cancelled`            the turn was cancelled
      `internal`             a defect of the executor
    """

    code: str
    message: str
    retryable: bool
    hint: str | None = None
    pointer: str = ""

    def to_json(self) -> JsonObject:
        fields: JsonObject = {"code": self.code, "message": self.message, "retryable": self.retryable}
        return fields | {"hint": self.hint} if self.hint else fields


def invalid_arguments(message: str, hint: str | None = None, *, pointer: str = "") -> CallError:
    return CallError("invalid_arguments", message, True, hint or "Correct the arguments and call again.", pointer)
