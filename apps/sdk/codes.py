"""Every code that a finding can have: how bad it is, what it means, and how to mend it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal, TypeAlias

Severity: TypeAlias = Literal["error", "warning", "hint", "extra"]
"""`error`: something is left out or may be wrong for callers; `extra`: true but no fault, shown by `lint --strict` only."""


@dataclass(frozen=True, slots=True)
class Code:
    """What a code stands for; `mend` says what its author can do."""

    severity: Severity
    meaning: str
    mend: str


_FILE: Mapping[str, Code] = {
    "file-unreadable": Code(
        "error",
        "The file or folder cannot be read, or is of the wrong kind.",
        "Put a regular file that the service may read in its place.",
    ),
    "file-too-large": Code(
        "error",
        "The file is larger than a manifest may be (1 MiB).",
        "Move what only other programs read into files of their own.",
    ),
    "file-not-utf8": Code("error", "The file is not UTF-8 text.", "Save it as UTF-8; the place is the first byte that is none."),
    "yaml-character": Code(
        "error", "A control character that YAML forbids.", "Delete it, or write it as an escape in double quotes."
    ),
    "yaml-syntax": Code("error", "The file is not YAML.", "Look at the place and the line before: indentation, quotes, colons."),
    "yaml-depth": Code("error", "Values are nested too deeply.", "Flatten them."),
    "yaml-size": Code(
        "error", "The file holds too many values, counted after aliases are expanded.", "Use fewer aliases of large values."
    ),
    "yaml-alias": Code(
        "error",
        "An alias to nothing, or to a value that holds the alias.",
        "Write the anchor (`&name`) before the alias (`*name`).",
    ),
    "yaml-merge": Code(
        "error", "A merge key whose value is not a mapping or a list of mappings.", "Let `<<` name anchors of mappings."
    ),
    "yaml-key": Code("error", "A key that is not text.", "Use a plain or quoted word as the key."),
    "yaml-duplicate-key": Code("error", "The same key twice in one mapping; the first one counts.", "Delete one of the two."),
    "yaml-tag": Code(
        "error",
        "A tag beyond YAML's core ones, or a value that its tag does not fit.",
        "Delete the tag; quote the value for text.",
    ),
    "yaml-ambiguous": Code(
        "hint",
        "A plain word or number that YAML versions read differently; it is read as text.",
        "Quote it if text is meant; write true, false or a plain number if not.",
    ),
}

_APP: Mapping[str, Code] = {
    "app-id": Code(
        "error", "The folder's name is no legal app id, or a reserved one.", "Rename the folder: a-z, 0-9 and _, no _ first."
    ),
    "app-duplicate": Code(
        "error", "Two directories hold an app of the same id; the first one counts.", "Rename one folder, or take one away."
    ),
    "app-empty": Code("warning", "The app has no skills, focus modes or memories.", "Add one, or delete the folder."),
    "app-id-differs": Code(
        "warning", "The id in the file is not the folder's name, which counts.", "Delete the key, or repeat the folder's name."
    ),
}

_KEYS: Mapping[str, Code] = {
    "unknown-key": Code(
        "warning", "A key that nothing reads.", "Correct the spelling; start the name with `x-` to keep a key of your own."
    ),
    "guard-key": Code(
        "error",
        "A key that looks like a misspelling of one that limits what the item may do; the item is set aside, not let loose.",
        "Correct the spelling; start the name with `x-` if it is a key of your own.",
    ),
    "opaque-key": Code(
        "extra", "A key that other programs read; it is kept and has no effect here.", "Nothing, if another program reads it."
    ),
    "alias-twice": Code("warning", "Two spellings of one key; the first one counts.", "Delete one of the two."),
    "missing-key": Code("error", "A key that must be there is not.", "Add it."),
    "wrong-value": Code("error", "A value of the wrong type or outside its range.", "Write what the message asks for."),
    "item-id": Code(
        "error", "An illegal id of a skill, focus mode or memory.", "Use a-z, 0-9, _ and -, a letter or digit first."
    ),
    "item-duplicate": Code(
        "error", "Two skills, focus modes or memories of one app with the same id; the first one counts.", "Rename one of them."
    ),
}

_TEXTS: Mapping[str, Code] = {
    "text-placeholder": Code(
        "error", "A template placeholder that nobody filled, in a text for a model or for people.", "Write the text out."
    ),
    "text-missing": Code(
        "warning",
        "A translation key that the app's main language has no text for; a readable id stands in.",
        "Add the text under that key to `texts/`, or write the text itself into app.yml.",
    ),
    "no-texts": Code(
        "warning",
        "Descriptions stand under translation keys only, and no file of `texts/` can be read: models see names only.",
        "Add `texts/en.yml` with the texts, or write `description` and `preprocessor_hint` into app.yml.",
    ),
    "text-language": Code(
        "warning",
        "A file of `texts/` whose name is no language; it is not read.",
        "Name it after a language tag with the ending .yml: de.yml, pt-BR.yml.",
    ),
    "texts-incomplete": Code(
        "hint", "A language lacks texts that the app's main language has; the main language stands in.", "Translate them."
    ),
    "text-unused": Code("extra", "A text that no key of app.yml leads to.", "Delete it, unless another program reads it."),
    "no-description": Code(
        "warning",
        "Neither description nor hint tells a model what the item is for.",
        "Add `description` and `preprocessor_hint`.",
    ),
    "text-hidden": Code(
        "warning",
        "A text for models holds characters that people do not see: control characters, direction overrides, tags.",
        "Delete them: a model reads what nobody has reviewed.",
    ),
    "text-length": Code("hint", "A text that costs many tokens in every request.", "Shorten it to what decides when it is used."),
    "no-examples": Code(
        "hint", "A skill without example messages; they sharpen the ranking.", "Add two or three messages that should select it."
    ),
    "same-example": Code(
        "hint",
        "The same example stands with two skills, so it tells them apart no more.",
        "Keep it with the skill it should select.",
    ),
}

_SKILLS: Mapping[str, Code] = {
    "tool-name-length": Code(
        "error", "The app's id and the item's together are longer than a tool name may be.", "Shorten either id."
    ),
    "tool-name-long": Code("hint", "A tool name that some clients cut off.", "Shorten the app's id or the skill's."),
    "similar-names": Code(
        "warning", "Tool names that differ only in separators: a misspelt call cannot be repaired.", "Rename one of the two."
    ),
    "skill-unfinished": Code(
        "warning", "A skill without a class: a placeholder that cannot be called.", "Add `class_path` when the class is there."
    ),
    "skill-unsupported": Code("warning", "A kind of skill that cannot run yet.", "Give it a class for the time being."),
    "skill-import": Code(
        "error", "The skill's class cannot be imported or made.", "Correct `class_path`, or what the message says of the module."
    ),
    "skill-class": Code(
        "error",
        "The class is no skill of this app, or does not say what to execute.",
        "Derive it from `apps.sdk.skill.Skill` inside the app's own folder and define `execute`.",
    ),
    "skill-not-async": Code("warning", "`execute` is not an `async def`.", "Write `async def execute`."),
    "exclude-path": Code(
        "warning", "A path of `exclude_fields_for_llm` that `output_example` does not have.", "Correct the path or the example."
    ),
    "unknown-reference": Code(
        "warning", "A name of a skill or app that is not in the catalog.", "Correct the name or delete it."
    ),
}

_SCHEMAS: Mapping[str, Code] = {
    "tool-schema": Code(
        "error",
        "`tool_schema` is missing, not an object schema or not valid JSON Schema.",
        "Write `type: object` with `properties`, in draft 2020-12; references may only be local.",
    ),
    "memory-schema": Code("error", "A memory's `schema` is not valid JSON Schema.", "Correct the keyword at the place."),
    "schema-required": Code(
        "warning", "`required` names a property that is not declared.", "Correct the name, or declare the property."
    ),
    "schema-requests": Code(
        "warning",
        "`requests` is not an array of objects, so its entries are not run one by one.",
        "Write `type: array` with `items: {type: object, properties: ...}`, or give the argument another name.",
    ),
    "schema-enum": Code("warning", "The same value twice in one `enum`.", "Delete one of the two."),
    "schema-default": Code("warning", "A `default` that its own schema refuses.", "Correct the default or the schema."),
    "argument-description": Code(
        "hint", "Arguments without a description: the model has only their names to go by.", "Say in a few words what goes in."
    ),
}

_FOCUS: Mapping[str, Code] = {
    "focus-without-prompt": Code(
        "error", "A focus mode without any prompt text.", "Add `system_prompt`, or the text of its translation key to `texts/`."
    ),
    "focus-without-skills": Code(
        "warning",
        "A focus mode whose limits leave no skill of the catalog.",
        "Correct the names, or leave `allowed_skills` out to allow all.",
    ),
}

CODES: Mapping[str, Code] = MappingProxyType({**_FILE, **_APP, **_KEYS, **_TEXTS, **_SKILLS, **_SCHEMAS, **_FOCUS})
"""By code; codes are stable."""

GROUPS: Mapping[str, Mapping[str, Code]] = MappingProxyType(
    {
        "The file": _FILE,
        "The app": _APP,
        "Keys and values": _KEYS,
        "Texts": _TEXTS,
        "Skills": _SKILLS,
        "Schemas": _SCHEMAS,
        "Focus modes": _FOCUS,
    }
)


def render_codes() -> str:
    """The text of lint/CODES.md."""
    parts = [_INTRODUCTION]
    for title, group in GROUPS.items():
        rows = (f"| `{code}` | {entry.severity} | {entry.meaning} | {entry.mend} |\n" for code, entry in group.items())
        parts.append(f"\n## {title}\n| code | severity | meaning | how to mend it |\n|---|---|---|---|\n{''.join(rows)}")
    return "".join(parts)


_INTRODUCTION = """\
# What lint can find

Made from `apps/sdk/codes.py`. Each finding has a place, one of these codes, a message and, where one is known, a suggestion.

- `error`: something is set aside, or works otherwise than written; `lint` exits with 1, readiness is degraded.
- `warning`: it works, but most likely not as meant.
- `hint`: it could be better.
- `extra`: true but no fault; only `lint --strict` shows it.
"""
