"""Standard output, whatever stands in the lines and whoever has stopped reading them."""

from __future__ import annotations

import contextlib
import json
import os
import sys
from collections.abc import Iterable, Iterator

import typer

from apps.sdk.jsontypes import Json
from service.commands.failures import CommandFailed


def print_lines(lines: Iterable[str]) -> None:
    """Print each line; a reader that has gone away, as `head` does, ends the output and nothing else. Raises `CommandFailed`."""
    try:
        for line in lines:
            print(line)  # noqa: T201 - the command line's own output
        print(end="", flush=True)  # noqa: T201 - standard output may be closed, and then is None
    except OSError as error:
        # what is still buffered would fail again when the interpreter leaves
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if not isinstance(error, BrokenPipeError):
            raise CommandFailed(f"standard output: {error.strerror}") from error


def print_json(value: Json) -> None:
    """Print one JSON value, indented, in which every string reads back equal and nothing moves a cursor."""
    text = json.dumps(value, ensure_ascii=False, indent=2)
    if not text.replace("\n", "").isprintable():
        text = "".join(char if char.isprintable() or char == "\n" else json.dumps(char)[1:-1] for char in text)
    print_lines([text])


@contextlib.contextmanager
def keep_output_clean() -> Iterator[None]:
    """What the code of apps prints meanwhile goes to standard error: standard output may be read by a program."""
    with contextlib.redirect_stdout(sys.stderr):
        yield


def print_remark(text: str) -> None:
    """One line on standard error."""
    typer.echo(text, err=True)
