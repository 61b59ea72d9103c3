"""Wire names, both ways: a tool name is `<app_id>-<skill_id>` and splits at its first hyphen.

App ids hold no hyphen, so the mapping is exact: `a-b_c` is skill `b_c` of app `a`, `a_b-c` is skill `c` of app `a_b`.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Collection
from dataclasses import dataclass

MAX_TOOL_NAME = 64
"""Characters in a tool name: the limit of the OpenAI and Anthropic function calling interfaces."""

RESERVED_APP_IDS = frozenset({"system", "tool_search"})
"""The service's own tools live under these names."""

MAX_CLOSE_NAMES = 3

MAX_WRITTEN = 200
"""Characters of a written name that are looked at."""

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


def split_tool_name(name: str) -> tuple[str, str]:
    """The app id and the skill id; raises `ValueError` when there is no hyphen between two texts."""
    app_id, hyphen, skill_id = name.partition("-")
    if not (app_id and hyphen and skill_id):
        raise ValueError(f"{name!r} is no tool name: it has no hyphen between an app id and a skill id")
    return app_id, skill_id


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


def find_close_names(written: str, scope: Collection[str]) -> tuple[str, ...]:
    """Up to three names of `scope` that look like `written`; takes a tenth of a second among thousands."""
    by_fold: dict[str, list[str]] = {}
    for name in sorted(scope):
        by_fold.setdefault(fold_name(name), []).append(name)
    matches = difflib.get_close_matches(fold_name(written)[: 2 * MAX_TOOL_NAME], by_fold, n=MAX_CLOSE_NAMES)
    names = [name for match in matches for name in by_fold[match]]
    return tuple(names[:MAX_CLOSE_NAMES])
