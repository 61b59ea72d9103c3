"""The tree of problems, its table and its wire form."""

import inspect
import json
from collections.abc import Iterator
from typing import TypeVar, get_args

import pytest

from apps.sdk import chat
from apps.sdk.chat import ContextWindowExceeded, ModelError, ModelRateLimited, ModelRefused, ModelTimeout, ModelUnavailable
from service.http import problems
from service.http.problems import (
    KINDS,
    BodyTooLarge,
    FieldError,
    HttpProblem,
    InternalProblem,
    InvalidRequest,
    KeyInUse,
    MethodNotAllowed,
    ModelFailed,
    NotFound,
    OverLimitCode,
    Problem,
    UnknownSkill,
    describe_problem,
    render_problem,
)

E = TypeVar("E", bound=Exception)


def subclasses(kind: type[E], module: object) -> Iterator[type[E]]:
    return (item for _, item in inspect.getmembers(module, inspect.isclass) if issubclass(item, kind) and item is not kind)


def test_the_table_and_the_tree_agree() -> None:
    """Every problem and every model error has a row in the table, every row is used, and the docstring draws every class."""
    own = {item.code for item in subclasses(Problem, problems) if "code" in vars(item)} | set(get_args(OverLimitCode))
    models = {ModelError.code, *(item.code for item in subclasses(ModelError, chat))}
    assert own | models == set(KINDS)
    for item in subclasses(Problem, problems):
        assert f"── {item.__name__} " in (problems.__doc__ or "").replace("\n", " "), item


def test_a_problem_is_described_as_the_rfc_wants() -> None:
    """type, title, status, detail and instance, then the code and the problem's own members."""
    assert describe_problem(BodyTooLarge(1024), "req-1") == {
        "type": "urn:shortlist:problem:body_too_large",
        "title": "The body is too large",
        "status": 413,
        "detail": "A body may have at most 1024 bytes (SHORTLIST_BODY_LIMIT).",
        "instance": "req-1",
        "code": "body_too_large",
        "limit": 1024,
        "limit_name": "SHORTLIST_BODY_LIMIT",
    }
    assert "instance" not in describe_problem(NotFound("No."), None)


def test_a_rendered_problem_has_its_headers() -> None:
    """Media type and status fit; Retry-After is whole seconds, at least one, and repeated as a member."""
    response = render_problem(KeyInUse(0.2), "req-1")
    assert (response.status, response.content_type, response.headers["Retry-After"]) == (409, "application/problem+json", "1")
    assert isinstance(response.body, bytes)
    assert json.loads(response.body)["retry_after"] == 1
    assert render_problem(MethodNotAllowed("BREW", ["GET", "POST"]), None).headers["Allow"] == "GET, POST"


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (ModelUnavailable, 502),
        (ModelRefused, 502),
        (ModelRateLimited, 503),
        (ModelTimeout, 504),
        (ContextWindowExceeded, 422),
        (ModelError, 502),
    ],
)
def test_model_errors_become_gateway_problems(error: type[ModelError], status: int) -> None:
    """Each ModelError has its status; the provider's own words, which may quote a key or a message, are not shown."""
    problem = ModelFailed(error("gpt-x", "sk-secret in a quoted message"))
    wire = describe_problem(problem, None)
    assert (problem.kind.status, wire["code"], wire["model"]) == (status, error.code, "gpt-x")
    assert "sk-secret" not in json.dumps(wire)
    assert ("Retry-After" in problem.headers) == (error is ModelRateLimited)


def test_an_unknown_model_error_is_still_told() -> None:
    """A ModelError of a kind that the table lacks is a plain model_error."""

    class Strange(ModelError):
        code = "strange"

    assert ModelFailed(Strange("m", "d")).kind.status == 502


def test_one_wrong_field_is_named_in_the_detail() -> None:
    """With one error the detail says which; with more it counts them, those left out too."""
    assert InvalidRequest([FieldError("/a", "is bad")]).detail == "/a: is bad"
    assert InvalidRequest([FieldError("", "is bad")]).detail == "The body: is bad"
    many = InvalidRequest([FieldError("/a", "is bad"), FieldError("/b", "is bad")], left_out=3)
    assert (many.detail, many.members["errors_left_out"]) == ("5 fields are invalid.", 3)


def test_what_the_server_refuses_has_the_status_own_words() -> None:
    """A status without a problem of its own gets code and title from the status."""
    wire = describe_problem(HttpProblem(414), None)
    assert (wire["code"], wire["status"]) == ("http_414", 414)
    assert wire["title"]


def test_an_internal_problem_tells_nothing() -> None:
    """Nothing but the request's id leads to what happened."""
    assert set(describe_problem(InternalProblem(), "r")) == {"type", "title", "status", "detail", "instance", "code"}


def test_hostile_text_in_a_problem_is_harmless() -> None:
    """A lone surrogate is escaped instead of failing; a name of a megabyte is not repeated whole."""
    body = render_problem(UnknownSkill("\udcff" * 1_000_000), None).body
    assert isinstance(body, bytes)
    assert len(body) < 2_000
    assert json.loads(body)["code"] == "unknown_skill"
