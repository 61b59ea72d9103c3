"""Wire names, both ways: a tool name is `<app_id>-<skill_id>` and splits at its first hyphen.

App ids hold no hyphen, so the mapping is exact: `a-b_c` is skill `b_c` of app `a`, `a_b-c` is skill `c` of app `a_b`.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase

MAX_TOOL_NAME = 64
"""Characters in a tool name: the limit of the OpenAI, Anthropic and Gemini function calling interfaces."""

MAX_PORTABLE_NAME = 60
"""Characters in a tool name that every known client and model passes on: Cursor drops tools with longer ones."""

RESERVED_APP_IDS = frozenset({"system", "tool_search"})
"""The service's own tools live under these names."""

MAX_WRITTEN = 200
"""Characters of a written name that are looked at."""

APP_ID_RULE = "a-z, 0-9 and _, no _ first"
"""What `is_app_id` asks for, in words."""

SKILL_ID_RULE = "a-z, 0-9, _ and -, a letter or digit first"
"""What `is_skill_id` asks for, in words; ids of focus modes and memories follow it too."""

_APP_ID = re.compile(r"[a-z0-9][a-z0-9_]*", re.ASCII)
_SKILL_ID = re.compile(r"[a-z0-9][a-z0-9_-]*", re.ASCII)
_SEPARATORS = re.compile(r"[\s.:/_-]+")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_ILLEGAL = re.compile(r"[^a-z0-9_-]+")


def is_app_id(text: str) -> bool:
    """Whether `text` is lower-case letters, digits and underscores, not starting with an underscore."""
    return _APP_ID.fullmatch(text) is not None


def is_skill_id(text: str) -> bool:
    """Like an app id, but hyphens may follow the first character."""
    return _SKILL_ID.fullmatch(text) is not None


def tool_name(app_id: str, skill_id: str) -> str:
    return f"{app_id}-{skill_id}"


def suggest_id(text: str, *, hyphens: bool = True) -> str | None:
    """A legal id that reads like `text`, or None when nothing legal is left of it."""
    spelled = _ILLEGAL.sub("_", _CAMEL.sub("_", text.strip()).lower())
    spelled = spelled if hyphens else spelled.replace("-", "_")
    return spelled.strip("_-") or None


def humanize(item_id: str) -> str:
    """A readable name for an id: `get-posts` is "Get posts"."""
    words = _SEPARATORS.sub(" ", item_id).strip()
    return words[:1].upper() + words[1:]


@dataclass(frozen=True, slots=True)
class Resolution:
    """What a written name means: a name of the scope, or None."""

    name: str | None
    repaired: bool = False


def resolve_name(written: str, scope: Collection[str], known: Collection[str] = ()) -> Resolution:
    """Find `written` in `scope`: as it stands, else by the one name that differs only in case, blanks or separators.

    `known` are names that exist outside the scope too: one of them means itself, so it is never repaired into another.
    """
    if written in scope:
        return Resolution(written)
    folded = fold_name(written)
    fitting = [name for name in scope if fold_name(name) == folded] if written not in known else []
    return Resolution(fitting[0], repaired=True) if len(fitting) == 1 else Resolution(None)


def fold_name(written: str) -> str:
    """What is left of a name when case, blanks and the kind of separators do not count."""
    return _SEPARATORS.sub("-", written[:MAX_WRITTEN].casefold()).strip("-")


def match_skills(patterns: Iterable[str], by_app: Mapping[str, Collection[str]]) -> dict[str, frozenset[str]]:
    """The tool names that each pattern means: `app-skill`, `app:skill`, `app:*`, or `*` anywhere else, for any text.

    `by_app` holds the tool names of each app. A pattern that means no skill has the empty set.
    """
    return {pattern: frozenset(_match(pattern, by_app)) for pattern in patterns}


def name_whole_app(pattern: str) -> str | None:
    """The app id of `app:*`; None for any other pattern."""
    app_id, colon, skill_id = pattern.partition(":")
    return app_id if colon and skill_id == "*" else None


def _match(pattern: str, by_app: Mapping[str, Collection[str]]) -> Collection[str]:
    whole = name_whole_app(pattern)
    if whole is not None:
        return by_app.get(whole, ())
    wire = pattern.replace(":", "-", 1)
    if "*" in wire:
        return [skill for skills in by_app.values() for skill in skills if fnmatchcase(skill, wire)]
    return [wire] if wire in by_app.get(wire.partition("-")[0], ()) else []
