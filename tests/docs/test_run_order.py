"""What waits comes first, and the tests of a module stay together."""

from __future__ import annotations

import pytest

pytest_plugins = ("pytester",)
BROWSER = """
import pytest

@pytest.fixture
def chromium(): pass

def test_without(): pass
def test_with(chromium): pass
"""
MARKED = """
import pytest

@pytest.mark.browser
def test_marked(): pass
"""
LONG = """
import pytest

@pytest.mark.long
def test_minute(): pass
"""


def test_modules_that_wait_come_first(pytester: pytest.Pytester) -> None:
    pytester.makeini("[pytest]\nmarkers =\n    browser: looks at pages\n    long: waits\n")
    pytester.makeconftest(
        "from run_order import pages_first\n\ndef pytest_collection_modifyitems(items):\n    pages_first(items)\n"
    )
    plain = "def test_one(): pass\ndef test_two(): pass\n"
    pytester.makepyfile(test_a=plain, test_b=BROWSER, test_c=plain, test_d=MARKED, test_e=LONG)
    done = pytester.runpytest_inprocess("-p", "no:cacheprovider", "--collect-only", "-q")
    found = [line for line in done.stdout.lines if "::" in line]
    assert [line.replace("test_", "") for line in found] == [
        "b.py::without",
        "b.py::with",
        "d.py::marked",
        "e.py::minute",
        "a.py::one",
        "a.py::two",
        "c.py::one",
        "c.py::two",
    ]
