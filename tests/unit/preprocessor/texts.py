"""Texts of a preselection call for tests."""

from __future__ import annotations

from preprocessor.prompt import FIELDS, PreselectionTexts

TEXTS = PreselectionTexts(
    system="Pick what is needed.",
    function="shortlist",
    description="Reports what is needed.",
    headings={field: f"# {field}" for field in FIELDS},
    fields={field: f"The {field}." for field in FIELDS},
    left_out="[...]",
    no_text="(no text)",
    extra={"language": {"type": "string", "maxLength": 35}, "complexity": {"enum": ["simple", "complex"]}},
)
