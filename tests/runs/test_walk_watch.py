"""Who ends a run by the ground truth: a fall, an arrival, a robot that left its course."""

from __future__ import annotations

import math

import pytest

from andante.robots.records import Layout, Record, axes, scalar
from andante.runs.evaluation.falls import FallWatch
from andante.runs.scenario import FallRule
from andante.runs.tasks.walk.goal import WalkCourse, WalkGoal
from andante.runs.tasks.walk.watch import CourseWatch
from andante.terrain.boards.make import make_board

LAYOUT = Layout("truth", (scalar("time"), axes("com", "m"), scalar("base_height"), scalar("pitch"), scalar("roll")))
RULE = FallRule(tilt=math.radians(65.0), contact=False, stop_after=0.2)


def truth(time: float, x: float = 0.0, y: float = 0.0, roll: float = 0.0) -> Record:
    record = Record(LAYOUT)
    record.vector[:] = time, x, y, 0.13, 0.13, 0.0, roll
    return record


class Told:
    """A backend that has this ground truth."""

    def __init__(self, row: Record) -> None:
        self.row = row

    def truth(self) -> Record:
        return self.row


def ends_at(watch, rows: list[Record]) -> float | None:
    watch.begin(Told(rows[0]))
    return next((float(row["time"][0]) for row in rows if watch.over(Told(row))), None)


def test_a_run_goes_on_a_little_after_a_fall_and_on_after_a_stumble() -> None:
    watch = FallWatch(RULE)
    lies = [truth(0.01 * k, roll=1.2 if k >= 100 else 0.0) for k in range(200)]
    # Persistence 0.05 s and then 0.2 s.
    assert ends_at(watch, lies) == pytest.approx(1.25)
    stumbles = [truth(0.01 * k, roll=1.2 if 100 <= k < 110 else 0.0) for k in range(200)]
    assert ends_at(watch, stumbles) is None
    assert ends_at(FallWatch(FallRule(tilt=1.0)), lies) is None


def test_a_walk_ends_after_its_arrival_or_beside_its_course() -> None:
    board = make_board("flat")
    watch = CourseWatch(WalkCourse.of(board, WalkGoal()))
    assert (board.start, board.goal) == ((0.15, 0.0), (1.85, 0.0))
    # 1.77 m is 8 cm short of the goal; the run goes on for 1.5 s.
    walks = [truth(0.1 * k, x=0.15 + 0.02 * k) for k in range(200)]
    assert ends_at(watch, walks) == pytest.approx(8.1 + 1.5)
    strays = [truth(0.1 * k, x=0.5, y=0.31 if k >= 20 else 0.29) for k in range(200)]
    assert ends_at(watch, strays) == pytest.approx(3.5)
    stands = [truth(0.1 * k, x=0.5) for k in range(200)]
    assert ends_at(watch, stands) is None


def test_a_line_has_way_and_side() -> None:
    line = WalkCourse.of(make_board("flat"), WalkGoal(start=(0.5, 0.0), goal=(0.5, 0.2)))
    assert line.length == pytest.approx(0.2)
    ahead, aside = line.along(truth(0.0, x=0.4, y=0.1)["com"][None])
    assert (ahead[0], aside[0]) == (pytest.approx(0.1), pytest.approx(0.1))
