"""From the pieces of a streamed reply (`chat.completion.chunk` as JSON) to the whole `ModelReply`.

Providers differ in what a piece of a tool call carries: some repeat id and name in each, some send them once, some send no
index, some no id. litellm gives pieces without an index one of its own, counted within the chunk, so an index is a hint and
an id is better evidence.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass, field

from apps.sdk.chat import ModelReply, ToolCall, Usage
from apps.sdk.jsontypes import Json, JsonObject
from service.models.replies import (
    MAX_CALLS,
    NoReply,
    OversizedReply,
    check_length,
    clean_text,
    first_choice,
    is_object,
    read_finish_reason,
    read_list,
    read_object,
    read_text,
    read_usage,
    read_word,
    repair_ids,
    write_arguments,
)

MAX_PIECES = 300_000
"""Most pieces of one streamed reply, of text and of calls: twice the longest output of today's models, a token each."""
_MARK = re.compile(r'\\.?|["{}\[\]]', re.DOTALL)
"""What tells where a JSON value ends; a backslash stands alone at the end of a piece."""


@dataclass(slots=True)
class _Nesting:
    """Where in a JSON object its text so far ends, followed piece by piece: parsing anew at each would take time squared."""

    depth: int = 0
    quoted: bool = False
    escaped: bool = False
    ended: bool = False

    def follow(self, text: str) -> None:
        if not text:
            return
        marks = _MARK.findall(text, 1 if self.escaped else 0)
        self.escaped = bool(marks) and marks[-1] == "\\"
        for mark in marks:
            if mark == '"':
                self.quoted = not self.quoted
            elif not self.quoted and mark[0] != "\\":
                self.depth += 1 if mark in "{[" else -1
                self.ended |= self.depth == 0


@dataclass(slots=True)
class _Draft:
    """A call that is still being written."""

    id: str
    index: int
    name: str = ""
    arguments: list[str] = field(default_factory=list)
    nesting: _Nesting = field(default_factory=_Nesting)
    closed: bool | None = None

    @property
    def begun(self) -> bool:
        return bool(self.arguments)

    def write(self, arguments: str) -> None:
        """Add to the arguments."""
        self.arguments.append(arguments)
        self.nesting.follow(arguments)
        if self.closed and arguments.strip(" \t\n\r"):
            self.closed = False

    def is_complete(self) -> bool:
        """Whether the arguments are a whole JSON object, to which nothing can be added."""
        if self.closed is None and self.nesting.ended:
            self.closed = is_object("".join(self.arguments))
        return bool(self.closed)


@dataclass(frozen=True, slots=True)
class _Piece:
    id: str
    index: int
    name: str
    arguments: str


class CallAssembler:
    """Puts pieces of tool calls, in the order they came, back together.

    `known` are the names of the tools that were offered: two of them are two calls, never a name in two pieces.
    """

    def __init__(self, known: Collection[str] = ()) -> None:
        self._known = known
        self._drafts: list[_Draft] = []
        self._by_id: dict[str, _Draft] = {}
        self._by_index: dict[int, _Draft] = {}

    def add(self, wire: Json) -> int:
        """Take one entry of a delta's `tool_calls`; returns how many characters it held. Raises `OversizedReply`."""
        piece = _read_piece(wire)
        draft = self._find(piece)
        if draft is None:
            draft = self._open(piece)
        elif piece.id and not draft.id:
            draft.id = piece.id
            self._by_id[piece.id] = draft
        if not draft.begun and not self._repeats_name(piece, draft):
            draft.name += piece.name
        if piece.arguments:
            draft.write(piece.arguments)
        return len(piece.name) + len(piece.arguments)

    def assemble(self) -> tuple[ToolCall, ...]:
        """The calls in the provider's order; ids and arguments may still be empty."""
        drafts = sorted(self._drafts, key=lambda draft: draft.index)
        return tuple(ToolCall(draft.id, draft.name, "".join(draft.arguments)) for draft in drafts)

    def _open(self, piece: _Piece) -> _Draft:
        if len(self._drafts) >= MAX_CALLS:
            raise OversizedReply(f"the reply holds more than {MAX_CALLS} calls")
        draft = _Draft(piece.id, piece.index)
        self._drafts.append(draft)
        self._by_index[piece.index] = draft
        if piece.id:
            self._by_id[piece.id] = draft
        return draft

    def _find(self, piece: _Piece) -> _Draft | None:
        """The draft that `piece` goes on with; None when it begins another call."""
        if not self._drafts:
            return None
        draft = self._find_by_id(piece) if piece.id else self._find_by_index(piece)
        return None if draft is None or self._begins_another(piece, draft) else draft

    def _begins_another(self, piece: _Piece, draft: _Draft) -> bool:
        if not piece.name:
            return False
        if draft.begun:
            same = piece.id == draft.id != "" and piece.index == draft.index
            said_again = same and piece.name == draft.name and not piece.arguments.strip()
            return not said_again and (piece.name != draft.name or draft.is_complete())
        if piece.id and draft.name and piece.id == draft.id and piece.index != draft.index:  # an id that is used twice
            return True
        return piece.name != draft.name and piece.name in self._known and draft.name in self._known

    def _repeats_name(self, piece: _Piece, draft: _Draft) -> bool:
        """Whether the piece names its call once more, beside the first arguments or before them."""
        return piece.name == draft.name and (bool(piece.arguments) or draft.name in self._known)

    def _find_by_id(self, piece: _Piece) -> _Draft | None:
        if piece.id in self._by_id:
            return self._by_id[piece.id]
        draft = self._by_index.get(piece.index)
        return draft if draft is not None and not draft.id else None

    def _find_by_index(self, piece: _Piece) -> _Draft | None:
        latest = self._drafts[-1]
        draft = self._by_index.get(piece.index, None if piece.name else latest)
        if draft is None or piece.name or draft is latest or not piece.arguments.strip():
            return draft
        return latest if draft.is_complete() and not latest.is_complete() else draft


class ReplyAssembler:
    """Takes the chunks of one streamed reply; `taken` are call ids that its calls may not have, `known` the tools' names."""

    def __init__(self, taken: Collection[str] = (), known: Collection[str] = ()) -> None:
        self._taken = taken
        self._texts: list[str] = []
        self._half = ""
        self._calls = CallAssembler(known)
        self._reason: Json = None
        self._usage = Usage()
        self._characters = 0
        self._pieces = 0

    def add(self, chunk: JsonObject) -> str:
        """Take one chunk and give back the text that it adds, often "". Raises `OversizedReply`."""
        if chunk.get("usage"):
            self._usage = read_usage(chunk["usage"])
        choice = first_choice(chunk) or {}
        self._reason = choice.get("finish_reason") or self._reason
        delta = read_object(choice.get("delta"))
        pieces = read_list(delta.get("tool_calls"))
        self._pieces += 1 + len(pieces)
        if self._pieces > MAX_PIECES:
            raise OversizedReply(f"the reply comes in more than {MAX_PIECES} pieces")
        text = self._complete_pairs(read_text(delta.get("content")))
        self._texts.append(text)
        self._characters += len(text) + sum(self._calls.add(piece) for piece in pieces)
        check_length(self._characters)
        return text

    def _complete_pairs(self, text: str) -> str:
        """The text with what was held back, holding back the first half of a surrogate pair until the second comes."""
        text, self._half = self._half + text, ""
        if text and "\ud800" <= text[-1] <= "\udbff":
            text, self._half = text[:-1], text[-1]
        return clean_text(text)

    def finish(self, model: str) -> ModelReply:
        """The whole reply. Raises `NoReply` for a stream that held nothing: litellm makes one of any body that is no stream."""
        text = "".join(self._texts)
        calls = repair_ids(self._calls.assemble(), self._taken)
        reason = read_finish_reason(self._reason, calls)
        if not text and not calls and reason == "stop" and not self._usage.total:
            raise NoReply("the stream held no reply")
        return ModelReply(text, calls, reason, model, self._usage)


def _read_piece(wire: Json) -> _Piece:
    entry = read_object(wire)
    function = read_object(entry.get("function"))
    index = entry.get("index")
    return _Piece(
        id=read_word(entry.get("id")),
        index=index if isinstance(index, int) else 0,
        name=read_word(function.get("name")),
        arguments=write_arguments(function.get("arguments")),
    )
