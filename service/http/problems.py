"""Everything that a caller can be told went wrong, as RFC 9457 problem details.

    Problem                     code
    ├── InvalidHeader           invalid_header            a request header is not what it must be
    ├── MalformedBody           malformed_body            the body cannot be read, or is no JSON
    ├── MalformedRequest        malformed_request         it is no HTTP
    ├── Unauthenticated         unauthenticated           a key is needed, or the one given is not taken
    ├── Forbidden               forbidden                 the key does not reach so far
    ├── NotFound                not_found                 there is no such thing
    ├── UnknownSkill            unknown_skill             there is no such skill
    ├── MethodNotAllowed        method_not_allowed        the path exists, not with this method
    ├── Disabled                disabled                  it exists and may not be used now
    ├── ConversationBusyNow     conversation_busy         another turn has the conversation
    ├── Superseded              turn_superseded           the conversation was deleted or taken by another turn
    ├── ForkPointRefused        fork_point_invalid        no fork begins at that message
    ├── Unreadable              conversation_unreadable   what is stored cannot be read
    ├── KeyInUse                idempotency_key_in_use    the first request with this key still runs
    ├── ResponseNotStored       response_not_stored       it is done, and its answer was too large to keep
    ├── OverLimit               body_too_deep, url_too_long, headers_too_large, too_many_parameters
    │   └── BodyTooLarge        body_too_large
    ├── RateLimited             rate_limited              too many requests in a minute
    ├── UnsupportedMediaType    unsupported_media_type
    ├── UnsupportedEncoding     unsupported_encoding
    ├── InvalidRequest          invalid_request           fields are wrong; `errors` points at each
    ├── InvalidParameter        invalid_parameter         a query parameter is not what it must be
    ├── TokenBudgetExhausted    token_budget_exhausted    the turn's budget does not allow a model call
    ├── KeyReused               idempotency_key_reused    the key belongs to another request
    ├── HttpProblem             http_<status>             what the HTTP server itself refuses
    ├── InternalProblem         internal_error
    ├── ModelFailed             the ModelError's code     no model gave a usable reply
    ├── TooBusy                 too_busy                  a limit of things at once is reached
    │   └── TenantBusy          tenant_busy               the tenant's own is
    ├── ShuttingDown            shutting_down
    ├── StoreDown               store_unavailable
    └── DeadlineExceeded        deadline_exceeded

`KINDS` gives each code its status and title; nothing else does.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from types import MappingProxyType
from typing import Final, Literal, TypeAlias

from aiohttp import web

from apps.sdk.chat import ModelError, ModelRateLimited
from apps.sdk.jsontypes import JsonObject

CONTENT_TYPE: Final = "application/problem+json"
TYPE_PREFIX: Final = "urn:shortlist:problem:"
ENCODINGS: Final = ("gzip", "deflate", "identity")
"""What a body may be compressed with."""
CHALLENGE: Final = 'Bearer realm="shortlist"'
RETRY_SOON: Final = 5.0
"""Seconds after which a caller may come again when nothing better is known."""
BUSY_RETRY: Final = 2.0
"""Seconds after which a busy conversation is worth another try, at most: turns take seconds, leases last longer."""
MAX_QUOTED: Final = 100
"""Characters of what a client sent that a problem repeats."""


OverLimitCode: TypeAlias = Literal["body_too_large", "body_too_deep", "url_too_long", "headers_too_large", "too_many_parameters"]


@dataclass(frozen=True, slots=True)
class Kind:
    """The HTTP status and the title that every problem of one code has."""

    status: int
    title: str


KINDS: Final[Mapping[str, Kind]] = MappingProxyType(
    {
        "invalid_header": Kind(400, "A header is invalid"),
        "malformed_body": Kind(400, "The body cannot be read"),
        "malformed_request": Kind(400, "This is no HTTP request"),
        "body_too_deep": Kind(400, "The body is nested too deeply"),
        "too_many_parameters": Kind(400, "The query has too many parameters"),
        "unauthenticated": Kind(401, "A key is needed"),
        "forbidden": Kind(403, "The key does not allow this"),
        "not_found": Kind(404, "Not found"),
        "unknown_skill": Kind(404, "There is no such skill"),
        "method_not_allowed": Kind(405, "This path does not take this method"),
        "disabled": Kind(409, "It may not be used now"),
        "conversation_busy": Kind(409, "Another turn has the conversation"),
        "turn_superseded": Kind(409, "The turn lost its conversation"),
        "idempotency_key_in_use": Kind(409, "The first request with this key still runs"),
        "response_not_stored": Kind(409, "The request is done, its answer was too large to keep"),
        "body_too_large": Kind(413, "The body is too large"),
        "url_too_long": Kind(414, "The URL is too long"),
        "unsupported_media_type": Kind(415, "The body must be JSON"),
        "unsupported_encoding": Kind(415, "The body is compressed in an unknown way"),
        "invalid_request": Kind(422, "The request is invalid"),
        "fork_point_invalid": Kind(422, "No fork begins at that message"),
        "invalid_parameter": Kind(422, "A query parameter is invalid"),
        "idempotency_key_reused": Kind(422, "The key belongs to another request"),
        "token_budget_exhausted": Kind(422, "The turn's token budget is too small"),
        "context_window_exceeded": Kind(422, "The messages are longer than the model's window"),
        "rate_limited": Kind(429, "Too many requests"),
        "tenant_busy": Kind(429, "Too much of this tenant's is running"),
        "headers_too_large": Kind(431, "The headers are too large"),
        "conversation_unreadable": Kind(500, "The stored conversation cannot be read"),
        "internal_error": Kind(500, "Something went wrong on our side"),
        "model_error": Kind(502, "The model gave no usable reply"),
        "model_refused": Kind(502, "The model cannot serve this request"),
        "model_unavailable": Kind(502, "The model cannot be reached"),
        "model_rate_limited": Kind(503, "The model's provider asks for fewer requests"),
        "too_busy": Kind(503, "Too much is running"),
        "shutting_down": Kind(503, "The service is shutting down"),
        "store_unavailable": Kind(503, "The database does not answer"),
        "model_timeout": Kind(504, "The model did not answer in time"),
        "deadline_exceeded": Kind(504, "The deadline has passed"),
    }
)


@dataclass(frozen=True, slots=True)
class FieldError:
    """What is wrong with one field; `pointer` is an RFC 6901 JSON pointer into the body, "" = the body itself."""

    pointer: str
    message: str


class Problem(Exception):
    """Something that the caller is told. `members` are extra fields of the answer, `headers` extra headers."""

    code: str

    def __init__(self, detail: str, *, retry_after: float | None = None, **members: object) -> None:
        super().__init__(detail)
        self.detail = detail
        self.retry_after = None if retry_after is None else max(1, math.ceil(retry_after))
        self.members: JsonObject = members if self.retry_after is None else {**members, "retry_after": self.retry_after}

    @property
    def kind(self) -> Kind:
        """Status and title from the table."""
        return KINDS[self.code]

    @property
    def headers(self) -> dict[str, str]:
        """Headers that belong to it."""
        return {} if self.retry_after is None else {"Retry-After": str(self.retry_after)}


class InvalidHeader(Problem):
    """A request header is not what it must be."""

    code = "invalid_header"

    def __init__(self, header: str, expected: str) -> None:
        super().__init__(f"{header} must be {expected}.", header=header)


class MalformedBody(Problem):
    """The body cannot be read, or is no JSON."""

    code = "malformed_body"


class MalformedRequest(Problem):
    """What came is no HTTP; it is not quoted."""

    code = "malformed_request"

    def __init__(self) -> None:
        super().__init__("The request line, a header or the framing of the body is not as HTTP/1.1 has it.")


class Unauthenticated(Problem):
    """A key is needed. An unknown, a revoked and a malformed one are told the same."""

    code = "unauthenticated"

    def __init__(self, detail: str, *, given: bool) -> None:
        super().__init__(detail)
        self.given = given

    @property
    def headers(self) -> dict[str, str]:
        """The challenge of RFC 6750, section 3; without an error when no key was sent."""
        return {"WWW-Authenticate": CHALLENGE + (', error="invalid_token"' if self.given else "")}


class Forbidden(Problem):
    """The key is good and does not reach so far; `scope` is the one that would, if that is what is missing."""

    code = "forbidden"

    def __init__(self, detail: str, scope: str | None = None) -> None:
        super().__init__(detail)
        self.members = {"scope": scope} if scope else {}
        self.scope = scope

    @property
    def headers(self) -> dict[str, str]:
        """The challenge of RFC 6750, section 3.1, where another scope would do."""
        return {"WWW-Authenticate": f'{CHALLENGE}, error="insufficient_scope", scope="{self.scope}"'} if self.scope else {}


class OverLimit(Problem):
    """Something of the request is over the setting named `limit_name`."""

    def __init__(self, code: OverLimitCode, what: str, limit_name: str, limit: int) -> None:
        self.code = code
        super().__init__(f"{what} ({limit_name}).", limit=limit, limit_name=limit_name)


class RateLimited(Problem):
    """More requests in a minute than the setting named `limit_name` allows."""

    code = "rate_limited"

    def __init__(self, limit_name: str, limit: int, retry_after: float) -> None:
        detail = f"At most {limit} requests a minute ({limit_name})."
        super().__init__(detail, retry_after=retry_after, limit=limit, limit_name=limit_name)


class NotFound(Problem):
    """There is no such thing."""

    code = "not_found"


class UnknownSkill(Problem):
    """There is no such skill; `close` are names that are near."""

    code = "unknown_skill"

    def __init__(self, name: str, close: Sequence[str] = ()) -> None:
        super().__init__(f"There is no skill {name[:MAX_QUOTED]!r}.", close=list(close))


class MethodNotAllowed(Problem):
    """The path exists, but not with this method."""

    code = "method_not_allowed"

    def __init__(self, method: str, allowed: Sequence[str]) -> None:
        super().__init__(f"This path takes {', '.join(allowed)}, not {method[:MAX_QUOTED]}.", allowed=list(allowed))
        self.allowed = tuple(allowed)

    @property
    def headers(self) -> dict[str, str]:
        """`Allow`, as RFC 9110 wants it."""
        return {"Allow": ", ".join(self.allowed)}


class Disabled(Problem):
    """It exists and may not be used now, say because of an override or a missing credential."""

    code = "disabled"

    def __init__(self, id: str, reason: str) -> None:  # noqa: A002
        super().__init__(f"{id} is disabled: {reason}", id=id, reason=reason)


class ConversationBusyNow(Problem):
    """Another turn has the conversation; one at a time may."""

    code = "conversation_busy"

    def __init__(self, retry_after: float) -> None:
        soon = min(retry_after, BUSY_RETRY)
        super().__init__("A turn of this conversation runs; the next may begin when it has ended.", retry_after=soon)


class Superseded(Problem):
    """The turn's conversation was deleted, or another turn has taken it; nothing of this one was written since."""

    code = "turn_superseded"

    def __init__(self) -> None:
        super().__init__("The conversation was deleted, or another turn has taken it over.")


class ForkPointRefused(Problem):
    """A fork begins at a user's message or at a final answer."""

    code = "fork_point_invalid"

    def __init__(self) -> None:
        super().__init__("A fork begins at a user's message or at a final answer of this conversation.")


class Unreadable(Problem):
    """What is stored of the conversation is damaged, or was written by a newer version; it was left as it is."""

    code = "conversation_unreadable"

    def __init__(self, *, newer: bool) -> None:
        super().__init__(
            "A newer version of the service wrote it: update this one."
            if newer
            else "What is stored of it is damaged; it was left as it is."
        )


class KeyInUse(Problem):
    """The first request with this idempotency key still runs."""

    code = "idempotency_key_in_use"

    def __init__(self, retry_after: float) -> None:
        super().__init__("The first request with this Idempotency-Key has not ended yet.", retry_after=retry_after)


class ResponseNotStored(Problem):
    """The request was carried out and will not run again; its answer was larger than what is kept. `original_status` is known."""

    code = "response_not_stored"

    def __init__(self, original_status: int, limit: int) -> None:
        detail = (
            f"The request ended with status {original_status}; it does not run again. Answers over {limit} bytes are not kept."
        )
        super().__init__(detail, original_status=original_status, limit=limit)


class BodyTooLarge(OverLimit):
    """The body is over the limit, in bytes after decompression."""

    def __init__(self, limit: int) -> None:
        super().__init__("body_too_large", f"A body may have at most {limit} bytes", "SHORTLIST_BODY_LIMIT", limit)


class UnsupportedMediaType(Problem):
    """The body is declared as something other than JSON in UTF-8."""

    code = "unsupported_media_type"

    def __init__(self) -> None:
        super().__init__("Send the body as Content-Type: application/json, in UTF-8.")


class UnsupportedEncoding(Problem):
    """The body is compressed in a way that is not read here."""

    code = "unsupported_encoding"

    def __init__(self) -> None:
        super().__init__(f"A body's Content-Encoding may be one of {', '.join(ENCODINGS)}.")

    @property
    def headers(self) -> dict[str, str]:
        """What is read, as RFC 9110, section 12.5.3 has it."""
        return {"Accept-Encoding": ", ".join(ENCODINGS)}


class InvalidRequest(Problem):
    """The body is JSON and its fields are wrong."""

    code = "invalid_request"

    def __init__(self, errors: Sequence[FieldError], *, left_out: int = 0) -> None:
        count = len(errors) + left_out
        detail = f"{errors[0].pointer or 'The body'}: {errors[0].message}" if count == 1 else f"{count} fields are invalid."
        wire: list[JsonObject] = [{"pointer": error.pointer, "message": error.message} for error in errors]
        super().__init__(detail, errors=wire, **({"errors_left_out": left_out} if left_out else {}))
        self.errors = tuple(errors)


class InvalidParameter(Problem):
    """A query parameter is not what it must be."""

    code = "invalid_parameter"

    def __init__(self, parameter: str, expected: str) -> None:
        super().__init__(f"{parameter} must be {expected}.", parameter=parameter)


class TokenBudgetExhausted(Problem):
    """The next model call would pass the turn's token budget."""

    code = "token_budget_exhausted"

    def __init__(self, budget: int) -> None:
        super().__init__(f"The turn's budget of {budget} tokens does not allow a model call.", limit=budget)


class KeyReused(Problem):
    """The idempotency key belongs to a request with another method, path or body."""

    code = "idempotency_key_reused"

    def __init__(self) -> None:
        super().__init__("This Idempotency-Key was sent with a different request before: use a new key.")


class HttpProblem(Problem):
    """What the HTTP server itself refuses, say an URL that is too long; code and title follow from the status."""

    def __init__(self, status: int) -> None:
        self.status = status
        self.code = f"http_{status}"
        super().__init__(HTTPStatus(status).description or HTTPStatus(status).phrase)

    @property
    def kind(self) -> Kind:
        """The status' own phrase."""
        return Kind(self.status, HTTPStatus(self.status).phrase)


class InternalProblem(Problem):
    """Anything unexpected; the details are in the log under the request's id."""

    code = "internal_error"

    def __init__(self) -> None:
        super().__init__("The details are in the log under this request's id.")


class ModelFailed(Problem):
    """No model gave a usable reply and there was nothing else to answer with. The provider's own words are not shown."""

    def __init__(self, error: ModelError) -> None:
        self.code = error.code if error.code in KINDS else ModelError.code
        retry_after = RETRY_SOON if isinstance(error, ModelRateLimited) else None
        super().__init__(f"The model {error.model} failed.", retry_after=retry_after, model=error.model)


class TooBusy(Problem):
    """As many run at once as the setting named `limit_name` allows."""

    code = "too_busy"

    def __init__(self, limit_name: str, limit: int, retry_after: float = RETRY_SOON) -> None:
        super().__init__(f"At most {limit} at once ({limit_name}).", retry_after=retry_after, limit=limit, limit_name=limit_name)


class TenantBusy(TooBusy):
    """As many of one tenant's run at once as the setting allows; those of others may."""

    code = "tenant_busy"


class ShuttingDown(Problem):
    """No new work is taken any more."""

    code = "shutting_down"

    def __init__(self, retry_after: float = RETRY_SOON) -> None:
        super().__init__("No new work is taken; another replica, or this one after its restart, will.", retry_after=retry_after)


class StoreDown(Problem):
    """The database does not answer."""

    code = "store_unavailable"

    def __init__(self) -> None:
        super().__init__("What must last cannot be read or written now.", retry_after=RETRY_SOON)


class DeadlineExceeded(Problem):
    """The deadline passed before there was anything to answer with."""

    code = "deadline_exceeded"

    def __init__(self, seconds: float) -> None:
        super().__init__(f"There was no answer within {seconds:g} seconds.", limit=seconds)


def describe_problem(problem: Problem, instance: str | None) -> JsonObject:
    """The members of RFC 9457, then `code` and the problem's own; `instance` is the request's id."""
    kind = problem.kind
    standard = {"type": TYPE_PREFIX + problem.code, "title": kind.title, "status": kind.status, "detail": problem.detail}
    return {**standard, **({"instance": instance} if instance else {}), "code": problem.code, **problem.members}


def render_problem(problem: Problem, instance: str | None) -> web.Response:
    """The problem as a response."""
    # Not orjson: what a problem quotes may hold lone surrogates, and must not make it a second problem.
    body = json.dumps(describe_problem(problem, instance), separators=(",", ":"), default=str).encode()
    return web.Response(status=problem.kind.status, body=body, content_type=CONTENT_TYPE, headers=problem.headers)
