"""Which field somebody meant."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from preprocessor.intent import Intent
from service.field_names import phrase_error, suggest_field
from service.http.schemas import TurnBody


@pytest.mark.parametrize(
    ("path", "meant"),
    [
        (("mesages",), "messages"),
        (("intent", "disable"), "disabled"),
        (("messages", 0, "user", "contents"), "content"),
        (("messages", 0, "assistant", "tool_call"), "tool_calls"),
        (("messages", 0, "assistant", "tool_calls", 0, "function", "argument"), "arguments"),
        (("disable",), None),
        (("zzz",), None),
        (("x" * 100_000,), None),
        ((), None),
    ],
)
def test_the_nearest_field_of_that_place_is_meant(path: tuple[int | str, ...], meant: str | None) -> None:
    """Also inside lists and unions; a field of another place is not, nor one that is far."""
    assert suggest_field(TurnBody, path) == meant


def test_only_an_unknown_field_gets_advice() -> None:
    """Other errors keep their words."""
    with pytest.raises(ValidationError) as raised:
        Intent.model_validate({"disable": ["x"], "enabled": 3})
    told = {item["loc"]: phrase_error(item, Intent) for item in raised.value.errors()}
    assert told["disable",].endswith("; did you mean 'disabled'?")
    assert "did you mean" not in told["enabled",]
    assert "did you mean" not in " ".join(phrase_error(item, None) for item in raised.value.errors())
