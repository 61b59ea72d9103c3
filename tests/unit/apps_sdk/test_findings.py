import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from apps.sdk.findings import CODES, Position, report

SDK = Path(__file__).parents[3] / "apps" / "sdk"


def find_codes(tree: ast.AST) -> Iterator[str]:
    """Every text that is given as a code to a function that reports."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and (name := getattr(node.func, "id", getattr(node.func, "attr", ""))):
            place = {"report": 0, "_fatal": 0, "_damage": 1}.get(name)
            if place is not None and isinstance(argument := node.args[place], ast.Constant):
                yield str(argument.value)


def test_every_code_is_documented_and_every_documented_code_is_used() -> None:
    used = {code for file in SDK.rglob("*.py") for code in find_codes(ast.parse(file.read_text()))}
    assert used == set(CODES)


def test_codes_are_frozen_and_explained() -> None:
    assert all(meaning.endswith(".") for meaning in CODES.values())
    with pytest.raises(TypeError):
        CODES["new"] = "x"  # type: ignore[index]


def test_severity_comes_from_the_code() -> None:
    assert report("unknown-key", Position("a"), "m").severity == "warning"
