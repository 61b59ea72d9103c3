"""Which field somebody meant who wrote one that a model does not have."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, get_args

from pydantic import BaseModel

from apps.sdk.near_names import ask, find_near

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

    from apps.sdk.jsontypes import Json


def phrase_error(item: ErrorDetails, model: type[BaseModel] | None) -> str:
    """Pydantic's words about one error; with the `model`, an unknown field gets the near one beside it."""
    words = item["msg"].removeprefix("Value error, ").removeprefix("Assertion failed, ")
    meant = suggest_field(model, item["loc"]) if model and item["type"] == "extra_forbidden" else None
    return f"{words}; {ask(meant)}" if meant else words


def suggest_field(model: type[BaseModel], path: Sequence[int | str]) -> str | None:
    """The field that is nearest to the unknown one at the end of `path`, if any is near."""
    models = [model]
    for part in path[:-1]:
        inner = [found for outer in models for found in _find_inner(outer, part)]
        models = inner or models  # indexes, and pydantic's names for the branches of unions, lead to no field
    known = {name for found in models for name in _list_names(found)}
    return next(iter(find_near(str(path[-1]), known)), None) if path else None


def _list_names(model: type[BaseModel]) -> Iterator[str]:
    return (field.alias or name for name, field in model.model_fields.items())


def _find_inner(model: type[BaseModel], part: int | str) -> Iterator[type[BaseModel]]:
    for name, field in model.model_fields.items():
        if part == (field.alias or name):
            yield from _find_models(field.annotation)


def _find_models(annotation: Json) -> Iterator[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for inner in get_args(annotation):
        yield from _find_models(inner)
