"""The limits of the preprocessor; the service fills them from its settings."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class PreprocessSettings:
    """Times in seconds, lengths in characters.

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
    message_length: int = 4_000
    """Of a message that the model is shown; the head and the tail of a longer one stay."""
    query_length: int = 2_000
    """Of a message that the ranking reads, cut in the same way."""
    query_parts: int = 6
    follow_up_words: int = 4
    """A message of at most so many telling words is ranked together with the user's message before it."""
    follow_up_weight: float = 0.8
    """What the message before it is worth."""
    needs: int = 5
    need_length: int = 120
    max_output_tokens: int = 800
    """Of the model's reply: a dozen names, five needs and the extra fields take about 300."""
    resident_picks: int = 20
    history_skills: int = 12
    tools_max: int = 128
    """OpenAI refuses a request with more."""
    requests_per_call: int = 5
