"""What came of one run of a skill."""

from __future__ import annotations

from dataclasses import dataclass

from apps.sdk.catalog import SkillSpec
from apps.sdk.jsontypes import Json, JsonObject
from apps.sdk.results.blocks import holds_blocks
from apps.sdk.results.characters import clean_text
from apps.sdk.results.model_copy import write_for_model
from apps.sdk.tokens import estimate_tokens


@dataclass(frozen=True, slots=True)
class SkillRun:
    """`data` is the whole result as JSON, `note` the skill's word on it.

    `toon` is the part of the tool message that shows the data, without what `exclude_fields_for_llm` names; `tokens` what it
    costs, `json_tokens` what the same fields would cost as compact JSON: estimates. Content blocks go to a model as they are:
    `toon` then is their text alone. `print` shows all of it.
    """

    data: Json
    note: str | None
    toon: str
    tokens: int
    json_tokens: int

    @property
    def is_blocks(self) -> bool:
        """Whether the skill gave content blocks."""
        return holds_blocks(self.data)

    def __str__(self) -> str:
        lines = [self.toon, "", *([f"note: {self.note}"] if self.note else []), self._describe_cost()]
        return "\n".join(lines)

    def _describe_cost(self) -> str:
        if self.is_blocks:
            return f"{len(self.data)} content blocks, about {self.tokens} tokens of text"
        saved = round(100 * (1 - self.tokens / max(1, self.json_tokens)))
        change = f"{saved} % saved" if saved >= 0 else f"{-saved} % more"
        return f"about {self.tokens} tokens as TOON, {self.json_tokens} as compact JSON: {change}"


def describe_run(data: Json, note: str | None, spec: SkillSpec) -> SkillRun:
    """The run of a skill that gave `data`, which is JSON."""
    if holds_blocks(data):
        texts = _join_texts(data)
        tokens = estimate_tokens(texts)
        return SkillRun(data, note, texts, tokens, tokens)
    text = write_for_model(data, spec.exclude_fields)
    return SkillRun(data, note, text.toon, text.tokens, text.json_tokens)


def _join_texts(blocks: list[JsonObject]) -> str:
    return "\n".join(clean_text(block["text"])[0] if block["type"] == "text" else "(image)" for block in blocks)
