"""Log lines of the commands that do without structlog: what the service's rules say of them holds."""

import pytest

from tests.support.log_lines import PLAIN, SECRET, SERVICE, log_lines, parse

EVERYTHING = """
from dataclasses import dataclass
from pathlib import Path
@dataclass
class Message:
    text: str
ours = logging.getLogger('executor.dispatch')
ours.warning('skill_failed', extra={'call_id': 'c1', 'path': Path('x'), 'token': SECRET, 'f': ['f'], 'seen': [Message(SECRET)]})
ours.error('event', extra={'message_count': 3, 'content': SECRET, 'found': {'a': [{'text': SECRET}]}})
logging.getLogger('skill').error('told', extra={'fields': {'name': 'x', 'args': 1, 'level': 'high', 'text': SECRET}})
logging.getLogger('LiteLLM').error(SECRET, exc_info=ValueError(SECRET))
logging.getLogger('aiohttp.client').warning('look %s', 1, extra={'told': SECRET})
logging.getLogger('aiohttp.client').info('chatter')
try:
    raise ValueError(SECRET)
except ValueError:
    ours.exception('defect')
"""


@pytest.mark.parametrize("level", ["debug", "warning"])
async def test_the_lines_are_those_of_the_service(level: str) -> None:
    """Event, level, logger, fields, what is removed, and the traceback at debug only."""
    (_, of_service), (out, err) = [await log_lines(EVERYTHING, level, by=by) for by in (SERVICE, PLAIN)]
    plain, expected = parse(err), parse(of_service)
    assert not out
    assert [{**line, "timestamp": ""} for line in plain] == [{**line, "timestamp": ""} for line in expected]
    assert len(plain) == 6
    assert (SECRET in err) == (level == "debug")


async def test_a_line_for_people() -> None:
    """Time, level and event first; the traceback below, as Python writes it, at debug only."""
    for level in ("debug", "warning"):
        _, err = await log_lines(EVERYTHING, level, as_json=False, by=PLAIN)
        first = err.splitlines()[0]
        assert "[warning] skill_failed call_id='c1' path='x' token='[removed]'" in first
        assert ("\nTraceback (most recent call last):\n" in err) == (SECRET in err) == (level == "debug")
