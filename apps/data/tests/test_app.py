"""The app's manifest: it loads without findings, and what it promises holds."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from apps.sdk.catalog import Catalog
from apps.sdk.loader import load_catalog
from apps.sdk.testing import load_skill

APPS = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def catalog() -> Catalog:
    return load_catalog([APPS])


def test_the_app_loads_clean(catalog: Catalog) -> None:
    """Three skills, a focus mode and a memory, none quarantined, no findings."""
    app = next(app for app in catalog.apps if app.id == "data")
    assert [skill.tool_name for skill in app.skills] == ["data-query", "data-describe", "data-files"]
    assert [mode.id for mode in app.focus_modes] == ["data-analysis"]
    assert [memory.id for memory in app.memories] == ["data-sources"]
    assert (app.quarantined, app.findings) == ((), ())


def test_loading_the_catalog_imports_no_duckdb() -> None:
    """Only a query's own process pays for DuckDB."""
    code = "import sys; from apps.sdk.loader import load_one_app; load_one_app(sys.argv[1]); print('duckdb' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code, APPS / "data"], capture_output=True, text=True, cwd=APPS.parent, check=True
    )
    assert done.stdout.strip() == "False"


MESSAGE = "Run it:\n```sql\nSELECT sum(b) AS s FROM sales;\n```\non\n```csv\na,b\n1,2\n```\n"


def test_a_message_with_a_query_and_data_is_a_request() -> None:
    """A block of SQL and a block of data are taken as they stand; the table has the name that the query uses."""
    found = load_skill(__file__, "query").check_from_message(MESSAGE)
    table = {"name": "sales", "format": "csv", "content": "a,b\n1,2\n"}
    assert found == {"sql": "SELECT sum(b) AS s FROM sales;", "tables": [table]}


def test_a_message_with_data_and_a_question_is_described() -> None:
    """One block of data and a word that asks what it holds."""
    found = load_skill(__file__, "describe").check_from_message("Describe this table, please\n```tsv\na\tb\n1\t2\n```")
    assert found == {"name": "data", "format": "csv", "content": "a\tb\n1\t2\n", "delimiter": "\t"}


@pytest.mark.parametrize(
    "message",
    ["", "describe this", "```csv\na,b\n```", "```csv\ndescribe,b\n```", "describe\n```csv\na", "```sql\nselect 1\n```",
     MESSAGE * 2, "```csv\n" * 20_000, "describe\n" + " \t" * 50_000 + "\n```csv"],
)  # fmt: skip
def test_other_messages_are_left_alone(message: str) -> None:
    """No block, no question, an open block, two queries, and long hostile texts."""
    assert load_skill(__file__, "query").check_from_message(message) is None
    assert load_skill(__file__, "describe").check_from_message(message) is None
