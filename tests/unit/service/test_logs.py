"""Log lines: where they go, and what never stands in one."""

import asyncio
import json
import os
import sys
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from apps.sdk.jsontypes import JsonObject
from service.logs import CREDENTIALS, REMOVED, TEXTS, remove_sensitive

ROOT = Path(__file__).parents[3]
SECRET = "the user's own words"


async def log_lines(code: str, level: str = "info", *, as_json: bool = True) -> tuple[str, str]:
    """Run `code` in a process of its own, whose logging is configured; standard output and standard error."""
    setup = (
        f"import logging, structlog\nfrom service.logs import configure_logging\nconfigure_logging({level!r}, json={as_json})\n"
    )
    command = (sys.executable, "-c", setup + f"SECRET = {SECRET!r}\n" + code)
    pipe = asyncio.subprocess.PIPE
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    process = await asyncio.create_subprocess_exec(*command, stdout=pipe, stderr=pipe, env=environment)
    out, err = await process.communicate()
    assert process.returncode == 0, err.decode()
    return out.decode(), err.decode()


def parse(text: str) -> list[JsonObject]:
    return [json.loads(line) for line in text.splitlines()]


async def test_a_line_is_json_on_standard_error() -> None:
    """One object per line with event, level, logger, time and bound fields; standard output stays clean."""
    code = """
from pathlib import Path
structlog.contextvars.bind_contextvars(request_id='r1')
structlog.get_logger('a.b').info('started', port=8080, path=Path('x'))
"""
    out, err = await log_lines(code)
    (line,) = parse(err)
    assert out == ""
    assert {key: line[key] for key in ("event", "level", "logger", "request_id", "port", "path")} == {
        "event": "started", "level": "info", "logger": "a.b", "request_id": "r1", "port": 8080, "path": "x",
    }  # fmt: skip
    assert line["timestamp"].endswith("Z")


async def test_no_message_text_at_info_level() -> None:
    """case 20: the texts of messages, arguments and results are taken out at info level and above, however deep they lie."""
    code = """
from dataclasses import dataclass
@dataclass
class Message:
    text: str
log = structlog.get_logger('a')
for method in (log.info, log.warning, log.error):
    method('event', message=SECRET, messages=[SECRET], content=SECRET, arguments={'q': SECRET})
    method('event', seen={'a': [{'text': SECRET}]}, object=Message(SECRET))
logging.getLogger('LiteLLM').warning('request was %s', SECRET)
logging.getLogger('LiteLLM').error(SECRET, exc_info=ValueError(SECRET))
"""
    for as_json in (True, False):
        _, err = await log_lines(code, as_json=as_json)
        assert SECRET not in err
        assert len(err.splitlines()) == 8
        assert err.count("text withheld") == 2


async def test_debug_shows_texts_but_no_credential() -> None:
    """At debug level an operator sees what was said; a credential is never shown."""
    code = "structlog.get_logger('a').debug('event', message=SECRET, headers={'Authorization': 'Bearer x1'}, api_key='x1')"
    _, err = await log_lines(code, "debug")
    assert SECRET in err
    assert "x1" not in err
    _, err = await log_lines(code, "info")
    assert err == ""


async def test_libraries_log_through_the_same_renderer() -> None:
    """Warnings of aiohttp, sqlalchemy and the like are JSON lines too; what they say below that is not shown."""
    code = "\n".join(
        f"logging.getLogger('{name}').info('chatter'); logging.getLogger('{name}').warning('look %s', 1)"
        for name in ("aiohttp.server", "sqlalchemy.engine", "alembic.runtime", "asyncio")
    )
    _, err = await log_lines(code)
    assert [(line["event"], line["level"]) for line in parse(err)] == [("look 1", "warning")] * 4


async def test_a_request_that_is_no_http_is_not_quoted() -> None:
    """aiohttp logs what it could not parse with the raw bytes; our line names the error only."""
    code = """
from aiohttp.http_exceptions import BadHttpMessage
logging.getLogger('aiohttp.server').error('Error handling request', exc_info=BadHttpMessage(SECRET))
"""
    for as_json in (True, False):
        _, err = await log_lines(code, as_json=as_json)
        assert SECRET not in err
        assert "BadHttpMessage" in err


async def test_a_traceback_shows_no_local_variables() -> None:
    """An unexpected error is logged with its type and its frames, in both forms, without its text and the values of locals."""
    code = """
def fail(text):
    raise RuntimeError('broken')
try:
    fail(SECRET + '!')
except RuntimeError as error:
    structlog.get_logger('a').error('unexpected', exc_info=error)
    logging.getLogger('b').exception('unexpected')
"""
    for as_json in (True, False):
        _, err = await log_lines(code, as_json=as_json)
        assert err.count("RuntimeError") == 2
        assert err.count("in fail") == 2
        assert "broken" not in err
        assert SECRET + "!" not in err


@given(
    st.recursive(
        st.integers() | st.none(), lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3)
    ),
    st.sampled_from(sorted(CREDENTIALS | TEXTS)),
)
def test_other_fields_pass_unchanged(value: object, name: str) -> None:
    """What is not named like a text or a credential is logged as it is; what is, in any letter case, is not."""
    cleaned = remove_sensitive(None, "info", {"event": "e", "count": 3, name.upper(): value})
    assert cleaned == {"event": "e", "count": 3, name.upper(): REMOVED}
