"""The list of rules. A rule takes the loaded apps, in catalog order, and yields findings."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TypeAlias

from apps.sdk.findings import Finding
from apps.sdk.lint import arguments, examples, fields, focus, keywords, models, references, schemas, texts, told, wirenames
from apps.sdk.loading.app import LoadedApp

Rule: TypeAlias = Callable[[Sequence[LoadedApp]], Iterator[Finding]]

RULES: tuple[Rule, ...] = (
    arguments.check_arguments,
    examples.check_examples,
    fields.check_excluded_fields,
    focus.check_limits,
    keywords.check_keywords,
    models.check_models,
    references.check_references,
    schemas.check_schemas,
    texts.check_texts,
    told.check_told,
    wirenames.check_names,
)


def check_apps(apps: Sequence[LoadedApp]) -> list[Finding]:
    """The findings of every rule."""
    return [finding for rule in RULES for finding in rule(apps)]
