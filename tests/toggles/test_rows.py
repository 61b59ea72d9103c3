"""Each row about toggles has its tests, and they are there."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from functools import cache

import pytest

from service.settings import ROOT
from tests.toggles.rows import INVARIANTS, LATER, NUMBERED, TRUTH_TABLE

TOGGLES = ROOT.parent / "shared" / "cases" / "toggles.md"
LISTED = [
    *((f"row {row}", tests) for row, tests in TRUTH_TABLE.items()),
    *((f"invariant {row}", (test,)) for row, test in INVARIANTS.items()),
    *((f"case {row}", tests) for row, tests in NUMBERED.items()),
]


@cache
def list_tests(module: str) -> frozenset[str]:
    """The tests of a module by name, and each of their named parameters as `name[id]`."""
    tree = ast.parse((ROOT / module.replace(".", "/")).with_suffix(".py").read_text())
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    return frozenset(name for function in functions for name in (function.name, *_list_ids(function)))


def _list_ids(function: ast.FunctionDef | ast.AsyncFunctionDef) -> Iterator[str]:
    for decorator in function.decorator_list:
        for node in ast.walk(decorator):
            if isinstance(node, ast.keyword) and node.arg == "id" and isinstance(node.value, ast.Constant):
                yield f"{function.name}[{node.value.value!s}]"


@pytest.mark.parametrize(("row", "tests"), LISTED, ids=[row for row, _ in LISTED])
def test_the_tests_of_each_row_exist(row: str, tests: Iterable[str]) -> None:
    """A test that is renamed or taken away leaves its row without a proof."""
    assert tests
    for module, _, name in (test.partition(":") for test in tests):
        assert name in list_tests(module), f"{module}:{name}"


def test_no_row_is_both_here_and_later() -> None:
    """A row whose tests have come is taken out of the list of those to come."""
    assert not NUMBERED.keys() & LATER.keys()


if TOGGLES.is_file():

    def read_rows(heading: str) -> list[str]:
        """The first column of the tables below a heading."""
        section = re.search(rf"^## {heading}.*?(?=^## |\Z)", TOGGLES.read_text(), re.MULTILINE | re.DOTALL)
        assert section is not None
        return re.findall(r"^\| (\d+[a-z]?) \|", section[0], re.MULTILINE)

    def test_every_row_of_the_table_is_here() -> None:
        """Where the cases lie beside the project: the same rows in the same order."""
        assert list(TRUTH_TABLE) == read_rows("1")

    def test_every_case_is_here_or_comes_later() -> None:
        """Nothing between the two lists."""
        assert sorted([*NUMBERED, *LATER]) == sorted(map(int, read_rows("2")))
