"""What a turn costs in tokens: every tool's schema in every turn, against what is really sent."""

from __future__ import annotations

import os
import random
import statistics
import tempfile
from collections.abc import AsyncGenerator, Callable, Sequence
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path

import orjson

from apps.sdk.catalog import Catalog
from apps.sdk.chat import ChatRequest, Message, ModelReply, TextDelta, ToolDefinition
from apps.sdk.loader import load_catalog
from apps.sdk.schemas.dialects.tool_schemas import ToolSchemas
from benchmarks.apps import SEED
from benchmarks.data_apps import convert_catalog, read_lines
from benchmarks.measuring import BenchmarkError, tell
from benchmarks.report import Section, Table
from preprocessor.exposure import expose
from preprocessor.intent import Intent
from preprocessor.pipeline import Preprocessor, PreprocessRequest
from preprocessor.retrieval.lexical import LexicalIndex
from preprocessor.tools import build_definition
from service.instructions import BaseInstructions, load_instructions
from service.settings import ROOT, Settings

DATA = ROOT.parent / "shared" / "data"
"""Where the catalogs are looked for when no other folder is named; those that are not there are left out."""
CATALOGS = ("catalogs_github_mcp", "catalogs_docker_mcp_registry", "metatool", "bfcl", "sealtools")
MESSAGES, QUICK_MESSAGES = 200, 30
READING = """
Tokens of the tools array, counted with OpenAI's o200k encoding over the JSON as it is sent. *All tools* is what a model would
be sent if nothing were shortlisted; *sent* is what the ranking alone shortlists for a message (no cheap model: the offline
stand-in), the mean over the messages; *fewer* is their ratio. *Cheap prompt* is what the shortlisting model would read besides,
at its own, much lower price, when there is one: the lines of at most 200 candidates. Messages are the catalog's own queries
(those that need a tool), or where it has none the first sentences of its tools' descriptions, and for the bundled apps their
examples. *Found* is how often everything that a message needs was among the tools sent, where the catalog says what that is.
"""


@dataclass(frozen=True, slots=True)
class Query:
    """A message, and the tools that it needs, where known."""

    text: str
    needs: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Sample:
    """What one message came to, in tokens; `found` is None where nobody knows what it needs."""

    sent: int
    tools: int
    prompt: int
    found: bool | None


class PromptRecorder:
    """A cheap model that keeps what it is asked and says nothing, so that the ranking decides."""

    name = "recorder"

    def __init__(self) -> None:
        self.prompts: list[ChatRequest] = []

    async def complete(self, request: ChatRequest) -> ModelReply:
        self.prompts.append(request)
        return ModelReply("", (), "stop", self.name)

    def stream(self, request: ChatRequest) -> AsyncGenerator[TextDelta | ModelReply, None]:
        raise NotImplementedError


async def measure(*, quick: bool, data: Path = DATA) -> Section:
    """The whole benchmark."""
    most = QUICK_MESSAGES if quick else MESSAGES
    texts = load_instructions(Settings.model_fields["base_instructions"].default)
    bundled = load_catalog((ROOT / "apps",))
    rows = [await measure_catalog("bundled apps", bundled, read_examples(bundled), most, texts)]
    with tempfile.TemporaryDirectory() as folder:
        for name in CATALOGS:
            if not (data / name).is_dir():
                tell(f"  {name} is not in {data.name}: left out")
                continue
            converted = convert_catalog(data / name, Path(folder) / name)
            catalog = load_catalog((converted.directory,))
            queries = read_queries(data / name, converted.names) or read_descriptions(catalog)
            rows.append(await measure_catalog(name, catalog, queries, most, texts))
    header = ("catalog", "skills", "messages", "all tools", "sent", "tools sent", "fewer", "cheap prompt", "found")
    return Section("Tokens of a turn", READING, [Table(header, rows)])


async def measure_catalog(
    name: str, catalog: Catalog, queries: Sequence[Query], most: int, texts: BaseInstructions
) -> tuple[str, ...]:
    """One row of the table."""
    tell(f"  {name}: {len(catalog.skills)} skills")
    chosen = random.Random(SEED).sample(queries, min(most, len(queries)))
    recorder = PromptRecorder()
    preprocessor = Preprocessor(catalog=catalog, retriever=LexicalIndex(catalog), texts=texts.preselection, model=recorder)
    samples = [await measure_message(preprocessor, recorder, query) for query in chosen]
    everything = count_tools(
        [tool for skill in catalog.skills.values() if isinstance(tool := build_definition(skill, ToolSchemas()), ToolDefinition)]
    )
    sent = statistics.fmean(sample.sent for sample in samples)
    known = [sample.found for sample in samples if sample.found is not None]
    return (
        name,
        f"{len(catalog.skills):,}",
        f"{len(samples):,}",
        f"{everything:,}",
        f"{sent:,.0f}",
        f"{statistics.fmean(sample.tools for sample in samples):.1f}",
        f"{everything / sent:,.0f}x" if sent else "-",
        f"{statistics.fmean(sample.prompt for sample in samples):,.0f}",
        f"{sum(known) / len(known):.0%}" if known else "-",
    )


async def measure_message(preprocessor: Preprocessor, recorder: PromptRecorder, query: Query) -> Sample:
    recorder.prompts.clear()
    prepared = await preprocessor.prepare(PreprocessRequest((Message("user", query.text),), Intent()))
    shown = expose(preprocessor.catalog, prepared.expansion, prepared.preselection.names)
    prompt = sum(count_prompt(request) for request in recorder.prompts)
    found = query.needs <= set(shown.names) if query.needs else None
    return Sample(count_tools(shown.tools), len(shown.tools), prompt, found)


def count_tools(tools: Sequence[ToolDefinition]) -> int:
    return sum(count_tokens(orjson.dumps(tool.to_wire()).decode()) for tool in tools)


def count_prompt(request: ChatRequest) -> int:
    return sum(count_tokens(message.text) for message in request.messages) + count_tools(request.tools)


def count_tokens(text: str) -> int:
    """Exactly, with the encoding that litellm carries along."""
    return len(load_encoder()(text))


@cache
def load_encoder() -> Callable[[str], list[int]]:
    os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"  # else it looks for prices on the network
    import litellm

    return partial(litellm.encode, "gpt-4o")


def read_examples(catalog: Catalog) -> list[Query]:
    """Without what they need: they are in the index themselves, so that finding it would say nothing."""
    return [Query(text) for skill in catalog.skills.values() for text in skill.examples]


def read_descriptions(catalog: Catalog) -> list[Query]:
    return [Query(skill.description.split(". ")[0][:200]) for skill in catalog.skills.values()]


def read_queries(catalog: Path, names: dict[str, str]) -> list[Query]:
    """The catalog's queries that need tools which are all in it."""
    files = sorted(catalog.glob("queries*.jsonl"))
    found = [
        Query(str(item["query"]), frozenset(names[tool] for tool in item["gold"]))
        for file in files
        for item in read_lines(file)
        if item["gold"] and all(tool in names for tool in item["gold"])
    ]
    if files and not found:
        raise BenchmarkError(f"no query of {catalog.name} names a tool of its catalog")
    return found
