"""Stand-ins for use without any language model; each says in every answer what it is.

The stand-in for the main model knows no skill: it asks the skills that it was offered (`Skill.from_message`, through a look-up
that the wiring makes) whether the message plainly asks for them, calls those, and quotes their results.
"""

from __future__ import annotations

import json
import logging
import re
from collections.abc import AsyncGenerator, Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from apps.sdk.chat import ChatRequest, Message, ModelReply, TextDelta, ToolCall, ToolDefinition, last_user_text
from apps.sdk.jsontypes import Json, JsonObject
from service.models.replies import repair_ids, taken_ids

_LOG = logging.getLogger(__name__)

OFFLINE_NAME = "offline stand-in (no language model)"

MAX_REQUESTS = 5
"""Most requests that are read out of one message for one skill: what one call may hold by default."""
MAX_TEXT = 4_000
"""Characters of a message that are looked at."""
MAX_PARTS = 16
"""Parts of a message that are looked at: each costs every offered skill up to `MAX_SPAN` questions."""
MAX_SPAN = 3
"""Neighbouring parts tried as one, for "between 1 May and 2 June": the conjunction belongs to the request there."""

Propose = Callable[[str, str], Json | None]
"""(tool name, text) -> the request that the text plainly asks of that skill, as JSON, or None."""

_SENTENCE_END = re.compile(r"(?<=[.!?;。！？])\s+|[;\n。！？]+")
_CONJUNCTION = re.compile(r"(?<!\s),?\s+and\s+", re.IGNORECASE)
_LEADING = re.compile(r"^,?\s*and\s+", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class OfflineTexts:
    """What the stand-in says: section `offline` of base_instructions.yml, one key per field, no placeholders.

    `intro` opens every answer. `results_intro` comes before results, `empty_result` stands for one without text.
    `nothing_found`, `configure` (which settings configure a model) and then `skills_intro` with the names of the skills that
    could be used, or `no_skills`, make the answer when no skill recognised anything.
    """

    intro: str
    results_intro: str
    empty_result: str
    nothing_found: str
    configure: str
    skills_intro: str
    no_skills: str


class OfflineModel:
    """The stand-in for the main model, a `ChatModel`. The same request gets the same reply, ids included."""

    def __init__(self, propose: Propose, texts: OfflineTexts) -> None:
        self._propose = propose
        self._texts = texts

    @property
    def name(self) -> str:
        return OFFLINE_NAME

    async def complete(self, request: ChatRequest) -> ModelReply:
        results = _results_since_last_user(request.messages)
        if results:
            return self._say(self._quote(results))
        calls = repair_ids(self._find_calls(request), taken_ids(request))
        if calls:
            return ModelReply("", calls, "tool_calls", self.name)
        return self._say(self._explain(request.tools))

    async def stream(self, request: ChatRequest) -> AsyncGenerator[TextDelta | ModelReply, None]:
        reply = await self.complete(request)
        for line in reply.text.splitlines(keepends=True):
            yield TextDelta(line)
        yield reply

    def _say(self, paragraphs: Iterable[str]) -> ModelReply:
        return ModelReply("\n\n".join((self._texts.intro.strip(), *paragraphs)), (), "stop", self.name)

    def _quote(self, results: Sequence[tuple[str, str]]) -> Iterator[str]:
        yield self._texts.results_intro.strip()
        for name, text in results:
            lines = (text.strip() or self._texts.empty_result.strip()).splitlines()
            yield "\n".join((f"{name}:", *(f"  {line}" for line in lines)))

    def _explain(self, tools: Sequence[ToolDefinition]) -> Iterator[str]:
        texts = self._texts
        yield texts.nothing_found.strip()
        yield texts.configure.strip()
        names = [f"- {tool.name}" for tool in tools]
        yield "\n".join((texts.skills_intro.strip(), *names)) if names else texts.no_skills.strip()

    def _find_calls(self, request: ChatRequest) -> Iterator[ToolCall]:
        text = last_user_text(request.messages)[:MAX_TEXT]
        for tool in request.tools:
            if request.forced_tool in (None, tool.name):
                yield from _write_calls(tool, self._find_requests(tool.name, text))

    def _find_requests(self, tool: str, text: str) -> list[JsonObject]:
        """Those of the parts when they ask for several things, else that of the whole, else the one that a part asks for."""
        from_parts = _distinct(self._ask_parts(tool, text))
        if len(from_parts) > 1:
            return from_parts[:MAX_REQUESTS]
        whole = self._ask(tool, text)
        return [whole] if whole is not None else from_parts

    def _ask_parts(self, tool: str, text: str) -> Iterator[JsonObject]:
        for sentence in split_message(text):
            start = 0
            while start < len(sentence):
                found, start = self._ask_span(tool, sentence, start)
                if found is not None:
                    yield found

    def _ask_span(self, tool: str, sentence: Sequence[str], start: int) -> tuple[JsonObject | None, int]:
        """What the shortest run of pieces from `start` asks for, and where to go on."""
        for end in range(start + 1, min(start + MAX_SPAN, len(sentence)) + 1):
            found = self._ask(tool, _LEADING.sub("", "".join(sentence[start:end])).strip(" ,"))
            if found is not None:
                return found, end
        return None, start + 1

    def _ask(self, tool: str, text: str) -> JsonObject | None:
        try:
            found = json.loads(json.dumps(self._propose(tool, text)))
        except BaseException as error:  # noqa: BLE001  an author's mistake, `sys.exit` too, costs that skill only
            _LOG.debug("offline.proposal_failed", extra={"skill": tool, "error": type(error).__name__})
            return None
        return found if isinstance(found, dict) else None


def split_message(text: str) -> list[list[str]]:
    """The sentences of a message, each as pieces that begin at a conjunction; joined, the pieces are the sentence again.

    At most `MAX_PARTS` pieces in all.
    """
    room = MAX_PARTS
    sentences: list[list[str]] = []
    for sentence in filter(None, map(str.strip, _SENTENCE_END.split(text))):
        pieces = _split_at_conjunctions(sentence)[:room]
        room -= len(pieces)
        if pieces:
            sentences.append(pieces)
    return sentences


def _split_at_conjunctions(sentence: str) -> list[str]:
    starts = [0, *(match.start() for match in _CONJUNCTION.finditer(sentence)), len(sentence)]
    return [sentence[start:end] for start, end in pairwise(starts) if end > start]


def _distinct(requests: Iterator[JsonObject]) -> list[JsonObject]:
    return list({json.dumps(request, sort_keys=True): request for request in requests}.values())


def _write_calls(tool: ToolDefinition, requests: Sequence[JsonObject]) -> Iterator[ToolCall]:
    """One call with all of them where the tool takes `requests`, else one each; ids are given later."""
    properties = tool.parameters.get("properties")
    takes_many = isinstance(properties, dict) and (properties.get("requests") or {}).get("type") == "array"
    arguments: Sequence[Json] = ([{"requests": list(requests)}] if requests else []) if takes_many else requests
    return (ToolCall("", tool.name, json.dumps(entry, ensure_ascii=False)) for entry in arguments)


def _results_since_last_user(messages: Sequence[Message]) -> list[tuple[str, str]]:
    """(tool name, text) of each result after the last user message, in order."""
    last_user = max((position for position, message in enumerate(messages) if message.role == "user"), default=-1)
    latest = messages[last_user + 1 :]
    names = {call.id: call.name for message in latest for call in message.tool_calls}
    return [(names.get(message.tool_call_id or "", "?"), message.text) for message in latest if message.role == "tool"]
