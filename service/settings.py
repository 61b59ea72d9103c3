"""Every setting of the service, read from the environment (`SHORTLIST_...`) and `.env`; nothing else reads the environment.

Lists are comma-separated. Times are in seconds, sizes in bytes.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any, Literal, Self

from dotenv import dotenv_values
from pydantic import Field, SecretStr, field_validator, model_validator
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from apps.sdk.http.rules import EgressRules, normalize_host
from apps.sdk.names import fold_name
from apps.sdk.schemas.dialects.families import choose_profile
from apps.sdk.schemas.dialects.profiles import Profile, ProfileName
from executor.policy import THREADS, THREADS_PER_SKILL, Limits
from preprocessor.settings import PreprocessSettings
from service.access.keys import AccessKey, parse_setting

_LIMITS = Limits()
_PREPROCESS = PreprocessSettings()
_EGRESS = EgressRules()
ROOT = Path(__file__).resolve().parent.parent
PREFIX = "SHORTLIST_"
ENV_FILE = ".env"
KEY_VARIABLES = MappingProxyType(
    {
        "openai": "OPENAI_API_KEY",
        "anthropic": "ANTHROPIC_API_KEY",
        "gemini": "GEMINI_API_KEY",
        "mistral": "MISTRAL_API_KEY",
        "groq": "GROQ_API_KEY",
        "openrouter": "OPENROUTER_API_KEY",
        "deepseek": "DEEPSEEK_API_KEY",
        "xai": "XAI_API_KEY",
    }
)
"""Where litellm looks for the key of a provider; others are not checked."""
ORIGIN_FORM = re.compile(r"https?://([a-z0-9.-]+|\[[0-9a-f:.]+\])(:[0-9]{1,5})?")
LONGEST = 3_155_760_000.0
"""Seconds, a hundred years: from now back or on by longer ones there is no date for the database to compare with."""
CommaList = Annotated[tuple[str, ...], NoDecode]


class SettingsMismatch(Exception):
    """Settings that are right by themselves do not fit what they speak of; the text names the variable."""


class Settings(BaseSettings):
    """The service's configuration; a wrong value is an error that names its variable."""

    model_config = SettingsConfigDict(
        env_prefix=PREFIX, env_file=ENV_FILE, env_nested_delimiter="__", extra="ignore", frozen=True, validate_default=True
    )

    # the service
    host: str = Field("127.0.0.1", description="Address to listen on.")
    port: int = Field(8080, ge=0, le=65535, description="Port to listen on; 0 takes a free one.")
    log_level: Literal["debug", "info", "warning", "error"] = Field("info", description="Least severe level that is logged.")
    log_json: bool | None = Field(None, description="JSON log lines; empty = only when standard error is no terminal.")
    body_limit: int = Field(1_048_576, ge=1_024, description="Largest request body.")
    body_depth: int = Field(64, ge=8, le=150, description="Deepest nesting of a request body.")
    url_limit: int = Field(8_190, ge=256, le=65_536, description="Longest path with its query.")
    query_parameters_max: int = Field(32, ge=1, description="Most parameters of a query.")
    header_limit: int = Field(8_190, ge=256, le=65_536, description="Largest single header, its name included.")
    headers_max: int = Field(100, ge=16, le=1_000, description="Most headers of a request.")
    shutdown_grace: float = Field(20.0, ge=0, description="How long running turns may finish after SIGTERM.")
    drain_delay: float = Field(0.0, ge=0, description="How long to go on listening, not ready, before the port is closed.")
    client_timeout: float = Field(30.0, gt=0, description="How long a client may not read before its event stream is cut.")
    heartbeat: float = Field(15.0, gt=0, description="Pause between comments on a quiet event stream.")
    on_disconnect: Literal["cancel", "finish"] = Field("cancel", description="What becomes of a turn whose client has left.")
    idempotency_retention: float = Field(86_400.0, gt=0, le=LONGEST, description="How long an Idempotency-Key's answer is kept.")

    # who may come, and how often
    api_keys: CommaList = Field(
        (),
        description="API keys beside those of the store, each name:scope:sha256 or name:scope:sha256:tenant, as"
        " `shortlist keys add NAME --setting` prints them.",
    )
    api_keys_max_age: float = Field(1.0, ge=0, description="How old the store's keys may be that a replica goes by.")
    allow_anonymous: bool | None = Field(
        None, description="Whether a key is optional, for everything. Empty = only while HOST is a loopback address."
    )
    cors_origins: CommaList = Field((), description="Origins, as https://chat.example.com, whose pages may call the API.")
    requests_per_minute_per_key: int = Field(0, ge=0, description="Requests a minute with one key, per replica; 0 = any number.")
    requests_per_minute_per_tenant: int = Field(0, ge=0, description="The same for one tenant, whatever its keys.")

    # apps and store
    apps_dirs: CommaList = Field(
        (str(ROOT / "apps"),), description="Folders of apps, first wins; instead of the bundled, unless named too."
    )
    reload: bool = Field(False, description="Load an app again when its files change, while serving.")
    reload_timeout: float = Field(30.0, gt=0, description="How long that may take before it is reported as hanging.")
    base_instructions: Path = Field(
        ROOT / "service" / "base_instructions.yml", description="Every instruction text for the models. Default: the bundled."
    )
    toolsets: Path = Field(
        ROOT / "service" / "toolsets.yml", description="Toolsets and overlays that intents may name. Default: the bundled."
    )
    database_url: str = Field("sqlite:///shortlist.db", description="Where what must last is kept.")
    database_timeout: float = Field(
        45.0,
        ge=1,
        description="One transaction on PostgreSQL: then the database counts as away; 10 s more where its driver gets no answer.",
    )
    overrides_max_age: float = Field(1.0, ge=0, description="How old overrides of another replica's may be.")
    secrets: dict[str, SecretStr] = Field(
        {}, description='Credentials of skills by provider, as JSON {"brave": "..."} or SHORTLIST_SECRETS__BRAVE=...'
    )

    # what skills may fetch
    egress_allowed_hosts: CommaList = Field(
        (), description="Hosts, or host:port, that skills may reach although they are not public."
    )
    egress_response_bytes: int = Field(
        _EGRESS.response_bytes, ge=1_024, description="Largest body that a skill may read at once."
    )
    egress_timeout: float = Field(_EGRESS.timeout, gt=0, description="One request of a skill that sets no time of its own.")
    egress_redirects: int = Field(_EGRESS.redirects, ge=0, description="Most redirects that are followed.")

    # models; none = offline stand-ins
    main_models: CommaList = Field((), description="Main model, then fallbacks, in litellm's names. Empty = offline stand-in.")
    preselection_model: str | None = Field(None, description="Cheap model that shortlists. Empty = the ranking decides alone.")
    model_rules: dict[str, dict[str, tuple[str, ...]]] = Field(
        {}, description='Main models by an extra preselection field, as JSON {"complexity": {"simple": ["openai/..."]}}.'
    )
    schema_profile: ProfileName | None = Field(
        None, description="How every main model wants schemas. Empty = by its name; `common` where names differ or say nothing."
    )
    schema_profiles: dict[str, ProfileName] = Field({}, description='The same by model, as JSON {"openai/my-model": "local"}.')
    model_api_base: str | None = Field(None, description="URL of an OpenAI-compatible server for all models, with its /v1.")
    model_api_key: SecretStr | None = Field(
        None, description="Key of the models. Empty = the provider's own variable, exported (not in .env)."
    )
    model_timeout: float = Field(60.0, gt=0, description="One attempt at the main model.")
    model_attempts: int = Field(3, ge=1, le=10, description="Attempts per model before the next one is asked.")
    max_output_tokens: int | None = Field(None, ge=1, description="Longest reply in tokens. Empty = the provider's default.")
    context_window: int | None = Field(
        None,
        ge=1,
        description="Tokens of a main model's window, prompt and reply: a longer history loses its oldest turns. Empty = what"
        " litellm knows of the smallest; of models that it does not know, their own refusal decides.",
    )

    # a turn
    turn_timeout: float = Field(120.0, gt=0, description="A turn's deadline when the caller sets none.")
    turn_timeout_max: float = Field(600.0, gt=0, le=LONGEST, description="Longest deadline that a caller may set.")
    turn_token_budget: int = Field(200_000, ge=1, description="Tokens of both models that a turn may use.")
    max_rounds: int = Field(8, ge=1, le=50, description="Rounds of tool calls before the last call without tools.")
    turns_parallel: int = Field(200, ge=1, description="Turns at once; one more is told to come back.")
    turns_parallel_per_tenant: int | None = Field(None, ge=1, description="Of those, one tenant's at most. Empty = all of them.")

    # conversations
    conversation_lease: float = Field(
        30.0, ge=1, le=LONGEST, description="After a crash, the time until another turn may take the conversation."
    )
    conversation_messages: int = Field(2_000, ge=1, description="Most messages of a conversation, its latest, that a turn reads.")
    conversation_characters: int = Field(
        8_000_000, ge=1, description="Most characters of those messages; the message that is answered does not count."
    )
    conversation_retention: float | None = Field(
        None, gt=0, le=LONGEST, description="Conversations unused for so long are deleted. Empty = they stay."
    )
    event_retention: float = Field(604_800.0, gt=0, le=LONGEST, description="How long a conversation's events can be read again.")
    event_streams: int = Field(1_000, ge=1, description="Streams of conversations' events at once.")
    event_poll: float = Field(0.5, gt=0, description="Time between two looks for events that other replicas wrote.")

    # preselection
    preselection_timeout: float = Field(
        _PREPROCESS.time_limit, gt=0, description="Time limit of the preselection, attempts included."
    )
    preselection_attempt_timeout: float = Field(4.0, gt=0, description="One attempt at the preselection model.")
    preselection_floor: float = Field(
        _PREPROCESS.floor, ge=0, le=1, description="Least ranking score that selects; 1 = only the model does."
    )
    preselected_max: int = Field(_PREPROCESS.selected_max, ge=1, le=128, description="Most skills preselected for one message.")
    preselection_candidates: int = Field(
        _PREPROCESS.candidates, ge=1, description="Above this many skills the ranking narrows the list first."
    )
    resident_picks: int = Field(_PREPROCESS.resident_picks, ge=0, le=127, description="Most picks that are always sent in full.")
    history_skills: int = Field(
        _PREPROCESS.history_skills, ge=0, description="Most skills that stay sent since the chat used them."
    )
    tools_max: int = Field(_PREPROCESS.tools_max, ge=1, le=128, description="Most tools that a model is sent.")
    preselection_messages: int = Field(_PREPROCESS.history_messages, ge=1, description="Messages that the cheap model is shown.")
    preselection_output_tokens: int = Field(
        _PREPROCESS.max_output_tokens, ge=1, description="Longest reply of the cheap model in tokens; thinking counts."
    )

    # execution
    calls_per_reply: int = Field(_LIMITS.calls_per_reply, ge=1, description="Most calls of one reply that run.")
    requests_per_call: int = Field(_LIMITS.requests_per_call, ge=1, le=100, description="Most requests that one call runs.")
    requests_parallel: int = Field(_LIMITS.parallel, ge=1, le=100, description="Requests at once in a turn.")
    skill_timeout: float = Field(_LIMITS.timeout, gt=0, description="One request of a skill that declares no timeout.")
    skill_attempts: int = Field(_LIMITS.retry_attempts, ge=1, le=10, description="Attempts at a request of an idempotent skill.")
    skill_threads_each: int = Field(
        THREADS_PER_SKILL, ge=1, description="Threads that one skill without async may take of those."
    )
    skill_threads: int = Field(THREADS, ge=1, description="Threads for skills that are no coroutines.")
    result_bytes: int = Field(_LIMITS.result_bytes, ge=1_024, description="Largest result of one request.")
    result_bytes_for_llm: int = Field(
        _LIMITS.result_bytes_for_llm, ge=256, description="Largest result a model is shown; longer ones are cut at rows."
    )

    @field_validator("main_models", "apps_dirs", "egress_allowed_hosts", "api_keys", "cors_origins", mode="before")
    @classmethod
    def _split_commas(cls, value: Any) -> Any:
        return tuple(part.strip() for part in value.split(",") if part.strip()) if isinstance(value, str) else value

    @field_validator(
        "preselection_model",
        "schema_profile",
        "model_api_base",
        "model_api_key",
        "max_output_tokens",
        "context_window",
        "turns_parallel_per_tenant",
        "conversation_retention",
        "log_json",
        "allow_anonymous",
        mode="before",
    )
    @classmethod
    def _read_empty_as_none(cls, value: Any) -> Any:
        return None if value == "" else value

    @field_validator("egress_allowed_hosts")
    @classmethod
    def _read_hosts(cls, hosts: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(map(normalize_host, hosts))

    @field_validator("api_keys")
    @classmethod
    def _check_keys(cls, keys: tuple[str, ...]) -> tuple[str, ...]:
        for key in keys:
            parse_setting(key)
        return keys

    @field_validator("cors_origins")
    @classmethod
    def _check_origins(cls, origins: tuple[str, ...]) -> tuple[str, ...]:
        if not all(ORIGIN_FORM.fullmatch(origin) for origin in origins):
            raise ValueError("an origin must be scheme://host or scheme://host:port, in lower case, without a path")
        return origins

    @model_validator(mode="after")
    def _keep_turns_below_their_limit(self) -> Self:
        if self.turn_timeout > self.turn_timeout_max:
            raise ValueError("SHORTLIST_TURN_TIMEOUT must not be above SHORTLIST_TURN_TIMEOUT_MAX")
        return self

    @property
    def fixed_keys(self) -> tuple[AccessKey, ...]:
        return tuple(map(parse_setting, self.api_keys))

    @property
    def apps_paths(self) -> tuple[Path, ...]:
        return tuple(map(Path, self.apps_dirs))

    @property
    def egress_rules(self) -> EgressRules:
        return EgressRules(
            allowed_hosts=frozenset(self.egress_allowed_hosts),
            response_bytes=self.egress_response_bytes,
            timeout=self.egress_timeout,
            redirects=self.egress_redirects,
        )

    @property
    def skill_secrets(self) -> dict[str, str]:
        """Credentials by provider name, folded: `OPEN_METEO` is that of `Open-Meteo`."""
        return {fold_name(name): value.get_secret_value() for name, value in self.secrets.items() if value.get_secret_value()}

    @property
    def has_own_toolsets(self) -> bool:
        """Whether the operator wrote them; the bundled ones name skills of the bundled apps, which others need not have."""
        return "toolsets" in self.model_fields_set

    def find_unknown_variables(self) -> tuple[str, ...]:
        """Variables of the environment or of `.env` that look like settings and are none, say for a typing error."""
        known = {PREFIX + name.upper() for name in type(self).model_fields}
        given = (name for name in {*os.environ, *dotenv_values(ENV_FILE)} if name.upper().startswith(PREFIX))
        return tuple(sorted(name for name in given if name.upper() not in known and name.upper().split("__")[0] not in known))

    def misses_key(self, model: str) -> str | None:
        """The variable that would hold the key of a provider's model, when it is set nowhere; None when none is missed."""
        variable = KEY_VARIABLES.get(model.split("/", maxsplit=1)[0])
        given = self.model_api_key or self.model_api_base or (variable and os.environ.get(variable))
        return None if given else variable

    @property
    def main_model_names(self) -> tuple[str, ...]:
        """Every model that may answer, each once."""
        by_rule = (name for rules in self.model_rules.values() for names in rules.values() for name in names)
        return tuple(dict.fromkeys((*self.main_models, *by_rule)))

    @property
    def model_names(self) -> tuple[str, ...]:
        """Every model that may be asked, each once."""
        by_rule = (name for rules in self.model_rules.values() for names in rules.values() for name in names)
        cheap = (self.preselection_model,) if self.preselection_model else ()
        return tuple(dict.fromkeys((*self.main_models, *cheap, *by_rule)))

    @property
    def profile(self) -> Profile:
        """How the main models are sent schemas: one for all of them, so that a fallback reads the same bytes."""
        return choose_profile(self.main_model_names, for_all=self.schema_profile, by_model=self.schema_profiles)

    @property
    def preselection_profile(self) -> Profile:
        """How the model that shortlists is sent its function."""
        return choose_profile((self.preselection_model,) if self.preselection_model else (), by_model=self.schema_profiles)

    @property
    def uses_models(self) -> bool:
        """Whether any real model is configured, so that litellm is needed."""
        return bool(self.model_names)
