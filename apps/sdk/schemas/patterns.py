r"""Whether a regular expression can take exponential time, as Python's `re` runs it.

Authors write patterns and models write the texts that are searched, in the service's own process, where a search that does not
end holds up everybody. The validator is `jsonschema`, which searches with `re`: an engine whose time is linear is not open to it,
and would refuse what authors may use, look-around and back references. So patterns are judged before they are used.

It can where one text can be split over the rounds of a loop in many ways: `(\w+\s?)*`, `(a|a)*`, `(\d{1,3})+`. The check reads
the parsed pattern and errs on the safe side. In a loop (a repeat of more than `_MANY` rounds) it refuses
- two parts of variable length, or one and itself a round later, that share a character and have nothing between them that must
  be another character: `(\w+,)*` is fine, `(\w+,?)*` is not;
- alternatives that may match the same text, and optional parts that may be empty anyway.
Outside loops such parts cost the text's length to the power of how many stand in a row, and once more where the pattern may begin
anywhere in the text: `find_text_limit` says how long a text may be.

Its limits: it refuses some patterns that are harmless (a loop over a back reference), and it judges characters by samples, an
alphabet of ASCII, what the pattern names and `_OTHERS`. `re._parser` is no public module; the tests run on each Python that is
supported, and a tree that is read wrongly would show there.
"""

from __future__ import annotations

import bisect
import functools
import importlib
import itertools
import math
import re
import warnings
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from apps.sdk.jsontypes import Json

TEXT_LIMIT_ONE = 10_000
"""Characters of a text in which a pattern with one loop is searched at most, though it begins with `^`."""
TEXT_LIMIT_MORE = 1_000
"""The same where a pattern has several loops."""
MAX_STEPS = 5_000_000
"""Ways to lay k loops in a row over n characters: (n+k over k), from any start (n+k+1 over k+1). Measured: 5 to 25 ns each, so a
tenth of a second at most: one loop in a text of 3,160 characters, two in 308, three in 102.
"""

_MANY = 10
"""Rounds up to which a repeat is no loop: two ways for each of ten rounds are a thousand. Measured: `(a|a){10}` 0.3 ms."""
_MAX_PATTERN = 2_000
"""Characters; longer patterns with a loop around loops are refused unread. Measured: reading one of 1,800 takes 1 s."""
_MAX_CHAIN = 20
"""Loops in a row beyond which the limit is not lowered any further."""
_OTHERS = "äÄßéλΛжЖ٣中あ\u00a0\u2028😀"
"""Stand for all characters beyond ASCII that a pattern does not name."""

_Characters: TypeAlias = frozenset[str]
_Bridge: TypeAlias = tuple[_Characters, ...]
_Node: TypeAlias = tuple[str, Json]
_REPEATS = frozenset({"MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"})
_SINGLES = frozenset({"LITERAL", "NOT_LITERAL", "ANY", "IN"})
_CATEGORIES = {
    "CATEGORY_DIGIT": r"\d",
    "CATEGORY_NOT_DIGIT": r"\D",
    "CATEGORY_SPACE": r"\s",
    "CATEGORY_NOT_SPACE": r"\S",
    "CATEGORY_WORD": r"\w",
    "CATEGORY_NOT_WORD": r"\W",
}


@dataclass(frozen=True, slots=True)
class _Elastic:
    """A part that can be longer or shorter; `bridge` is what must be passed between it and the end it is looked at from.

    `chain`: of how many such parts in a row it is the last, each of which could have matched text of the next.
    """

    characters: _Characters
    bridge: _Bridge = ()
    chain: int = 1

    def shares_text(self, other: _Elastic) -> bool:
        shared = self.characters & other.characters
        return bool(shared) and all(shared & needed for needed in (*self.bridge, *other.bridge))


@dataclass(frozen=True, slots=True)
class _Part:
    """A piece of a pattern. `needs` is what it cannot do without, in order, none when it may be empty. `heads` and `tails` are
    its elastic parts seen from its front and from its back. `exact`: it is its `needs` and nothing else.
    """

    characters: _Characters = frozenset()
    needs: _Bridge = ()
    heads: tuple[_Elastic, ...] = ()
    tails: tuple[_Elastic, ...] = ()
    firsts: _Characters = frozenset()
    lasts: _Characters = frozenset()
    exact: bool = False

    @property
    def chain(self) -> int:
        return max((tail.chain for tail in self.tails), default=0)


class _Ambiguous(Exception):
    """The pattern may take exponential time."""


def may_explode(pattern: str) -> bool:
    """Whether a search for the pattern, a valid one, may take time exponential in the text's length."""
    tree = _parse(pattern)
    if not any(_is_loop(node) and _holds_choice(node) for node in _list_nodes(tree)):
        return False
    if len(pattern) > _MAX_PATTERN:
        return True
    try:
        _Reader(pattern, tree).read(tree, looped=False)
    except (_Ambiguous, RecursionError):
        return True
    return False


@functools.lru_cache(maxsize=4096)
def find_text_limit(pattern: str) -> int | None:
    """How many characters a text may have in which the pattern, a valid one, is searched; None = any number."""
    tree = _parse(pattern)
    loops, is_anchored = _count_loops(tree), _is_anchored(tree)
    chain = _measure_chain(pattern, tree, loops)
    power = chain if is_anchored else chain + 1
    ways = 0 if loops else _count_ways(tree)

    def count_steps(length: int) -> int:
        steps = math.comb(length + power, power)
        return steps if loops else min(steps, ways * (1 if is_anchored else length + 1))

    highest = (MAX_STEPS, TEXT_LIMIT_ONE, TEXT_LIMIT_MORE)[min(loops, 2)]
    limit = bisect.bisect(range(highest + 1), MAX_STEPS, key=count_steps) - 1
    return limit if limit < MAX_STEPS - 1 else None


def _is_anchored(tree: Json) -> bool:
    """Whether the pattern is found at the start of the text or nowhere."""
    first = tree[0] if len(tree) else None
    if first is None or str(first[0]) != "AT" or tree.state.flags & re.MULTILINE:
        return False
    return str(first[1]) in {"AT_BEGINNING", "AT_BEGINNING_STRING"}


def _count_loops(tree: Json) -> int:
    """A loop in a repeat of a few rounds counts once for each of them."""
    found = 0
    for code, argument in tree:
        inside = sum(map(_count_loops, _list_parts(str(code), argument)))
        if str(code) in _REPEATS:
            inside = 1 + inside if _is_loop((str(code), argument)) else inside * int(argument[1])
        found += inside
    return found


def _count_ways(tree: Json) -> int:
    """How a pattern without loops can be gone through from one start, at most; many are `MAX_STEPS`."""
    ways = 1
    for code, argument in tree:
        inside = [_count_ways(part) for part in _list_parts(str(code), argument)]
        if str(code) in _REPEATS:
            ways *= sum(inside[0] ** rounds for rounds in range(int(argument[0]), int(argument[1]) + 1))
        elif str(code) in {"BRANCH", "GROUPREF_EXISTS"}:
            ways *= sum(inside)
        else:
            ways *= math.prod(inside)
        ways = min(ways, MAX_STEPS)
    return ways


def _measure_chain(pattern: str, tree: Json, loops: int) -> int:
    """The most variable parts in a row that could match each other's text; where it cannot be told, the number of loops."""
    most = min(loops, _MAX_CHAIN)
    if not any(_is_choice(node) for node in _list_nodes(tree)):
        return 0
    if len(pattern) > _MAX_PATTERN:
        return most
    reader = _Reader(pattern, tree)
    try:
        reader.read(tree, looped=False)
    except (_Ambiguous, RecursionError):
        return most
    return min(reader.longest_chain, _MAX_CHAIN)


def _parse(pattern: str) -> Json:
    """Python's own reading of it; the parser's module is no public one, so it is taken by name."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return importlib.import_module("re._parser").parse(pattern)


def _list_nodes(tree: Json) -> Iterator[_Node]:
    for code, argument in tree:
        yield str(code), argument
        for part in _list_parts(str(code), argument):
            yield from _list_nodes(part)


def _list_parts(code: str, argument: Json) -> Sequence[Json]:
    """The sequences that a node is made of."""
    if code in _REPEATS or code in {"SUBPATTERN", "ASSERT", "ASSERT_NOT"}:
        return [argument[-1]]
    if code == "BRANCH":
        alternatives: Sequence[Json] = argument[1]
        return alternatives
    if code == "ATOMIC_GROUP":
        return [argument]
    return [part or [] for part in argument[1:]] if code == "GROUPREF_EXISTS" else []


def _is_loop(node: _Node) -> bool:
    return node[0] in _REPEATS and int(node[1][1]) > _MANY


def _is_choice(node: _Node) -> bool:
    return node[0] in _REPEATS or node[0] in {"BRANCH", "GROUPREF_EXISTS"}


def _holds_choice(node: _Node) -> bool:
    return any(map(_is_choice, _list_nodes(node[1][-1])))


class _Reader:
    """Reads a parsed pattern; raises `_Ambiguous`. Characters are looked at one by one in an alphabet of samples."""

    def __init__(self, pattern: str, tree: Json) -> None:
        self._folds = any(flag & re.IGNORECASE for flag in self._list_flags(tree))
        named = {chr(number) for node in _list_nodes(tree) for number in _list_numbers(*node)}
        self.longest_chain = 0
        letters = {*map(chr, range(128)), *_OTHERS, *named}
        self._alphabet = frozenset(letters | {letter.swapcase() for letter in letters if len(letter.swapcase()) == 1})

    @staticmethod
    def _list_flags(tree: Json) -> Iterator[int]:
        yield int(tree.state.flags)
        yield from (int(argument[1]) for code, argument in _list_nodes(tree) if code == "SUBPATTERN")

    def read(self, tree: Json, *, looped: bool) -> _Part:
        """The sequence as one part. `looped`: it stands in a loop, where being ambiguous matters."""
        part = _join([self._read_node(str(code), argument, looped=looped) for code, argument in tree], looped=looped)
        self.longest_chain = max(self.longest_chain, part.chain)
        return part

    def _read_node(self, code: str, argument: Json, *, looped: bool) -> _Part:
        if code == "GROUPREF":
            return _Part(self._alphabet, firsts=self._alphabet, lasts=self._alphabet)
        if code in _SINGLES:
            characters = self._find_characters(code, argument)
            return _Part(characters, (characters,), firsts=characters, lasts=characters, exact=True)
        if code in _REPEATS:
            return self._read_repeat(*argument, looped=looped)
        if code in {"BRANCH", "GROUPREF_EXISTS"}:
            return _choose([self.read(part, looped=looped) for part in _list_parts(code, argument)], looped=looped)
        inner = [self.read(part, looped=looped) for part in _list_parts(code, argument)]
        return inner[0] if code in {"SUBPATTERN", "ATOMIC_GROUP"} else _Part()

    def _read_repeat(self, least: int, most: int, body: Json, *, looped: bool) -> _Part:
        inside = looped or most > _MANY
        part = self.read(body, looped=inside)
        if inside and least != most and not part.needs:  # no round and an empty round are the same text
            raise _Ambiguous
        if most > 1:
            _join([part, part], looped=inside)
        rounds = _join([part] * min(most, _MANY), looped=False)
        if least == most:
            return rounds
        elastic = _Elastic(part.characters, part.needs, 1 if inside else max(1, rounds.chain))
        needs = part.needs if least else ()
        return _Part(part.characters, needs, (elastic, *part.heads), (elastic, *part.tails), part.firsts, part.lasts)

    def _find_characters(self, code: str, argument: Json) -> _Characters:
        if code == "ANY":
            return self._alphabet
        items = argument if code == "IN" else [(code.removeprefix("NOT_"), argument)]
        negated = code == "NOT_LITERAL" or str(items[0][0]) == "NEGATE"
        found = {letter for letter in self._alphabet if any(self._fits(letter, str(kind), value) for kind, value in items)}
        return self._alphabet - found if negated else frozenset(found)

    def _fits(self, letter: str, kind: str, value: Json) -> bool:
        if kind == "CATEGORY":
            return bool(re.match(_CATEGORIES[str(value)], letter))
        if kind == "NEGATE":
            return False
        low, high = (value, value) if kind == "LITERAL" else value
        same = {letter, letter.lower(), letter.upper()} if self._folds else {letter}
        return any(len(one) == 1 and low <= ord(one) <= high for one in same)


def _list_numbers(code: str, argument: Json) -> Iterable[int]:
    """The characters that a node names."""
    if code in {"LITERAL", "NOT_LITERAL"}:
        return [argument]
    if code != "IN":
        return []
    ranges = (value if str(kind) == "RANGE" else (value,) for kind, value in argument if str(kind) in {"LITERAL", "RANGE"})
    return itertools.chain.from_iterable(ranges)


def _join(parts: Sequence[_Part], *, looped: bool) -> _Part:
    """The parts one after the other."""
    whole = _Part(exact=True)
    for part in parts:
        if looped and any(tail.shares_text(head) for tail in whole.tails for head in part.heads):
            raise _Ambiguous
        before = max((tail.chain for tail in whole.tails if any(map(tail.shares_text, part.heads))), default=0)
        whole = _Part(
            whole.characters | part.characters,
            whole.needs + part.needs,
            (*whole.heads, *(replace(head, bridge=whole.needs + head.bridge) for head in part.heads)),
            (
                *(replace(tail, bridge=tail.bridge + part.needs) for tail in whole.tails),
                *(replace(tail, chain=tail.chain + before) for tail in part.tails),
            ),
            whole.firsts if whole.needs else whole.firsts | part.firsts,
            part.lasts if part.needs else whole.lasts | part.lasts,
            whole.exact and part.exact,
        )
    return whole


def _choose(parts: Sequence[_Part], *, looped: bool) -> _Part:
    """One of the parts. It is elastic when its text may begin like another part, for what comes after; when it may end like one,
    only for what came before: from a given place on it is clear which one it is.
    """
    pairs = list(itertools.combinations(parts, 2)) if looped else []
    if any(_may_equal(one, other) for one, other in pairs):
        raise _Ambiguous
    characters = frozenset[str]().union(*(part.characters for part in parts))
    optional = not all(part.needs for part in parts)
    needs: _Bridge = () if optional else (characters,)
    elastic = (_Elastic(characters),)
    unclear = optional or any(_may_begin_alike(one, other) for one, other in pairs)
    unclear_before = unclear or any(_may_end_alike(one, other) for one, other in pairs)
    return _Part(
        characters,
        needs,
        (*(elastic if unclear_before else ()), *(head for part in parts for head in part.heads)),
        (*(elastic if unclear else ()), *(tail for part in parts for tail in part.tails)),
        frozenset[str]().union(*(part.firsts for part in parts)),
        frozenset[str]().union(*(part.lasts for part in parts)),
    )


def _may_equal(one: _Part, other: _Part) -> bool:
    if one.exact and other.exact:
        return len(one.needs) == len(other.needs) and all(map(frozenset.__and__, one.needs, other.needs))
    if not one.needs and not other.needs:
        return True
    longer, shorter = (one, other) if len(one.needs) > len(other.needs) else (other, one)
    if shorter.exact and len(longer.needs) > len(shorter.needs):
        return False
    return bool(one.firsts & other.firsts and one.lasts & other.lasts)


def _may_begin_alike(one: _Part, other: _Part) -> bool:
    if one.exact and other.exact:
        return all(first & second for first, second in zip(one.needs, other.needs, strict=False))
    return bool(one.firsts & other.firsts)


def _may_end_alike(one: _Part, other: _Part) -> bool:
    if one.exact and other.exact:
        pairs = zip(reversed(one.needs), reversed(other.needs), strict=False)
        return len(one.needs) != len(other.needs) and all(first & second for first, second in pairs)
    return bool(one.lasts & other.lasts)
