"""The guard and the clock: ticks that come early, late, or bring no time; speeds and ways are worked out by hand."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest
from guard_model import ticks_of
from test_guard import fuzz, sensors_at
from test_guard_limits import TICK, asked, limits, settled

from andante.control.guard import Guard
from andante.control.guard_settings import GuardSettings
from andante.control.interventions import Intervention
from andante.robots.robot import Robot


def test_a_tick_of_half_a_period_allows_half_the_speed_up(uneven: Robot) -> None:
    guard, time = settled(uneven)
    out = guard.apply(asked(uneven, 0.5), sensors_at(uneven, time + 0.5 * TICK))
    # from rest a half tick long: the change of speed is a T/2, the way that for T/2
    assert out.position[1] == pytest.approx(110.0 * (0.5 * TICK) ** 2)
    out = guard.apply(asked(uneven, 0.5), sensors_at(uneven, time + 2.5 * TICK))
    # 2 T later: the mean of both ticks is 1.25 T; at most two periods' way at the speed limit
    speed = 110.0 * 0.5 * TICK + 110.0 * 1.25 * TICK
    assert out.position[1] == pytest.approx(110.0 * (0.5 * TICK) ** 2 + speed * 2 * TICK)


@pytest.mark.parametrize("side", [1.0, -1.0])
def test_before_a_limit_an_irregular_tick_counts_on_half_the_braking(uneven: Robot, side: float) -> None:
    end = side * 1.1
    guard, time = settled(uneven, position=end - side * 0.002)
    command = asked(uneven, end - side * 0.002)
    command.position[1] = end
    dt, a, way = 1.5 * TICK, 110.0, 0.002
    out = guard.apply(command, sensors_at(uneven, time + dt))
    speed = math.sqrt((0.5 * a * dt) ** 2 + a * way) - 0.5 * a * dt
    # v dt + v^2 / a is the way that is left
    assert speed * dt + speed**2 / a == pytest.approx(way)
    assert out.position[1] == pytest.approx(end - side * way + side * speed * dt)


@pytest.mark.parametrize("side", [1.0, -1.0])
def test_what_came_close_to_a_limit_in_regular_ticks_still_stops_before_it(uneven: Robot, side: float) -> None:
    for late in range(16):
        guard, time = settled(uneven)
        place, speed, tick = 0.0, 0.0, 0
        check = fuzz.Check(
            uneven,
            fuzz._shared(uneven, uneven.max_velocity),
            fuzz._shared(uneven, uneven.max_acceleration),
            np.full((2, 9), 1e5),
        )
        for tick in range(1, 64):
            # regular until the joint brakes as hard as it may, then ticks of a half and of three periods in turn
            step = TICK if tick < 40 + late else (0.5 * TICK, 3.0 * TICK)[tick % 2]
            time += step
            command = asked(uneven)
            command.position[1] = side * 9.0
            out = guard.apply(command, sensors_at(uneven, time))
            check.see(time, out.vector)
            speed, place = (float(out.position[1]) - place) / step, float(out.position[1])
        assert not check.found
        assert side * place == pytest.approx(1.1, abs=0.02)
        assert abs(speed) < 0.5


@pytest.mark.parametrize("side", [1.0, -1.0])
def test_a_slow_joint_that_came_close_to_a_limit_brakes_by_the_time_of_a_long_tick(uneven: Robot, side: float) -> None:
    """Below 1 rad/s and with weak brakes: the mean of a short and a long tick allows less than is needed."""
    joints = list(uneven.joints)
    joints[1] = dataclasses.replace(joints[1], max_velocity=0.8, max_acceleration=4.0)
    robot = dataclasses.replace(uneven, joints=tuple(joints))
    # 0.08 rad before the limit at 1.1 rad it brakes; ticks are regular until then and until some ticks later.
    braking = round((0.2 + (1.1 - 0.16) / 0.8) / TICK)
    for late in range(-2, 20, 2):
        guard, time = settled(robot)
        place, speed, before = 0.0, 0.0, TICK
        for tick in range(1, braking + late + 12):
            step = TICK if tick < braking + late else (0.1 * TICK, 2.0 * TICK)[(tick - braking - late) % 2]
            time += step
            command = asked(robot)
            command.position[1] = side * 9.0
            new = float(guard.apply(command, sensors_at(robot, time)).position[1])
            now = (new - place) / step
            assert abs(now - speed) <= 4.0 * max(step, 0.5 * (step + before)) + 1e-9
            place, speed, before = new, now, step
        assert side * place <= 1.1


def test_what_moves_in_regular_ticks_may_stop_in_a_long_one(uneven: Robot) -> None:
    guard, time = settled(uneven)
    place = 0.0
    for tick in range(1, 6):
        place += 0.5 * tick * TICK
        out = guard.apply(asked(uneven, place), sensors_at(uneven, time + tick * TICK))
    last = float(out.position[1])
    out = guard.apply(asked(uneven, last), sensors_at(uneven, time + 9 * TICK))
    # from 2.5 rad/s, 110 rad/s^2 for the mean of one and four periods
    assert out.position[1] == pytest.approx(last + max(2.5 - 110.0 * 2.5 * TICK, 0.0) * 4 * TICK)


def test_a_joint_that_was_off_for_long_begins_with_one_period(uneven: Robot) -> None:
    guard, time = settled(uneven)
    guard.apply(asked(uneven, kp=0.0), sensors_at(uneven, time + TICK))
    out = guard.apply(asked(uneven, 0.5), sensors_at(uneven, time + 3.0))
    assert out.position[1] == pytest.approx(110.0 * TICK**2)


def test_stale_time_keeps_gains_and_takes_speed_and_torque_away(uneven: Robot) -> None:
    guard, time = settled(uneven, stale_hold=3 * TICK, stale_limp=6 * TICK)
    command = asked(uneven, 0.001, kp=6.0)
    command.velocity[:], command.torque[:] = 0.5, 0.4
    seen = []
    for _ in range(8):
        out = guard.apply(command, sensors_at(uneven, time))
        seen.append((out.position[1], out.velocity[1], out.kp[1], out.kd[1], out.torque[1]))
    # no time, no way; from the third tick on nothing new is followed, from the sixth on all is off
    assert seen[:2] == [(0.0, 0.0, 6.0, 0.5, 0.4)] * 2
    assert seen[2:5] == [(0.0, 0.0, 6.0, 0.5, 0.0)] * 3
    assert [row[1:] for row in seen[5:]] == [(0.0, 0.0, 0.0, 0.0)] * 3
    assert ticks_of(guard, Intervention.STALE) == 5
    assert ticks_of(guard, Intervention.LIMP) == 3
    changed = asked(uneven, kp=2.0)
    assert guard.apply(changed, sensors_at(uneven, time)).kp[1] == 0.0


def test_while_gains_change_in_stale_time_the_last_ones_are_held(uneven: Robot) -> None:
    guard, time = settled(uneven, stale_hold=TICK, stale_limp=6 * TICK)
    out = guard.apply(asked(uneven, kp=8.0, kd=0.7), sensors_at(uneven, time))
    assert (out.kp[1], out.kd[1]) == (5.0, 0.5)


def test_a_time_that_never_comes_makes_all_joints_limp_after_the_same_time(uneven: Robot) -> None:
    guard = Guard(uneven, TICK, GuardSettings(stale_hold=2 * TICK, stale_limp=4 * TICK))
    on = [bool(guard.apply(asked(uneven), sensors_at(uneven, math.nan)).kp.any()) for _ in range(6)]
    assert on == [True, True, True, False, False, False]
    for events in (guard.take_events(), guard.summary()):
        assert [event.time for event in events] == [0.0, 0.0]


def test_a_target_within_reach_of_a_late_tick_is_reached_and_not_passed(uneven: Robot) -> None:
    guard, time = settled(uneven)
    gain, command = 110.0 * TICK, asked(uneven)
    command.position[1] = 5.0 * gain * TICK
    first = guard.apply(command, sensors_at(uneven, time + 0.25 * TICK))
    assert first.position[1] == pytest.approx(gain * TICK / 16.0)
    # in four periods the limits allow 9 a T^2, but the target stands at 5
    out = guard.apply(command, sensors_at(uneven, time + 4.25 * TICK))
    assert out.position[1] == pytest.approx(5.0 * gain * TICK)


@pytest.mark.parametrize("share", [0.25, 0.5])
def test_in_short_ticks_a_joint_closes_up_so_that_it_can_still_brake(uneven: Robot, share: float) -> None:
    guard, time = settled(uneven)
    a, dt, command = 110.0, share * TICK, asked(uneven)
    # after a first tick at a dt, too near to speed up as much again and too far for one tick of a dt^2
    command.position[1] = 4.2 * a * dt**2
    first = float(guard.apply(command, sensors_at(uneven, time + dt)).position[1])
    assert first == pytest.approx(a * dt**2)
    out = guard.apply(command, sensors_at(uneven, time + 2.0 * dt))
    speed = (float(out.position[1]) - first) / dt
    assert a * dt < speed < 2.0 * a * dt
    assert speed * dt + speed**2 / (2.0 * a) == pytest.approx(3.2 * a * dt**2)


@pytest.mark.parametrize("side", [1.0, -1.0])
def test_a_target_at_the_edge_of_what_a_tick_allows_is_reached_in_it(uneven: Robot, side: float) -> None:
    guard, time = settled(uneven)
    way, command = side * 110.0 * TICK**2, asked(uneven)
    command.position[1] = 2.0 * way
    assert guard.apply(command, sensors_at(uneven, time + TICK)).position[1] == way
    # one a T behind, and as far as two a T may move: the next step brings it all
    command.position[1] = 3.0 * way
    assert guard.apply(command, sensors_at(uneven, time + 2.0 * TICK)).position[1] == 3.0 * way
    command.position[1] = 6.0 * way
    assert guard.apply(command, sensors_at(uneven, time + 3.0 * TICK)).position[1] == 6.0 * way


def test_a_clock_that_stands_holds_back_only_what_would_move(uneven: Robot) -> None:
    guard, time = settled(uneven)
    there = asked(uneven)
    there.velocity[:] = 0.5
    for _ in range(2):
        out = guard.apply(there, sensors_at(uneven, time))
        np.testing.assert_array_equal(out.vector, there.vector)
    assert guard.take_events() == []
    away = there.copy()
    away.position[4] = 0.001
    out = guard.apply(away, sensors_at(uneven, time))
    assert out.position[4] == 0.0
    assert [index for index in range(9) if out.velocity[index] != 0.5] == [4]
    assert limits(guard) == ["stale"]


def test_a_joint_that_is_off_is_not_held_back_by_a_clock_that_stands(uneven: Robot) -> None:
    guard, time = settled(uneven)
    command = asked(uneven)
    command.kp[6], command.position[6], command.velocity[6] = 0.0, 0.3, 0.2
    out = guard.apply(command, sensors_at(uneven, time))
    np.testing.assert_array_equal(out.vector, command.vector)
    assert guard.take_events() == []
