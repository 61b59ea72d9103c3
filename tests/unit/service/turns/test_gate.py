"""How many turns run at once."""

from __future__ import annotations

import pytest

from service.turns.errors import TooManyTurns
from service.turns.gate import TurnGate


def test_as_many_as_the_limit_are_let_in() -> None:
    """One more is refused with the setting's name."""
    gate = TurnGate(2)
    with gate.admit(), gate.admit():
        assert gate.running == 2
        with pytest.raises(TooManyTurns, match="2 turns"):
            gate.admit().__enter__()
        assert gate.running == 2
    assert gate.running == 0


def test_whoever_fails_makes_room_too() -> None:
    gate = TurnGate(1)
    with pytest.raises(ValueError, match="odd"), gate.admit():
        raise ValueError("odd")
    with gate.admit():
        assert gate.running == 1
