"""What the engine commands stays within the joints' limits by itself, so that the guard has nothing to do."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from keyframe_run import UNHURRIED, Run, block, keyframe, library

from andante.control.guard import Guard
from andante.control.keyframes.engine import KeyframeEngine
from andante.control.keyframes.output_limits import OutputLimits

PERIOD = 0.012


def limited(robot, wanted, start, stiffness=None):
    limits, measured = OutputLimits(robot, PERIOD), np.array(start, dtype=float)
    limits.reset()
    path = []
    for tick, row in enumerate(wanted):
        stiff = np.ones(len(row)) if stiffness is None else stiffness[tick]
        measured = limits.apply(np.array(row), stiff, measured).copy()
        path.append(measured)
    return np.array(path)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6))
def test_whatever_a_motion_asks_passes_the_guard(tiny, seed):
    """Jumps, swings, targets far outside, joints that go off and on again."""
    rng = np.random.default_rng(seed)
    nj, ticks = len(tiny.joints), 120
    jumps = np.repeat(rng.uniform(-4.0, 4.0, (ticks // 8, nj)), 8, axis=0)
    swings = rng.uniform(0.0, 2.5, nj) * np.sin(np.arange(ticks)[:, None] * rng.uniform(0.01, 1.0, nj))
    wanted = np.where(rng.random(nj) < 0.5, jumps, swings)
    follower, leader = tiny.index("RHipYawPitch"), tiny.index("LHipYawPitch")
    stiffness = (np.repeat(rng.random((ticks // 12, nj)), 12, axis=0) > 0.2).astype(float)
    stiffness[:, follower] = stiffness[:, leader]
    wanted[:, follower] = wanted[:, leader]
    start = rng.uniform(-2.0, 2.0, nj)
    start[follower] = start[leader]
    path = limited(tiny, wanted, start, stiffness)
    guard = Guard(tiny, PERIOD)
    sensors = tiny.sensors()
    sensors.position[:] = start
    for tick, position in enumerate(path):
        sensors.vector[0] = tick * PERIOD
        command = tiny.command()
        command.position[:] = position
        command.kp[:] = tiny.servo_kp * stiffness[tick]
        guard.apply(command, sensors)
        assert not guard.log.counts.any(), (tick, guard.log.counts.nonzero())
        sensors.position[:] = position


def test_a_jump_is_followed_with_the_joints_acceleration_and_speed(tiny):
    """200 rad/s^2 over ticks of 12 ms: 0.0288 rad per tick more in each tick, at most 5 rad/s, that is 0.06 rad."""
    path = limited(tiny, [np.full(9, 1.0)] * 40, np.zeros(9))[:, 0]
    assert np.diff([0.0, *path[:4]]) == pytest.approx([0.0288, 0.0576, 0.06, 0.06], rel=1e-6)
    assert path[-1] == pytest.approx(1.0, abs=1e-9)
    assert path.max() <= 1.0 + 1e-9  # it never shoots past


def test_a_slow_motion_is_commanded_as_it_is(tiny):
    wanted = 0.5 * np.sin(np.arange(200)[:, None] * 0.03) * np.ones(9)
    assert limited(tiny, wanted, np.zeros(9)) == pytest.approx(wanted, abs=1e-12)


def test_a_target_at_the_limit_is_reached_and_held_a_micrometre_inside(tiny):
    path = limited(tiny, [np.full(9, 2.5)] * 100, np.zeros(9))[:, 0]
    assert path[-1] == pytest.approx(2.0, abs=2e-6)
    assert path.max() < 2.0
    assert path[-1] == path[-2]  # it comes to rest


def test_the_engine_keeps_its_request_and_commands_what_can_be_done(tiny):
    lib = library({"a": block(keyframe(24, {"HeadYaw": 1.9}), keyframe(600))}, {"m": {"blocks": ["a"]}})
    kept = UNHURRIED.changed(respect_limits=True)
    asked, done = (Run(tiny, KeyframeEngine(tiny, lib, "m", each)) for each in (UNHURRIED, kept))
    asked.step(30)
    path = done.path(0, 60)
    assert asked.command.position[0] == pytest.approx(1.9)
    assert done.engine.telemetry["request"][0] == pytest.approx(1.9)
    assert np.abs(np.diff(path)).max() <= 5.0 * PERIOD
    assert path[-1] == pytest.approx(1.9, abs=1e-6)
