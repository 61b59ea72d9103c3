"""How the ranking places the skills' own examples: each as a message that the index has never seen."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from apps.sdk.catalog import Catalog, SkillSpec
from apps.sdk.chat import Message
from preprocessor.ranking import rank_message
from preprocessor.retrieval.leave_one_out import LeaveOneOut


@dataclass(frozen=True, slots=True)
class ExampleRank:
    """Where an example's own skill came; `ahead` is the skill that beat it, if one did, and `ahead_by` says by how much."""

    skill: str
    example: str
    score: float
    above_floor: bool
    ahead: str | None = None
    ahead_by: float = 0.0

    @property
    def is_first(self) -> bool:
        """Whether the skill was found and no other scored more."""
        return self.ahead is None and self.score > 0


def rank_examples(catalog: Catalog, skills: Iterable[SkillSpec], floor: float) -> Iterator[ExampleRank]:
    """Each example of `skills` among all skills of the catalog, ranked by an index without it.

    Takes as long as indexing the catalog, and some milliseconds for each example.
    """
    trials = LeaveOneOut(catalog)
    for skill in skills:
        for example in dict.fromkeys(skill.examples):
            index = trials.index_without(skill, example)
            scores = rank_message(index, [Message("user", example)], catalog.skills, len(catalog.skills))
            yield _judge(skill.tool_name, example, scores, floor)


def _judge(name: str, example: str, scores: dict[str, float], floor: float) -> ExampleRank:
    score = scores.get(name, 0.0)
    best, best_score = next(iter(scores.items()), (name, 0.0))
    if best_score <= score:
        return ExampleRank(name, example, score, score > floor)
    return ExampleRank(name, example, score, score > floor, best, best_score - score)
