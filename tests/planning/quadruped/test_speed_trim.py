"""The integral of the speed's error, by hand: when it learns, how fast, how far, and when it forgets."""

from __future__ import annotations

import math

import numpy as np
import pytest

from andante.planning.quadruped.settings import LocalSettings
from andante.planning.quadruped.speed_trim import SpeedTrim, in_world, is_order

SETTINGS = LocalSettings(trim=0.2, trim_time=0.5)
ASKED = np.array([1.0, 0.5, 0.3])


def moving(ahead: float, left: float, yaw: float = 0.0) -> np.ndarray:
    """A state with this velocity in the body's heading."""
    state = np.zeros(12)
    state[5] = yaw
    state[6:8] = in_world(np.array([ahead, left, 0.0]), yaw)
    return state


def test_a_twist_is_turned_into_the_heading():
    assert in_world(np.array([1.0, 0.0, 9.0]), math.pi / 2.0) == pytest.approx([0.0, 1.0], abs=1e-12)
    assert in_world(np.array([0.0, 1.0, 9.0]), math.pi / 2.0) == pytest.approx([-1.0, 0.0], abs=1e-12)
    assert in_world(np.array([2.0, 1.0, 0.0]), math.atan2(3.0, 4.0)) == pytest.approx([1.0, 2.0])


@pytest.mark.parametrize("yaw", [0.0, 0.8, -2.5])
def test_it_learns_the_error_in_the_body_s_heading_from_a_time_constant_after_the_last_change(yaw):
    trim = SpeedTrim(SETTINGS)
    # 0.1 m/s too slow ahead, 0.05 too fast to the left.
    state = moving(0.9, 0.55, yaw)
    for time in (1.0, 1.25):
        assert trim.asked(time, ASKED, state, True, False).tolist() == ASKED.tolist()
    # A tenth of a second of 0.5 is a fifth of the error. Twist and time are steady from 1.5 s on.
    assert trim.asked(1.49, ASKED, state, True, False).tolist() == ASKED.tolist()
    assert trim.asked(1.5, ASKED, state, True, False) == pytest.approx([1.0 + 0.1 * 0.02, 0.5 - 0.05 * 0.02, 0.3])
    assert trim.asked(1.6, ASKED, state, True, False) == pytest.approx([1.0 + 0.1 * 0.22, 0.5 - 0.05 * 0.22, 0.3])
    # Time that goes back counts for nothing, and a push is no error of the steps.
    before = trim.asked(1.6, ASKED, state, True, False)
    assert trim.asked(1.55, ASKED, state, True, False) == pytest.approx(before)
    assert trim.asked(1.6, ASKED, moving(5.0, 5.0, yaw), True, True) == pytest.approx(before)
    # The time of the push itself has passed.
    assert trim.asked(1.7, ASKED, state, True, False) == pytest.approx(before + np.array([0.02, -0.01, 0.0]))


def test_it_goes_no_farther_than_it_may_and_keeps_its_direction():
    trim = SpeedTrim(SETTINGS)
    state = moving(0.7, 0.1)
    trim.asked(0.0, ASKED, state, True, False)
    for tick in range(1, 60):
        asked = trim.asked(0.1 * tick, ASKED, state, True, False)
    assert asked == pytest.approx([1.0 + 0.2 * 0.6, 0.5 + 0.2 * 0.8, 0.3])


def test_it_keeps_and_learns_while_it_comes_to_a_stop_and_forgets_when_it_stands():
    trim, still = SpeedTrim(SETTINGS), np.zeros(3)
    for tick in range(10):
        asked = trim.asked(0.1 * tick, ASKED, moving(0.9, 0.5), True, False)
    # It was 0.1 m/s too slow ahead, of which it keeps what is across its way, (1.0, 0.5).
    ahead, across = (asked - ASKED)[0], np.array([1.0, -2.0, 0.0]) / math.sqrt(5.0)
    assert ahead > 0.05
    learnt = across * (ahead / math.sqrt(5.0))
    # Told to stand it still steps: nothing is learnt while it slows down, then its drift is made up for.
    for time in (1.0, 1.2, 1.4):
        assert trim.asked(time, still, moving(0.1, 0.0), True, False) == pytest.approx(learnt)
    assert trim.asked(1.5, still, moving(0.1, 0.0), True, False) == pytest.approx(learnt - [0.1 * 0.2, 0.0, 0.0])
    assert trim.asked(1.6, still, moving(0.1, 0.0), False, False).tolist() == [0.0, 0.0, 0.0]
    # Steps that catch a push of one that stands are none that it was asked for.
    for tick in range(17, 40):
        assert trim.asked(0.1 * tick, still, moving(0.5, 0.2), True, False).tolist() == [0.0, 0.0, 0.0]


def test_it_forgets_when_it_stands_and_waits_after_another_twist():
    trim = SpeedTrim(SETTINGS)
    state = moving(0.9, 0.5)
    for tick in range(10):
        asked = trim.asked(0.1 * tick, ASKED, state, True, False)
    assert asked[0] > 1.05
    # Another twist: what was learnt is kept, nothing is learnt for half a second.
    other = ASKED + np.array([0.0, 0.0, 0.1])
    for time in (1.0, 1.2, 1.4):
        assert trim.asked(time, other, state, True, False)[0] == pytest.approx(asked[0])
    assert trim.asked(1.5, other, state, True, False)[0] == pytest.approx(asked[0] + 0.1 * 0.2)
    assert trim.asked(1.6, other, state, False, False).tolist() == other.tolist()
    assert trim.asked(1.7, other, moving(1.0, 0.5), True, False).tolist() == other.tolist()


def test_a_twist_of_just_the_least_command_is_no_order():
    for axis in range(3):
        for sign in (1.0, -1.0):
            twist = np.zeros(3)
            twist[axis] = sign * SETTINGS.stand_command
            assert not is_order(twist, SETTINGS)
            twist[axis] *= 1.0001
            assert is_order(twist, SETTINGS)


def test_steps_that_nobody_ordered_teach_nothing_from_the_beginning_on():
    trim = SpeedTrim(SETTINGS)
    slow = np.array([0.01, 0.0, 0.0])
    for tick in range(20):
        assert trim.asked(0.1 * tick, slow, moving(0.3, 0.2), True, False).tolist() == slow.tolist()


@pytest.mark.parametrize("speed", [0.3, 2.0])
def test_what_was_learnt_along_a_way_is_forgotten_at_any_speed(speed):
    trim, twist = SpeedTrim(SETTINGS), speed * np.array([0.6, -0.8, 0.0])
    # 0.1 m/s too slow along its way, 0.05 m/s off to the left of it.
    state = moving(twist[0] - 0.06 + 0.04, twist[1] + 0.08 + 0.03)
    for tick in range(11):
        asked = trim.asked(0.1 * tick, twist, state, True, False)
    learnt = (asked - twist)[:2]
    assert learnt @ [0.6, -0.8] == pytest.approx(1.2 * 0.1)
    assert learnt @ [0.8, 0.6] == pytest.approx(-1.2 * 0.05)
    still = trim.asked(1.1, np.zeros(3), np.zeros(12), True, False)
    assert still == pytest.approx([-0.06 * 0.8, -0.06 * 0.6, 0.0])
