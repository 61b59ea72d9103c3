"""The wire form of events."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from service.turns.events import HEARTBEAT, Event, encode_event


@given(st.text(), st.integers(min_value=1, max_value=10**9))
def test_whatever_the_text_an_event_is_three_lines(text: str, number: int) -> None:
    """Line breaks in texts end no event: the data is one line of JSON."""
    encoded = encode_event(Event("text.delta", {"text": text}), number).decode()
    id_line, event_line, data_line, *rest = encoded.split("\n")
    assert (id_line, event_line, rest) == (f"id: {number}", "event: text.delta", ["", ""])
    assert json.loads(data_line.removeprefix("data: ")) == {"text": text}
    assert "\r" not in encoded


def test_a_heartbeat_is_a_comment() -> None:
    assert HEARTBEAT.startswith(b":")
    assert HEARTBEAT.endswith(b"\n\n")
