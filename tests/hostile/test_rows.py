"""Each hostile row has its tests, and they are there."""

from __future__ import annotations

import ast
import re
from functools import cache

import pytest

from service.settings import ROOT
from tests.hostile.rows import ROWS

CASES = ROOT.parent / "shared" / "cases" / "hostile.md"


@cache
def list_tests(module: str) -> frozenset[str]:
    """The tests that stand in a module, also under an `if`."""
    tree = ast.parse((ROOT / module.replace(".", "/")).with_suffix(".py").read_text())
    return frozenset(node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))


@pytest.mark.parametrize("group", ROWS)
def test_the_tests_of_each_row_exist(group: str) -> None:
    """A test that is renamed or taken away leaves its row without a proof."""
    for symptom, tests in ROWS[group].items():
        assert tests, symptom
        for module, _, name in (test.partition(":") for test in tests):
            assert name in list_tests(module), f"{symptom}: {module}:{name}"


def read_symptoms(group: str) -> list[str]:
    """The first column of a group's table."""
    section = re.search(rf"^## {group}\. .*?(?=^## |\Z)", CASES.read_text(), re.MULTILINE | re.DOTALL)
    assert section is not None
    rows = [line.split(" | ")[0].removeprefix("| ") for line in section[0].splitlines() if line.startswith("| ")]
    return [row for row in rows if row != "symptom"]


if CASES.is_file():

    @pytest.mark.parametrize("group", ROWS)
    def test_every_row_of_the_group_is_here(group: str) -> None:
        """Where the cases lie beside the project: the same rows in the same order."""
        assert list(ROWS[group]) == read_symptoms(group)
