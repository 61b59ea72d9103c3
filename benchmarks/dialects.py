"""What each family of providers is sent of whole catalogs: what stays, what is told in words, what is lost."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

from apps.sdk.jsontypes import JsonObject
from apps.sdk.loader import load_catalog
from apps.sdk.schemas.dialects.adapting import adapt
from apps.sdk.schemas.dialects.profiles import PROFILES, Profile
from apps.sdk.schemas.dialects.records import Adapted
from apps.sdk.schemas.parameters import REQUESTS_PER_CALL, with_request_fields
from apps.sdk.schemas.upgrading import upgrade_schema
from benchmarks.data_apps import NO_ARGUMENTS, read_lines
from benchmarks.measuring import percentile, tell
from benchmarks.report import Section, Table, show_ms
from service.settings import ROOT

DATA = ROOT.parent / "shared" / "data"
CATALOGS = ("catalogs_github_mcp", "catalogs_docker_mcp_registry", "bfcl")
QUICK_SCHEMAS = 100
READING = """
Every schema of a catalog as each family of providers is sent it. *Untouched* is sent as the author wrote it, *rewritten* with
the same meaning; *told* has a meaning that the family has no keyword for and that its descriptions say in words; *not told* has
one that nothing says (a cut description, or that other fields are ruled out), and *refused* cannot be sent, since no arguments
can fit it. *Undone* has answers that are read back: names, listed values, JSON text, nulls. *Most told* are the keywords that
most schemas tell in words. Arguments are always judged by the author's schema, so that none of this lets a wrong call through.
"""


async def measure(*, quick: bool, data: Path = DATA) -> Section:
    """The whole report."""
    catalogs = {"bundled apps": read_bundled()}
    for name in CATALOGS:
        if (data / name).is_dir():
            catalogs[name] = [
                upgrade_schema(tool["parameters"] or NO_ARGUMENTS).schema for tool in read_lines(data / name / "tools.jsonl")
            ]
        else:
            tell(f"  {name} is not in {data.name}: left out")
    header = (
        "catalog, family",
        "schemas",
        "untouched",
        "rewritten",
        "told",
        "not told",
        "refused",
        "undone",
        "p50 ms",
        "most told",
    )
    return Section("Schemas by family of providers", READING, [Table(header, list_rows(catalogs, quick=quick))])


def list_rows(catalogs: Mapping[str, Sequence[JsonObject]], *, quick: bool) -> list[tuple[str, ...]]:
    rows = []
    for name, schemas in catalogs.items():
        some = schemas[:QUICK_SCHEMAS] if quick else schemas
        rows += [count_losses(name, some, profile) for profile in PROFILES.values()]
    return rows


def read_bundled() -> list[JsonObject]:
    """The bundled skills' schemas, with the fields that every `requests` gets."""
    skills = load_catalog((ROOT / "apps",)).skills.values()
    return [with_request_fields(skill.parameters, limit=REQUESTS_PER_CALL) for skill in skills]


def count_losses(name: str, schemas: Sequence[JsonObject], profile: Profile) -> tuple[str, ...]:
    """One row of the table."""
    counts: Counter[str] = Counter()
    keywords: Counter[str] = Counter()
    seconds = []
    for schema in schemas:
        begun = time.perf_counter()
        found = adapt(schema, profile)
        seconds.append(time.perf_counter() - begun)
        counts[judge(schema, found if isinstance(found, Adapted) else None)] += 1
        if isinstance(found, Adapted):
            counts["undone"] += found.plan is not None
            keywords.update({loss.keyword for loss in found.lost if loss.told})
    verdicts = ("untouched", "rewritten", "told", "not told", "refused", "undone")
    told = ", ".join(f"{keyword} {count:,}" for keyword, count in keywords.most_common(4))
    numbers = (f"{counts[verdict]:,}" for verdict in verdicts)
    return (f"{name}, {profile.name}", f"{len(schemas):,}", *numbers, show_ms(percentile(seconds, 0.5)), told or "-")


def judge(schema: JsonObject, found: Adapted | None) -> str:
    """The worst that happened to it."""
    if found is None:
        return "refused"
    if any(not loss.told and loss.keyword != "enum" for loss in found.lost):
        return "not told"
    if any(loss.told for loss in found.lost):
        return "told"
    return "untouched" if found.schema is schema else "rewritten"
