"""A joint that does not move, whatever is asked: which ones are suspected, and what ends for it."""

from __future__ import annotations

import numpy as np
import pytest
from keyframe_run import Run, block, keyframe, library, until

from andante.control.events import EventKind
from andante.control.keyframes.blocked import BlockedJoints
from andante.control.keyframes.configuration import KeyframeEngineSettings, MotionRequest
from andante.control.keyframes.differences import JointDifferences
from andante.control.keyframes.engine import KeyframeEngine
from andante.control.keyframes.states import EngineState

S = EngineState


def test_only_stiff_legs_far_behind_that_stand_still_are_blocked(tiny):
    differences = JointDifferences(9, 1)
    blocked = BlockedJoints(tiny, differences, 0.012)
    measured, stiffness, knee = np.zeros(9), np.ones(9), tiny.index("LKneePitch")

    def after(ticks, behind, move=0.0, soft=False, joint=knee):
        blocked.reset()
        differences.filtered[:] = 0.0
        differences.filtered[joint] = behind
        stiffness[:] = 0.2 if soft else 1.0
        for tick in range(ticks):
            measured[joint] = move * tick
            blocked.update(measured, stiffness)
        return blocked.longest

    assert after(101, 0.3) == pytest.approx(1.2, abs=0.013)
    assert after(100, -0.3) == pytest.approx(1.2, abs=0.013)
    assert after(100, 0.25) == 0.0  # 14 degrees
    assert after(100, 0.3, soft=True) == 0.0
    assert after(100, 0.3, move=0.01) < 0.06  # it creeps: 2 degrees in four ticks
    assert after(100, 0.3, joint=tiny.index("HeadYaw")) == 0.0


def test_a_long_keyframe_is_ended_for_a_blocked_joint(tiny):
    lib = library(
        {"r": block(keyframe(60000, {"LKneePitch": 1.0})), "s": block(keyframe(24))},
        {"recoverGeneric": {"blocks": ["r"]}, "stand": {"blocks": ["s"]}},
    )
    run = Run(tiny, KeyframeEngine(tiny, lib, MotionRequest(None), KeyframeEngineSettings(blocked_time=1.0)))
    run.tilt(1.3)
    run.stuck[tiny.index("LKneePitch")] = -1.0
    until(run, S.BREAK_UP)
    # 2.5 times one second, and the delay of three ticks
    assert run.tick * 0.012 == pytest.approx(2.5, abs=0.1)
    assert run.told(EventKind.BREAK_UP) == ["LKneePitch does not move, whatever is asked"]


def blocked_knee(tiny, **motions):
    settings = KeyframeEngineSettings(blocked_time=0.5)
    lib = library(
        {"long": block(keyframe(6000, {"LKneePitch": 1.0})), "r": block(keyframe(24)), "s": block(keyframe(24))},
        {"long": {"blocks": ["long"]}, "recoverGeneric": {"blocks": ["r"]}, "stand": {"blocks": ["s"]}, **motions},
    )
    run = Run(tiny, KeyframeEngine(tiny, lib, "long", settings))
    run.stuck[tiny.index("LKneePitch")] = -1.0
    return run


def test_a_blocked_knee_ends_no_motion_that_is_no_get_up(tiny):
    run = blocked_knee(tiny)
    until(run, S.FINISHED)
    assert run.motions() == ["long"]
    assert not run.told("break_up")


def test_a_get_up_suspects_no_joint_for_what_was_before_it(tiny):
    run = blocked_knee(tiny, m={"blocks": ["long"], "follow_ups": [{"motion": "recoverGeneric"}]})
    run.engine.request("m", replace=True)
    run.step()
    run.tilt(1.3)
    until(run, S.BREAK_UP)
    assert run.told("break_up") == ["not upright at the get-up's end"]
    until(run, S.WORKING, S.HELP)
    assert run.engine.state is S.WORKING


def test_a_blocked_knee_does_not_end_the_stand_motion_after_a_head_touch(tiny):
    lib = library(
        {"r": block(keyframe(6000, {"LKneePitch": 1.0})), "s": block(keyframe(3000, {"LKneePitch": 1.0}))},
        {"recoverGeneric": {"blocks": ["r"]}, "stand": {"blocks": ["s"]}},
    )
    run = Run(tiny, KeyframeEngine(tiny, lib, MotionRequest(None), KeyframeEngineSettings(blocked_time=0.5)))
    run.tilt(1.3)
    run.stuck[tiny.index("LKneePitch")] = -1.0
    run.step(60)
    run.buttons[:] = 1.0
    run.step()
    assert run.engine.motion == "stand"
    run.buttons[:] = 0.0
    run.tilt(0.0)
    until(run, S.FINISHED, S.BREAK_UP)
    assert run.engine.done
    assert not run.told("break_up")
