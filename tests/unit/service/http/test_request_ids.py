"""Request ids and traces that clients may send."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.http.middleware.request_ids import choose_request_id, continue_trace

TRACE_ID, PARENT_ID = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"


@pytest.mark.parametrize("offered", ["a", "req-1.2_3~4", "x" * 128])
def test_a_safe_id_is_taken(offered: str) -> None:
    """A client's own id is kept when it needs no escaping anywhere."""
    assert choose_request_id(offered) == offered


@pytest.mark.parametrize("offered", [None, "", "x" * 129, "a b", "a\nb", "a;b", "é", '"a"', "a:b", "../a"])
def test_any_other_id_is_replaced(offered: str | None) -> None:
    """An id that is missing, too long or unsafe gives way to a new one."""
    assert re.fullmatch(r"[0-9a-f]{32}", choose_request_id(offered))
    assert choose_request_id(offered) != choose_request_id(offered)


def test_a_valid_trace_is_continued() -> None:
    """Same trace id and flags, a span of our own; a later version's extra fields do not matter."""
    for header in (f"00-{TRACE_ID}-{PARENT_ID}-01", f"01-{TRACE_ID}-{PARENT_ID}-01-more"):
        trace = continue_trace(header)
        assert (trace.trace_id, trace.flags) == (TRACE_ID, "01")
        assert trace.span_id != PARENT_ID
        assert str(trace) == f"00-{TRACE_ID}-{trace.span_id}-01"


@pytest.mark.parametrize(
    "header",
    [
        None,
        "",
        f"ff-{TRACE_ID}-{PARENT_ID}-01",
        f"00-{TRACE_ID}-{PARENT_ID}-01-more",
        f"00-{'0' * 32}-{PARENT_ID}-01",
        f"00-{TRACE_ID}-{'0' * 16}-01",
        f"00-{TRACE_ID.upper()}-{PARENT_ID}-01",
        f"00-{TRACE_ID}-{PARENT_ID}",
        f" 00-{TRACE_ID}-{PARENT_ID}-01",
    ],
)
def test_an_invalid_trace_starts_anew(header: str | None) -> None:
    """W3C Trace Context 3.2: what cannot be parsed is ignored and a new trace begins."""
    trace = continue_trace(header)
    assert trace.trace_id != TRACE_ID
    assert re.fullmatch(r"00-[0-9a-f]{32}-[0-9a-f]{16}-00", str(trace))


@given(st.text())
def test_no_text_breaks_the_ids(text: str) -> None:
    """Whatever a header holds, what goes out is well-formed."""
    assert re.fullmatch(r"[A-Za-z0-9._~-]{1,128}", choose_request_id(text))
    assert re.fullmatch(r"00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}", str(continue_trace(text)))
