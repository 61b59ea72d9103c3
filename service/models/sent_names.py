"""The names of a request's functions as one family of models takes them, and the way back in its reply.

Own names stay what they are everywhere else. Those that a family refuses (a digit first, too many characters) are sent with
`T_` before them: app ids are in lower case, so what is sent is never the name of another skill, offered or not.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import count
from types import MappingProxyType

from apps.sdk.chat import ChatRequest, Message, ModelReply, ToolCall
from apps.sdk.schemas.dialects.profiles import Profile

PREFIX = "T_"
HASH_LENGTH = 8
"""Hexadecimal digits of the hash at the end of a name that was cut."""

_ILLEGAL = re.compile(r"[^A-Za-z0-9_-]")


@dataclass(frozen=True, slots=True)
class SentNames:
    """A bijection between own names and those that are sent instead; every other name is sent as it is."""

    sent: Mapping[str, str]
    own: Mapping[str, str]

    def write(self, request: ChatRequest) -> ChatRequest:
        """The request with the names that are sent; itself where they are the own ones."""
        if not self.sent:
            return request
        return replace(
            request,
            messages=tuple(replace(message, tool_calls=self._write_calls(message)) for message in request.messages),
            tools=tuple(replace(tool, name=_translate(tool.name, self.sent)) for tool in request.tools),
            forced_tool=None if request.forced_tool is None else _translate(request.forced_tool, self.sent),
        )

    def read(self, reply: ModelReply) -> ModelReply:
        """The reply with own names; a name that was not sent is left as the model wrote it."""
        return replace(reply, tool_calls=_rename(reply.tool_calls, self.own)) if self.own else reply

    def _write_calls(self, message: Message) -> tuple[ToolCall, ...]:
        return _rename(message.tool_calls, self.sent)


def map_names(request: ChatRequest, family: Profile) -> SentNames:
    """The bijection for exactly the names of this request: its tools, the forced one, and the calls of its history."""
    calls = (call.name for message in request.messages for call in message.tool_calls)
    forced = () if request.forced_tool is None else (request.forced_tool,)
    return choose_names((*(tool.name for tool in request.tools), *forced, *calls), family)


def choose_names(names: Iterable[str], family: Profile) -> SentNames:
    """The bijection for `names`: what each is sent as depends on it alone, unless two hashes are the same."""
    own: dict[str, str] = {}
    for name in sorted({name for name in names if not _is_accepted(name, family)}):
        free = (candidate for attempt in count() if (candidate := _spell(name, family, attempt)) not in own)
        own[next(free)] = name
    return SentNames(MappingProxyType({name: sent for sent, name in own.items()}), MappingProxyType(own))


def _is_accepted(name: str, family: Profile) -> bool:
    """Whether the family takes the name, and it looks like none that is sent in another's place."""
    if not 0 < len(name) <= family.max_name or _ILLEGAL.search(name) or name.startswith(PREFIX):
        return False
    return not family.letter_first or name[0].isalpha()


def _spell(name: str, family: Profile, attempt: int) -> str:
    """The name as it is sent: cut only where it has to be."""
    spelled = f"{PREFIX}{_ILLEGAL.sub('_', name[: family.max_name])}"
    if attempt == 0 and len(spelled) <= family.max_name and not _ILLEGAL.search(name):
        return spelled
    digest = hashlib.sha256(f"{attempt} {name}".encode("utf-8", "surrogatepass")).hexdigest()[:HASH_LENGTH]
    return f"{spelled[: family.max_name - HASH_LENGTH - 1]}_{digest}"


def _rename(calls: tuple[ToolCall, ...], names: Mapping[str, str]) -> tuple[ToolCall, ...]:
    return tuple(replace(call, name=_translate(call.name, names)) for call in calls)


def _translate(name: str, names: Mapping[str, str]) -> str:
    return names.get(name, name)
