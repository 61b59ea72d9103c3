"""The command `shortlist`. Everything heavy is imported by the command that needs it, so that the others start at once."""

from __future__ import annotations

import asyncio
import contextlib
import io
import os
import re
import sys
import threading
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Annotated, Any, NoReturn

import typer

app = typer.Typer(
    name="shortlist", no_args_is_help=True, pretty_exceptions_enable=False, add_completion=False, rich_markup_mode=None
)

IntentOption = Annotated[str | None, typer.Option("--intent", help='JSON, e.g. {"disabled": ["math-*"]}.')]
JsonFlag = Annotated[bool, typer.Option("--json", help="One JSON object on standard output.")]


def _show_version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        typer.echo(version("shortlist"))
        raise typer.Exit


@app.callback()
def take_options(
    _: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version and end.")
    ] = False,
) -> None:
    """Shortlists the skills a message needs, shows a model only those, and runs what it calls."""


@app.command()
def serve(
    host: Annotated[str | None, typer.Option(help="Address to listen on.")] = None,
    port: Annotated[int | None, typer.Option(help="Port to listen on; 0 takes a free one.")] = None,
    reload: Annotated[bool | None, typer.Option("--reload", help="Load an app again when its files change.")] = None,
) -> None:
    """Run the service until SIGTERM or SIGINT."""
    from service.server import serve_until_stopped

    given = {name: value for name, value in {"host": host, "port": port, "reload": reload}.items() if value is not None}
    _run(serve_until_stopped(_read_settings(**given)), leave=True)


@app.command()
def ask(
    words: Annotated[list[str], typer.Argument(metavar="MESSAGE", help="The message to answer, in quotes or not.")],
    trace: Annotated[bool, typer.Option("--trace", help="Show each stage as it happens.")] = False,
    as_json: JsonFlag = False,
    intent: IntentOption = None,
    conversation: Annotated[
        str | None, typer.Option(metavar="ID", help="Go on with a stored conversation; `new` begins one.")
    ] = None,
) -> None:
    """Send one message through the pipeline, in this process."""
    from service.commands.ask import ask_once

    message = " ".join(words)
    _run(ask_once(_read_settings(), message, trace=trace, as_json=as_json, intent=intent, conversation=conversation))


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
    directories: Annotated[
        list[Path] | None,
        typer.Argument(metavar="DIR", help="Folders of apps, or of one app; default: those of the settings."),
    ] = None,
    strict: Annotated[bool, typer.Option("--strict", help="Warnings count as errors, and unused keys are shown.")] = False,
    output_format: Annotated[
        str, typer.Option("--format", metavar="FORMAT", help="text, json, or github for its workflows.")
    ] = "text",
) -> None:
    """Show what is wrong with the apps, as file:line:column. Exit code 1 when there are errors, 2 for a wrong call."""
    from service.commands.lint import lint_apps

    _end(lambda: lint_apps(tuple(directories or ()) or _read_settings().apps_paths, strict=strict, output_format=output_format))


new_commands = typer.Typer(no_args_is_help=True, rich_markup_mode=None, help="Make an app or a skill that works as it is.")
app.add_typer(new_commands, name="new")

NameOption = Annotated[str | None, typer.Option(help="What people read; default: the id in words.")]
DirectoryOption = Annotated[Path | None, typer.Option(metavar="DIR", help="The folder of apps; default: the settings' first.")]


@new_commands.command("app")
def new_app(
    app_id: Annotated[str, typer.Argument(metavar="ID", help="The new folder's name: a-z, 0-9 and _.")],
    skill: Annotated[str, typer.Option(metavar="ID", help="Its first skill: a-z, 0-9, _ and -.")] = "hello",
    name: NameOption = None,
    directory: DirectoryOption = None,
) -> None:
    """Make an app with one skill. It gets an app.yml, a class and a test; nothing that exists is written over."""
    from service.commands.new import make_app

    places = _read_settings().apps_paths
    _end(lambda: make_app(app_id, name=name, skill_id=skill, directory=directory, settings_places=places))


@new_commands.command("skill")
def new_skill(
    app_id: Annotated[str, typer.Argument(metavar="APP", help="The app's id.")],
    skill_id: Annotated[str, typer.Argument(metavar="ID", help="The new skill's id: a-z, 0-9, _ and -.")],
    name: NameOption = None,
    directory: DirectoryOption = None,
) -> None:
    """Add a skill to an app. It gets a class, a test and a part of app.yml, of which the rest stays as it is."""
    from service.commands.new import make_skill

    places = _read_settings().apps_paths
    _end(lambda: make_skill(app_id, skill_id, name=name, directory=directory, settings_places=places))


@app.command()
def schema(
    write: Annotated[bool, typer.Option("--write", help="Write apps/sdk/app.schema.json of this installation.")] = False,
    output: Annotated[Path | None, typer.Option(metavar="FILE", help="Write a copy, say for a folder of apps elsewhere.")] = None,
) -> None:
    """Print the JSON Schema of an app.yml, for editors."""
    from service.commands.schema import show_schema

    _end(lambda: show_schema(write=write, output=output))


@app.command()
def preview(
    name: Annotated[str, typer.Argument(metavar="APP", help="An app's id, or its folder.")],
    as_json: JsonFlag = False,
) -> None:
    """Show what the models would see of an app. Also what it costs, and which of its examples the ranking finds."""
    from service.commands.preview import preview_once

    _run(preview_once(_read_settings(), name, as_json=as_json))


@app.command()
def expand(
    intent: IntentOption = None,
    as_json: JsonFlag = False,
    source: Annotated[str, typer.Option(help="Where the wish comes from: chat, api or scheduled.")] = "chat",
) -> None:
    """Show what an intent makes available. Also why the other skills are not."""
    from service.commands.expand import expand_once

    _run(expand_once(_read_settings(), intent, source, as_json=as_json))


keys_commands = typer.Typer(no_args_is_help=True, rich_markup_mode=None, help="Make, list and revoke the keys of the API.")
app.add_typer(keys_commands, name="keys")


@keys_commands.command("add")
def add_key(
    name: Annotated[str, typer.Argument(help="Whose key it is, for the log and for revoking.")],
    scope: Annotated[str, typer.Option(help="use, author (and what is wrong with apps) or admin (and overrides).")] = "use",
    tenant: Annotated[str | None, typer.Option(help="The only tenant that the key is for; default: every tenant.")] = None,
    setting: Annotated[
        bool, typer.Option("--setting", help="Store nothing; print what SHORTLIST_API_KEYS takes, for a first key.")
    ] = False,
) -> None:
    """Make a key. It is printed once; only its digest is kept."""
    from service.commands.keys import add_key as add

    _run(add(_read_settings(), name, scope, tenant, as_setting=setting))


@keys_commands.command("list")
def list_keys() -> None:
    """Show every key. Also its scope, its tenant and whether it is taken."""
    from service.commands.keys import list_keys as list_all

    _run(list_all(_read_settings()))


@keys_commands.command("revoke")
def revoke_key(name: Annotated[str, typer.Argument(metavar="NAME", help="The key's name, or its id.")]) -> None:
    """Take a key no longer. Every replica refuses it within a second."""
    from service.commands.keys import revoke_key as revoke

    _run(revoke(_read_settings(), name))


conversation_commands = typer.Typer(no_args_is_help=True, rich_markup_mode=None, help="List, show and export conversations.")
app.add_typer(conversation_commands, name="conversations")

TenantOption = Annotated[str, typer.Option(help="The tenant.")]
UserOption = Annotated[str, typer.Option(help="The user; `shortlist ask` is user local.")]
ConversationArgument = Annotated[str, typer.Argument(metavar="ID", help="The conversation's id.")]


@conversation_commands.command("list")
def list_conversations(
    tenant: TenantOption = "default",
    user: UserOption = "local",
    limit: Annotated[int, typer.Option(min=1, max=10_000, help="How many, the one used last first.")] = 50,
) -> None:
    """Show a user's conversations. The one used last comes first."""
    from service.commands.conversations import list_conversations as list_all

    _run(list_all(_read_settings(), tenant, user, limit))


@conversation_commands.command("show")
def show_conversation(conversation: ConversationArgument, tenant: TenantOption = "default", user: UserOption = "local") -> None:
    """Show what was said in one."""
    from service.commands.conversations import show_conversation as show

    _run(show(_read_settings(), tenant, user, conversation))


@conversation_commands.command("export")
def export_conversation(conversation: ConversationArgument, tenant: TenantOption = "default", user: UserOption = "local") -> None:
    """Print one as JSON, with all its messages."""
    from service.commands.conversations import export_conversation as export

    _run(export(_read_settings(), tenant, user, conversation))


db_commands = typer.Typer(no_args_is_help=True, rich_markup_mode=None, help="The database's schema.")
app.add_typer(db_commands, name="db")


@db_commands.command("upgrade")
def upgrade_database() -> None:
    """Bring the database to this version's schema. Every start does it too."""
    from service.commands.db import upgrade

    _run(upgrade(_read_settings()))


@app.command()
def doctor() -> None:
    """Check settings, apps, store and models. Exit code 1 when something must be mended."""
    from service.commands.doctor import examine

    _run(examine(_read_settings()))


def main() -> None:
    """Run the command line; a mistake of the user's is one line on standard error and exit code 2."""
    _fill_standard_files()
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # an author's text may hold what the terminal's encoding lacks
    try:
        app()
    except SystemExit as ended:
        if isinstance(ended.code, int) and _has_threads_left():
            _leave(ended.code)  # a thread of an app's would hold up the process's end, for ever perhaps
        raise


def _fill_standard_files() -> None:
    """Open what was started with closed as nothing, so that no database or socket becomes the standard output."""
    for number in (0, 1, 2):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # takes the lowest number that is free


def _has_threads_left() -> bool:
    return any(not thread.daemon and thread is not threading.main_thread() for thread in threading.enumerate())


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


def _end(command: Callable[[], int]) -> NoReturn:
    """Run a command that needs no event loop; its number is the exit code."""
    from service.commands.failures import CommandFailed, UsageError, tell_failure

    try:
        code = command()
    except (UsageError, CommandFailed) as error:
        code = tell_failure(error)
    raise typer.Exit(code)


def _run(command: Coroutine[Any, Any, int | None], *, leave: bool = False) -> NoReturn:
    """Run a command's coroutine, on the quick event loop where the extra `fast` is installed; its number is the exit code.

    `leave`: end the process at once then, whatever threads and tasks of authors still hang.
    """
    from service.commands.failures import CommandFailed, UsageError, tell_failure

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
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:  # each may have been closed by whoever started us
            with contextlib.suppress(OSError, ValueError):
                stream.flush()
    os._exit(code)


def _choose_loop() -> Any:
    if sys.platform == "win32":
        return None
    try:
        import uvloop
    except ImportError:
        return None
    return uvloop.new_event_loop
