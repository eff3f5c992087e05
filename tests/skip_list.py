"""Skips have their reasons in a list, ``skips.yaml``: pytest asks it for each test that was skipped."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
import yaml

STRICT = "ANDANTE_SKIPS"
"""Set to ``strict``, as CI has it, a skip that CI must not have fails the run."""


def read_reasons() -> list[dict[str, object]]:
    """The legal reasons: ``reason`` (a regular expression), ``in_ci``, ``why``."""
    return yaml.safe_load((Path(__file__).parent / "skips.yaml").read_text(encoding="utf-8"))


def objection(reason: str, in_ci: bool) -> str:
    """What is wrong with a skip for this reason; empty where nothing is."""
    fitting = [each for each in read_reasons() if re.match(str(each["reason"]), reason)]
    if not fitting:
        return "this reason is not in tests/skips.yaml"
    if in_ci and not any(each["in_ci"] for each in fitting):
        return "CI has what this test lacks, or has to fetch it (.ci/run)"
    return ""


class SkipList:
    """Fails a run in which a test was skipped for a reason that the list has not, or not for CI."""

    def __init__(self, in_ci: bool) -> None:
        self._in_ci = in_ci
        self.objections: dict[str, list[str]] = {}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.skipped and not hasattr(report, "wasxfail"):
            self.note(report.nodeid, report.longrepr)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.skipped:
            self.note(report.nodeid, report.longrepr)

    def note(self, test: str, told: object) -> None:
        """Look at one skip: its test, and the place and reason as pytest has them."""
        reason = str(told[2] if isinstance(told, tuple) else told).removeprefix("Skipped: ")
        wrong = objection(reason, self._in_ci)
        if wrong:
            self.objections.setdefault(f"{reason}: {wrong}", []).append(test)

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if self.objections and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        for wrong, tests in self.objections.items():
            terminalreporter.write_line(f"skipped without leave: {len(tests)} tests, {tests[0]}: {wrong}", red=True)


def watch_skips(config: pytest.Config) -> None:
    """Watch a run's skips; workers of pytest-xdist leave it to the process that started them."""
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(SkipList(os.environ.get(STRICT) == "strict"), "andante-skips")
