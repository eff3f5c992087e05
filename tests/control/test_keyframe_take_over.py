"""The engine takes over from another controller: from its last command, and from a fall that is under way."""

from __future__ import annotations

import math

import numpy as np
import pytest
from keyframe_run import Run, until
from test_keyframe_catch import catch_library

from andante.control.keyframes.configuration import MotionRequest
from andante.control.keyframes.engine import KeyframeEngine
from andante.control.keyframes.states import EngineState

S = EngineState


def taken(tiny, request, *sides, pitch=0.0, rate=0.0, later=40):
    """An engine that takes over at a tick from a command of 0.3 rad, in a lean and turning forward."""
    engine = KeyframeEngine(tiny, catch_library(*sides), MotionRequest(request))
    run = Run(tiny, engine, np.full(len(tiny.joints), 0.3))
    run.tick = later
    run.tilt(pitch)
    run.gyro = (0.0, rate, 0.0)
    last = tiny.command()
    last.position[:], last.kp[:] = 0.3, 0.5 * tiny.servo_kp
    engine.take_over(run.sensors(), last)
    return run


def test_a_get_up_that_takes_over_in_a_fall_meets_it_and_gets_up_afterwards(tiny):
    run = taken(tiny, None, "front", pitch=0.6, rate=2.0)
    run.step()
    assert run.motions() == ["catch_front"]
    assert run.told("fall") == ["falls to the front"]
    run.tilt(math.pi / 2)
    run.gyro = (0.0, 0.0, 0.0)
    until(run, S.BREAK_UP)
    until(run, S.WORKING)
    assert run.motions() == ["catch_front", "recoverGeneric"]


def test_without_a_catch_motion_it_goes_soft_for_its_time(tiny):
    run = taken(tiny, None, pitch=0.6)
    run.step()
    assert run.engine.state is S.BREAK_UP
    # The soft fall counts from the tick of the hand-over, not from the clock's beginning.
    run.tilt(math.pi / 2)
    assert until(run, S.WORKING) > 20
    assert run.motions() == ["recoverGeneric"]


@pytest.mark.parametrize(("pitch", "motion"), [(0.0, "stand"), (math.pi / 2, "recoverGeneric")])
def test_a_robot_that_stands_or_lies_gets_up_as_ever(tiny, pitch, motion):
    run = taken(tiny, None, "front", pitch=pitch)
    run.step()
    assert run.motions() == [motion]
    assert run.told("fall") == []


def test_a_motion_begins_where_the_command_was(tiny):
    run = taken(tiny, "kick", "front")
    run.step()
    assert run.motions() == ["kick"]
    joint = tiny.index("HeadYaw")
    assert run.command.position[joint] == pytest.approx(0.3, abs=0.05)


def test_a_motion_that_is_asked_for_meets_no_fall_at_its_beginning(tiny):
    run = taken(tiny, "dive", "front", pitch=0.6)
    run.step()
    assert run.motions() == ["dive"]


def test_the_same_take_over_is_the_same_byte_for_byte(tiny):
    first, second = (taken(tiny, None, "front", pitch=0.6, rate=1.0) for _ in range(2))
    assert [first.step().vector.tobytes() for _ in range(50)] == [second.step().vector.tobytes() for _ in range(50)]
