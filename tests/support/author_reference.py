"""What authors look up, as Markdown made from the code: the codes of findings, and the keys of app.yml."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator

from apps.sdk.codes import GROUPS
from apps.sdk.jsontypes import Json, JsonObject
from apps.sdk.manifest.app import PARTS, ManifestPart
from apps.sdk.manifest.editor_schema import app_schema

CODES_HEAD = """\
# What lint can find

Made from `apps/sdk/codes.py`. Each finding has a place, one of these codes, a message and, where one is known, a suggestion.

- `error`: something is set aside, or works otherwise than written; `lint` exits with 1, readiness is degraded.
- `warning`: it works, but most likely not as meant.
- `hint`: it could be better.
- `extra`: true but no fault; only `lint --strict` shows it.
"""

KEYS_HEAD = """\
# The keys of app.yml

Made from `apps/sdk/manifest`. What can be wrong with them is in [CODES.md](CODES.md).
A key of your own starts with `x-`: nothing reads it.
"""

TITLES = {
    "AppManifest": "The app",
    "InstructionManifest": "Entries of `instructions`",
    "SkillManifest": "Entries of `skills`",
    "ProviderManifest": "Entries of `providers`",
    "FocusModeManifest": "Entries of `focus_modes`",
    "MemoryManifest": "Entries of `settings_and_memories`",
}
KINDS = {"string": "text", "boolean": "true or false", "number": "number", "object": "mapping", "null": ""}
BOUNDS = {
    "maxLength": "of up to {:,} characters", "minItems": "at least {} of them", "maxItems": "up to {:,} of them",
    "exclusiveMinimum": "above {}",
    "maximum": "up to {:,}",
}  # fmt: skip
"""How a schema's keywords read in a sentence; that a text is not empty goes without saying."""


def render_codes() -> str:
    """The text of lint/CODES.md."""
    parts = [CODES_HEAD]
    for title, group in GROUPS.items():
        rows = (f"| `{code}` | {entry.severity} | {entry.meaning} | {entry.mend} |\n" for code, entry in group.items())
        parts.append(f"\n## {title}\n| code | severity | meaning | how to mend it |\n|---|---|---|---|\n{''.join(rows)}")
    return "".join(parts)


def render_keys() -> str:
    """The text of lint/KEYS.md."""
    schema = app_schema()
    definitions: JsonObject = {**schema["definitions"], "AppManifest": schema}
    definitions["ProviderManifest"] = definitions["ProviderManifest"]["anyOf"][1]
    return KEYS_HEAD + "".join("".join(_write_part(part, definitions[part.__name__])) for part in PARTS)


def _write_part(part: type[ManifestPart], schema: JsonObject) -> Iterator[str]:
    yield f"\n## {TITLES[part.__name__]}\n{part.__doc__}\n\n"
    yield "| key | what it is | type | default | example |\n|---|---|---|---|---|\n"
    required = schema.get("required", [])
    for key in sorted(part.keys(), key=_order_keys(part, required)):
        entry = schema["properties"][key]
        default = "must be there" if key in required else _write_default(entry.get("default"))
        name = ", ".join(f"`{spelling}`" for spelling in (key, *(alias for alias, own in part.ALIASES.items() if own == key)))
        cells = (name, entry["description"], _describe_type(entry), default, _write_json(entry["examples"][0]))
        yield f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |\n"
    if part.OPAQUE:
        yield "\nKept for other programs, without effect here:\n\n| key | what it is |\n|---|---|\n"
        yield from (f"| `{key}` | {part.OPAQUE[key]} |\n" for key in sorted(part.OPAQUE))


def _order_keys(part: type[ManifestPart], required: list[str]) -> Callable[[str], tuple[bool, int]]:
    """What must be there first, then as the model has them."""
    declared = [field.alias or name for name, field in part.model_fields.items()]
    return lambda key: (key not in required, declared.index(key))


def _describe_type(entry: JsonObject) -> str:
    """What may be written, in words."""
    if "$ref" in entry:
        title = TITLES[entry["$ref"].rpartition("/")[2]]
        return f"[{title.lower()}](#{title.lower().replace(' ', '-').replace('`', '')})"
    if "enum" in entry:
        return "one of " + ", ".join(f"`{value}`" for value in entry["enum"] if value is not None)
    for choice in entry.get("anyOf", ()):
        if choice != {"type": "null"}:
            return _describe_type(choice)
    kinds = entry.get("type", "anything")
    kind = next(kind for kind in ([kinds] if isinstance(kinds, str) else kinds) if kind != "null")
    bounds = [words.format(entry[word]) for word, words in BOUNDS.items() if word in entry]
    what = f"list of {_describe_type(entry['items'])}" if kind == "array" else KINDS.get(kind, kind)
    return ", ".join([what, *bounds]).replace(", of", " of")


def _write_default(value: Json) -> str:
    return "" if value is None else _write_json(value)


def _write_json(value: Json) -> str:
    return f"`{json.dumps(value, ensure_ascii=False)}`"
