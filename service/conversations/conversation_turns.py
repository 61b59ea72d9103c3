"""Turns of stored conversations: one at a time, by whoever holds the conversation."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from uuid import uuid4

import structlog

from apps.sdk.chat import Message
from preprocessor.intent import Intent, merge_intent
from service.conversations.event_writer import EventWriter
from service.conversations.held_turn import HeldTurn
from service.store.conversations import Owner
from service.store.errors import LeaseLost, StoreUnavailable
from service.store.turn_records import Lease, TurnRecords
from service.turns.request import Caller, TurnLimits, TurnRequest
from service.turns.turn import TurnRunner

RENEWALS_PER_LEASE = 3
"""How often a lease is renewed within its time, so that one renewal that fails costs nothing."""


class ConversationTurns:
    """Begins turns. `lease`: seconds after which the conversation of a crashed holder is free; `history`: most messages read."""

    def __init__(self, records: TurnRecords, writer: EventWriter, runner: TurnRunner, *, lease: float, history: int) -> None:
        self._records = records
        self._writer = writer
        self._runner = runner
        self._lease = lease
        self._history = history

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
        )
        request = TurnRequest(
            caller=replace(caller, conversation=conversation_id),
            messages=(*start.history, *messages),
            intent=start.intent or Intent() if patch is None else merge_intent(start.intent, patch),
            limits=limits,
            stream=stream,
            id=turn_id,
        )
        turn = HeldTurn(request, lease, start.last_seq, runner=self._runner, records=self._records, writer=self._writer)
        renewing = asyncio.create_task(self._renew(turn, lease))
        try:
            yield turn
        finally:
            renewing.cancel()
            await turn.close()
            await asyncio.wait([renewing])

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
