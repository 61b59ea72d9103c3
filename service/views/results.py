"""A call's results, as callers and event streams are told."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from apps.sdk.jsontypes import Json, JsonObject
from executor.render import Rendered, full_json
from executor.results import CallResult
from service.views.view import View


class ExecutionView(View):
    """One call's results in request order, in full and as a model reads them."""

    id: str
    name: str
    outcome: Literal["ok", "partial", "error"]
    result: JsonObject
    toon: Json = Field(description="TOON text, or the content blocks that the skill gave.")
    rows_left_out: int = Field(description="Rows over the limit for models; `result` has them.")
    characters_removed: int = Field(description="Hidden control characters taken out of the model's copy.")


def describe_result(result: CallResult, rendered: Rendered) -> ExecutionView:
    """The result and what the model sees of it."""
    return ExecutionView(
        id=result.call_id,
        name=result.name,
        outcome=result.outcome,
        result=full_json(result),
        toon=rendered.content,
        rows_left_out=rendered.rows_left_out,
        characters_removed=rendered.characters_removed,
    )


def summarise_result(result: CallResult, rendered: Rendered) -> JsonObject:
    """What an event tells of a finished call: how each request went, and what the model is given."""
    requests = [{"id": entry.id, "status": entry.status, "seconds": round(entry.seconds, 6)} for entry in result.entries]
    outcome = {"id": result.call_id, "name": result.name, "outcome": result.outcome}
    return {**outcome, "requests": requests, "toon": rendered.content}
