"""Every code that a finding can have: how bad it is, what it means, and how to mend it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal, TypeAlias

from apps.sdk.names import APP_ID_RULE, SKILL_ID_RULE

Severity: TypeAlias = Literal["error", "warning", "hint", "extra"]
"""`error`: something is left out or may be wrong for callers; `extra`: true but no fault, shown by `lint --strict` only."""


Code: TypeAlias = Literal[
    "file-unreadable",
    "file-too-large",
    "file-not-utf8",
    "yaml-character",
    "yaml-syntax",
    "yaml-depth",
    "yaml-size",
    "yaml-alias",
    "yaml-merge",
    "yaml-key",
    "yaml-duplicate-key",
    "yaml-tag",
    "yaml-ambiguous",
    "findings-more",
    "app-id",
    "app-duplicate",
    "app-empty",
    "app-id-differs",
    "unknown-key",
    "guard-key",
    "guard-empty",
    "opaque-key",
    "alias-twice",
    "missing-key",
    "wrong-value",
    "item-id",
    "item-duplicate",
    "text-placeholder",
    "text-missing",
    "texts-main",
    "no-texts",
    "text-language",
    "texts-incomplete",
    "text-unused",
    "no-description",
    "text-hidden",
    "text-length",
    "no-examples",
    "same-example",
    "tool-name-length",
    "tool-name-long",
    "similar-names",
    "skill-unfinished",
    "skill-unsupported",
    "skill-import",
    "skill-class",
    "skill-not-async",
    "exclude-path",
    "unknown-reference",
    "tool-schema",
    "memory-schema",
    "schema-draft",
    "schema-empty",
    "schema-required",
    "schema-requests",
    "schema-enum",
    "schema-default",
    "schema-keyword",
    "schema-extension",
    "schema-told",
    "schema-model",
    "argument-description",
    "focus-without-prompt",
    "focus-without-skills",
]
"""What a finding is about; stable, for programs and for those who search for it."""


@dataclass(frozen=True, slots=True)
class Explanation:
    """What a code stands for; `mend` says what its author can do."""

    severity: Severity
    meaning: str
    mend: str


_FILE: Mapping[Code, Explanation] = {
    "file-unreadable": Explanation(
        "error",
        "The file or folder cannot be read, or is of the wrong kind.",
        "Put a regular file that the service may read in its place.",
    ),
    "file-too-large": Explanation(
        "error",
        "The file is larger than a manifest may be (1 MiB).",
        "Move what only other programs read into files of their own.",
    ),
    "file-not-utf8": Explanation(
        "error", "The file is not UTF-8 text.", "Save it as UTF-8; the place is the first byte that is not."
    ),
    "yaml-character": Explanation(
        "error", "A control character that YAML forbids.", "Delete it, or write it as an escape in double quotes."
    ),
    "yaml-syntax": Explanation(
        "error", "The file is not YAML.", "Look at the place and the line before: indentation, quotes, colons."
    ),
    "yaml-depth": Explanation("error", "Values are nested too deeply.", "Flatten them."),
    "yaml-size": Explanation(
        "error", "The file holds too many values, counted after aliases are expanded.", "Use fewer aliases of large values."
    ),
    "yaml-alias": Explanation(
        "error",
        "An alias to nothing, or to a value that holds the alias.",
        "Write the anchor (`&name`) before the alias (`*name`).",
    ),
    "yaml-merge": Explanation(
        "error", "A merge key whose value is not a mapping or a list of mappings.", "Let `<<` name anchors of mappings."
    ),
    "yaml-key": Explanation("error", "A key that is not text.", "Use a plain or quoted word as the key."),
    "yaml-duplicate-key": Explanation(
        "error", "The same key twice in one mapping; the first one counts.", "Delete one of the two."
    ),
    "yaml-tag": Explanation(
        "error",
        "A tag beyond YAML's core ones, or a value that its tag does not fit.",
        "Delete the tag; quote the value for text.",
    ),
    "yaml-ambiguous": Explanation(
        "hint",
        "A plain word or number that YAML versions read differently; it is read as text.",
        "Quote it if text is meant; write true, false or a plain number if not.",
    ),
    "findings-more": Explanation(
        "hint",
        "The file has more findings than are shown: errors first, then warnings, then hints.",
        "Mend those that are shown; the others follow.",
    ),
}

_APP: Mapping[Code, Explanation] = {
    "app-id": Explanation(
        "error", "The folder's name is no legal app id, or a reserved one.", f"Rename the folder: {APP_ID_RULE}."
    ),
    "app-duplicate": Explanation(
        "error", "Two directories hold an app of the same id; the first one counts.", "Rename one folder, or take one away."
    ),
    "app-empty": Explanation("warning", "The app has no skills, focus modes or memories.", "Add one, or delete the folder."),
    "app-id-differs": Explanation(
        "warning", "The id in the file is not the folder's name, which counts.", "Delete the key, or repeat the folder's name."
    ),
}

_KEYS: Mapping[Code, Explanation] = {
    "unknown-key": Explanation(
        "warning", "A key that nothing reads.", "Correct the spelling; start the name with `x-` to keep a key of your own."
    ),
    "guard-key": Explanation(
        "error",
        "A key that looks like a misspelling of one that limits what the item may do; the item is set aside, not let loose.",
        "Correct the spelling; start the name with `x-` if it is a key of your own.",
    ),
    "guard-empty": Explanation(
        "error",
        "A key that limits what the item may do, with nothing after it; the item is set aside, not let loose.",
        "Write the limit (`[]` for an empty list), or delete the key.",
    ),
    "opaque-key": Explanation(
        "extra", "A key that other programs read; it is kept and has no effect here.", "Nothing, if another program reads it."
    ),
    "alias-twice": Explanation("warning", "Two spellings of one key; the first one counts.", "Delete one of the two."),
    "missing-key": Explanation("error", "A key that must be there is not.", "Add it."),
    "wrong-value": Explanation("error", "A value of the wrong type or outside its range.", "Write what the message asks for."),
    "item-id": Explanation("error", "An illegal id of a skill, focus mode or memory.", f"Use {SKILL_ID_RULE}."),
    "item-duplicate": Explanation(
        "error", "Two skills, focus modes or memories of one app with the same id; the first one counts.", "Rename one of them."
    ),
}

_TEXTS: Mapping[Code, Explanation] = {
    "text-placeholder": Explanation(
        "error", "A template placeholder that nobody filled, in a text for a model or for people.", "Write the text out."
    ),
    "text-missing": Explanation(
        "warning",
        "A translation key without a text: in the app's main language, or, beside a text in app.yml, in any language.",
        "Correct the key, or add the text under it to `texts/`.",
    ),
    "texts-main": Explanation(
        "warning",
        "Texts for models stand under keys only, and not in English: models are shown the first language there is.",
        "Add `texts/en.yml`, or write the texts for models into app.yml; nothing, if that language is meant.",
    ),
    "no-texts": Explanation(
        "warning",
        "Descriptions stand under translation keys only, and no file of `texts/` can be read: models see names only.",
        "Add `texts/en.yml` with the texts, or write `description` and `preprocessor_hint` into app.yml.",
    ),
    "text-language": Explanation(
        "warning",
        "A file of `texts/` whose name is no language; it is not read.",
        "Name it after a language tag with the ending .yml: de.yml, pt-BR.yml.",
    ),
    "texts-incomplete": Explanation(
        "hint", "A language lacks texts that others have; the main language stands in.", "Translate them."
    ),
    "text-unused": Explanation("extra", "A text that no key of app.yml leads to.", "Delete it, unless another program reads it."),
    "no-description": Explanation(
        "warning",
        "Neither description nor hint tells a model what the item is for.",
        "Add `description` and `preprocessor_hint`.",
    ),
    "text-hidden": Explanation(
        "warning",
        "A text for models holds characters that people do not see: control characters, direction overrides, tags.",
        "Delete them: a model reads what nobody has reviewed.",
    ),
    "text-length": Explanation(
        "hint", "A text that costs many tokens in every request.", "Shorten it to what decides when it is used."
    ),
    "no-examples": Explanation(
        "hint", "A skill without example messages; they sharpen the ranking.", "Add two or three messages that should select it."
    ),
    "same-example": Explanation(
        "hint",
        "The same example stands with two skills, so it tells them apart no more.",
        "Keep it with the skill it should select.",
    ),
}

_SKILLS: Mapping[Code, Explanation] = {
    "tool-name-length": Explanation(
        "error", "The app's id and the item's together are longer than a tool name may be.", "Shorten either id."
    ),
    "tool-name-long": Explanation(
        "hint", "A tool name that some clients and models do not take.", "Shorten the app's id or the skill's."
    ),
    "similar-names": Explanation(
        "warning", "Tool names that differ only in case or separators: a misspelt call means neither.", "Rename one of the two."
    ),
    "skill-unfinished": Explanation(
        "warning", "A skill without a class: a placeholder that cannot be called.", "Add `class_path` when the class is there."
    ),
    "skill-unsupported": Explanation("warning", "A kind of skill that cannot run yet.", "Give it a class for the time being."),
    "skill-import": Explanation(
        "error", "The skill's class cannot be imported or made.", "Correct `class_path`, or what the message says of the module."
    ),
    "skill-class": Explanation(
        "error",
        "The class is no skill of this app, or does not say what to execute.",
        "Derive it from `apps.sdk.skill.Skill` inside the app's own folder and define `execute`.",
    ),
    "skill-not-async": Explanation("warning", "`execute` is not an `async def`.", "Write `async def execute`."),
    "exclude-path": Explanation(
        "warning", "A path of `exclude_fields_for_llm` that `output_example` does not have.", "Correct the path or the example."
    ),
    "unknown-reference": Explanation(
        "warning", "A name of a skill or app that is not in the catalog.", "Correct the name or delete it."
    ),
}

_SCHEMAS: Mapping[Code, Explanation] = {
    "tool-schema": Explanation(
        "error",
        "`tool_schema` is missing, not an object schema or not valid JSON Schema.",
        "Write `type: object` with `properties`, in draft 2020-12; references may only be local.",
    ),
    "memory-schema": Explanation("error", "A memory's `schema` is not valid JSON Schema.", "Correct the keyword at the place."),
    "schema-draft": Explanation(
        "hint",
        "A spelling of an older draft of JSON Schema or of OpenAPI 3.0; it is read as its equal in draft 2020-12.",
        "Write it as the message says.",
    ),
    "schema-empty": Explanation(
        "warning",
        "A keyword or a property of a schema with nothing after it.",
        "Write the value, `[]` for an empty list or `{}` for any value, or delete the keyword.",
    ),
    "schema-required": Explanation(
        "warning", "`required` names a property that is not declared.", "Correct the name, or declare the property."
    ),
    "schema-requests": Explanation(
        "warning",
        "`requests` is not an array of objects, so its entries are not run one by one.",
        "Write `type: array` with `items: {type: object, properties: ...}`, or give the argument another name.",
    ),
    "schema-enum": Explanation("warning", "The same value twice in one `enum`.", "Delete one of the two."),
    "schema-default": Explanation("warning", "A `default` that its own schema refuses.", "Correct the default or the schema."),
    "schema-keyword": Explanation(
        "warning",
        "A word in `tool_schema` that looks like a misspelt keyword; nothing holds a call to it.",
        "Correct the spelling; start the word with `x-` if it is one of your own.",
    ),
    "schema-extension": Explanation(
        "extra",
        "A word in `tool_schema` that is no keyword of JSON Schema draft 2020-12; models see it, no call is checked by it.",
        "Nothing, if models are to see it; else say the same in the draft's keywords.",
    ),
    "schema-told": Explanation(
        "extra",
        "A rule of `tool_schema` that no provider takes in a schema: models read it in words, and only calls are held to it.",
        "Nothing; where it can be said by plain fields, types and values, models keep to it more often.",
    ),
    "schema-model": Explanation(
        "warning",
        "The class's request model asks for a field that `tool_schema` does not promise, or forbids one that it offers.",
        "Make `required` and `properties` say what the model's fields say.",
    ),
    "argument-description": Explanation(
        "hint", "Arguments without a description: the model has only their names to go by.", "Say in a few words what goes in."
    ),
}

_FOCUS: Mapping[Code, Explanation] = {
    "focus-without-prompt": Explanation(
        "error", "A focus mode without any prompt text.", "Add `system_prompt`, or the text of its translation key to `texts/`."
    ),
    "focus-without-skills": Explanation(
        "warning",
        "A focus mode whose limits leave no skill of the catalog.",
        "Correct the names, or leave `allowed_skills` out to allow all.",
    ),
}

CODES: Mapping[Code, Explanation] = MappingProxyType({**_FILE, **_APP, **_KEYS, **_TEXTS, **_SKILLS, **_SCHEMAS, **_FOCUS})
"""By code; codes are stable."""

GROUPS: Mapping[str, Mapping[Code, Explanation]] = MappingProxyType(
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
