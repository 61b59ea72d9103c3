"""The limits of the preprocessor that an operator may set; the service fills them from its settings."""

from __future__ import annotations

from dataclasses import dataclass

from apps.sdk.schemas.parameters import REQUESTS_PER_CALL


@dataclass(frozen=True, slots=True)
class PreprocessSettings:
    """Times in seconds.

    `floor`: a ranking hit must score above it to be selected; at 1.0 only the model selects. The default 0.3 is where the
    bundled apps' small talk finds nothing; on metatool one in five messages that need no tool finds one.
    """

    floor: float = 0.3
    selected_max: int = 12
    candidates: int = 200
    """Above this many skills the ranking narrows what the model is offered."""
    time_limit: float = 8.0
    """Of the whole preselection, attempts of the model included."""
    history_messages: int = 6
    """Messages that the model is shown, the last one included."""
    max_output_tokens: int = 800
    """Of the model's reply: a dozen names, five needs and the extra fields take about 300."""
    resident_picks: int = 20
    history_skills: int = 12
    """Skills that stay exposed because the conversation called them."""
    tools_max: int = 128
    """OpenAI refuses a request with more."""
    requests_per_call: int = REQUESTS_PER_CALL
