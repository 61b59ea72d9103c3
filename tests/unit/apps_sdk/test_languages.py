from __future__ import annotations

import pytest

from apps.sdk.languages import is_language, widen, write_language


@pytest.mark.parametrize("tag", ["de", "pt-BR", "zh-Hant", "zh-Hant-TW", "es-419", "gsw", "DE-at", "sl-rozaj-biske", "de-1996"])
def test_usual_tags_are_languages(tag: str) -> None:
    assert is_language(tag)


@pytest.mark.parametrize(
    "text", ["", "d", "german", "de_AT", "de-", "-de", "de--AT", "../de", "de\n", "dé", "d3", "x-y", "de" + "-abcde" * 9]
)
def test_other_texts_are_none(text: str) -> None:
    assert not is_language(text)


def test_near_misses_are_spelled_as_usual() -> None:
    assert [write_language(text) for text in ("pt_br", " ZH-hant_tw", "german", "")] == ["pt-BR", "zh-Hant-TW", None, None]


def test_a_tag_widens_to_its_language() -> None:
    assert list(widen("zh-Hant-TW")) == ["zh-hant-tw", "zh-hant", "zh"]
    assert list(widen("")) == []
