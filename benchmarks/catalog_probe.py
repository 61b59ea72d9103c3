"""One look at a folder of apps, in a process of its own, printed as JSON: `python -m benchmarks.catalog_probe KIND DIRECTORY`.

load    the catalog and its index: seconds, and resident memory before and after
parse   the floor: libyaml reads the same app.yml files
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
from benchmarks.measuring import Budget, interleave, percentile, time_call
from benchmarks.processes import read_resident
from preprocessor.intent import Intent
from preprocessor.pipeline import Preprocessor, PreprocessRequest
from preprocessor.prompt import Candidates, build_request
from preprocessor.ranking import rank_message
from preprocessor.retrieval.lexical import LexicalIndex
from preprocessor.settings import PreprocessSettings
from service.instructions import load_instructions
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
    settings, texts = PreprocessSettings(), load_instructions(Settings.model_fields["base_instructions"].default).preselection
    retriever = LexicalIndex(catalog)
    messages = (Message("user", MESSAGE),)
    preprocessor = Preprocessor(catalog=catalog, retriever=retriever, texts=texts, settings=settings)
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
        case _:
            told = run(probe_stages(folder))
    sys.stdout.buffer.write(orjson.dumps(told))


if __name__ == "__main__":
    main()
