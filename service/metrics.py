"""What Prometheus may read. Labels are names that the service knows: routes, codes, skills, models; never a text of a message.

Every label has a limit on its values; what comes after that is counted as `other`, so that nobody can fill the memory.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, Literal, TypeAlias

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.exposition import CONTENT_TYPE_LATEST

TokenKind: TypeAlias = Literal["prompt", "completion", "cached"]
OTHER: Final = "other"
MAX_SKILLS: Final = 5_000
MAX_NAMES: Final = 200
"""Values of any label but a skill's name."""
REQUEST_BUCKETS: Final = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120)
SKILL_BUCKETS: Final = (0.001, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30)


class LabelLimit:
    """Admits the first `limit` values of a label."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._seen: set[str] = set()

    def admit(self, value: str) -> str:
        """The value, or `other` when it is one too many."""
        if value not in self._seen:
            if len(self._seen) >= self._limit:
                return OTHER
            self._seen.add(value)
        return value


class Metrics:
    """The service's counters in a registry of their own."""

    content_type: Final = CONTENT_TYPE_LATEST

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        self._labels: dict[str, Callable[[str], str]] = {}
        requests = ("route", "method", "status")
        self._requests = self._counter("http_requests_total", "Requests answered; 499 = the client left.", *requests)
        self._request_seconds = self._histogram("http_request_seconds", "Time of a request.", REQUEST_BUCKETS, *requests)
        self._turns = self._counter("turns_total", "Turns by how they ended.", "outcome")
        self._turns_running = self._gauge("turns_running", "Turns that run now.")
        self._dropped = self._counter("preselection_dropped_total", "Names of the cheap model that were not used.", "reason")
        self._degraded = self._counter("preselection_degraded_total", "Preselections that the ranking decided alone.", "cause")
        self._skill_calls = self._counter("skill_calls_total", "Requests to skills.", "skill", "outcome")
        self._skill_seconds = self._histogram("skill_seconds", "Time of a request to a skill.", SKILL_BUCKETS, "skill")
        self._attempts_failed = self._counter("model_attempts_failed_total", "Attempts at a model that failed.", "model", "code")
        self._tokens = self._counter("tokens_total", "Tokens as the providers counted them.", "kind")
        self._catalog = self._gauge("catalog_items", "What the catalog holds.", "kind")
        self._reloads = self._counter("catalog_reloads_total", "Loads of changed apps while serving, by outcome.", "outcome")

    def count_request(self, route: str, method: str, status: int, seconds: float) -> None:
        """One HTTP request, answered or left."""
        labels = self._admit(route=route, method=method, status=str(status))
        self._requests.labels(**labels).inc()
        self._request_seconds.labels(**labels).observe(seconds)

    def start_turn(self) -> None:
        """A turn runs; `finish_turn` must follow."""
        self._turns_running.inc()

    def finish_turn(self, outcome: str) -> None:
        """A turn that was started has ended, say `done`, `failed` or `cancelled`."""
        self._turns_running.dec()
        self._turns.labels(**self._admit(outcome=outcome)).inc()

    def count_dropped(self, reason: str) -> None:
        """The cheap model named something that was not used."""
        self._dropped.labels(**self._admit(reason=reason)).inc()

    def count_degraded(self, cause: str) -> None:
        """The ranking decided alone; `cause` is a code."""
        self._degraded.labels(**self._admit(cause=cause)).inc()

    def count_skill_call(self, skill: str | None, outcome: str, seconds: float) -> None:
        """One request to a skill. `skill` None = a name that no skill has: made-up names are not labels."""
        name = "unknown" if skill is None else skill
        self._skill_calls.labels(**self._admit(skill=name, outcome=outcome)).inc()
        self._skill_seconds.labels(**self._admit(skill=name)).observe(seconds)

    def count_failed_attempt(self, model: str, code: str) -> None:
        """One attempt at a model failed; `code` is the ModelError's."""
        self._attempts_failed.labels(**self._admit(model=model, code=code)).inc()

    def count_tokens(self, kind: TokenKind, count: int) -> None:
        """Tokens that a reply used."""
        self._tokens.labels(**self._admit(kind=kind)).inc(max(0, count))

    def set_catalog(self, *, apps: int, skills: int, focus_modes: int, quarantined: int) -> None:
        """What the catalog in use holds."""
        for kind, count in {"app": apps, "skill": skills, "focus_mode": focus_modes, "quarantined": quarantined}.items():
            self._catalog.labels(**self._admit(kind=kind)).set(count)

    def count_reload(self, outcome: str) -> None:
        """The apps were loaded again; `applied`, `kept`, `unchanged` or `failed`."""
        self._reloads.labels(**self._admit(outcome=outcome)).inc()

    def render(self) -> bytes:
        """All of it in Prometheus' text format."""
        return generate_latest(self._registry)

    def _admit(self, **labels: str) -> dict[str, str]:
        return {name: self._labels[name](value) for name, value in labels.items()}

    def _counter(self, name: str, help_text: str, *labels: str) -> Counter:
        return Counter(f"shortlist_{name}", help_text, self._limit(labels), registry=self._registry)

    def _gauge(self, name: str, help_text: str, *labels: str) -> Gauge:
        return Gauge(f"shortlist_{name}", help_text, self._limit(labels), registry=self._registry)

    def _histogram(self, name: str, help_text: str, buckets: tuple[float, ...], *labels: str) -> Histogram:
        return Histogram(f"shortlist_{name}", help_text, self._limit(labels), registry=self._registry, buckets=buckets)

    def _limit(self, labels: tuple[str, ...]) -> tuple[str, ...]:
        for label in labels:
            limit = LabelLimit(MAX_SKILLS if label == "skill" else MAX_NAMES)
            self._labels.setdefault(label, limit.admit)
        return labels
