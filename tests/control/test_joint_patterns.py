"""Regular expressions of policy contracts: what fits is what Python says, and no expression hangs the reader."""

from __future__ import annotations

import re
import signal
from collections.abc import Iterator

import pytest

from andante.control.policies.contract import PolicyError
from andante.control.policies.joint_pattern import JointPattern
from andante.control.policies.patterns import numbers

NAMES = ("FL_hip_joint", "left_hip_pitch", "LHipPitch", "Left_Shoulder_Roll", "a", "", "aab", "x-y z", "head\n")
PATTERNS = (
    *(".*", "(FL|FR)_.*", "^(?!.*hip).*$", ".*_(hip|knee)_.*", "(?i)left.*", "(?i:LEFT)_.*roll", "[A-Z]+_\\w+", "a*"),
    *("a{1,2}b?", ".{2,5}", "(?<=x)-.*", "x(?=-).*", "x(?<!y)-.*", "a??b", "\\bFL\\w*", "(?:a|aa)(?:b|ab)?", "head$"),
    *("", "(a?){5}a*b", "((a?)*)*b", "(?s).*", "L(?P<n>Hip)Pitch", "(|a)+b", "[^a-z]*.*"),
)


@pytest.fixture
def _soon() -> Iterator[None]:
    """A matcher that hangs in compiled code ends the test in place of the day."""

    def over(*_: object) -> None:
        raise TimeoutError

    before = signal.signal(signal.SIGALRM, over)
    signal.alarm(60)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


@pytest.mark.parametrize("pattern", PATTERNS)
def test_what_fits_is_what_python_says(pattern: str) -> None:
    own = JointPattern(pattern, "here")
    assert [own.fits(name) for name in NAMES] == [re.fullmatch(pattern, name) is not None for name in NAMES]


@pytest.mark.usefixtures("_soon")
@pytest.mark.parametrize("pattern", ["(a+)+$", "(a|a)*$", "(a|aa)+$", "a*" * 40 + "c", "((((a*)*)*)*)*c", "(.*a){25}c"])
def test_an_expression_that_backtracks_for_ever_ends_at_once(pattern: str) -> None:
    joint = "a" * 60 + "_joint"
    with pytest.raises(PolicyError, match="no pattern fits a joint"):
        numbers({pattern: 1.0}, [joint], "contract: kp")


@pytest.mark.parametrize(
    ("pattern", "what"),
    [("(a)\\1", "may not look back"), ("(?>a)b", "regular|look back"), ("(", "no regular"), ("a" * 5000, "too long")],
)
def test_what_cannot_be_matched_so_is_refused_by_name(pattern: str, what: str) -> None:
    with pytest.raises(PolicyError, match=what) as refused:
        numbers({pattern: 1.0}, ["aa"], "contract: kp")
    assert "contract: kp" in str(refused.value)
