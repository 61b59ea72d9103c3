"""Which of the available skills this message needs: the cheap model's picks and the ranking's hits, united.

The ranking always runs; when the model is not there, slow or talking nonsense, it decides alone and the result says so.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal, TypeAlias

from apps.sdk.catalog import Catalog
from apps.sdk.chat import ChatModel, ChatRequest, Message, ModelError, ModelReply, ModelTimeout, Usage
from apps.sdk.jsontypes import JsonObject
from apps.sdk.schemas.dialects.profiles import COMMON, Profile
from apps.sdk.schemas.parameters import compile_validator
from apps.sdk.tokens import estimate_request
from preprocessor.expand import Expansion
from preprocessor.prompt import FOCUS_MODES, MEMORIES, NEEDS, SKILLS, Candidates, PreselectionTexts, adapt_function, build_request
from preprocessor.ranking import rank_message, rank_texts
from preprocessor.reply import Failed, read_extra, read_needs, read_reply
from preprocessor.retrieval.retriever import Retriever
from preprocessor.settings import PreprocessSettings
from preprocessor.validate import Rejected, Validated, scope_items, scope_skills, validate_names

if TYPE_CHECKING:
    from jsonschema.protocols import Validator

RANK_IN_THREAD = 300
"""Skills from which a ranking takes milliseconds: 12 to 20 at 1,000 (benchmarks/)."""
MODEL_SHARE = 1 / 3
"""Of the turn's time, at most so much is the cheap model's: the main model needs the rest."""

PickSource: TypeAlias = Literal["model", "ranking", "need"]


@dataclass(frozen=True, slots=True)
class Selected:
    """A skill picked for this message, by whom, and its best ranking score (0 when the ranking does not know it)."""

    name: str
    sources: tuple[PickSource, ...]
    score: float


@dataclass(frozen=True, slots=True)
class Preselection:
    """What was picked, in expansion order, and how it came about.

    `degraded` names why the model's word is missing although there is a model: a `ModelError` code, or what was wrong with its
    reply. `decided_by` is `ranking` then, and also when there is no model at all. `considered` counts the skills ranked,
    `prompt_tokens` estimates the model's prompt.
    """

    skills: tuple[Selected, ...] = ()
    focus_modes: tuple[str, ...] = ()
    memories: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()
    extra: JsonObject = field(default_factory=dict)
    dropped: tuple[Rejected, ...] = ()
    repaired: tuple[tuple[str, str], ...] = ()
    degraded: str | None = None
    decided_by: Literal["model", "ranking"] = "ranking"
    model: str | None = None
    usage: Usage = field(default_factory=Usage)
    prompt_tokens: int = 0
    considered: int = 0

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(selected.name for selected in self.skills)


@dataclass(frozen=True, slots=True)
class _Word:
    """What came of asking the model; without `fields` it has said nothing usable."""

    fields: JsonObject | None = None
    problem: str | None = None
    model: str | None = None
    usage: Usage = field(default_factory=Usage)
    prompt_tokens: int = 0


@dataclass(frozen=True, slots=True)
class Preselector:
    """Preselects on one catalog. `model` None: the ranking decides, as the offline stand-in of the cheap model.

    `profile` is that of the model's family.
    """

    catalog: Catalog
    retriever: Retriever
    texts: PreselectionTexts
    settings: PreprocessSettings
    model: ChatModel | None = None
    profile: Profile = COMMON
    _extra: Mapping[str, Validator] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        validators = {name: compile_validator(schema) for name, schema in self.texts.extra.items()}
        object.__setattr__(self, "_extra", MappingProxyType(validators))

    async def preselect(
        self,
        expansion: Expansion,
        messages: Sequence[Message],
        time_left: float | None = None,
        token_budget: int | None = None,
    ) -> Preselection:
        """Rank, ask the model, validate, rank its needs, unite. Never raises for what a model does.

        `time_left`, in seconds, is the turn's, of which the model gets its share at most; a `token_budget` too small for the
        call leaves it to the ranking, `degraded` as `token_budget`.
        """
        scope = dict.fromkeys(expansion.available)
        ranked = await self._rank(messages, scope)
        candidates = self._narrow(expansion, ranked)
        word = await self._ask(candidates, messages, time_left, token_budget)
        fields = word.fields or {}
        skills, modes, memories = self._validate(fields, expansion, candidates)
        needs = read_needs(fields.get(NEEDS))
        extra, invalid = read_extra(fields, self._extra)
        by_need = rank_texts(self.retriever, needs, scope, self.settings.selected_max)
        selected, left_out = unite(expansion.available, skills.names, ranked, by_need, self.settings)
        return Preselection(
            skills=selected,
            focus_modes=tuple(mode_id for mode_id in expansion.focus_modes if mode_id in modes.names),
            memories=tuple(memory_id for memory_id in expansion.memories if memory_id in memories.names),
            needs=needs,
            extra=extra,
            dropped=(*skills.rejected, *modes.rejected, *memories.rejected, *invalid, *left_out),
            repaired=(*skills.repaired, *modes.repaired, *memories.repaired),
            degraded=word.problem,
            decided_by="ranking" if word.fields is None else "model",
            model=word.model,
            usage=word.usage,
            prompt_tokens=word.prompt_tokens,
            considered=len(scope),
        )

    async def _rank(self, messages: Sequence[Message], scope: Mapping[str, None]) -> dict[str, float]:
        """The ranking; of a large catalog in a thread, so that nobody else waits for it."""
        if len(scope) < RANK_IN_THREAD:
            return rank_message(self.retriever, messages, scope, self._ranking_limit)
        return await asyncio.to_thread(rank_message, self.retriever, messages, scope, self._ranking_limit)

    @property
    def _ranking_limit(self) -> int:
        return max(self.settings.selected_max, self.settings.candidates)

    def _narrow(self, expansion: Expansion, ranked: Iterable[str]) -> Candidates:
        """Every available skill; above the limit the best-ranked, filled up in catalog order, listed in catalog order."""
        most = self.settings.candidates
        skills = expansion.available
        if len(skills) > most:
            chosen = frozenset(list(dict.fromkeys((*ranked, *skills)))[:most])
            skills = tuple(name for name in skills if name in chosen)
        return Candidates(skills, expansion.focus_modes[:most], expansion.memories[:most])

    async def _ask(
        self, candidates: Candidates, messages: Sequence[Message], time_left: float | None, token_budget: int | None
    ) -> _Word:
        if self.model is None or not candidates:
            return _Word()
        request = build_request(self.catalog, candidates, messages, self.texts, self.settings)
        if request is None:
            return _Word()
        function, plan = adapt_function(request.tools[0], self.profile)
        request = replace(request, tools=(function,))
        tokens = estimate_request(request)
        if token_budget is not None and tokens > token_budget:
            return _Word(problem="token_budget", model=self.model.name)
        limit = self.settings.time_limit
        if time_left is not None:
            limit = max(0.0, min(time_left * MODEL_SHARE, limit))
        reply = await complete_in_time(self.model, request, limit)
        if isinstance(reply, Failed):
            return _Word(None, reply.code, self.model.name, prompt_tokens=tokens)
        fields = read_reply(reply, self.texts, plan)
        if isinstance(fields, Failed):
            return _Word(None, fields.code, reply.model, reply.usage, tokens)
        return _Word(fields, None, reply.model, reply.usage, tokens)

    def _validate(
        self, fields: JsonObject, expansion: Expansion, candidates: Candidates
    ) -> tuple[Validated, Validated, Validated]:
        modes = scope_items(self.catalog.focus_modes, expansion.focus_modes, candidates.focus_modes)
        memories = scope_items(self.catalog.memories, expansion.memories, candidates.memories)
        return (
            validate_names(fields.get(SKILLS), scope_skills(expansion, candidates.skills)),
            validate_names(fields.get(FOCUS_MODES), modes),
            validate_names(fields.get(MEMORIES), memories),
        )


async def complete_in_time(model: ChatModel, request: ChatRequest, limit: float) -> ModelReply | Failed:
    """The model's reply within `limit` seconds, or what went wrong."""
    try:
        async with asyncio.timeout(limit):
            return await model.complete(request)
    except ModelError as error:
        return Failed(error.code)
    except TimeoutError:
        return Failed(ModelTimeout.code)
    except Exception:  # noqa: BLE001 - whatever a model's adapter does, the ranking can still decide
        return Failed(ModelError.code)


def unite(
    order: Sequence[str],
    picks: Sequence[str],
    ranked: Mapping[str, float],
    by_need: Mapping[str, float],
    settings: PreprocessSettings,
) -> tuple[tuple[Selected, ...], tuple[Rejected, ...]]:
    """The picks, then the hits above the floor while there is room, all in the order of `order`; and the picks beyond the cap.

    Among the picks, and then among the hits, those of the needs and of the message alike, the better score has room first;
    of picks with one score the one written first. Same set, same order.
    """
    scores = {name: max(ranked.get(name, 0.0), by_need.get(name, 0.0)) for name in order}
    hits = {
        "model": dict.fromkeys(picks),
        "need": {name: None for name, score in by_need.items() if score > settings.floor},
        "ranking": {name: None for name, score in ranked.items() if score > settings.floor},
    }
    best = (
        name for group in (picks, {**hits["need"], **hits["ranking"]}) for name in sorted(group, key=lambda name: -scores[name])
    )
    chosen = frozenset(islice(dict.fromkeys(best), settings.selected_max))
    sources: tuple[PickSource, ...] = ("model", "need", "ranking")
    selected = (
        Selected(name, tuple(source for source in sources if name in hits[source]), round(scores[name], 4))
        for name in order
        if name in chosen
    )
    return tuple(selected), tuple(Rejected(name, "over_limit") for name in picks if name not in chosen)
