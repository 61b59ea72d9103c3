"""Listed values as a provider takes them: as they are, or as texts that stand for them."""

from __future__ import annotations

import json
from collections.abc import Sequence

from apps.sdk.jsontypes import Json
from apps.sdk.schemas.dialects.profiles import Profile
from apps.sdk.schemas.dialects.shapes import kind_of

_EMPTY = "(empty)"


def need_texts(values: Sequence[Json], profile: Profile) -> bool:
    """Whether some value cannot be sent as it is, or all of them only as alternatives that the family does not take."""
    if profile.text_enums or (profile.alternatives == 1 and len({kind_of(value) for value in values}) > 1):
        return any(not isinstance(value, str) or not value for value in values)
    return any(isinstance(value, dict | list) for value in values)


def make_texts(values: Sequence[Json]) -> dict[str, Json]:
    """A text for each value: a text is itself, another value its JSON; two that would read the same are told apart."""
    taken = {value for value in values if isinstance(value, str)}
    texts: dict[str, Json] = {}
    for value in values:
        text = value
        if not isinstance(value, str) or not value:
            text = _EMPTY if value == "" else json.dumps(value, ensure_ascii=False)
            while text in taken or text in texts:
                text = f"{text} (not text)"
        texts[text] = value
    return texts
