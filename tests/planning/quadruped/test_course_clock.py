"""CourseClock: behind its last leap a body plan waits for the body, before it and without leaps it does not."""

from __future__ import annotations

import numpy as np
import pytest

from andante.planning.quadruped.body_plan import BodyPlan, Primitive
from andante.planning.quadruped.course_clock import CourseClock
from andante.planning.quadruped.settings import LocalSettings

STEP, SPEED = 0.03, 1.5


def a_plan(*leaps: int) -> BodyPlan:
    """Straight ahead at one speed, with a leap at some rows."""
    states, kinds = np.zeros((100, 12)), np.zeros(100, dtype=np.int64)
    states[:, 0], states[:, 6] = SPEED * STEP * np.arange(100), SPEED
    for row in leaps:
        kinds[row : row + 9] = np.repeat([Primitive.LEAP_STANCE, Primitive.FLIGHT, Primitive.LAND_STANCE], 3)
    return BodyPlan(STEP, states, np.zeros((100, 3)), kinds)


def clock() -> CourseClock:
    return CourseClock(LocalSettings(course_time=0.3))


def test_without_a_leap_and_before_one_the_plan_does_not_wait():
    for plan, time in ((a_plan(), 1.5), (a_plan(60), 1.2), (a_plan(20, 60), 1.2), (a_plan(40), 1.3)):
        reading = clock()
        assert reading.pace == 1.0
        assert reading.read(plan, 10.0, 10.0 + time, np.array([-1.0, 0.0])) == pytest.approx(time)
        assert reading.pace == 1.0


@pytest.mark.parametrize(("lag", "pace"), [(0.0, 1.0), (0.09, 0.8), (0.5, 0.4), (-0.045, 1.1), (-0.5, 1.25)])
def test_behind_its_leap_it_goes_as_much_slower_as_the_body_lags(lag, pace):
    # 9 cm at 1.5 m/s are 0.06 s, to be made up in 0.3 s; between bounds.
    reading, plan = clock(), a_plan(20)
    assert reading.read(plan, 0.0, 1.5, np.array([1.5 * SPEED - lag, 0.3])) == pytest.approx(1.5)
    assert reading.pace == pytest.approx(pace)
    assert reading.read(plan, 0.0, 1.6, np.zeros(2)) == pytest.approx(1.5 + 0.1 * pace)


def test_a_body_that_keeps_its_lag_is_caught_up_with_by_the_plan():
    reading, plan, place = clock(), a_plan(20), 1.5 * SPEED - 0.15
    for tick in range(150):
        time = reading.read(plan, 0.0, 1.5 + 0.01 * tick, np.array([place, 0.0]))
        place += 0.01 * SPEED * 0.8
    # A plan that follows stays behind by what keeps it slow: 0.8 of the pace by 0.06 s.
    assert SPEED * time - place == pytest.approx(0.2 * 0.3 * SPEED - 0.01 * SPEED * 0.8, abs=0.01)


def test_a_new_plan_begins_at_its_own_time():
    reading = clock()
    reading.read(a_plan(20), 0.0, 1.5, np.zeros(2))
    assert reading.read(a_plan(20), 1.0, 1.52, np.zeros(2)) == pytest.approx(0.52)


def test_at_rest_there_is_nothing_to_wait_for():
    plan = a_plan(20)
    plan.states[:, 6] = 0.0
    reading = clock()
    reading.read(plan, 0.0, 1.5, np.array([0.3, 0.0]))
    assert reading.pace == 1.0


def test_beyond_its_end_a_body_is_compared_with_the_end():
    plan = a_plan(20)
    end = plan.states[-1, 0]
    reading = clock()
    # 0.09 m behind the end, long after it: as much slower as anywhere.
    reading.read(plan, 0.0, plan.duration + 5.0, np.array([end - 0.09, 0.0]))
    assert reading.pace == pytest.approx(0.8)


def test_a_plan_that_replaces_a_slow_one_begins_at_its_own_time_too():
    reading = clock()
    reading.read(a_plan(20), 0.0, 1.5, np.array([1.5 * SPEED - 0.09, 0.0]))
    assert reading.pace == pytest.approx(0.8)
    # Begun at the same time, but another plan: it has lost nothing yet.
    assert reading.read(a_plan(20), 0.0, 1.6, np.array([1.6 * SPEED, 0.0])) == pytest.approx(1.6)
    assert reading.pace == pytest.approx(1.0)


@pytest.mark.parametrize(("speed", "waits"), [(0.19, False), (0.21, True)])
def test_a_body_as_good_as_at_rest_has_no_lead(speed, waits):
    plan = a_plan(20)
    plan.states[:, :2], plan.states[:, 6:8] = 0.0, speed * np.array([0.6, 0.8])
    reading = clock()
    reading.read(plan, 0.0, 1.5, -0.05 * np.array([0.6, 0.8]))
    # 5 cm behind at such a speed is as slow as it gets.
    assert reading.pace == pytest.approx(0.4 if waits else 1.0)


def test_between_two_rows_the_plan_is_where_the_line_has_it():
    plan = a_plan(20)
    plan.states[:, 1], plan.states[:, 7] = 2.0 * plan.states[:, 0], 2.0 * SPEED
    for time in (1.5, 1.509, 1.521, 1.5299):
        reading = clock()
        reading.read(plan, 0.0, time, np.array([time * SPEED, 2.0 * time * SPEED]))
        assert reading.pace == pytest.approx(1.0)
        # Two centimetres to the side are no lag, two behind are: 0.02 / (1.5 sqrt(5) 0.3).
        ahead = np.array([1.0, 2.0]) / np.sqrt(5.0)
        for off, pace in ((0.02 * np.array([-2.0, 1.0]), 1.0), (-0.02 * ahead, 1.0 - 0.02 / (SPEED * 5**0.5 * 0.3))):
            reading = clock()
            reading.read(plan, 0.0, time, np.array([time * SPEED, 2.0 * time * SPEED]) + off)
            assert reading.pace == pytest.approx(pace)


def test_before_it_begins_a_plan_runs_as_time_does():
    reading = clock()
    assert reading.read(a_plan(20), 5.0, 4.7, np.zeros(2)) == pytest.approx(-0.3)
    assert reading.read(reading._plan, 5.0, 4.8, np.zeros(2)) == pytest.approx(-0.2)
    assert reading.pace == 1.0


def test_a_body_at_just_the_speed_of_rest_has_no_lead():
    plan = a_plan(20)
    plan.states[:, :2], plan.states[:, 6], plan.states[:, 7] = 0.0, 0.0, -0.2
    reading = clock()
    reading.read(plan, 0.0, 1.5, np.array([0.0, 0.05]))
    assert reading.pace == 1.0


def test_a_plan_that_is_one_push_and_no_more_waits_from_its_second_row_on():
    plan = a_plan()
    plan.primitives[0] = Primitive.LEAP_STANCE
    for time, pace in ((0.0, 1.0), (0.029, 1.0), (0.031, 0.4)):
        reading = clock()
        reading.read(plan, 0.0, time, np.array([-5.0, 0.0]))
        assert reading.pace == pace, time


def test_a_clock_that_reads_no_plan_goes_as_time_does():
    assert CourseClock(LocalSettings()).pace == 1.0


def test_a_plan_that_comes_to_rest_waits_no_more():
    plan = a_plan(20)
    plan.states[60:, 6] = 0.0
    reading = clock()
    reading.read(plan, 0.0, 1.5, np.array([1.5 * SPEED - 0.09, 0.0]))
    assert reading.pace == pytest.approx(0.8)
    assert reading.read(plan, 0.0, 2.5, np.zeros(2)) == pytest.approx(1.5 + 0.8)
    assert reading.pace == 1.0
