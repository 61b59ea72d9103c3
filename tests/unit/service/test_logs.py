"""Log lines: where they go, and what never stands in one."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.log_rules import REMOVED, TEXTS
from service.logs import remove_sensitive
from tests.support.log_lines import PLAIN, SECRET, SERVICE, log_lines, parse


async def test_a_line_is_json_on_standard_error() -> None:
    """One object per line with event, level, logger, time and bound fields; standard output stays clean."""
    code = """
import structlog
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


async def test_fields_of_a_stdlib_logger_are_fields_of_the_line() -> None:
    """Ours only: what a library gives in `extra` may quote what was sent."""
    code = """
import structlog
structlog.contextvars.bind_contextvars(request_id='r1')
logging.getLogger('executor.dispatch').warning('skill_timeout', extra={'call_id': 'c1', 'seconds': 5})
logging.getLogger('skill').warning('found', extra={'fields': {'name': 'x', 'level': 'y'}})
logging.getLogger('skillful').warning('told', extra={'told': SECRET})
"""
    _, err = await log_lines(code)
    lines = [{name: value for name, value in line.items() if name != "timestamp"} for line in parse(err)]
    assert lines == [
        {
            "event": "skill_timeout", "level": "warning", "logger": "executor.dispatch", "request_id": "r1",
            "call_id": "c1", "seconds": 5,
        },
        {"event": "found", "level": "warning", "logger": "skill", "request_id": "r1", "name": "x"},
        {"event": "told", "level": "warning", "logger": "skillful", "request_id": "r1"},
    ]  # fmt: skip


async def test_no_message_text_at_info_level() -> None:
    """case 20: the texts of messages, arguments and results are taken out at info level and above, however deep they lie."""
    code = """
import structlog
from dataclasses import dataclass
@dataclass
class Message:
    text: str
log = structlog.get_logger('a')
for method in (log.info, log.warning, log.error):
    method('event', message=SECRET, messages=[SECRET], content=SECRET, arguments={'q': SECRET})
    method('event', seen={'a': [{'text': SECRET}]}, object=Message(SECRET))
ours = logging.getLogger('executor.calls')
for method in (ours.info, ours.warning, ours.error):
    method('event', extra={'content': SECRET, 'seen': {'a': [{'text': SECRET}]}, 'object': Message(SECRET)})
logging.getLogger('LiteLLM').warning('request was %s', SECRET)
logging.getLogger('LiteLLM').error(SECRET, exc_info=ValueError(SECRET))
"""
    for as_json in (True, False):
        _, err = await log_lines(code, as_json=as_json)
        assert SECRET not in err
        assert len(err.splitlines()) == 11
        assert err.count("text withheld") == 2


async def test_debug_shows_texts_but_no_credential() -> None:
    """At debug level an operator sees what was said; a credential is never shown."""
    code = """
import structlog
structlog.get_logger('a').debug('event', message=SECRET, headers={'Authorization': 'Bearer x1'}, api_key='x1')
logging.getLogger('executor').debug('event', extra={'text': SECRET, 'headers': {'Authorization': 'Bearer x1'}, 'api_key': 'x1'})
"""
    _, err = await log_lines(code, "debug")
    assert err.count(SECRET) == 2
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


@pytest.mark.parametrize("by", [SERVICE, PLAIN])
async def test_a_warning_of_a_library_is_a_line_without_its_text(by: str) -> None:
    """pydantic's quote the values that they warn of; what is told is where it was."""
    code = """
import warnings
warnings.warn(f'unexpected value\\n  input_value={SECRET!r}')
warnings.warn_explicit(SECRET, UserWarning, 'somewhere/module.py', 7)
"""
    for as_json in (True, False):
        _, err = await log_lines(code, as_json=as_json, by=by)
        assert SECRET not in err
        assert len(err.splitlines()) == 2
        assert "UserWarning at somewhere/module.py:7, text withheld" in err


async def test_a_traceback_shows_no_local_variables() -> None:
    """An unexpected error is logged with its type and its frames, in both forms, without its text and the values of locals."""
    code = """
import structlog
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
    st.sampled_from(
        [
            *sorted(TEXTS),
            *("authorization", "api_key", "apikey", "cookie", "set-cookie", "password", "secret", "secrets", "token"),
            *("x_api_key", "x-api-key", "access_token", "client_secret", "db_password", "proxy-authorization"),
        ]
    ),
)
def test_other_fields_pass_unchanged(value: object, name: str) -> None:
    """What is not named like a text or a credential is logged as it is; what is, in any letter case, is not."""
    cleaned = remove_sensitive(None, "info", {"event": "e", "count": 3, name.upper(): value})
    assert cleaned == {"event": "e", "count": 3, name.upper(): REMOVED}


@pytest.mark.parametrize("name", ["tokens", "prompt_tokens", "token_budget", "key_name", "keys", "monkey"])
def test_a_field_that_only_sounds_like_a_credential_is_logged(name: str) -> None:
    assert remove_sensitive(None, "debug", {"event": "e", name: 3}) == {"event": "e", name: 3}
