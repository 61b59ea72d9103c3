"""One look at a folder of apps, in a process of its own, printed as JSON: `python -m benchmarks.catalog_probe KIND DIRECTORY`.

load    the catalog and its index: seconds, and resident memory before and after
parse   the floor: libyaml reads the same app.yml files
reload  seconds until the next snapshot stands, after an edit of one app's manifest, and of one of its modules
stages  p50 seconds of what is done with the catalog for each message
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path

import orjson
import yaml

from apps.sdk.catalog import Catalog
from apps.sdk.chat import Message
from apps.sdk.jsontypes import JsonObject
from apps.sdk.loader import load_catalog
from benchmarks.apps import MESSAGE
from benchmarks.loops import run
from benchmarks.measuring import BenchmarkError, Budget, interleave, percentile, time_call
from benchmarks.processes import read_resident
from preprocessor.intent import Intent
from preprocessor.pipeline import Preprocessor, PreprocessRequest
from preprocessor.prompt import Candidates, build_request
from preprocessor.ranking import rank_message
from preprocessor.retrieval.lexical import LexicalIndex
from preprocessor.settings import PreprocessSettings
from service.instructions import load_instructions
from service.reloading.loading import load_next
from service.settings import Settings

Work = Callable[[], object]


def probe_load(folder: Path) -> JsonObject:
    """Times of both parts, and memory in bytes before and after."""
    before = read_resident(os.getpid())
    begun = time.perf_counter()
    catalog = load_catalog((folder,))
    loaded = time.perf_counter()
    index = LexicalIndex(catalog)
    indexed = time.perf_counter()
    after = read_resident(os.getpid())
    assert index.count_words(MESSAGE)
    return {"skills": len(catalog.skills), "load": loaded - begun, "index": indexed - loaded, "before": before, "after": after}


def probe_parse(folder: Path) -> JsonObject:
    begun = time.perf_counter()
    for file in sorted(folder.glob("*/app.yml")):
        yaml.load(file.read_bytes(), yaml.CSafeLoader)
    return {"parse": time.perf_counter() - begun}


def probe_reload(folder: Path) -> JsonObject:
    """Both edits leave the app working."""
    catalog = load_catalog((folder,))
    running = make_preprocessor(catalog)
    app = catalog.apps[len(catalog.apps) // 2]
    manifest, module = app.path / "app.yml", max(app.path.glob("skills/*.py"))
    told: JsonObject = {}
    for name, file, line, edit in (
        ("manifest", manifest, "  examples:\n", f"  - edited at {time.time_ns()}\n"),
        ("module", module, "context: SkillContext) -> JsonObject:\n", "        context.logger.debug('edited')\n"),
    ):
        text = file.read_text(encoding="utf-8")
        file.write_text(text.replace(line, line + edit, 1), encoding="utf-8")
        begun = time.perf_counter()
        reloaded = load_next(running, (folder,))
        told[name] = time.perf_counter() - begun
        if reloaded.diff.changed != (app.id,):
            raise BenchmarkError(f"the edit of {file.name} changed {reloaded.diff.changed}, not {app.id}")
        running = reloaded.preprocessor
    return told


async def probe_stages(folder: Path) -> JsonObject:
    """p50 of each stage by name, in seconds."""
    catalog = load_catalog((folder,))
    works = make_stages(catalog)
    cases = {name: partial(time_call, partial(_await, work)) for name, work in works.items()}
    await interleave(cases, Budget(2, 10.0))
    samples = await interleave(cases, Budget(50, 4.0))
    return {name: percentile(values, 0.5) for name, values in samples.items()}


def make_stages(catalog: Catalog) -> dict[str, Work]:
    """What a message costs before any model is asked, and a plain scan of all hints as the floor of the ranking."""
    preprocessor = make_preprocessor(catalog)
    settings, texts, retriever = preprocessor.settings, preprocessor.texts, preprocessor.retriever
    messages = (Message("user", MESSAGE),)
    request = PreprocessRequest(messages, Intent())
    names = dict.fromkeys(catalog.skills)
    candidates = Candidates(tuple(names)[: settings.candidates])
    return {
        "scan": partial(scan_hints, catalog, MESSAGE),
        "expand": partial(preprocessor.expand, request),
        "rank": partial(rank_message, retriever, messages, names, settings.candidates),
        "prompt": partial(build_request, catalog, candidates, messages, texts, settings),
        "all": partial(preprocessor.prepare, request),
    }


def make_preprocessor(catalog: Catalog) -> Preprocessor:
    """Without a model."""
    texts = load_instructions(Settings.model_fields["base_instructions"].default).preselection
    return Preprocessor(catalog=catalog, retriever=LexicalIndex(catalog), texts=texts, settings=PreprocessSettings())


def scan_hints(catalog: Catalog, text: str) -> list[str]:
    """The skills by how many of the text's words are in their hints: no stems, no weights, no index."""
    words = set(text.lower().split())
    counts = {name: len(words.intersection(skill.hint.lower().split())) for name, skill in catalog.skills.items()}
    return sorted(counts, key=lambda name: -counts[name])


async def _await(work: Work) -> None:
    result = work()
    if isinstance(result, Awaitable):
        await result


def main() -> None:
    kind, folder = sys.argv[1], Path(sys.argv[2])
    match kind:
        case "load":
            told = probe_load(folder)
        case "parse":
            told = probe_parse(folder)
        case "reload":
            told = probe_reload(folder)
        case _:
            told = run(probe_stages(folder))
    sys.stdout.buffer.write(orjson.dumps(told))


if __name__ == "__main__":
    main()
