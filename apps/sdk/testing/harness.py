"""Runs a skill as the service does: request checked and read, time limited, result converted and checked."""

from __future__ import annotations

import asyncio
import copy
from collections.abc import Sequence
from pathlib import Path
from typing import Unpack

from apps.sdk.catalog import SkillSpec
from apps.sdk.invocation import invoke, unwrap
from apps.sdk.jsontypes import Json, JsonObject
from apps.sdk.loading.held_modules import HeldModules
from apps.sdk.names import fold_name
from apps.sdk.results.conversion import RESULT_BYTES, Unusable, to_json
from apps.sdk.skill import TIMEOUT, BatchSkill, SkillContext, SkillError
from apps.sdk.testing.context import Cancel, ContextOptions, make_context
from apps.sdk.testing.loading import find_skill
from apps.sdk.testing.request_check import RequestCheck
from apps.sdk.testing.result_check import ResultMismatch, check_result
from apps.sdk.testing.skill_run import SkillRun, describe_run
from apps.sdk.threads import run_in_thread


class OutOfTime(AssertionError):
    """The skill did not end within its time."""


def load_skill(place: str | Path, skill_id: str, *, varying: Sequence[str] = ()) -> SkillHarness:
    """The skill of the app that `place` belongs to, usually the test's own `__file__`; the app's folder will do too.

    `varying` are dotted paths of the result that `output_example` does not settle: they may be missing, or of any type.
    Raises `NoSuchSkill` with the app's findings.
    """
    loaded = find_skill(place, skill_id)
    return SkillHarness(loaded.spec, loaded.modules, varying)


class SkillHarness:
    """One skill, ready to run. `spec` is what the catalog would hold of it."""

    def __init__(self, spec: SkillSpec, modules: HeldModules, varying: Sequence[str] = ()) -> None:
        self.spec = spec
        self._modules = modules
        self._varying = tuple(varying)
        self._requests = RequestCheck(spec)

    async def run(self, request: JsonObject, **options: Unpack[ContextOptions]) -> SkillRun:
        """Run one request: an entry of `requests`, or all arguments where the schema has no such array.

        `options` are those of `make_context`; `timeout` is the skill's own unless given, and `secrets` go to the skill only as
        far as it declares their providers. Raises `RequestMismatch`, `ResultMismatch` and `OutOfTime`; what the skill raises
        comes out as it is.
        """
        (answer,) = await self._execute([request], options)
        if isinstance(answer, SkillError):
            raise answer
        return answer

    async def run_batch(self, requests: Sequence[JsonObject], **options: Unpack[ContextOptions]) -> list[SkillRun | SkillError]:
        """Run all requests of one call of a `BatchSkill`, together: a run or the skill's error for each, in their order."""
        assert isinstance(self.spec.implementation, BatchSkill), f"{self.spec.tool_name} is no BatchSkill"
        return await self._execute(requests, options)

    def check_from_message(self, text: str) -> Json | None:
        """The request that the skill's `from_message` finds in `text`, if any. Raises `RequestMismatch` when it does not fit."""
        self._modules.put_back([self.spec.app_id])
        found = self.spec.implementation.from_message(text)
        dump = getattr(found, "model_dump", None)
        request = found if dump is None else dump(mode="json", exclude_none=True)
        if request is not None:
            self._requests.check(request, f"what from_message finds in {text!r:.100}")
        return request

    def check_examples(self) -> dict[str, Json]:
        """The requests that `from_message` finds in the skill's own examples. Raises `RequestMismatch` when one does not fit."""
        found = {example: self.check_from_message(example) for example in self.spec.examples}
        return {example: request for example, request in found.items() if request is not None}

    async def _execute(self, requests: Sequence[JsonObject], options: ContextOptions) -> list[SkillRun | SkillError]:
        for request in requests:
            self._requests.check(request)
        self._modules.put_back([self.spec.app_id])
        options = _complete_options(self.spec, options)
        async with make_context(**options) as context:
            answers = await self._call_in_time(copy.deepcopy(list(requests)), context, options)
        return [answer if issubclass(type(answer), SkillError) else self._finish(answer) for answer in answers]

    async def _call_in_time(self, requests: list[JsonObject], context: SkillContext, options: ContextOptions) -> list[Json]:
        cause: Exception | None = None
        try:
            async with asyncio.timeout(options["timeout"]) as time_limit:
                answers = await invoke(self.spec.implementation, requests, context, run_in_thread)
        except Exception as error:
            if not time_limit.expired():
                raise
            cause = error
        if not time_limit.expired():
            return answers
        options["cancellation"].cancelled = True  # also when it has caught its cancellation and answered all the same
        raise OutOfTime(f"{self.spec.tool_name} did not end within {options['timeout']:.3g} s") from cause

    def _finish(self, answer: Json) -> SkillRun:
        data, note = unwrap(answer)
        try:
            whole = to_json(data, max_bytes=RESULT_BYTES)
        except Unusable as error:
            raise ResultMismatch(f"{self.spec.tool_name}: {error}") from error
        check_result(whole, self.spec, self._varying)
        return describe_run(whole, note, self.spec)


def _complete_options(spec: SkillSpec, options: ContextOptions) -> ContextOptions:
    """With the time and the cancellation that the skill gets, and only those secrets that it may see."""
    given = {fold_name(name): secret for name, secret in options.get("secrets", {}).items()}
    completed: ContextOptions = {"timeout": spec.timeout or TIMEOUT, "cancellation": Cancel(), **options}
    completed["secrets"] = spec.choose_secrets(given)
    return completed
