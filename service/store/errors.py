"""What the store raises.

    StoreError              the store cannot do what was asked
    ├── StoreUnavailable    it cannot be opened or does not answer now; asking again may work
    └── StoreTooNew         the database was written by a newer version of this program

The texts are for operators: they may name a file, never a stored value or a password.
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
