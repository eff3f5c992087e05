"""Guard: whatever comes in, what goes out obeys the limits."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from andante.control.controller import ControlError
from andante.control.guard import Guard
from andante.control.guard_settings import GuardSettings
from andante.control.interventions import Intervention
from andante.documents.settings import SettingsError

PERIOD = 0.012
NASTY = (math.nan, math.inf, -math.inf, 1e308, -1e308, 1e-308, 0.0, 5.0, -5.0)


def sensors_at(robot, time, position=0.0):
    sensors = robot.sensors()
    sensors.vector[0] = time
    sensors.position[:] = position
    sensors.orientation[:] = (1.0, 0.0, 0.0, 0.0)
    return sensors


def command_at(robot, position, kp=40.0, kd=1.0):
    command = robot.command()
    command.position[:] = position
    command.kp[:] = kp
    command.kd[:] = kd
    return command


def run(guard, robot, targets, measured=0.0):
    """Positions of joint 0 for a sequence of requests."""
    out = []
    for tick, target in enumerate(targets):
        result = guard.apply(command_at(robot, target), sensors_at(robot, tick * PERIOD, measured))
        out.append(float(result.position[0]))
    return np.array(out)


def test_clean_command_passes_as_the_same_object(tiny):
    guard = Guard(tiny, PERIOD)
    guard.apply(command_at(tiny, 0.1), sensors_at(tiny, 0.0, 0.1))
    command = command_at(tiny, 0.1)
    assert guard.apply(command, sensors_at(tiny, PERIOD, 0.1)) is command
    assert guard.take_events() == []


def test_first_command_is_anchored_at_the_measured_posture(tiny):
    guard = Guard(tiny, PERIOD)
    result = guard.apply(command_at(tiny, 1.0), sensors_at(tiny, 0.0, 0.5))
    # from rest at 0.5 one tick of 200 rad/s^2 is 200 * 0.012^2 = 0.0288 rad
    assert result.position == pytest.approx(np.full(9, 0.5288))


def test_step_is_followed_at_the_limits_without_overshoot(tiny):
    positions = run(Guard(tiny, PERIOD), tiny, [1.0] * 60)
    speed = np.diff(positions) / PERIOD
    assert positions.max() <= 1.0 + 1e-12
    assert positions[-1] == pytest.approx(1.0, abs=1e-3)
    assert speed.max() == pytest.approx(5.0)
    # 1 rad at 5 rad/s needs 0.2 s, and 0.025 s to speed up and to brake: at most 4 ticks more than the bare way
    assert np.flatnonzero(positions > 0.99)[0] <= 0.2 / PERIOD + 5


def test_moving_target_is_caught_up_with_and_then_passed_unchanged(tiny):
    ramp = [0.3 + 2.0 * PERIOD * tick for tick in range(60)]
    positions = run(Guard(tiny, PERIOD), tiny, ramp)
    assert positions[-5:] == pytest.approx(ramp[-5:], abs=2e-3)
    assert (positions <= np.array(ramp) + 1e-9).all()


def test_braking_starts_before_the_position_limit(tiny):
    positions = run(Guard(tiny, PERIOD), tiny, [0.06 * tick for tick in range(80)])
    speed = np.diff(positions) / PERIOD
    assert positions.max() <= 2.0
    assert positions[-1] == pytest.approx(2.0, abs=5e-3)
    assert np.abs(np.diff(speed)).max() <= 200.0 * PERIOD * (1 + 1e-9)


def test_joint_from_off_starts_at_the_measurement(tiny):
    guard = Guard(tiny, PERIOD)
    for tick in range(5):
        result = guard.apply(command_at(tiny, 0.0, kp=0.0, kd=0.0), sensors_at(tiny, tick * PERIOD, 1.5))
    assert not result.kp.any()
    result = guard.apply(command_at(tiny, 0.0), sensors_at(tiny, 5 * PERIOD, 1.5))
    assert result.position == pytest.approx(np.full(9, 1.5 - 0.0288))


def test_not_finite_value_holds_the_previous_one_and_is_told_once(tiny):
    guard = Guard(tiny, PERIOD)
    guard.apply(command_at(tiny, 0.2), sensors_at(tiny, 0.0, 0.2))
    bad = command_at(tiny, 0.2)
    bad.position[3] = math.nan
    bad.kp[3] = math.inf
    for tick in range(1, 4):
        result = guard.apply(bad, sensors_at(tiny, tick * PERIOD, 0.2))
    assert result.position[3] == 0.2
    assert result.kp[3] == 40.0
    events = [event for event in guard.take_events() if event.data["limit"] == "not_finite"]
    assert [event.data["joint"] for event in events] == ["LHipYawPitch"]
    assert guard.log.total(Intervention.NOT_FINITE) == 3
    summary = [event for event in guard.summary() if event.data["limit"] == "not_finite"]
    assert summary[0].data["ticks"] == 3


def test_gains_torque_velocity_and_coupling(tiny):
    guard = Guard(tiny, PERIOD, GuardSettings(gain_scale=2.0))
    command = command_at(tiny, 0.0)
    command.kp[1] = 1e6
    command.kd[1] = -3.0
    command.torque[2] = 99.0
    command.velocity[4] = -99.0
    command.kp[tiny.index("RHipYawPitch")] = 3.0
    result = guard.apply(command, sensors_at(tiny, 0.0))
    assert result.kp[1] == 80.0
    assert result.kd[1] == 0.0
    assert result.torque[2] == 3.0
    assert result.velocity[4] == -5.0
    assert result.kp[tiny.index("RHipYawPitch")] == 40.0
    kinds = {event.data["limit"] for event in guard.take_events()}
    assert kinds == {"gain", "torque", "velocity", "coupling"}


def test_stale_sensors_hold_then_limp_then_recover(tiny):
    guard = Guard(tiny, PERIOD, GuardSettings(stale_hold=0.05, stale_limp=0.2))
    for tick in range(10):
        guard.apply(command_at(tiny, 0.01 * tick), sensors_at(tiny, tick * PERIOD))
    frozen = sensors_at(tiny, 9 * PERIOD)
    positions, gains = [], []
    for tick in range(30):
        result = guard.apply(command_at(tiny, 0.09 + 0.01 * tick), frozen)
        positions.append(result.position[0])
        gains.append(result.kp[0])
    # 0.05 s are reached at the 5th stale tick (5 * 12 ms), 0.2 s at the 17th
    assert gains.index(0.0) == 16
    assert positions[4] == pytest.approx(positions[10], abs=0.02)
    assert positions[10] == positions[15]
    result = guard.apply(command_at(tiny, 0.0), sensors_at(tiny, 1.0, 0.3))
    assert result.kp[0] == 40.0
    assert result.position[0] == pytest.approx(0.3 - 0.0288)


def test_fall_softens_for_a_while_and_arms_again_when_upright(tiny):
    guard = Guard(tiny, PERIOD, GuardSettings(fall="soften", fall_gain=0.25, fall_duration=0.03))
    fallen = (math.cos(math.radians(40.0)), 0.0, math.sin(math.radians(40.0)), 0.0)
    gains = []
    for tick in range(8):
        sensors = sensors_at(tiny, tick * PERIOD)
        if tick >= 2:
            sensors.orientation[:] = fallen
        gains.append(float(guard.apply(command_at(tiny, 0.0), sensors).kp[0]))
    assert gains == [40.0, 40.0, 10.0, 10.0, 10.0, 40.0, 40.0, 40.0]
    assert guard.log.total(Intervention.FALL) == 3


def test_wrong_robot_and_wrong_config_are_named(tiny):
    guard = Guard(tiny, PERIOD)
    with pytest.raises(ControlError, match="do not belong to robot 'tiny'"):
        guard.apply(type(tiny.command())(tiny.sensors_layout), tiny.sensors())
    with pytest.raises(ControlError, match=r"guard\.period: the guard needs a period; got 0\.0"):
        Guard(tiny, 0.0)
    with pytest.raises(SettingsError, match=r"guard\.stale_limp"):
        GuardSettings(stale_hold=1.0, stale_limp=0.5)
    with pytest.raises(SettingsError, match="did you mean 'soften'"):
        GuardSettings(fall="softn")  # type: ignore[arg-type]


@example(seed=49357, nasty=0.041015625, scale=0.02)  # a step of 1e308 rad, whose square overflowed
@settings(max_examples=120, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), nasty=st.floats(0.0, 0.5), scale=st.sampled_from([0.02, 0.5, 3.0, 1e3]))
def test_whatever_comes_in_obeys_every_limit(tiny, seed, nasty, scale):
    rng = np.random.default_rng(seed)
    guard = Guard(tiny, PERIOD, GuardSettings(fall="soften"))
    before, before_velocity, before_on = None, None, np.zeros(9, dtype=bool)
    moving = np.zeros(9, dtype=bool)
    time = 0.0
    for _ in range(60):
        time += PERIOD if rng.random() < 0.9 else 0.0
        sensors = tiny.sensors(rng.normal(0.0, scale, tiny.sensors_layout.size))
        sensors.vector[0] = time if rng.random() > nasty / 4 else math.nan
        command = tiny.command(rng.normal(0.0, scale, tiny.command_layout.size))
        command.kp[:] = rng.choice([40.0, 40.0, 20.0, 0.0, 1e9], 9, p=[0.6, 0.2, 0.1, 0.05, 0.05])
        for vector in (sensors.vector[1:], command.vector):
            hit = rng.random(vector.size) < nasty * rng.random()
            vector[hit] = rng.choice(NASTY, hit.sum())
        asked = command.vector.copy()
        out = guard.apply(command, sensors)
        assert np.array_equal(asked, command.vector, equal_nan=True)
        assert np.isfinite(out.vector).all()
        assert (out.position >= tiny.lower).all()
        assert (out.position <= tiny.upper).all()
        assert (np.abs(out.velocity) <= 5.0).all()
        assert (out.kp >= 0.0).all()
        assert (out.kp <= 160.0).all()
        assert (out.kd >= 0.0).all()
        assert (out.kd <= 4.0).all()
        assert (np.abs(out.torque) <= 3.0).all()
        rows = out.vector.reshape(5, 9)
        assert (rows[:, 5] == rows[:, 3]).all()
        on = out.kp > 0.0
        if before is not None:
            velocity = (out.position - before) / PERIOD
            both = on & before_on
            assert (np.abs(velocity[both]) <= 5.0 + 1e-9).all()
            change = np.abs(velocity - before_velocity)
            assert (change[both & moving] <= 200.0 * PERIOD + 1e-8).all()
            before_velocity, moving = velocity, both
        else:
            before_velocity = np.zeros(9)
        before, before_on = out.position.copy(), on
