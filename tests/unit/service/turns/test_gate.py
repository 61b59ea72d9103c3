"""How many turns run at once."""

from __future__ import annotations

import pytest

from service.turns.errors import TooManyOfTenant, TooManyTurns
from service.turns.gate import TurnGate


def test_as_many_as_the_limit_are_let_in() -> None:
    """One more is refused, whoever's it is."""
    gate = TurnGate(2, per_tenant=2)
    with gate.admit("a"), gate.admit("b"):
        assert gate.running == 2
        with pytest.raises(TooManyTurns, match="2 turns"):
            gate.admit("c").__enter__()
        assert gate.running == 2
    assert gate.running == 0


def test_a_tenant_cannot_take_every_place() -> None:
    """Its next turn is refused while another tenant's is let in; a place that is free again is its own again."""
    gate = TurnGate(3, per_tenant=1)
    with gate.admit("a"):
        with pytest.raises(TooManyOfTenant, match="1 turns"):
            gate.admit("a").__enter__()
        with gate.admit("b"):
            assert gate.running == 2
    with gate.admit("a"):
        assert gate.running == 1


def test_whoever_fails_makes_room_too() -> None:
    """A turn that raises gives its place back."""
    gate = TurnGate(1, per_tenant=1)
    with pytest.raises(ValueError, match="odd"), gate.admit("a"):
        raise ValueError("odd")
    with gate.admit("a"):
        assert gate.running == 1
