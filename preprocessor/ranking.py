"""What the ranking says to a message: asked as a whole and part by part, and with what a short follow-up refers to."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence

from apps.sdk.chat import Message
from apps.sdk.truncation import shorten_middle
from preprocessor.retrieval.retriever import Retriever

STRONG = 0.6
"""A short message with a hit above this speaks for itself; what was said before it is not asked."""
FOLLOW_UP_WORDS = 4
"""A message of at most so many telling words is asked together with the user's message before it."""
FOLLOW_UP_WEIGHT = 0.8
"""What the message before it is worth."""
MAX_QUERY = 2_000
"""Characters of a message that are asked; the head and the tail of a longer one stay."""
MAX_PARTS = 6

_SENTENCE_END = re.compile(r"(?<=[.?!])\s+|[;\n]+|(?<=[。！？；])")
_JOINT = re.compile(r",? (?:and|then|also|plus|as well as|und|et|y) |, (?=\w+ \w+ )", re.IGNORECASE)


def rank_message(retriever: Retriever, messages: Sequence[Message], names: Collection[str], limit: int) -> dict[str, float]:
    """Scores by tool name for the last user message, best first; none for small talk.

    A short message ("and Paris?") that finds nothing strong is asked together with the user's message before it, which
    weighs less. Scores of several queries are fused by their maximum.
    """
    texts = [shorten_middle(message.text, MAX_QUERY) for message in reversed(messages) if message.role == "user"]
    latest, previous = (*texts[:2], "", "")[:2]
    words = retriever.count_words(latest)
    if not words:
        return {}
    scores = rank_texts(retriever, split_parts(latest, retriever), names, limit)
    if previous and words <= FOLLOW_UP_WORDS and max(scores.values(), default=0.0) <= STRONG:
        texts = [*split_parts(previous, retriever), f"{previous} {latest}"]
        earlier = rank_texts(retriever, texts, names, limit)
        scores = fuse(scores, {name: score * FOLLOW_UP_WEIGHT for name, score in earlier.items()})
    return scores


def rank_texts(retriever: Retriever, texts: Iterable[str], names: Collection[str], limit: int) -> dict[str, float]:
    """The best score that any of `texts` gives each skill."""
    return fuse(*({hit.name: hit.score for hit in retriever.rank(text, names, limit)} for text in texts))


def fuse(*rankings: Mapping[str, float]) -> dict[str, float]:
    """The maximum of each name's scores, best first; ties in the order in which they were first found."""
    fused: dict[str, float] = {}
    for ranking in rankings:
        for name, score in ranking.items():
            fused[name] = max(score, fused.get(name, 0.0))
    return dict(sorted(fused.items(), key=lambda item: -item[1]))


def split_parts(text: str, retriever: Retriever) -> tuple[str, ...]:
    """The whole text first, then at most a few sentences and their parts around "and": those of at least two words."""
    sentences = [" ".join(sentence.split()) for sentence in _SENTENCE_END.split(text)]
    pieces = [piece.strip() for sentence in sentences for piece in (sentence, *_JOINT.split(sentence))]
    telling = [piece for piece in dict.fromkeys(pieces) if piece and piece != text and retriever.count_words(piece) >= 2]
    return (text, *telling[:MAX_PARTS])
