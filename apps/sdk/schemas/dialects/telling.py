"""What becomes of a limit or a note: a keyword where the family has one, else words, and a line in the report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from apps.sdk.jsontypes import Json, JsonObject
from apps.sdk.schemas.dialects.notation import word_limit
from apps.sdk.schemas.dialects.profiles import Profile
from apps.sdk.schemas.dialects.records import Lost, Steps
from apps.sdk.schemas.dialects.regexes import is_portable
from apps.sdk.schemas.dialects.shapes import ANNOTATIONS, Shape
from apps.sdk.truncation import shorten


@dataclass(slots=True)
class Teller:
    """Tells of one schema; `lost` grows meanwhile."""

    profile: Profile
    lost: list[Lost] = field(default_factory=list)
    counts: int = 0

    def tell(self, path: Steps, keyword: str, words: str) -> tuple[str, ...]:
        """A meaning that goes into the description."""
        self.lost.append(Lost(path, keyword, words))
        return (words,)

    def lose(self, path: Steps, keyword: str, meaning: str) -> None:
        """A meaning that nothing says."""
        self.lost.append(Lost(path, keyword, meaning, told=False))

    def tell_notes(self, shape: Shape, path: Steps) -> tuple[str, ...]:
        """The meanings of a shape that are words already."""
        return tuple(note for words in shape.notes for note in self.tell(path, "rule", words))

    def limit(self, limits: Mapping[str, Json], path: Steps) -> tuple[JsonObject, tuple[str, ...]]:
        """The limits that can be sent, and the others in words."""
        return self._sort({key: value for key, value in limits.items() if key not in ANNOTATIONS}, path)

    def tell_limits(self, limits: Mapping[str, Json], path: Steps) -> tuple[str, ...]:
        """All limits in words, where the value is not sent as what it is."""
        told = [(key, word_limit(key, value)) for key, value in limits.items() if key not in ANNOTATIONS]
        return tuple(note for key, words in told for note in self.tell(path, key, words))

    def annotate(self, limits: Mapping[str, Json], path: Steps) -> tuple[JsonObject, tuple[str, ...]]:
        """Default and examples, as `limit` does it; they cannot stand beside a lone `anyOf`."""
        own = {key: limits[key] for key in ANNOTATIONS if key in limits}
        if self.profile.lone_any_of:
            return {}, tuple(note for key, value in own.items() for note in self.tell(path, key, word_limit(key, value)))
        return self._sort(own, path)

    def join_texts(self, description: str, notes: Sequence[str], path: Steps) -> str:
        """One description: the author's, then the notes; when it is cut, that is lost."""
        told = "; ".join(dict.fromkeys(notes))
        text = f"{description} ({told})" if description and told else description or told
        if len(text) > self.profile.max_description:
            self.lose(path, "description", f"cut to {self.profile.max_description} characters")
        return shorten(text, self.profile.max_description)

    def _sort(self, limits: Mapping[str, Json], path: Steps) -> tuple[JsonObject, tuple[str, ...]]:
        sent = {key: value for key, value in limits.items() if self._takes(key, value)}
        told = [(key, word_limit(key, value)) for key, value in limits.items() if key not in sent]
        return sent, tuple(note for key, words in told for note in self.tell(path, key, words))

    def _takes(self, keyword: str, value: Json) -> bool:
        if keyword not in self.profile.keywords:
            return False
        if keyword == "format":
            return self.profile.formats is None or value in self.profile.formats
        if keyword == "pattern":
            return is_portable(value, lookarounds=self.profile.lookarounds)
        return keyword not in {"minItems", "maxItems"} or self._can_count(value)

    def _can_count(self, value: int) -> bool:
        """Whether a number of items can be sent; servers that make grammars of it refuse none as well as many."""
        if self.profile.max_counts is None:
            return True
        if not 0 < value <= self.profile.max_counts - self.counts:
            return False
        self.counts += value
        return True
