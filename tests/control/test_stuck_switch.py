"""The watch for stuck foot switches, against its rule written out at every change."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from andante.control.sensor_watches import SwitchWatch

PERIOD = 0.01
APART, CHANGES = 10, 6
"""Ticks between two changes that count as two, and how many of them each other foot must have made."""


def by_the_rule(rows: list[list[bool]]) -> list[tuple[int, str, bool]]:
    """When a switch is stuck or changes again: each foot looks back at all readings since its own last change."""
    feet, told, stuck = len(rows[0]), [], set()
    last = dict.fromkeys(range(feet), -(10**9))
    counted: list[tuple[int, int]] = []
    changed_at = dict.fromkeys(range(feet), -1)
    for tick in range(1, len(rows)):
        changed = [foot for foot in range(feet) if rows[tick][foot] != rows[tick - 1][foot]]
        new = [foot for foot in changed if tick - last[foot] >= APART]
        counted += [(tick, foot) for foot in new]
        for foot in changed:
            last[foot] = changed_at[foot] = tick
            if foot in stuck:
                stuck.remove(foot)
                told.append((tick, str(foot), False))
        for foot in range(feet):
            others = (
                sum(1 for at, which in counted if which == other and at > changed_at[foot])
                for other in range(feet)
                if other != foot
            )
            if new and foot not in stuck and all(count >= CHANGES for count in others):
                stuck.add(foot)
                told.append((tick, str(foot), True))
    return told


@st.composite
def _walks(draw: st.DrawFn) -> list[list[bool]]:
    """Contacts of a few feet, each with a period of its own; some stand still for a while, some bounce."""
    feet, length = draw(st.integers(3, 6)), draw(st.integers(20, 500))
    columns = []
    for _ in range(feet):
        period, first = draw(st.integers(1, 30)), draw(st.integers(0, 30))
        column = (np.arange(length) + first) // period % 2 == 1
        begin, still = draw(st.integers(0, length)), draw(st.integers(0, length))
        column[begin : begin + still] = column[min(begin, length - 1)]
        columns.append(column)
    return np.stack(columns, axis=1).tolist()


@given(_walks())
def test_a_switch_is_stuck_exactly_where_the_rule_says(rows: list[list[bool]]) -> None:
    feet = len(rows[0])
    watch = SwitchWatch(tuple(map(str, range(feet))), slice(2, 2 + feet), PERIOD)
    told = []
    for tick, row in enumerate(rows):
        if watch.changed(np.array([tick * PERIOD, 0.0, *row])):
            told += [(tick, *each) for each in watch.take()]
    assert told == by_the_rule(rows)


def test_a_walk_with_one_foot_that_never_changes_is_told_once() -> None:
    rows = [[tick // 15 % 2 == 1, tick // 15 % 2 == 0, tick // 15 % 2 == 1, False] for tick in range(400)]
    assert by_the_rule(rows) == [(90, "3", True)]
