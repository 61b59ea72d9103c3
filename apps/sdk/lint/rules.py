"""The list of rules. A rule takes the loaded apps, in catalog order, and yields findings."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TypeAlias

from apps.sdk.assembly import LoadedApp
from apps.sdk.findings import Finding
from apps.sdk.lint import examples, fields, references, texts, wirenames

Rule: TypeAlias = Callable[[Sequence[LoadedApp]], Iterator[Finding]]

RULES: tuple[Rule, ...] = (
    examples.check_examples,
    fields.check_excluded_fields,
    references.check_references,
    texts.check_texts,
    wirenames.check_names,
)


def check_apps(apps: Sequence[LoadedApp]) -> list[Finding]:
    """The findings of every rule."""
    return [finding for rule in RULES for finding in rule(apps)]
