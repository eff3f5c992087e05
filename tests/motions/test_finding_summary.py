"""Findings in few lines: by rule, the worst first, everything counted."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from andante.motions.findings import Finding, summary


def speed(value: float, place: str = "blocks.a") -> Finding:
    return Finding("speed", "warning", place, f"goes {value}", value=value, limit=100.0)


def test_the_worst_come_first_and_the_rest_is_counted() -> None:
    found = [speed(value) for value in (100.5, 110.0, 400.0, 150.0, 120.0)]
    found += [Finding("joint-limit", "warning", "blocks.b", "a little", value=2.001, limit=2.0)]
    found += [Finding("robot", "error", "robot", "is another")]
    assert summary(found, 0.01) == [
        "error: robot: is another [robot]",
        "warning: blocks.a: goes 400.0 [speed]",
        "warning: blocks.a: goes 150.0 [speed]",
        "warning: blocks.a: goes 120.0 [speed]",
        "warning: 1 more and 1 within 0.01 of the limit, 5 in all [speed]",
        "warning: 1 within 0.01 of the limit, 1 in all [joint-limit]",
    ]


FINDINGS = st.lists(
    st.builds(
        Finding,
        rule=st.sampled_from(["speed", "limit", "empty"]),
        severity=st.sampled_from(["error", "warning", "info"]),
        place=st.just("blocks.a"),
        message=st.just("is so"),
        value=st.none() | st.just("name") | st.floats(-10.0, 10.0),
        limit=st.none() | st.just("other") | st.floats(-10.0, 10.0),
    ),
    max_size=60,
)


@given(FINDINGS, st.floats(0.0, 1.0))
def test_nothing_is_lost_and_no_error_is_small(found: list[Finding], tolerance: float) -> None:
    lines = summary(found, tolerance)
    for severity in ("error", "warning", "info"):
        for rule in ("speed", "limit", "empty"):
            group = [f for f in found if (f.severity, f.rule) == (severity, rule)]
            mine = [line for line in lines if line.startswith(f"{severity}: ") and line.endswith(f"[{rule}]")]
            listed = [line for line in mine if "is so" in line]
            counted = sum(int(n) for line in mine for n in re.findall(r"(\d+) (?:more|within)", line))
            assert len(listed) + counted == len(group)
            if severity == "error":
                assert len(listed) == min(len(group), 10)
    severities = [line.split(":")[0] for line in lines]
    assert severities == sorted(severities, key=["error", "warning", "info"].index)
