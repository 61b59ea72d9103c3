"""What others have named, as it is printed."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apps.sdk.shown import show_path, spell_out


@given(st.text(st.characters() | st.sampled_from("\x1b\u202e\udcff\n"), max_size=30))
def test_what_is_shown_prints(text: str) -> None:
    """Whatever comes in; what prints already stays."""
    shown = spell_out(text)
    assert shown.isprintable()
    assert shown == text or not text.isprintable()
    assert spell_out(text, keep="\n").count("\n") == text.count("\n")


def test_a_path_is_shown_from_where_we_are(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Below the working directory from there, else in full; never with its control characters."""
    monkeypatch.chdir(tmp_path)
    assert show_path(tmp_path / "a\x1bb" / "app.yml") == "a\\x1bb/app.yml"
    assert show_path(tmp_path.parent / "other") == str(tmp_path.parent / "other")
