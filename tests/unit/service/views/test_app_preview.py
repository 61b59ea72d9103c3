"""What a preview holds of an app."""

from __future__ import annotations

import orjson

from apps.sdk.catalog import Instruction, Quarantined
from apps.sdk.schemas.dialects.profiles import LOCAL
from apps.sdk.schemas.dialects.tool_schemas import ToolSchemas
from apps.sdk.tokens import estimate_definition, estimate_tokens
from preprocessor.exposure import expose
from preprocessor.intent import Intent
from preprocessor.prompt import Candidates, build_list
from service.instructions import load_instructions
from service.settings import ROOT
from service.views.app_preview import preview_app
from tests.support.catalogs import HERE, make_app, make_catalog, make_memory, make_mode, make_skill
from tests.support.expanding import expand

ROWS = [{"title": f"Title {number}", "hash": "f" * 40} for number in range(5)]
SEARCH = make_skill(
    "web-search", hint="Searches\nthe web.", examples=("find me a page",), output_example=ROWS, exclude_fields=("hash",)
)
READ = make_skill("web-read")
WEB = make_app(
    "web", SEARCH, READ, make_mode("web-research"), make_memory("web-bookmarks"),
    instructions=(Instruction("Prefer reading."),), quarantined=(Quarantined("web-lost", "no class", HERE),),
)  # fmt: skip
CATALOG = make_catalog(WEB, make_app("time", make_skill("time-now")))
PREVIEW = preview_app(CATALOG, WEB, {"web-read": "the credential is missing"}, schemas=ToolSchemas(LOCAL, 3), floor=0.3)


def test_the_lines_are_those_of_the_prompt() -> None:
    """To the letter, skills, focus modes and memories alike, each with its tokens."""
    texts = load_instructions(ROOT / "service" / "base_instructions.yml").preselection
    candidates = Candidates(("web-search", "web-read"), ("web-research",), ("web-bookmarks",))
    prompt = build_list(CATALOG, candidates, texts).splitlines()
    lines = [line.text for line in PREVIEW.lines]
    assert lines[0] == "- web-search: Searches the web."
    assert [line for line in prompt if line.startswith("- web-")] == lines
    assert [line.tokens for line in PREVIEW.lines] == [estimate_tokens(line) for line in lines]


def test_the_tools_are_those_that_are_sent() -> None:
    """Byte for byte what exposure makes of them, `maxItems` and `id` included."""
    expansion = expand(CATALOG, Intent(), overrides=(), credentials=frozenset(), secrets={}, source="chat")
    sent = {tool.name: tool for tool in expose(CATALOG, expansion, ["web-search", "web-read"]).tools}
    for tool in preview_app(CATALOG, WEB, {}, schemas=ToolSchemas(), floor=0.3).tools:
        assert orjson.dumps(tool.definition) == orjson.dumps(sent[tool.name].to_wire())
        assert tool.tokens == estimate_definition(sent[tool.name])
    assert PREVIEW.tools[0].definition["function"]["parameters"]["properties"]["requests"]["maxItems"] == 3
    assert [text.text for text in PREVIEW.instructions] == ["Prefer reading."]


def test_the_output_is_the_model_s_copy() -> None:
    """TOON without what is excluded, smaller than JSON of the same fields; none without an example."""
    search, read = PREVIEW.tools
    assert search.output is not None
    assert search.output.toon.splitlines()[0] == "[5]{title}:"
    assert search.output.tokens < search.output.json_tokens
    assert read.output is None


def test_what_is_off_or_set_aside_says_why() -> None:
    """Skills that are not available, and items that cannot be used."""
    assert [(tool.name, tool.off) for tool in PREVIEW.tools] == [("web-search", None), ("web-read", "the credential is missing")]
    assert [(item.id, item.reason, item.place) for item in PREVIEW.set_aside] == [("web-lost", "no class", str(HERE))]


def test_examples_are_summed_up() -> None:
    """Among all skills of the catalog, for this app's only."""
    examples = PREVIEW.examples
    assert [rank.example for rank in examples.ranks] == ["find me a page"]
    assert (examples.skills, examples.floor) == (3, 0.3)
    assert examples.first == sum(rank.is_first for rank in examples.ranks)


def test_an_app_without_anything() -> None:
    """Nothing to show is shown as nothing."""
    empty = make_app("empty")
    preview = preview_app(make_catalog(empty), empty, {}, schemas=ToolSchemas(LOCAL, 5), floor=0.3)
    assert (preview.lines, preview.tools, preview.examples.ranks, preview.examples.first) == ((), (), (), 0)
