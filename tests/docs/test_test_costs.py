"""A run tells which unmarked tests take more of the processor than they may."""

from __future__ import annotations

import pytest

from cost_watch import MOST, CostList

pytest_plugins = ("pytester",)
TESTS = """
import subprocess
import sys
import time
import pytest

BUSY = "import time\\nwhile time.process_time() < 0.2: pass"

def busy():
    end = time.process_time() + 0.2
    while time.process_time() < end:
        pass

def test_cheap(): time.sleep(0.2)
def test_dear(): busy()
def test_dear_by_a_process(): subprocess.run([sys.executable, "-c", BUSY], check=True)
@pytest.mark.slow
def test_marked(): busy()
"""


@pytest.mark.slow
@pytest.mark.parametrize(("strict", "passes"), [("", True), ("strict", False)])
def test_dear_tests_are_named_and_fail_a_strict_run(
    strict: str, passes: bool, pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANDANTE_COSTS", strict)
    pytester.makeini("[pytest]\nmarkers =\n    slow: is dear\n")
    pytester.makeconftest(
        "from cost_watch import watch_costs\n\ndef pytest_configure(config):\n    watch_costs(config, 0.15)\n"
    )
    pytester.makepyfile(TESTS)
    done = pytester.runpytest_inprocess("-p", "no:cacheprovider")
    assert (done.ret == 0) is passes
    text = done.stdout.str()
    assert "2 tests take more than 0.15 s of processor time each and are not marked slow:" in text
    assert "::test_dear\n" in text
    assert "::test_dear_by_a_process\n" in text
    assert "test_cheap" not in text
    assert "test_marked" not in text


def test_this_run_is_watched(pytestconfig: pytest.Config) -> None:
    assert pytestconfig.pluginmanager.hasplugin("andante-cost-meter")
    if not hasattr(pytestconfig, "workerinput"):
        found = pytestconfig.pluginmanager.get_plugin("andante-costs")
        assert isinstance(found, CostList)
    assert MOST == 2.0
