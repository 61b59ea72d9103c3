"""Whatever stands in an app.yml or in its texts, a load ends with a catalog."""

from __future__ import annotations

import json
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import given, settings
from hypothesis import strategies as st

from apps.sdk.catalog import Catalog
from apps.sdk.codes import CODES
from apps.sdk.jsontypes import Json
from apps.sdk.loader import load_catalog
from apps.sdk.manifest.app import PARTS
from service.settings import ROOT
from tests.support.apps import skill_manifest

KEYS = sorted({key for part in PARTS for key in (*part.keys(), *part.ALIASES, *part.OPAQUE)})
SCHEMA_WORDS = ["requests", "type", "properties", "required", "items", "enum", "default", "$ref", "#"]
WORDS = st.sampled_from([*KEYS, *SCHEMA_WORDS, "a.b", "efect"])
TEXTS = st.text(st.sampled_from("ab9 é𐀀{}-:\u202e\n"), max_size=8)
VALUES: st.SearchStrategy[Json] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | TEXTS | WORDS | st.just("object"),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(WORDS | TEXTS, inner, max_size=5),
    max_leaves=12,
)
ITEM = st.dictionaries(WORDS, VALUES, max_size=6).map(lambda item: {"id": "a", "system_prompt": "p"} | item)
ITEMS = st.lists(ITEM, max_size=3)
MANIFESTS = st.fixed_dictionaries(
    {}, optional={"skills": ITEMS, "focuses": ITEMS, "memory": ITEMS, "instructions": ITEMS, "name_translation_key": VALUES}
)


def load(manifest: Json, texts: Json) -> Catalog:
    with TemporaryDirectory() as name:
        folder = Path(name, "any")
        (folder / "texts").mkdir(parents=True)
        (folder / "app.yml").write_text(json.dumps(manifest, ensure_ascii=False))
        (folder / "texts" / "en.yml").write_text(json.dumps(texts, ensure_ascii=False))
        return load_catalog([Path(name)])


def assert_sound(catalog: Catalog) -> None:
    for finding in catalog.findings:
        assert finding.code in CODES
        assert finding.position.line >= 1
        assert str(finding).isprintable()
    for item in catalog.quarantined:
        assert item.reason


@settings(max_examples=60, deadline=None)
@given(MANIFESTS, st.dictionaries(WORDS, VALUES, max_size=4))
def test_any_items_and_any_texts_load(manifest: Json, texts: Json) -> None:
    assert_sound(load(manifest, texts))


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(KEYS), VALUES)
def test_any_value_under_any_key_of_a_skill_loads(key: str, value: Json) -> None:
    """And what cannot be used sets that skill aside, never the one beside it."""
    neighbour = skill_manifest("any", "b", class_path=None)
    catalog = load({"skills": [skill_manifest("any", "a", class_path=None) | {key: value}, neighbour]}, {})
    assert_sound(catalog)
    assert "any-b" in {item.id for item in catalog.quarantined}


WRITTEN = {path.parent.name: path.read_bytes() for path in sorted((ROOT / "apps").glob("*/app.yml"))}
INSERTED = st.binary(max_size=4) | st.sampled_from(
    [
        b"\n",
        b"  ",
        b"\t",
        b"- ",
        b": ",
        b"&a ",
        b"*a ",
        b"!!set ",
        b"<<: ",
        b"---\n",
        b"\xff",
        b"\x00",
        b"'",
        b'"',
        b"[",
        b"{",
        b"|\n",
        b"#",
    ]
)


@st.composite
def mutated(draw: st.DrawFn) -> bytes:
    """A manifest of a bundled app with a few places cut out, doubled or filled with something else."""
    text = WRITTEN[draw(st.sampled_from(sorted(WRITTEN)))]
    for _ in range(draw(st.integers(1, 4))):
        start = draw(st.integers(0, len(text)))
        end = min(len(text), start + draw(st.sampled_from([0, 1, 3, 40, 400])))
        middle = draw(INSERTED | st.just(text[start:end] * 2) | st.just(text[start:end][::-1]))
        text = text[:start] + middle + text[end:]
    return text


@settings(max_examples=40, deadline=None)
@given(mutated() | st.binary(max_size=80) | st.text(max_size=80).map(str.encode))
def test_whatever_stands_in_a_manifest_costs_its_own_app_only(text: bytes) -> None:
    """Each damage, or bytes that are no manifest at all, is a finding at its place or harmless; the app beside it is there."""
    with TemporaryDirectory() as name:
        for app_id, content in (("any", text), ("good", b"memory: [{id: a, schema: {type: string}}]")):
            Path(name, app_id).mkdir()
            Path(name, app_id, "app.yml").write_bytes(content)
        catalog = load_catalog([Path(name)])
    assert_sound(catalog)
    assert set(catalog.by_app) == {"any", "good"}
    assert "good-a" in catalog.memories


@settings(max_examples=60, deadline=None)
@given(VALUES)
def test_any_schema_of_a_memory_loads(schema: Json) -> None:
    """Either the memory is there or its schema is the reason why not."""
    catalog = load({"memory": [{"id": "a", "schema": schema}]}, {})
    assert_sound(catalog)
    assert list(catalog.memories) == ["any-a"] or "schema" in catalog.quarantined[0].reason
