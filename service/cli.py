"""The command `shortlist`. Everything heavy is imported by the command that needs it, so that the others start at once."""

from __future__ import annotations

import asyncio
import os
import re
import sys
from collections.abc import Coroutine
from pathlib import Path
from typing import Annotated, Any, NoReturn

import typer

app = typer.Typer(
    name="shortlist", no_args_is_help=True, pretty_exceptions_enable=False, add_completion=False, rich_markup_mode=None,
    help="Shortlists the skills a message needs, shows a model only those, and runs what it calls.",
)  # fmt: skip

IntentOption = Annotated[str | None, typer.Option("--intent", help='JSON, e.g. {"disabled": ["math-*"]}.')]
JsonFlag = Annotated[bool, typer.Option("--json", help="One JSON object on standard output.")]


@app.command()
def serve(
    host: Annotated[str | None, typer.Option(help="Address to listen on.")] = None,
    port: Annotated[int | None, typer.Option(help="Port to listen on; 0 takes a free one.")] = None,
) -> None:
    """Run the service until SIGTERM or SIGINT."""
    from service.server import serve_until_stopped

    given = {name: value for name, value in {"host": host, "port": port}.items() if value is not None}
    _run(serve_until_stopped(_read_settings(**given)), leave=True)


@app.command()
def ask(
    message: Annotated[str, typer.Argument(help="The message to answer.")],
    trace: Annotated[bool, typer.Option("--trace", help="Show each stage as it happens.")] = False,
    as_json: JsonFlag = False,
    intent: IntentOption = None,
) -> None:
    """Send one message through the whole pipeline, in this process."""
    from service.commands.ask import ask_once

    _run(ask_once(_read_settings(), message, trace=trace, as_json=as_json, intent=intent))


@app.command()
def call(
    name: Annotated[str, typer.Argument(help="APP-SKILL, e.g. math-calculate.")],
    arguments: Annotated[str, typer.Option("--json", help="The arguments as JSON.")] = "{}",
) -> None:
    """Run one skill and show its result as TOON."""
    from service.commands.call import call_once

    _run(call_once(_read_settings(), name, arguments))


@app.command()
def lint(
    directories: Annotated[list[Path] | None, typer.Argument(help="Folders of apps; default: those of the settings.")] = None,
) -> None:
    """Show what is wrong with the apps, as file:line:column. Exit code 1 when there are errors."""
    from service.commands.lint import lint_apps

    raise typer.Exit(lint_apps(tuple(directories or ()) or _read_settings().apps_paths))


@app.command()
def expand(intent: IntentOption = None, as_json: JsonFlag = False, source: str = "chat") -> None:
    """Show which skills an intent makes available, and why the others are not."""
    from service.commands.expand import expand_once

    _run(expand_once(_read_settings(), intent, source, as_json=as_json))


@app.command()
def doctor() -> None:
    """Check the settings, the apps, the store and the models' configuration. Exit code 1 when something must be mended."""
    from service.commands.doctor import examine

    _run(examine(_read_settings()))


def main() -> None:
    """Run the command line; a mistake of the user's is one line on standard error and exit code 2."""
    app()


def _read_settings(**given: Any) -> Any:
    from pydantic import ValidationError

    from service.settings import Settings

    try:
        settings = Settings(**given)
    except ValidationError as error:
        for fault in error.errors():
            variable = "SHORTLIST_" + "__".join(map(str, fault["loc"])).upper()
            typer.echo(f"{variable}: {fault['msg']}", err=True)
    except ValueError as error:  # from pydantic-settings: what must be JSON is not
        field = re.search(r'field "(\w+)"', str(error))
        typer.echo(f"SHORTLIST_{field[1].upper()}: it is not valid JSON" if field else f"settings: {error}", err=True)
    else:
        for name in settings.find_unknown_variables():
            typer.echo(f"warning: {name} is no setting; .env.example has them all", err=True)
        return settings
    raise typer.Exit(2)


def _run(command: Coroutine[Any, Any, int | None], *, leave: bool = False) -> NoReturn:
    """Run a command's coroutine, on the quick event loop where the extra `fast` is installed; its number is the exit code.

    `leave`: end the process at once then, whatever threads and tasks of authors still hang.
    """
    from service.commands.running import CommandFailed, UsageError, tell_failure

    code: int | None
    try:
        with asyncio.Runner(loop_factory=_choose_loop()) as runner:
            code = _run_to_its_end(runner.get_loop(), command)
            if leave and not code:
                _leave(0)
    except KeyboardInterrupt:
        if leave:
            _leave(130)
        code = 130
    except (UsageError, CommandFailed) as error:
        code = tell_failure(error)
    raise typer.Exit(code or 0)


def _run_to_its_end(loop: asyncio.AbstractEventLoop, command: Coroutine[Any, Any, int | None]) -> int | None:
    """Run it, going on where a task of an author's called `sys.exit`: asyncio lets that out of any task and stops its loop."""
    task = loop.create_task(command)
    while True:
        try:
            return loop.run_until_complete(task)
        except SystemExit:
            if task.done():
                raise


def _leave(code: int) -> NoReturn:
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


def _choose_loop() -> Any:
    if sys.platform == "win32":
        return None
    try:
        import uvloop
    except ImportError:
        return None
    return uvloop.new_event_loop
