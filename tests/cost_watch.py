"""Costs of tests: what an unmarked test takes of the processor is told at the end of a run where it is too much.

``make test`` has five minutes on two cores. A test that takes more than two seconds there has to share what it makes,
or to be marked ``slow``. Processor time is looked at, its own and that of its processes, which a busy machine hardly
changes.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

STRICT = "ANDANTE_COSTS"
"""Set to ``strict``, one test that is too dear fails the run."""
MOST = 2.0
"""Processor time of an unmarked test [s]."""
_NAME = "processor time"


def spent() -> float:
    """Processor time of this process and of its processes that have ended [s]."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


class CostMeter:
    """Measures each test where it runs; the report takes the time along to whoever sums up."""

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Iterator[None]:
        began = spent()
        try:
            return (yield)
        finally:
            item.user_properties.append((_NAME, spent() - began))


class CostList:
    """Tells the unmarked tests that took more than they may, the dearest first."""

    def __init__(self, most: float, strict: bool) -> None:
        self._most, self._strict = most, strict
        self.total = 0.0
        self.dear: list[tuple[float, str]] = []

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when != "call":
            return
        cost = sum(float(str(value)) for name, value in report.user_properties if name == _NAME)
        self.total += cost
        if cost > self._most and "slow" not in report.keywords:
            self.dear.append((cost, report.nodeid))

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if self._strict and self.dear and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        if not self.dear:
            return
        terminalreporter.write_line(
            f"{len(self.dear)} tests take more than {self._most:g} s of processor time each and are not marked slow:"
        )
        for cost, test in sorted(self.dear, reverse=True):
            terminalreporter.write_line(f"{cost:7.2f} s  {test}")


def watch_costs(config: pytest.Config, most: float = MOST) -> None:
    """Measure the tests of a run; workers of pytest-xdist leave the list to the process that started them."""
    config.pluginmanager.register(CostMeter(), "andante-cost-meter")
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(CostList(most, os.environ.get(STRICT) == "strict"), "andante-costs")
