"""Shows a turn on a terminal, a stage at a time, from the same events that HTTP clients get."""

from __future__ import annotations

from collections.abc import Iterable

from rich.console import Console
from rich.text import Text

from apps.sdk.jsontypes import JsonObject
from apps.sdk.shown import spell_out
from service.turns.events import Event
from service.turns.turn import TurnOutcome


class StageDisplay:
    """Prints as events come; texts of others are printed as they are, never read as markup."""

    def __init__(self, console: Console | None = None) -> None:
        self._console = console or Console(highlight=False, soft_wrap=True)
        self._numbers = iter(range(1, 1_000))

    def open(self, message: str) -> None:
        """Before anything happens."""
        self._heading("message")
        self._lines([message])

    def announce(self, text: str) -> None:
        """Something that takes its time."""
        self._lines([f"... {text}"], style="dim")

    def show(self, event: Event) -> None:
        """One event."""
        match event.name:
            case "preselection":
                self._show_preparation(event.data)
            case "tool.started":
                self._heading(f"called {event.data['name']}")
                self._lines([event.data["arguments"]])
            case "tool.finished":
                self._heading(f"returned as TOON by {event.data['name']}: {event.data['outcome']}")
                content = event.data["toon"]
                self._lines(content.splitlines() if isinstance(content, str) else [f"{len(content)} content blocks"])
            case _:
                pass

    def close(self, outcome: TurnOutcome) -> None:
        """The answer, and what it took."""
        self._heading(f"answered by {outcome.answer.model or 'nobody'}")
        self._lines(outcome.answer.text.splitlines(), style="bold")
        self._lines([f"note: {notice.message}" for notice in outcome.answer.notices])
        usage, rounds = outcome.usage, outcome.state.rounds
        sent = sum(round_.prompt_tokens_estimated for round_ in rounds)
        counted = f"{usage.prompt_tokens} + {usage.completion_tokens} tokens" if usage.total else f"about {sent} tokens of prompt"
        self._lines([f"{len(rounds)} rounds, {counted}, {outcome.seconds:.2f} s"], style="dim")

    def _show_preparation(self, data: JsonObject) -> None:
        expansion, preselection, exposure = data["expansion"], data["preselection"], data["exposure"]
        self._heading("considered")
        names = ", ".join(expansion["available"])
        extras = f"{len(expansion['focus_modes'])} focus modes, {len(expansion['memories'])} memories"
        self._lines([f"{len(expansion['available'])} skills: {names}", extras])
        self._lines(f"not available: {item['name']}: {item['reason']}" for item in expansion["dropped"])
        self._heading(f"shortlisted by {preselection['decided_by']}")
        chosen = [f"{item['name']}  {item['score']:.2f}  {'+'.join(item['sources'])}" for item in preselection["skills"]]
        self._lines(chosen or ["nothing"])
        self._lines([f"degraded: {preselection['degraded']}"] if preselection["degraded"] else [])
        self._heading(f"sent with about {exposure['tokens']} tokens of tools")
        sent = [f"{item['name']}  {item['tokens']} tokens  {item['source']}" for item in exposure["sent"]]
        self._lines(sent or ["no tools"])

    def _heading(self, text: str) -> None:
        self._console.print(Text(f"{next(self._numbers)} {text}", style="bold cyan"))

    def _lines(self, lines: Iterable[str], style: str = "") -> None:
        for line in lines:
            shown = spell_out(line, keep="\n\t")
            self._console.print(Text(f"    {shown}", style=style))
