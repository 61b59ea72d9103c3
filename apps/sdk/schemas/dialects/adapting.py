"""From an author's schema to one that a provider takes and that means the same."""

from __future__ import annotations

import json

from apps.sdk.jsontypes import Json
from apps.sdk.schemas.dialects.profiles import Profile
from apps.sdk.schemas.dialects.reading import TooLarge, read_schema
from apps.sdk.schemas.dialects.records import Adapted, Refused
from apps.sdk.schemas.dialects.telling import Teller
from apps.sdk.schemas.dialects.writing import Writer

MAX_CHARACTERS = 120_000
"""Of a schema as JSON: what OpenAI takes of names and values alone, and more than a request should spend on one function."""


def adapt(schema: Json, profile: Profile) -> Adapted | Refused:
    """The schema for one family of providers; the same bytes for the same schema, and `schema` itself where it fits already.

    `schema` is one in draft 2020-12, as `upgrading` makes it where an app is loaded. What is adapted stays as it is when it is
    upgraded and adapted again. Nothing is changed in `schema`.
    """
    teller = Teller(profile)
    writer = Writer(profile, teller)
    try:
        shape = read_schema(schema)
        written = writer.write_root(shape)
    except (TooLarge, RecursionError) as error:
        return Refused(str(error) if isinstance(error, TooLarge) else "it nests too deeply")
    if written is None:
        return Refused(f"no value fits the required field {writer.unfit!r}" if writer.unfit else "no arguments can fit it")
    size = len(json.dumps(written.schema, ensure_ascii=False))
    if size > MAX_CHARACTERS:
        return Refused(f"it takes {size:,} characters, and at most {MAX_CHARACTERS:,} can be sent")
    description = teller.join_texts(written.description, written.notes, ())
    sent = schema if schema == written.schema else written.schema
    return Adapted(sent, description, tuple(teller.lost), written.plan)
