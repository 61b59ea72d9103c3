"""Which calculation a message plainly asks for. Strict: better no answer than one to small talk."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from apps.math.skills.expressions import FUNCTIONS, read_expression
from apps.math.skills.numerals import NUMBER
from apps.sdk.questions import take_ends
from apps.sdk.skill import SkillRetry

_CUE: Final = re.compile(
    r"\b(?:what(?:'s|s| is| are| does|(?= [0-9(]))|how much(?= [0-9(])|how much (?:is|are|does|would|will)"
    r"|calculate|compute|evaluate|work out|solve|simplify"
    r"|(?:result|value) of|was (?:ist|sind|ergibt|macht)|wie ?viel (?:ist|sind)|berechne"
    r"|cu[aá]nto (?:es|son)|calcula|combien (?:font|fait)|quanto fa)"
    r"(?:(?: ?:| (?:the|an?|result|value|answer|to|of|me|up|el|la|das|out|it))(?![^\s:])){0,4}\s*",
    re.IGNORECASE,
)
_PIECE: Final = re.compile(
    rf"\s{{0,3}}(?:(?:{NUMBER})|[-+*/^%!()\[\]×·⋅÷−–²³½¼¾√π€$£]|(?:{'|'.join(sorted(FUNCTIONS))})(?=\s?\()"
    r"|\b(?:of|off|x|times|mal|geteilt durch|plus|minus|pi|divided by|multiplied by"
    r"|to the power of|percent|per cent|prozent|por ciento|squared|cubed|(?:tip|tax|vat) on"
    r"|(?:the )?(?:square|cube) root of)(?![a-z])|(?<=[%t]) (?:von|de)\b|(?<=ciento) de\b|,(?=\s))",
    re.IGNORECASE,
)
_END: Final = re.compile(
    r"\s{0,3}(?:(?:euros?|dollars?|pounds?|bucks|eur|usd|gbp)\b)?(?: (?:is|are|makes?)\b)?"
    r"\s{0,3}(?:$|[?!.;,=\n]|(?:and|also|then|please|und|bitte|y|et)\b)",
    re.IGNORECASE,
)
_PERCENT: Final = "(?:percent|per cent|percentage|%)"
_PERCENTAGE: Final = re.compile(
    rf"\bwhat {_PERCENT} of ({NUMBER}) is ({NUMBER})(?![\w:/])"
    rf"|(?<![\w.,:/-])({NUMBER}) is what {_PERCENT} of ({NUMBER})(?![\w:/])",
    re.IGNORECASE,
)
_LOOKS_LIKE_A_DATE: Final = re.compile(r"24/7|[0-9]{4}-[0-9]{1,2}(?:-[0-9]{1,2})?|[0-9]{1,2}([-/])[0-9]{1,2}\1[0-9]{2,4}")
_LOOKS_LIKE_A_RANGE: Final = re.compile(r"\+?[0-9.()]+(?:[-–/][0-9]+)+")
_SENTENCE: Final = re.compile(r"[^?;\n]+")


def find_calculation(text: str) -> str | None:
    """The first expression that `text` asks to be worked out, as written there; None when there is none."""
    shown = take_ends(text)
    if share := _PERCENTAGE.search(shown):
        whole, part, part_first, whole_last = share.groups()
        return f"{part or part_first} / {whole or whole_last} * 100"
    return next(_find_asked(shown), None) or next(_find_bare(shown), None)


def _find_asked(text: str) -> Iterator[str]:
    for cue in _CUE.finditer(text):
        run, end = _take_run(text, cue.end())
        if _END.match(text, end) and not _LOOKS_LIKE_A_DATE.fullmatch(run) and _can_be_worked_out(run):
            yield run


def _find_bare(text: str) -> Iterator[str]:
    """Sentences that are nothing but an expression."""
    for sentence in _SENTENCE.finditer(text):
        run, end = _take_run(text, sentence.start())
        rest = text[end : sentence.end()].strip()
        if rest in {"", ".", "="} and (rest == "=" or not _LOOKS_LIKE_A_RANGE.fullmatch(run)) and _can_be_worked_out(run):
            yield run


def _take_run(text: str, start: int) -> tuple[str, int]:
    """The longest stretch from `start` on that could be an expression, and where it ends."""
    end = start
    while piece := _PIECE.match(text, end):
        if piece[0].strip() == "," and text.count("(", start, end) <= text.count(")", start, end):
            break
        end = piece.end()
    run = text[start:end].strip()
    exclaims = run.endswith("!") and run.count("!") == 1 and _can_be_worked_out(run[:-1])
    return (run[:-1].rstrip() if exclaims else run), end


def _can_be_worked_out(run: str) -> bool:
    if not run:
        return False
    try:
        return read_expression(run).operations > 0
    except SkillRetry:
        return False
