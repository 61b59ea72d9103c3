"""What Prometheus reads."""

from prometheus_client.parser import text_string_to_metric_families

from service.metrics import MAX_NAMES, LabelLimit, Metrics


def samples(metrics: Metrics) -> dict[tuple[str, tuple[tuple[str, str], ...]], float]:
    families = text_string_to_metric_families(metrics.render().decode())
    return {(s.name, tuple(sorted(s.labels.items()))): s.value for family in families for s in family.samples}


def test_everything_that_is_counted_is_rendered() -> None:
    """Each method shows in the text under its documented name and labels."""
    metrics = Metrics()
    metrics.count_request("/v1/turns", "POST", 200, 0.02)
    metrics.start_turn()
    metrics.start_turn()
    metrics.finish_turn("done")
    metrics.count_dropped("unknown")
    metrics.count_degraded("model_timeout")
    metrics.count_skill_call("math-calculate", "ok", 0.001)
    metrics.count_skill_call(None, "error", 0.0)
    metrics.count_failed_attempt("gpt-x", "model_unavailable")
    metrics.count_tokens("prompt", 100)
    metrics.count_tokens("prompt", -5)
    metrics.set_catalog(apps=2, skills=7, focus_modes=1, quarantined=0)
    found = samples(metrics)
    for name, labels, value in [
        ("http_requests_total", {"route": "/v1/turns", "method": "POST", "status": "200"}, 1),
        ("http_request_seconds_count", {"route": "/v1/turns", "method": "POST", "status": "200"}, 1),
        ("turns_total", {"outcome": "done"}, 1),
        ("turns_running", {}, 1),
        ("preselection_dropped_total", {"reason": "unknown"}, 1),
        ("preselection_degraded_total", {"cause": "model_timeout"}, 1),
        ("skill_calls_total", {"skill": "math-calculate", "outcome": "ok"}, 1),
        ("skill_calls_total", {"skill": "unknown", "outcome": "error"}, 1),
        ("skill_seconds_count", {"skill": "math-calculate"}, 1),
        ("model_attempts_failed_total", {"model": "gpt-x", "code": "model_unavailable"}, 1),
        ("tokens_total", {"kind": "prompt"}, 100),
        ("catalog_items", {"kind": "skill"}, 7),
    ]:
        assert found["shortlist_" + name, tuple(sorted(labels.items()))] == value, name
    assert metrics.content_type.startswith("text/plain")


def test_labels_cannot_fill_the_memory() -> None:
    """A thousand made-up values of a label make at most its limit of series, plus `other`."""
    metrics = Metrics()
    for number in range(1_000):
        metrics.count_degraded(f"cause-{number}")
    causes = [labels for name, labels in samples(metrics) if name == "shortlist_preselection_degraded_total"]
    assert len(causes) == MAX_NAMES + 1
    assert (("cause", "other"),) in causes


def test_a_value_once_admitted_stays() -> None:
    """A full label still counts the values that it knows."""
    limit = LabelLimit(1)
    assert [limit.admit(value) for value in ("a", "b", "a")] == ["a", "other", "a"]


def test_two_services_in_one_process_do_not_share() -> None:
    """Each has its own registry."""
    one, other = Metrics(), Metrics()
    one.count_dropped("unknown")
    assert not [name for name, _ in samples(other) if name == "shortlist_preselection_dropped_total"]
