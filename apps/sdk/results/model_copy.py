"""The copy of a result that a model is given, and what it costs there."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

from apps.sdk.jsontypes import Json
from apps.sdk.results.characters import Cleaned, clean_characters
from apps.sdk.results.paths import exclude_fields
from apps.sdk.results.shape import align_rows
from apps.sdk.results.toon import encode
from apps.sdk.tokens import estimate_tokens


@dataclass(frozen=True, slots=True)
class ModelText:
    """A result as TOON with its tokens, and the tokens of the same fields as compact JSON; both are estimates."""

    toon: str
    tokens: int
    json_tokens: int


def copy_for_model(value: Json) -> Cleaned:
    """Without hidden characters, rows in one shape. `value` itself is left alone."""
    cleaned = clean_characters(value)
    return Cleaned(align_rows(cleaned.value), cleaned.removed)


def write_for_model(value: Json, excluded: Sequence[str] = ()) -> ModelText:
    """The model's copy as text, without the `excluded` paths."""
    shown = exclude_fields(value, excluded)
    toon = encode(copy_for_model(shown).value)
    compact = json.dumps(shown, ensure_ascii=False, separators=(",", ":"))
    return ModelText(toon, estimate_tokens(toon), estimate_tokens(compact))
