"""Mistakes and failures of a command, told in one line."""

from __future__ import annotations

import typer


class UsageError(Exception):
    """What was typed cannot be used; its text is the line to show."""


class CommandFailed(Exception):
    """The command cannot do its work for a reason that somebody can mend; its text is the line to show."""


def tell_failure(error: UsageError | CommandFailed) -> int:
    """Show it on standard error; the exit code."""
    typer.echo(str(error), err=True)
    return 2 if isinstance(error, UsageError) else 1
