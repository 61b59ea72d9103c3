import re
import time

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
    assert find_text_limit(r"^.*$") == TEXT_LIMIT_ONE
    assert find_text_limit(r"^\S+@\S+$") == TEXT_LIMIT_MORE


@pytest.mark.parametrize("anchor", ["", "(?m)^", "(?:^|x)"])
def test_a_pattern_that_may_begin_anywhere_costs_another_power(anchor: str) -> None:
    assert find_text_limit(rf"{anchor}\s+$") == 3_160
    assert find_text_limit(r"^\s+$") == TEXT_LIMIT_ONE


def test_many_ways_through_a_pattern_without_loops_shorten_the_text_too() -> None:
    """A few rounds, a thousand ways from each start; or rounds in rounds, that no text of any length can stand."""
    assert find_text_limit(r"a{0,10}a{0,10}a{0,10}b") == 3_755
    assert find_text_limit(r"^a{0,10}a{0,10}a{0,10}b") is None
    assert (find_text_limit(r"((a|aa){10}){10}b") or 0) < 20


@pytest.mark.parametrize(
    ("pattern", "longest"),
    [
        (r"a*a*a*b", 102),
        (r"a*a*a*a*b", 53),
        (r"(?=a*a*a*b)x", 102),
        (r"(?:a*b?){0,10}c", 14),
        (r"(?:a*b?){10}c", 14),
        (r"^\S+@\S+\.\S+$", 308),
        (r"^[\w.+-]+@[\w-]+\.[\w.-]+$", TEXT_LIMIT_MORE),
        (r"^\s*\w+\s*,\s*\w+\s*$", TEXT_LIMIT_MORE),
        (r"^(\w+(,\w+)*;)*$", TEXT_LIMIT_MORE),
    ],
)
def test_loops_in_a_row_that_match_the_same_text_shorten_it(pattern: str, longest: int) -> None:
    """Each of them costs another power of the length, also in a repeat of a few rounds; loops that are kept apart do not."""
    assert find_text_limit(pattern) == longest


@pytest.mark.timeout(60)
@pytest.mark.parametrize(
    "pattern",
    [
        r"(?:a*b?){0,10}c",
        r"a*a*a*a*a*b",
        r"\w+\w+@",
        r"(?:ab|a)+@",
        r"a{0,10}a{0,10}a{0,10}b",
        r"((a|aa){10}){10}b",
        r"(a|aa){10}b",
    ],
)
def test_the_longest_text_is_searched_in_a_fraction_of_a_second(pattern: str) -> None:
    begun = time.thread_time()
    assert re.search(pattern, "a" * (find_text_limit(pattern) or 0)) is None
    assert time.thread_time() - begun < 0.4
