"""Settings from the environment."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from pydantic import ValidationError

from service.settings import LONGEST, ROOT, Settings


@pytest.fixture(autouse=True)
def nothing_set(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An environment and a folder without settings."""
    for name in [name for name in os.environ if name.startswith("SHORTLIST_")]:
        monkeypatch.delenv(name)
    monkeypatch.chdir(tmp_path)


def test_lists_are_comma_separated(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHORTLIST_MAIN_MODELS", " openai/a , openai/b,,")
    monkeypatch.setenv("SHORTLIST_APPS_DIRS", "one,two")
    settings = Settings()
    assert settings.main_models == ("openai/a", "openai/b")
    assert settings.apps_paths == (Path("one"), Path("two"))


def test_empty_is_not_set(monkeypatch: pytest.MonkeyPatch) -> None:
    plain = ("PRESELECTION_MODEL", "MODEL_API_BASE", "MODEL_API_KEY", "LOG_JSON", "MAIN_MODELS")
    for name in (*plain, "MAX_OUTPUT_TOKENS", "CONTEXT_WINDOW"):
        monkeypatch.setenv(f"SHORTLIST_{name}", "")
    settings = Settings()
    assert settings == Settings.model_validate({})
    assert settings.preselection_model is None
    assert not settings.uses_models


def test_credentials_come_in_two_ways_and_are_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    """Names are without case; an empty one is none."""
    monkeypatch.setenv("SHORTLIST_SECRETS", '{"Brave": "sk-brave", "Empty": ""}')
    monkeypatch.setenv("SHORTLIST_SECRETS__TAVILY", "sk-tavily")
    settings = Settings()
    assert settings.skill_secrets == {"brave": "sk-brave", "tavily": "sk-tavily"}
    assert "sk-" not in repr(settings)
    assert "sk-" not in settings.model_dump_json()


def test_a_file_named_env_is_read_and_the_environment_wins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / ".env").write_text("SHORTLIST_PORT=1234\nSHORTLIST_MAX_ROUNDS=3\nOTHER=x\n")
    monkeypatch.setenv("SHORTLIST_MAX_ROUNDS", "5")
    assert (Settings().port, Settings().max_rounds) == (1234, 5)


@pytest.mark.parametrize(("name", "value"), [("PORT", "70000"), ("PREFILL", "x"), ("LOG_LEVEL", "loud"), ("MAX_ROUNDS", "0")])
def test_a_wrong_value_is_an_error(monkeypatch: pytest.MonkeyPatch, name: str, value: str) -> None:
    """What is no setting of ours is left alone."""
    monkeypatch.setenv(f"SHORTLIST_{name}", value)
    if name == "PREFILL":
        Settings()
        return
    with pytest.raises(ValidationError):
        Settings()


@pytest.mark.parametrize(
    "name",
    ["CONVERSATION_RETENTION", "EVENT_RETENTION", "IDEMPOTENCY_RETENTION", "CONVERSATION_LEASE", "TURN_TIMEOUT_MAX"],
)
@pytest.mark.parametrize("value", ["1e12", "inf", "nan"])
def test_a_time_that_no_date_can_hold_is_an_error(monkeypatch: pytest.MonkeyPatch, name: str, value: str) -> None:
    """Who wants something to stay for ever says a hundred years; else what clears up would fail when the service runs."""
    monkeypatch.setenv(f"SHORTLIST_{name}", value)
    with pytest.raises(ValidationError):
        Settings()
    monkeypatch.setenv(f"SHORTLIST_{name}", str(LONGEST))
    assert getattr(Settings(), name.lower()) == LONGEST


def test_a_model_that_only_a_rule_names_is_a_model() -> None:
    rules: dict[str, dict[str, tuple[str, ...]]] = {"complexity": {"simple": ("openai/small",)}}
    assert Settings(model_rules=rules).uses_models


def test_the_bundled_files_are_there() -> None:
    settings = Settings()
    assert settings.base_instructions.is_file()
    assert settings.apps_paths == (ROOT / "apps",)


def test_opened_hosts_are_spelled_as_requests_are(monkeypatch: pytest.MonkeyPatch) -> None:
    """And become the rules that skills' requests are held to."""
    monkeypatch.setenv("SHORTLIST_EGRESS_ALLOWED_HOSTS", "Searx.Internal:8888, ::1")
    rules = Settings().egress_rules
    assert rules.allowed_hosts == {"searx.internal:8888", "::1"}
    assert (rules.opens("searx.internal", 8888), rules.opens("searx.internal", 80), rules.opens("::1", 80)) == (True, False, True)


def test_an_opened_host_that_is_none_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """A URL or a wildcard would open nothing, or too much."""
    monkeypatch.setenv("SHORTLIST_EGRESS_ALLOWED_HOSTS", "http://127.0.0.1:8080")
    with pytest.raises(ValidationError, match="is not a host or host:port: write it without http://"):
        Settings()


def test_no_setting_sends_more_tools_than_a_provider_takes() -> None:
    """hostile C: 128 in all."""
    assert Settings(tools_max=128).tools_max == 128
    with pytest.raises(ValidationError):
        Settings(tools_max=129)
