import pytest

from apps.sdk.schemas.patterns import TEXT_LIMIT_MORE, TEXT_LIMIT_ONE, find_text_limit, may_explode


@pytest.mark.parametrize(
    "pattern",
    [
        r"^(\w+\s?)*$",
        r"(a+)+$",
        r"(a*)*b",
        r"(a|a)*b",
        r"(a|aa)+$",
        r"(\w|x,?)*!",
        r"(?:(?:x|yx)(?:y|))*;",
        r"(?:(?:b?)?a)*;",
        r"(?:\w\w|\w+)*;",
        r"(.*a){20}",
        r"([a-zA-Z]+)*",
        r"(\d{1,3})+x",
        r"(a?b?)*c",
        r"(\s*\w\s*)*;",
        r"(a*a*b)*c",
        r"((\w+){2},)*;",
        r"(?:x(?:a|ab)(?:b|)y)*;",
        r"(?i)([a-z]+[A-Z]?)*;",
        r"^(?=(\w+\s?)*$)x",
        r"(?:\w+?\s*?)+?;",
        r"(?:\w{1,50}\s?){1,50};",
    ],
)
def test_patterns_that_may_take_exponential_time_are_found(pattern: str) -> None:
    assert may_explode(pattern)


@pytest.mark.parametrize(
    "pattern",
    [
        r"",
        r"(\w|\d)*!",
        r"^[a-z]+(-[a-z]+)*$",
        r"^(\w+,)*\w+$",
        r"^\S+@\S+\.\S+$",
        r"^(\d{1,3}\.){3}\d{1,3}$",
        r"^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,63}$",
        r"^(([a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9-]*[a-zA-Z0-9])\.)*[a-z]+$",
        r"^(https?|ftp)://[^\s/$.?#].[^\s]*$",
        r"^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2}))?$",
        r"^((mon|tue|wed|thu|fri|sat|sun),?)+$",
        r"^#([0-9a-f]{3}|[0-9a-f]{6})$",
        r"^[A-Z]{2}(\s?\d)+$",
        r"^(\w+(,\w+)*;)*$",
        r"^(?:[^\"\\]|\\.)*$",
        r"^(a)(\1)*$",
        r"^[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?$",
        r"^(/[a-z0-9_.-]+)+/?$",
    ],
)
def test_usual_patterns_are_none_of_them(pattern: str) -> None:
    """Dates, host names, addresses, lists with separators: what authors really write stays allowed."""
    assert not may_explode(pattern)


def test_long_texts_are_searched_only_for_patterns_that_take_linear_time() -> None:
    assert find_text_limit(r"^\S") is None
    assert find_text_limit(r"^[a-z]{3}-\d{1,9}$") is None
    assert find_text_limit(r"\s+$") == TEXT_LIMIT_ONE
    assert find_text_limit(r"^\S+@\S+$") == TEXT_LIMIT_MORE
