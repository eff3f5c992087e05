"""Steering: what is asked when, and a live run's steering as a script."""

from __future__ import annotations

import math

import pytest

from andante.control.controller import ControlError
from andante.control.steering import STILL, Heading, LiveSteering, SteeringScript, Turn, limited


def test_a_script_asks_what_was_given_last():
    script = SteeringScript((Turn(1.0, Heading(0.1)), Turn(2.0, Heading(0.0, 0.05)), Turn(3.0, STILL)))
    assert [script.heading(t) for t in (0.0, 0.99, 1.0, 2.5, 9.0)] == [
        STILL,
        STILL,
        Heading(0.1),
        Heading(0.0, 0.05),
        STILL,
    ]
    assert [script.over(t) for t in (0.0, 2.5, 3.0)] == [False, False, True]
    assert script.largest == Heading(0.1, 0.05, 0.0)


def test_straight_takes_distance_over_speed():
    script = SteeringScript.straight(0.2, 1.0)
    assert (script.heading(4.9).forward, script.heading(5.0)) == (0.2, STILL)


def test_live_steering_becomes_a_script_that_asks_the_same():
    live, asked = LiveSteering(), []
    for tick in range(100):
        if tick == 20:
            live.set(Heading(forward=0.05))
        if tick == 60:
            live.set(Heading(turn=0.1))
        if tick == 90:
            live.end()
        asked.append(live.heading(tick * 0.01))
    script = live.script()
    assert [script.heading(tick * 0.01) for tick in range(100)] == asked
    assert live.over(1.0)
    assert script.over(1.0)


@pytest.mark.parametrize("times", [(-1.0,), (1.0, 1.0), (2.0, 1.0), (math.nan,)])
def test_times_must_rise(times):
    with pytest.raises(ControlError, match="times of the steering rise from 0"):
        SteeringScript([Turn(time, STILL) for time in times])


def test_speeds_must_be_finite():
    with pytest.raises(ControlError, match=r"steering\.lateral"):
        Heading(lateral=math.inf)


def test_speeds_that_are_asked_together_share_the_limits():
    largest = Heading(0.1, 0.05, 0.2)
    assert limited(Heading(0.05, 0.0, 0.1), largest) == Heading(0.05, 0.0, 0.1)
    slower = limited(Heading(-0.2, 0.0, 0.4), largest)
    assert (slower.forward, slower.turn) == pytest.approx((-0.05, 0.1))
