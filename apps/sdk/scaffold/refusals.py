"""Why nothing was written.

ScaffoldError           nothing was written
├── Refused             what was asked for cannot be
└── NotWritten          the files cannot be written, or not be changed without harm
    └── NotInserted     the app.yml is written in a way that only a person can extend; `snippet` is what to add
"""

from __future__ import annotations


class ScaffoldError(Exception):
    """Nothing was written; the text is the line to show."""


class Refused(ScaffoldError):
    """What was asked for cannot be."""


class NotWritten(ScaffoldError):
    """The files cannot be written, or not be changed without harm."""


class NotInserted(NotWritten):
    """The app.yml is written in a way that only a person can extend; `snippet` is what to add to it."""

    def __init__(self, message: str, snippet: str) -> None:
        super().__init__(message)
        self.snippet = snippet
