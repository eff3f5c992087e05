"""Guard: whatever comes in, what goes out obeys the limits."""

from __future__ import annotations

import dataclasses
import importlib.util
import math
from pathlib import Path

import numpy as np
import pytest
from guard_model import ticks_of
from hypothesis import example, given, settings
from hypothesis import strategies as st

from andante.control.controller import ControlError
from andante.control.guard import Guard
from andante.control.guard_settings import GuardSettings
from andante.control.interventions import Intervention
from andante.documents.settings import SettingsError
from andante.robots.robot import Robot

FUZZ = Path(__file__).resolve().parents[2] / "benchmarks" / "guard_fuzz.py"
_spec = importlib.util.spec_from_file_location("guard_fuzz", FUZZ)
assert _spec is not None
assert _spec.loader is not None
fuzz = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(fuzz)
PERIOD = 0.012


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


@pytest.mark.parametrize(("name", "joint", "period"), [("ers7", "LeftEar", 0.008), ("nao", "LHand", 0.012)])
@pytest.mark.parametrize("missing", [2e-4, 4e-4, 7e-4, 1e-3])
def test_a_target_on_a_position_limit_is_reached_and_the_guard_is_done(name, joint, period, missing):
    robot = Robot.load(name)
    guard, index = Guard(robot, period), robot.index(joint)
    limit = robot.joints[index].lower
    measured = np.clip(np.zeros(len(robot.joints)), robot.lower, robot.upper)
    measured[index] = limit + missing
    asked = measured.copy()
    asked[index] = limit
    for tick in range(60):
        result = guard.apply(command_at(robot, asked), sensors_at(robot, tick * period, measured))
    assert result.position[index] == limit
    # Braking onto a limit doubles the digits that are right with every tick: a few ticks, not all of them.
    held = [event.text for event in guard.summary() if event.text.startswith(f"acceleration limit on {joint}:")]
    assert all(int(text.split()[-2]) <= 4 for text in held), held


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
    assert ticks_of(guard, Intervention.NOT_FINITE) == 3
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


def test_a_short_tick_moves_a_joint_by_its_own_time_only(tiny):
    guard = Guard(tiny, PERIOD)
    time, before = 0.0, 0.0
    for dt in [PERIOD] * 20 + [0.001] * 10:
        time += dt
        out = guard.apply(command_at(tiny, 1.9), sensors_at(tiny, time))
        moved, before = out.position[0] - before, float(out.position[0])
    # the speed limit of 5 rad/s is reached long ago: 5 mm/rad per millisecond and not 60
    assert moved == pytest.approx(0.005)
    out = guard.apply(command_at(tiny, 1.9), sensors_at(tiny, time + 5 * PERIOD))
    # five periods late: at most two periods' way, the joint stood meanwhile
    assert out.position[0] - before == pytest.approx(5.0 * 2 * PERIOD)


def test_while_the_clock_stands_or_goes_back_nothing_moves(tiny):
    guard = Guard(tiny, PERIOD)
    for tick in range(10):
        moving = guard.apply(command_at(tiny, 0.02 * tick), sensors_at(tiny, tick * PERIOD))
    position = float(moving.position[0])
    for time in (9 * PERIOD, math.nan, 3.0 * PERIOD):
        held = guard.apply(command_at(tiny, 0.2), sensors_at(tiny, time))
        assert held.position[0] == position
        assert held.kp[0] == 40.0
    # the clock was set back by 6 ticks and goes on from there
    moved = guard.apply(command_at(tiny, 0.2), sensors_at(tiny, 4.0 * PERIOD))
    assert moved.position[0] == pytest.approx(0.2)
    assert ticks_of(guard, Intervention.STALE) == 3


def test_the_clock_may_be_set_back_while_the_robot_falls(tiny):
    guard = Guard(tiny, PERIOD, GuardSettings(fall="soften", fall_gain=0.5, fall_duration=3.5 * PERIOD))
    fallen = (math.cos(math.radians(40.0)), 0.0, math.sin(math.radians(40.0)), 0.0)
    gains = []
    for time in (100.0, 100.0 + PERIOD, 50.0, 50.0 + PERIOD, 50.0 + 2 * PERIOD, 50.0 + 3 * PERIOD):
        sensors = sensors_at(tiny, time)
        sensors.orientation[:] = fallen
        gains.append(float(guard.apply(command_at(tiny, 0.0), sensors).kp[0]))
    assert gains == [20.0, 20.0, 20.0, 20.0, 20.0, 40.0]


def test_nothing_is_on_before_every_joint_was_measured(tiny):
    guard = Guard(tiny, PERIOD)
    for tick in range(3):
        blind = sensors_at(tiny, tick * PERIOD, 0.5)
        blind.position[tick:] = math.nan
        out = guard.apply(command_at(tiny, 0.5), blind)
        assert not out.vector[9:].any()
    assert [event.text for event in guard.take_events()] == ["unmeasured: all joints"]
    # joints 0 and 1 were measured in the ticks before, all others now
    seeing = sensors_at(tiny, 3 * PERIOD, 0.6)
    seeing.position[:2] = math.nan
    out = guard.apply(command_at(tiny, 0.5), seeing)
    assert out.kp.all()
    assert out.position[:2] == pytest.approx([0.5, 0.5])
    assert out.position[2:] == pytest.approx(np.full(7, 0.6 - 0.0288))


def test_no_torque_passes_before_every_joint_was_measured(tiny):
    guard = Guard(tiny, PERIOD)
    command = command_at(tiny, 0.5, kp=0.0)
    command.velocity[:], command.torque[:] = 0.5, 1.0
    for tick in range(4):
        assert not guard.apply(command, sensors_at(tiny, tick * PERIOD, math.nan)).vector[9:].any()
    assert ticks_of(guard, Intervention.UNMEASURED) == 4
    # one tick in which all are measured is enough
    guard.apply(command, sensors_at(tiny, 4 * PERIOD))
    assert guard.apply(command, sensors_at(tiny, 5 * PERIOD, math.nan)) is command


def test_what_is_left_behind_is_the_last_posture_without_speed_and_torque(tiny):
    guard = Guard(tiny, PERIOD)
    assert not guard.rest().vector.any()
    command = command_at(tiny, 0.01)
    command.velocity[:], command.torque[:] = 0.5, 1.0
    guard.apply(command, sensors_at(tiny, 0.0))
    assert guard.rest().vector == pytest.approx(command_at(tiny, 0.01).vector)


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
    assert ticks_of(guard, Intervention.FALL) == 3


def test_a_robot_that_lies_keeps_its_gains_where_falls_are_not_watched(tiny):
    guard = Guard(tiny, PERIOD, GuardSettings(fall="none", fall_gain=0.25))
    for tick in range(3):
        sensors = sensors_at(tiny, tick * PERIOD)
        sensors.orientation[:] = (0.0, 1.0, 0.0, 0.0)
        command = command_at(tiny, 0.0)
        np.testing.assert_array_equal(guard.apply(command, sensors).vector, command.vector)
    assert guard.summary() == []


def test_a_slow_joint_is_as_fast_as_it_may_be(tiny):
    joints = [dataclasses.replace(joint, max_velocity=0.5, max_acceleration=0.9) for joint in tiny.joints]
    robot = dataclasses.replace(tiny, joints=tuple(joints))
    speeds = np.diff(run(Guard(robot, PERIOD), robot, [1.0] * 80)) / PERIOD
    assert speeds.max() == pytest.approx(0.5)
    assert np.diff(speeds).max() == pytest.approx(0.9 * PERIOD)


def test_what_is_held_while_the_robot_falls_is_softened_once(tiny):
    guard = Guard(
        tiny, PERIOD, GuardSettings(fall="soften", fall_gain=0.5, stale_hold=0.01, fall_duration=4.5 * PERIOD)
    )
    lying, gains = command_at(tiny, 0.0), []
    for tick in (0, 1, 1, 1, 2, 3, 4, 5, 6):
        sensors = sensors_at(tiny, tick * PERIOD)
        sensors.orientation[:] = (1.0, 0.0, 0.0, 0.0) if tick == 0 else (0.0, 1.0, 0.0, 0.0)
        lying.kp[0] = 40.0 if tick == 0 else math.nan
        out = guard.apply(lying, sensors)
        gains.append((float(out.kp[0]), float(out.kd[1])))
    # the clock stands in two of the ticks, and from the second on there is no gain to follow
    assert gains == [(40.0, 1.0)] + [(20.0, 0.5)] * 7 + [(40.0, 1.0)]


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


@pytest.mark.slow
@example(seed=49357, clock="stalls")  # a step of 1e308 rad, whose square overflowed
@settings(max_examples=120, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), clock=st.sampled_from(fuzz.CLOCKS))
def test_whatever_comes_in_obeys_every_limit_by_measured_time(tiny, seed, clock):
    assert not fuzz.run(tiny, 60, clock, seed)


def test_the_check_finds_what_breaks_a_limit(tiny):
    caps = np.full((2, 9), 100.0)
    for change, told in (
        (lambda command: command.position.__iadd__(0.061), "rate"),
        (lambda command: command.position.__iadd__(0.059), "acceleration"),
        (lambda command: command.position.__setitem__(0, 2.1), "position"),
        (lambda command: command.velocity.__setitem__(0, 5.1), "velocity"),
        (lambda command: command.kp.__setitem__(0, -1.0), "gain"),
        (lambda command: command.torque.__setitem__(0, 3.1), "torque"),
        (lambda command: command.torque.__setitem__(0, math.nan), "finite"),
    ):
        check = fuzz.Check(tiny, tiny.max_velocity, tiny.max_acceleration, caps)
        for tick in range(3):
            check.see(tick * PERIOD, command_at(tiny, 0.0).vector)
        assert not check.found
        bad = command_at(tiny, 0.0)
        change(bad)
        check.see(3 * PERIOD, bad.vector)
        assert told in check.found
    check.see(3 * PERIOD, command_at(tiny, 0.01).vector)
    assert "moved in no time" in check.found


@pytest.mark.parametrize("seed", range(3))
def test_a_guard_that_was_reset_does_what_a_new_one_does(tiny, seed):
    random = np.random.default_rng(seed)

    def run_of(count):
        for tick in range(count):
            command = command_at(tiny, random.normal(0.0, 1.0, len(tiny.joints)), kp=random.choice((0.0, 40.0, 400.0)))
            command.velocity[:] = random.normal(0.0, 5.0, len(tiny.joints))
            late = 0.005 if tick % 7 == 0 else 0.0
            yield command, sensors_at(tiny, PERIOD * tick + late, random.normal(0.0, 0.5, len(tiny.joints)))

    def answers(guard, ticks):
        return [
            guard.apply(tiny.command(c.vector.copy()), tiny.sensors(s.vector.copy())).vector.tolist() for c, s in ticks
        ]

    before, after = list(run_of(40)), list(run_of(40))
    used = Guard(tiny, PERIOD)
    answers(used, before)
    used.reset()
    assert answers(used, after) == answers(Guard(tiny, PERIOD), after)
