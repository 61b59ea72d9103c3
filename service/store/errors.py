"""What the store raises.

    StoreError                  the store cannot do what was asked
    ├── StoreUnavailable        it cannot be opened or does not answer now; asking again may work
    ├── StoreTooNew             the database was written by a newer version of this program
    ├── ConversationMissing     the owner has no conversation with this id
    ├── ConversationExists      the id of a new conversation is taken
    ├── ConversationBusy        another turn holds the conversation
    ├── LeaseLost               the conversation is no longer the turn's: nothing was written
    ├── ForkPointInvalid        a conversation cannot be forked at this message
    └── RowUnreadable           what a row holds has not the shape that this version writes
        └── RowTooNew           a newer version of this program wrote the row

The texts are for operators: they may name a file or an id, never a stored value or a password.
"""

from __future__ import annotations


class StoreError(Exception):
    """The store cannot do what was asked."""


class StoreUnavailable(StoreError):
    """The database cannot be opened, is locked for too long, is full or is gone."""


class StoreTooNew(StoreError):
    """The database has a schema that this version does not know."""

    def __init__(self, revision: str) -> None:
        super().__init__(f"The database is at schema revision {revision}, which this version does not know: update Shortlist.")
        self.revision = revision


class ConversationMissing(StoreError):
    """The owner has no conversation with this id, whoever else may have one."""

    def __init__(self, id: str) -> None:  # noqa: A002
        super().__init__(f"There is no conversation {id!r}.")
        self.id = id


class ConversationExists(StoreError):
    """The id of a new conversation is taken."""

    def __init__(self, id: str) -> None:  # noqa: A002
        super().__init__(f"There is a conversation {id!r} already.")
        self.id = id


class ConversationBusy(StoreError):
    """Another turn holds the conversation for at most `seconds` more, unless it renews its lease."""

    def __init__(self, id: str, seconds: float) -> None:  # noqa: A002
        super().__init__(f"A turn of the conversation {id!r} is running.")
        self.id = id
        self.seconds = seconds


class LeaseLost(StoreError):
    """The conversation was taken by another turn, let go or deleted."""

    def __init__(self, conversation_id: str, turn_id: str) -> None:
        super().__init__(f"The turn {turn_id!r} does not hold the conversation {conversation_id!r} any more.")
        self.conversation_id = conversation_id
        self.turn_id = turn_id


class ForkPointInvalid(StoreError):
    """The message is neither a user's nor the final answer of a turn, or is not of this conversation."""

    def __init__(self, id: str, message_id: str) -> None:  # noqa: A002
        super().__init__(f"The conversation {id!r} cannot be forked at the message {message_id!r}.")
        self.id = id
        self.message_id = message_id


class RowUnreadable(StoreError):
    """A row that was damaged, or written by hand; it is left as it is."""

    def __init__(self, table: str, row: object, why: str = "does not have the shape that this version writes") -> None:
        super().__init__(f"The row {row!r} of the table {table!r} {why}.")
        self.table = table
        self.row = row


class RowTooNew(RowUnreadable):
    """A row of a format that this version does not know; it is left as it is."""

    def __init__(self, table: str, row: object, format: int) -> None:  # noqa: A002
        super().__init__(table, row, f"has the format {format}, which this version does not know: update Shortlist")
        self.format = format
