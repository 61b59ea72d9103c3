from pathlib import Path

from tests.support.apps import ECHO_MODULE, skill_manifest, write_app, write_echo_app
from tests.support.loading import list_findings


def test_long_texts_are_hinted(tmp_path: Path) -> None:
    write_echo_app(tmp_path, "one", "a", description="d" * 1025, preprocessor_hint="h" * 301)
    assert len(list_findings(tmp_path, "text-length")) == 2


def test_characters_that_nobody_sees_are_a_warning(tmp_path: Path) -> None:
    """In every text for a model, at its place; joiners that a script needs, emoji and line breaks are none."""
    schema = {"type": "object", "properties": {"a": {"type": "string", "description": "what\x1f", "title": "fine"}}}
    skill = skill_manifest(
        "one", "a", name="A\x1b[31m", description="is\u200bit", preprocessor_hint="\U000e0041", examples=["yes", "n\u2066o"],
        tool_schema=schema,
    )  # fmt: skip
    fine = skill_manifest(
        "one",
        "b",
        description="می\u200cخواهم 👩\u200d👩\u200d👧 🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f\n\tx",
    )
    mode = {"id": "m", "description": "m", "system_prompt": "Be\u202e kind."}
    memory = {"id": "k", "type": "single", "description": "k\ufeff", "schema": {"properties": {"a": {"description": "\u2060"}}}}
    manifest = {"skills": [skill, fine], "focus_modes": [mode], "settings_and_memories": [memory]}
    write_app(tmp_path, "one", manifest, {"echo": ECHO_MODULE})
    assert sorted(finding.message for finding in list_findings(tmp_path, "text-hidden")) == [
        "'description' holds U+200B, which nobody sees",
        "'description' holds U+FEFF, which nobody sees",
        "'examples.1' holds U+2066, which nobody sees",
        "'name' holds U+001B, which nobody sees",
        "'preprocessor_hint' holds U+E0041, which nobody sees",
        "'schema.properties.a.description' holds U+2060, which nobody sees",
        "'system_prompt' holds U+202E, which nobody sees",
        "'tool_schema.properties.a.description' holds U+001F, which nobody sees",
    ]


def test_a_skill_without_any_description_is_a_warning(tmp_path: Path) -> None:
    write_echo_app(tmp_path, "one", "a", description=None, preprocessor_hint=None)
    (finding,) = list_findings(tmp_path, "no-description")
    assert finding.severity == "warning"


def test_descriptions_that_are_elsewhere_are_one_warning(tmp_path: Path) -> None:
    """An app with translation keys and no texts is told so once, not once for each item."""
    memories = [{"id": key, "description_translation_key": key} for key in ("a", "b")]
    write_app(tmp_path, "one", {"memory": [*memories, {"id": "c"}]})
    (finding,) = list_findings(tmp_path, "no-texts")
    assert (finding.severity, "(2 of them)" in finding.message) == ("warning", True)
    assert len(list_findings(tmp_path, "no-description")) == 1
