"""Turns of stored conversations: one at a time, by whoever holds the conversation."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from itertools import chain
from uuid import uuid4

import structlog

from apps.sdk.chat import Message
from preprocessor.intent import Intent, merge_intent
from service.conversations.event_writer import EventWriter
from service.conversations.held_turn import HeldTurn
from service.models.history import UNANSWERED
from service.store.conversations import Owner
from service.store.errors import LeaseLost, StoreUnavailable
from service.store.turn_records import Lease, TurnRecords
from service.turns.request import Caller, TurnLimits, TurnRequest
from service.turns.turn import TurnRunner

RENEWALS_PER_LEASE = 3
"""How often a lease is renewed within its time, so that one renewal that fails costs nothing."""


class ConversationTurns:
    """Begins turns. `lease`: seconds after which the conversation of a crashed holder is free.

    `history` and `room`: most messages that a turn is given, and most characters of them.
    """

    def __init__(
        self, records: TurnRecords, writer: EventWriter, runner: TurnRunner, *, lease: float, history: int, room: int
    ) -> None:
        self._records = records
        self._writer = writer
        self._runner = runner
        self._lease = lease
        self._history = history
        self._room = room
        self._held: dict[str, HeldTurn] = {}

    @asynccontextmanager
    async def hold(
        self,
        caller: Caller,
        conversation_id: str,
        messages: Sequence[Message],
        patch: Intent | None,
        limits: TurnLimits,
        *,
        stream: bool,
    ) -> AsyncIterator[HeldTurn]:
        """Take the conversation for one turn that answers `messages`, the user's, which are kept from here on.

        `patch` changes its intent for this turn alone. A turn that is not finished within the block counts as cancelled.
        Raises `ConversationMissing`, `ConversationBusy`, `RowUnreadable`, `RowTooNew`, `StoreUnavailable`.
        """
        turn_id = uuid4().hex
        owner = Owner(caller.tenant, caller.user)
        lease, start = await self._records.begin(
            owner,
            conversation_id,
            turn_id,
            lease=self._lease,
            messages=messages,
            source=caller.source,
            history=self._history,
            room=self._room,
        )
        request = TurnRequest(
            caller=replace(caller, conversation=conversation_id),
            messages=(*chain.from_iterable(map(close_turn, start.turns)), *messages),
            intent=start.intent or Intent() if patch is None else merge_intent(start.intent, patch),
            limits=limits,
            stream=stream,
            id=turn_id,
            is_cut=start.is_cut,
        )
        turn = HeldTurn(request, lease, start.last_seq, runner=self._runner, records=self._records, writer=self._writer)
        renewing = asyncio.create_task(self._renew(turn, lease))
        self._held[turn_id] = turn
        try:
            yield turn
        finally:
            del self._held[turn_id]
            renewing.cancel()
            await turn.close()
            await asyncio.wait([renewing])

    def stop(self, owner: Owner, conversation_id: str | None = None) -> None:
        """Stop this process' turns of a conversation that was deleted, None = of every one of the owner's.

        Those of other replicas learn of it when they write or renew their lease.
        """
        for turn in self._held.values():
            caller = turn.request.caller
            is_meant = conversation_id is None or caller.conversation == conversation_id
            if is_meant and Owner(caller.tenant, caller.user) == owner:
                turn.lose()

    async def _renew(self, turn: HeldTurn, lease: Lease) -> None:
        """Keep the lease until cancelled or lost; while the store is away the next renewal may come in time."""
        while True:
            await asyncio.sleep(self._lease / RENEWALS_PER_LEASE)
            try:
                await self._records.renew(lease, self._lease)
            except LeaseLost:
                turn.lose()
                return
            except StoreUnavailable as error:
                structlog.get_logger(__name__).warning("lease_not_renewed", error_type=type(error).__name__)


def close_turn(said: tuple[Message, ...]) -> tuple[Message, ...]:
    """What was said in an earlier turn, with a word in the answer's place where it has none.

    Else the user's next message would be joined to that of the turn, and what made it fail, say its length, would come along
    with every later one.
    """
    return (*said, Message("assistant", UNANSWERED)) if said[-1].role == "user" else said
