"""What `from_message` looks for questions in: a message cut to its ends, and spelled in one way."""

from __future__ import annotations

import re
from typing import Final

from apps.sdk.truncation import shorten_middle

LOOKED_AT: Final = 4_000
"""Characters of a message that are looked at; a question stands at its beginning or at its end."""

_NO_BREAK: Final = re.compile("[\u00a0\u2009\u202f](?![0-9])|(?<![0-9])[\u00a0\u2009\u202f]")
_BLANKS: Final = re.compile(r"[ \t\r\f\v]+")


def take_ends(text: str) -> str:
    """The beginning and the end of a long message, with single blanks and straight apostrophes; lines stay lines.

    The mark between the ends belongs to no name, number or expression. A no-break space between digits stays: it groups them.
    """
    shown = _NO_BREAK.sub(" ", shorten_middle(text, LOOKED_AT))
    return _BLANKS.sub(" ", shown).replace("’", "'")
