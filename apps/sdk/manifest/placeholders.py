"""Template placeholders that nobody filled; they must never become text for a model."""

from __future__ import annotations

import re

_PLACEHOLDERS = re.compile(
    r"""
      \{\{ \s* [A-Za-z_][\w.\- ]{0,80}? \s* \}\}            # {{name}}, {{ user.name }}
    | \$\{ \s* [A-Za-z_][\w.:\-]{0,80} \s* \}               # ${NAME}, ${name:-default}
    | < \s* (?:TODO|FIXME|TBD) \b [^<>\n]{0,80} >           # <TODO>, <TODO: describe>
    | ^ [ \t]* (?:TODO|FIXME) (?:\([^)\n]{0,40}\))? [ \t]* :      # a line that starts with TODO: or FIXME(name):
    | \A \s* FIXME \b (?! \s+ (?:comment|tag|note|marker)s? )
    | \A \s* (?:TODO|TBD|FIXME) \s* \Z
    """,
    re.VERBOSE | re.MULTILINE,
)


def find_placeholder(text: str) -> str | None:
    """The first unfilled placeholder in `text`, or None. Words such as "finds TODO comments" or "costs $5" are none."""
    found = _PLACEHOLDERS.search(text)
    return found[0].strip() if found else None
