"""What a quadruped that stepped, stopped or leapt takes over into its next steps; what lies exactly at a limit."""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from andante.planning.quadruped.body_plan import BodyPlan, Primitive
from andante.planning.quadruped.gait import GAITS, Gait
from andante.planning.quadruped.leap_timing import LeapTiming
from andante.planning.quadruped.local_plan import LocalRequest, Mode
from andante.planning.quadruped.settings import LocalSettings
from andante.planning.quadruped.stepping import Stepping

STEP = 0.03
FEET = np.array([[0.2, 0.1, 0.0], [0.2, -0.1, 0.0], [-0.2, 0.1, 0.0], [-0.2, -0.1, 0.0]])
BODY: Any = SimpleNamespace(com=np.zeros(3), hips=FEET)
CALM = np.zeros(2)
PUSH = np.array([2.0, 0.0])


class Steps(Stepping):
    """Stepping of a body that rests over the middle of its feet unless the test moves it."""

    def __init__(self, **changes: Any) -> None:
        super().__init__(LocalSettings(**changes), BODY, STEP)

    def go(self, index: int, asked: bool = True, gait: Gait = GAITS["trot"], wrong=CALM, plan=None, vy=0.0) -> Mode:
        state = np.zeros(12)
        state[7] = vy
        request = LocalRequest(0.0, state, FEET, np.ones(4, dtype=np.bool_), np.zeros(3), gait, plan)
        self.choose(request, wrong, CALM, asked, index)
        return self.mode

    def rows(self, index: int, count: int, course: BodyPlan | None = None, row: int = 0) -> list[list[bool]]:
        kinds, landed = np.zeros(count, dtype=np.int64), np.zeros((count, 4), dtype=np.bool_)
        return self.contact(index, count, kinds, landed, course, row).tolist()

    def stands_from(self, index: int, **named: Any) -> int:
        """Interval in which it stands, nothing being asked from one on."""
        for each in range(index, index + 200):
            if self.go(each, False, **named) is Mode.STAND:
                return each
        raise AssertionError("it never stands")


def leaping(walk: int = 20) -> BodyPlan:
    """A walk, a leap and a walk."""
    motions = [Primitive.CONNECT, Primitive.LEAP_STANCE, Primitive.FLIGHT, Primitive.LAND_STANCE, Primitive.CONNECT]
    kinds = np.repeat(motions, [walk, 5, 4, 5, 30]).astype(np.int64)
    return BodyPlan(STEP, np.zeros((len(kinds), 12)), np.zeros((len(kinds), 3)), kinds)


def test_before_its_first_step_it_has_the_stances_of_a_trot():
    assert Steps().stance_times == pytest.approx([0.18] * 4)


@pytest.mark.parametrize("first", [1, 5, 7, 12])
def test_it_stops_by_its_own_count_of_steps_whenever_these_began(first):
    # A trot's feet come down every sixth interval from its first one on; two periods after the last wish it stops.
    own = Steps()
    for index in range(first, first + 4):
        own.go(index)
    assert own.stands_from(first + 4) == first + 30


def test_for_a_period_after_a_stop_what_it_sways_is_caught_by_four_feet():
    for later, mode in ((11, Mode.STAND), (12, Mode.STEP)):
        own = Steps()
        own.go(0)
        stopped = own.stands_from(1)
        for index in range(stopped + 1, stopped + later):
            assert own.go(index, False) is Mode.STAND
        assert own.go(stopped + later, False, vy=0.15) is mode, later


def test_what_is_exactly_at_a_limit_is_at_rest():
    own = Steps()
    limits = LocalSettings()
    for row, limit in ((0, limits.stand_speed), (2, limits.stand_offset), (4, limits.stand_tilt)):
        for axis in (row, row + 1):
            for sign in (1.0, -1.0):
                unrest = np.zeros(6)
                unrest[axis] = sign * limit
                assert not own._restless(unrest)
                unrest[axis] *= 1.0 + 1e-12
                assert own._restless(unrest)


def test_why_it_steps_names_no_limit_that_is_just_met():
    own = Steps()
    own.go(0)
    own._unrest[:] = [0.1, 0.0, 0.0, 0.05, 0.0, -0.2]
    assert own.why(False) == "tilts by 0.2 rad (local.stand_tilt: 0.15 for this robot)"
    own._unrest[:] = [0.0, -0.25, 0.0, 0.05, 0.15, 0.0]
    assert own.why(False) == "moves at 0.25 m/s (local.stand_speed: 0.1 for this robot)"


def test_plans_that_are_rarer_than_periods_count_by_themselves():
    own = Steps(interval=0.72)
    for vy in (0.4, 0.1, -0.3):
        own._weigh(np.array([0.0, vy, 0.0, 0.0, 0.0, 0.0]))
        assert own._unrest[1] == pytest.approx(vy)
    # Half a period: half of what is new.
    half = Steps(interval=0.18)
    half._weigh(np.array([0.0, 0.4, 0.0, 0.0, 0.0, 0.0]))
    assert half._unrest[1] == pytest.approx(0.2)


def test_a_velocity_that_is_off_by_just_the_limit_is_no_push():
    own = Steps()
    own.go(0)
    own.go(1, wrong=np.array([0.0, -0.8]))
    assert not own.catching
    own.go(1, wrong=np.array([0.0, -0.8000001]))
    assert own.catching


def test_steps_after_a_stop_in_quick_ones_have_their_own_time():
    own = Steps()
    own.go(0)
    # A body that is at rest though it should be quick.
    stopped = own.stands_from(1, wrong=PUSH)
    assert own.catching
    assert own.stance_times == pytest.approx([0.12] * 4)
    own.go(stopped + 1)
    assert not own.catching
    assert own.stance_times == pytest.approx([0.18] * 4)
    pair, other = [True, False, False, True], [False, True, True, False]
    assert own.rows(stopped + 1, 14) == [pair] * 6 + [other] * 6 + [pair] * 2


def test_a_gait_that_is_asked_for_no_more_in_the_same_interval_is_not_taken():
    own = Steps()
    for index in range(12):
        own.go(index)
    own.go(11, gait=GAITS["pace"])
    assert own.rows(11, 2)[1] == [True, False, True, False]
    own.go(11)
    assert own.rows(11, 2)[1] == [True, False, False, True]
    own.go(12)
    assert own.gait == GAITS["trot"]


def test_a_push_puts_off_another_gait():
    own = Steps()
    for index in range(11):
        own.go(index)
    own.go(11, gait=GAITS["pace"])
    own.go(11, gait=GAITS["pace"], wrong=PUSH)
    assert own.catching
    own.go(12, gait=GAITS["pace"])
    assert own.gait == GAITS["trot"]
    assert own.stance_times == pytest.approx([0.12] * 4)


def test_a_gait_that_is_asked_for_as_it_stops_does_not_begin_the_next_steps():
    # All feet stand in the last three and the first three of twelve intervals.
    own, gait = Steps(), Gait(duty=(0.75,) * 4, offsets=(0.5, 0.5, 0.75, 0.75))
    own.go(0, gait=gait)
    assert own.gait == gait
    moved = 0
    while own.mode is Mode.STEP:
        moved += 1
        # Asked to walk until interval 11, it stops in 35, the last of a period.
        last = moved == 35
        own.go(moved, moved <= 11, GAITS["pace"] if last else gait)
        assert moved < 40
    assert moved == 35
    own.go(36, gait=gait)
    own.go(37, gait=gait)
    assert own.gait == gait
    assert own.mode is Mode.STEP


def test_a_stop_that_is_decided_holds_in_later_intervals_too():
    own = Steps()
    for index in range(30):
        own.go(index, index <= 3)
    assert own.rows(29, 3)[1:] == [[True] * 4] * 2
    assert own.rows(29, 1) == [[True, False, False, True]]
    # Where no plan was made in time.
    for late in (30, 31, 33):
        assert own.rows(late, 4) == [[True] * 4] * 4


def test_the_whole_horizon_tells_how_another_gait_will_go_on():
    own = Steps()
    for index in range(12):
        own.go(index)
    own.go(11, gait=GAITS["pace"])
    told = own.rows(11, 13)
    own.go(12, gait=GAITS["pace"])
    assert own.gait == GAITS["pace"]
    assert own.rows(12, 12) == told[1:]
    left, right = [True, False, True, False], [False, True, False, True]
    assert told[1:] == [left] * 5 + [right] * 5 + [left] * 2


def followed(own: Steps, course: BodyPlan, first: int, rows: range) -> list[list[list[bool]]]:
    return [own.rows(first + row, 6, course, row) for row in rows]


def timed(course: BodyPlan, first: int, rows: range) -> list[list[list[bool]]]:
    timing = LeapTiming(GAITS["trot"].pattern(STEP), course.primitives)
    return [timing.contact(first + row, row, 6).tolist() for row in rows]


def test_a_leap_is_timed_from_plan_to_plan_and_another_course_anew():
    own, course, other = Steps(), leaping(), leaping(23)
    own.go(0, plan=course)
    # Twenty steps to go in which 23 of the trot are made: the pace is told from plan to plan.
    rows = range(14)
    assert followed(own, course, 0, rows) == timed(course, 0, rows)
    assert timed(course, 0, rows) != timed(leaping(19), 0, rows)
    assert followed(own, other, 14, rows) == timed(other, 14, rows)


def test_the_row_is_the_plan_s_first_where_nobody_says_another():
    course, kinds, landed = leaping(3), np.zeros(9, dtype=np.int64), np.zeros((9, 4), dtype=np.bool_)
    plain, told = Steps(), Steps()
    for own in (plain, told):
        own.go(0, plan=course)
    assert plain.contact(0, 9, kinds, landed, course).tolist() == told.rows(0, 9, course, 0)


@pytest.mark.parametrize("between", ["stop", "twist"])
def test_a_leap_that_is_taken_up_again_is_timed_anew(between):
    own, course, rows = Steps(), leaping(), range(9)
    own.go(0, plan=course)
    followed(own, course, 0, rows)
    first = 9
    if between == "stop":
        first = own.stands_from(9) + 1
        own.go(first, plan=course)
    else:
        own.rows(9, 6)
        first = 10
    assert followed(own, course, first, rows) == timed(course, first, rows)


def test_unrest_is_no_more_than_it_was_measured():
    own = Steps()
    own.go(0, False, vy=0.4)
    assert own.mode is Mode.STEP
    assert own._unrest[1] == pytest.approx(0.4)
    own.go(1, False)
    assert own._unrest[1] == pytest.approx(0.4 * (1.0 - 1.0 / 36.0))
    assert math.isclose(own._unrest[[0, 2, 3, 4, 5]].sum(), 0.0, abs_tol=1e-12)
