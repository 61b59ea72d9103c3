"""A user with an empty notebook."""

from __future__ import annotations

import pytest

from apps.notes.tests.notebooks import User
from apps.sdk.testing import MemoryStorage


@pytest.fixture
def ann() -> User:
    return User(MemoryStorage())
