"""What every mapping of app.yml is: its keys, their types, and how each is to be treated.

`OPAQUE` keys belong to other readers of the same file (user interfaces, billing), each with what it is for; `ALIASES` map
another spelling to ours. `GUARDS` limit what an item may do: a misspelling of one must not let it do more. `TRANSLATED` names,
for a text, the key that leads to it in the app's texts.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Annotated, ClassVar, TypeAlias

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, StringConstraints

from apps.sdk.jsontypes import Json
from apps.sdk.names import SKILL_ID_RULE
from apps.sdk.near_names import ask

MAX_WORD = 300
"""Characters of a name, an id or an example: longer ones are texts."""

MAX_EXAMPLES = 20
"""Messages of one skill or focus mode."""


def keep_text(value: Json) -> str | None:
    """A text as it is, None for anything else: a key in another form belongs to another program."""
    return value if isinstance(value, str) else None


Text: TypeAlias = Annotated[str, StringConstraints(strict=True, strip_whitespace=True)]
Word: TypeAlias = Annotated[str, StringConstraints(strict=True, strip_whitespace=True, min_length=1, max_length=MAX_WORD)]
TextKey: TypeAlias = Annotated[Text | None, BeforeValidator(keep_text)]
Examples: TypeAlias = Annotated[list[Word], Field(max_length=MAX_EXAMPLES)]

_NONE: Mapping[str, str] = MappingProxyType({})
ID_TEXT = f"Made of {SKILL_ID_RULE}."
KEY_TEXT = "Where `texts/<language>.yml` has the {0}; beside a `{1}` it gives the other languages."
SWITCH_TEXT = "false ships it switched off; an override switches it on."
ICON_TEXT = "An icon's file name, for user interfaces."


class ManifestPart(BaseModel):
    """A mapping of app.yml."""

    model_config = ConfigDict(strict=True, frozen=True, extra="ignore", populate_by_name=False)

    ALIASES: ClassVar[Mapping[str, str]] = _NONE
    OPAQUE: ClassVar[Mapping[str, str]] = _NONE
    GUARDS: ClassVar[Mapping[str, str]] = _NONE
    TRANSLATED: ClassVar[Mapping[str, str]] = _NONE

    @classmethod
    def keys(cls) -> frozenset[str]:
        """The keys that are read, in our spelling."""
        return frozenset(field.alias or name for name, field in cls.model_fields.items())


class NamedPart(ManifestPart):
    """A mapping of app.yml with a name and a description, which may stand in the texts of several languages."""

    TRANSLATED: ClassVar[Mapping[str, str]] = MappingProxyType(
        {"name": "name_translation_key", "description": "description_translation_key"}
    )

    name: Word | None = Field(default=None, description="What people read.", examples=["Search the web"])
    name_translation_key: TextKey = Field(default=None, description=KEY_TEXT.format("name", "name"), examples=["search.name"])
    description: Text | None = Field(
        default=None, description="What it is for, for models and people.", examples=["Finds pages and gives their addresses."]
    )
    description_translation_key: TextKey = Field(
        default=None, description=KEY_TEXT.format("description", "description"), examples=["search.description"]
    )


def describe_guards(*keys: str, **others: str) -> Mapping[str, str]:
    """What each guard is, in words for a suggestion; `others` are words that are no keys, but meant as one."""
    return MappingProxyType({key: ask(key) for key in keys} | others)
