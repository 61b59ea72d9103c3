"""What skills raise that they did not mean to, for their author's own eyes: it may quote what was sent."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from traceback import StackSummary, TracebackException
from typing import Final

from apps.sdk.catalog import Catalog, SkillSpec
from apps.sdk.jsontypes import Json, JsonObject
from apps.sdk.skill import SkillContext
from executor.engine.base import Engine
from executor.failures import is_foreseen, make_cleaner

CHARACTERS: Final = 20_000
"""Of one exception that are shown; a message may quote megabytes."""


class ListeningEngine:
    """Runs skills on `engine` and keeps, as text without the skill's credentials, what they raise unforeseen."""

    def __init__(self, engine: Engine, catalog: Catalog) -> None:
        self._engine = engine
        self._catalog = catalog
        self._raised: Counter[str] = Counter()

    def takes_batches(self, skill: SkillSpec) -> bool:
        return self._engine.takes_batches(skill)

    async def execute(self, skill: SkillSpec, requests: list[JsonObject], context: SkillContext) -> list[Json]:
        try:
            return await self._engine.execute(skill, requests, context)
        except (asyncio.CancelledError, GeneratorExit):
            raise
        except BaseException as error:
            if not is_foreseen(error):
                clean = make_cleaner(context.secrets.values(), CHARACTERS)
                self._raised[clean(describe_raised(error, self._catalog.by_app[skill.app_id].path))] += 1
            raise

    def describe(self, name: str) -> Iterator[str]:
        """Each different exception once, with the number of attempts that ended in it."""
        for text, attempts in self._raised.items():
            yield f"{name} raised this{f' at {attempts} attempts' if attempts > 1 else ''}:\n{text}"


def describe_raised(error: BaseException, folder: Path) -> str:
    """Type, message and causes as Python prints them, with the frames of code in `folder`; the innermost where there are none."""
    told = TracebackException.from_exception(error, compact=True)
    waiting: list[TracebackException | None] = [told]
    while waiting:
        if (one := waiting.pop()) is not None:
            own = [frame for frame in one.stack if Path(frame.filename).is_relative_to(folder)]
            one.stack = StackSummary.from_list(own or one.stack[-1:])
            waiting += [one.__cause__, one.__context__, *(one.exceptions or ())]
    return "".join(told.format())
