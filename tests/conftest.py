"""What every test shares."""

from __future__ import annotations

import os
import secrets

import pytest
from hypothesis import HealthCheck, settings

# how long an example takes says more of the machine than of the code
STEADY = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("steady", STEADY)
# the same examples each time: what a change breaks shows, and nothing else does; other examples are tried on developers' machines
settings.register_profile("ci", STEADY, max_examples=100, database=None, derandomize=True, print_blob=True)
settings.load_profile("ci" if os.environ.get("CI") else "steady")


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    """Choose the seed of this run's examples, other ones each time, unless `--hypothesis-seed` names one."""
    if config.option.hypothesis_seed is None and not os.environ.get("CI"):
        config.option.hypothesis_seed = str(secrets.randbelow(2**32))


def pytest_report_header(config: pytest.Config) -> str:
    """How to repeat this run's examples."""
    return f"hypothesis: repeat these examples with --hypothesis-seed={config.option.hypothesis_seed}"


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, exitstatus: int, config: pytest.Config) -> None:
    """The same after a failure, since a quiet run has no header."""
    if exitstatus != pytest.ExitCode.OK:
        terminalreporter.write_line(pytest_report_header(config))
