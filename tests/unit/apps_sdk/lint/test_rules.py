from pathlib import Path

from apps.sdk.loader import load_catalog
from tests.support.apps import write_app, write_echo_app


def test_a_complete_app_has_no_findings(tmp_path: Path) -> None:
    write_echo_app(tmp_path, "one", "a", "b")
    assert load_catalog([tmp_path]).findings == ()


def test_findings_come_in_order(tmp_path: Path) -> None:
    """case 1: the catalog's findings, which lint, the API and readiness show, are sorted by their place."""
    write_app(tmp_path, "two", "skills: [{id: a}]\n")
    write_echo_app(tmp_path, "one", "a", examples=None, follow_ups=["gone"])
    findings = load_catalog([tmp_path]).findings
    assert [finding.position for finding in findings] == sorted(finding.position for finding in findings)
    assert len(findings) == 3


def test_a_finding_reads_as_file_line_column(tmp_path: Path) -> None:
    folder = write_app(tmp_path, "one", "skills:\n- id: a b\n")
    assert str(load_catalog([tmp_path]).findings[0]).startswith(f"{folder / 'app.yml'}:2:7: error: 'a b' is no legal id")
