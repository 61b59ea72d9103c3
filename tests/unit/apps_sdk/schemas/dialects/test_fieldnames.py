"""Names of fields as a provider takes them."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apps.sdk.schemas.dialects.fieldnames import _spell, map_names
from apps.sdk.schemas.dialects.profiles import GEMINI, PROFILES
from apps.sdk.schemas.dialects.records import Adapted
from apps.sdk.schemas.dialects.restoring import restore_arguments
from tests.support.adapted import upgrade_and_adapt
from tests.support.hostile_schemas import TEXT, make_object

LEGAL = sorted({profile.field_name for profile in PROFILES.values()}, key=lambda legal: legal.pattern)
BASES = st.sampled_from(["a b", "a.b", "a_b", "", "é", "1", "x" * 70, "x" * 70 + "!"]) | st.text(max_size=3)
NAMES = st.lists(BASES, max_size=6).flatmap(
    lambda bases: st.permutations([*bases, *(_spell(base, attempt) for base in bases for attempt in range(3))])
)


@pytest.mark.parametrize("legal", LEGAL, ids=lambda legal: legal.pattern)
@given(names=NAMES)
def test_no_two_fields_are_sent_under_one_name(legal: re.Pattern[str], names: list[str]) -> None:
    """Also beside fields whose own names are those that others would be given; legal names stay as they are."""
    mapped = map_names(names, legal)
    assert mapped.keys() == set(names)
    assert len(set(mapped.values())) == len(mapped)
    assert all(legal.fullmatch(sent) for sent in mapped.values())
    assert all(mapped[name] == name for name in names if legal.fullmatch(name))


def test_a_field_that_is_named_like_anothers_hash_is_kept_apart() -> None:
    fields = ("a b", "a_b", "a_b_c8687a")
    found = upgrade_and_adapt(make_object(**dict.fromkeys(fields, TEXT)), GEMINI)
    assert isinstance(found, Adapted)
    sent = list(found.schema["properties"])
    assert len(sent) == 3
    assert restore_arguments(found.plan, dict(zip(sent, "123", strict=True))).arguments == dict(zip(fields, "123", strict=True))
