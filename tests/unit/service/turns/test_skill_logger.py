"""The logger that skills are given."""

import logging

import pytest

from apps.sdk.skill import SkillLogger
from service.log_rules import read_fields
from service.turns.skill_logger import FieldLogger


def make_logger() -> SkillLogger:
    return FieldLogger(logging.getLogger("skill"), {"call_id": "c1"})


def test_every_line_has_the_bound_fields(caplog: pytest.LogCaptureFixture) -> None:
    """At each level; what a skill says is no format."""
    logger = make_logger()
    with caplog.at_level(logging.DEBUG, "skill"):
        for method in (logger.debug, logger.info, logger.warning, logger.error):
            method("100 %s", rows=3)
    assert [record.levelname for record in caplog.records] == ["DEBUG", "INFO", "WARNING", "ERROR"]
    assert {record.getMessage() for record in caplog.records} == {"100 %s"}
    assert [read_fields(record) for record in caplog.records] == [{"call_id": "c1", "rows": 3}] * 4


def test_a_field_may_have_any_name(caplog: pytest.LogCaptureFixture) -> None:
    """Also one that a record has for itself."""
    names = ("name", "args", "message", "msg", "fields", "extra", "level", "stack_info")
    make_logger().warning("found", **dict.fromkeys(names, 1))
    assert read_fields(caplog.records[0]) == {"call_id": "c1", **dict.fromkeys(names, 1)}


@pytest.mark.parametrize("given", [True, ValueError("broken")])
def test_an_exception_is_told_of(caplog: pytest.LogCaptureFixture, given: object) -> None:
    """The one at hand or the one given."""
    try:
        raise ValueError("broken")
    except ValueError:
        make_logger().error("failed", exc_info=given)
    assert caplog.records[0].exc_info
    assert caplog.records[0].exc_info[0] is ValueError


@pytest.mark.parametrize("given", [None, False, "", ("a", "b", "c")])
def test_no_exception_is_none(caplog: pytest.LogCaptureFixture, given: object) -> None:
    """Whatever else a skill writes there does no harm."""
    make_logger().error("failed", exc_info=given)
    assert not any(caplog.records[0].exc_info or ())
