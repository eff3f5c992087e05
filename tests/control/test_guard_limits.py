"""The guard's numbers, each worked out by hand on a robot whose joints are all different."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest
from guard_model import ticks_of
from test_guard import PERIOD, command_at, fuzz, sensors_at

from andante.control.controller import ControlError
from andante.control.guard import Guard
from andante.control.guard_settings import GuardSettings
from andante.control.interventions import Intervention
from andante.robots.robot import Robot
from andante.spatial.rotations import multiply

TICK = 2.0**-7
"""A period of 1/128 s: its multiples are exact."""


def asked(robot: Robot, position=0.0, kp=5.0, kd=0.5):
    return command_at(robot, position, kp, kd)


def settled(robot: Robot, position=0.0, period=TICK, **settings) -> tuple[Guard, float]:
    """A guard after three ticks at rest, and the time of the last."""
    guard = Guard(robot, period, GuardSettings(**settings))
    for tick in range(3):
        guard.apply(asked(robot, position), sensors_at(robot, tick * period, position))
    guard.take_events()
    return guard, 2 * period


def limits(guard: Guard) -> list[str]:
    return sorted({str(event.data["limit"]) for event in guard.take_events()})


def test_every_number_of_a_command_has_its_own_cap(uneven: Robot) -> None:
    guard, time = settled(uneven, velocity_scale=0.5, gain_scale=1.5)
    command = asked(uneven)
    for values, value in ((command.velocity, 99.0), (command.kp, 1e6), (command.kd, 1e6), (command.torque, -99.0)):
        values[:] = value
    out = guard.apply(command, sensors_at(uneven, time + TICK))
    speed = 0.5 * uneven.max_velocity
    speed[[3, 5]] = 0.5 * 4.0
    torque = -uneven.max_effort
    torque[5] = torque[3] = -4.0
    kp, kd = 1.5 * uneven.servo_kp, 1.5 * uneven.servo_kd
    kp[0] = kd[0] = 1e4
    kp[5], kd[5] = kp[3], kd[3]
    assert out.velocity == pytest.approx(speed)
    assert out.kp == pytest.approx(kp)
    assert out.kd == pytest.approx(kd)
    assert out.torque == pytest.approx(torque)


@pytest.mark.parametrize("joint", [0, 4, 8])
@pytest.mark.parametrize(
    ("field", "good", "bad", "kind"),
    [
        ("velocity", 2.9, 11.1, "velocity"),
        ("velocity", -2.9, -11.1, "velocity"),
        ("kp", 9.0, 10001.0, "gain"),
        ("kd", 0.0, -0.1, "gain"),
        ("torque", 0.9, 9.1, "torque"),
        ("torque", -0.9, -9.1, "torque"),
        ("torque", 0.0, math.nan, "not_finite"),
    ],
)
def test_one_bad_number_in_a_command_that_is_good_otherwise_is_found(
    uneven: Robot, joint: int, field: str, good: float, bad: float, kind: str
) -> None:
    guard, time = settled(uneven)
    fine = asked(uneven)
    fine[field][joint] = good
    assert guard.apply(fine, sensors_at(uneven, time + TICK)) is fine
    wrong = asked(uneven)
    wrong[field][joint] = bad
    assert guard.apply(wrong, sensors_at(uneven, time + 2 * TICK)) is not wrong
    assert limits(guard) == [kind]


def test_small_gains_are_on_and_the_damping_alone_is_not(uneven: Robot) -> None:
    guard = Guard(uneven, TICK)
    for tick in range(3):
        command = asked(uneven, kp=0.01)
        out = guard.apply(command, sensors_at(uneven, tick * TICK))
    assert out is command
    off = Guard(uneven, TICK)
    for tick in range(3):
        # without kp a joint is off: it may be told any place within its limits, and is not moved there
        command = asked(uneven, 0.2 * tick, kp=0.0)
        out = off.apply(command, sensors_at(uneven, tick * TICK))
        assert (out is command) == (tick > 0)
        assert out.position == pytest.approx(np.full(9, 0.2 * tick))
        assert out.kd == pytest.approx(np.full(9, 0.5))
    assert limits(off) == []


def test_a_coupled_joint_and_its_leader_share_the_narrower_of_each_limit(uneven: Robot) -> None:
    guard = Guard(uneven, TICK)
    places, speeds = [], []
    for target in (2.0, -2.0):
        for tick in range(120):
            command = asked(uneven, np.clip(target, uneven.lower, uneven.upper))
            command.position[[3, 5]] = target
            out = guard.apply(command, sensors_at(uneven, (tick + 120 * (target < 0)) * TICK))
            places.append(out.position[[3, 5]].copy())
    way = np.array(places)
    assert (way[:, 0] == way[:, 1]).all()
    assert way[119, 0] == pytest.approx(1.2, abs=1e-3)
    assert way[-1, 0] == pytest.approx(-0.7, abs=1e-3)
    assert way.max() <= 1.2
    assert way.min() >= -0.7
    speeds = np.diff(way[:, 0]) / TICK
    assert np.abs(speeds).max() == pytest.approx(4.0)
    assert np.abs(np.diff(speeds)).max() / TICK == pytest.approx(120.0)


@pytest.mark.parametrize("side", [1.0, -1.0])
def test_a_way_towards_a_limit_passes_unchanged_while_braking_can_still_end_before_it(
    uneven: Robot, side: float
) -> None:
    # after n ticks of speeding up n (n + 1) / 2 a T^2 are gone and n^2 / 2 a T^2 are needed to stop: 36 + 32 for n = 8
    way, place = 0.25 * 110.0 * TICK**2, np.zeros(9)
    start = 1.1 - 69.0 * way
    place[1] = side * start
    guard, time = settled(uneven, position=place, acceleration_scale=0.25)
    for tick in range(1, 10):
        command = asked(uneven, place)
        command.position[1] = side * (start + 0.999 * way * tick * (tick + 1) / 2)
        assert (guard.apply(command, sensors_at(uneven, time + tick * TICK)) is command) == (tick < 9)
    assert limits(guard) == ["acceleration"]


@pytest.mark.parametrize(
    ("field", "value", "kind"),
    [("velocity", 99.0, "velocity"), ("kp", 1e6, "gain"), ("kd", 99.0, "gain"), ("torque", -9.0, "torque")],
)
def test_an_event_tells_what_was_asked_for(uneven: Robot, field: str, value: float, kind: str) -> None:
    guard, time = settled(uneven)
    command = asked(uneven)
    command[field][4] = value
    guard.apply(command, sensors_at(uneven, time + TICK))
    (event,) = guard.take_events()
    assert event.data == {"joint": "LKneePitch", "limit": kind, "asked": value}


def test_each_number_of_a_follower_is_its_leaders(uneven: Robot) -> None:
    for field, value in (("position", 0.001), ("velocity", 0.1), ("kp", 4.0), ("kd", 0.4), ("torque", 0.1)):
        guard, time = settled(uneven)
        command = asked(uneven)
        command[field][3] = value
        out = guard.apply(command, sensors_at(uneven, time + TICK))
        assert out[field][5] == out[field][3] == value
        assert limits(guard) == ["coupling"]


def test_a_joint_alone_is_off_and_begins_where_it_is_measured(uneven: Robot) -> None:
    guard, time = settled(uneven)
    sensors = sensors_at(uneven, time)
    for tick in range(1, 4):
        command = asked(uneven)
        command.kp[6] = 0.0
        sensors = sensors_at(uneven, time + tick * TICK)
        sensors.position[6] = 0.3
        out = guard.apply(command, sensors)
    assert out.kp[6] == 0.0
    sensors.vector[0] = time + 4 * TICK
    out = guard.apply(asked(uneven), sensors)
    # one tick of 160 rad/s^2 from rest, from 0.3 rad
    assert out.position[6] == pytest.approx(0.3 - 160.0 * TICK**2)
    others = [index for index in range(9) if index != 6]
    assert out.position[others] == pytest.approx(np.zeros(8))
    assert limits(guard) == ["rate"]


def test_an_angle_beyond_the_limits_is_anchored_at_the_limit(uneven: Robot) -> None:
    guard = Guard(uneven, TICK)
    out = guard.apply(asked(uneven, 5.0), sensors_at(uneven, 0.0, 5.0))
    upper = uneven.upper.copy()
    upper[[3, 5]] = 1.2
    assert out.position == pytest.approx(upper)
    assert limits(guard) == ["position"]


def test_speeding_up_beyond_the_speed_limit_little_by_little_is_found(uneven: Robot) -> None:
    guard, time = settled(uneven, position=-0.9, velocity_scale=0.8)
    place, speed, out = -0.9, 0.0, []
    for tick in range(1, 30):
        speed += 0.1
        place += speed * TICK
        command = asked(uneven, -0.9)
        command.position[1] = place
        out.append(float(guard.apply(command, sensors_at(uneven, time + tick * TICK)).position[1]))
    speeds = np.diff(out) / TICK
    # joint 1 may go at 0.8 x 4 rad/s and is asked for 2.9 in the end: nothing is changed
    assert limits(guard) == []
    for tick in range(30, 45):
        speed += 0.1
        place += speed * TICK
        command.position[1] = place
        out.append(float(guard.apply(command.copy(), sensors_at(uneven, time + tick * TICK)).position[1]))
    speeds = np.diff(out) / TICK
    assert speeds.max() == pytest.approx(3.2)
    assert limits(guard) == ["rate"]


@pytest.mark.parametrize("side", [1.0, -1.0])
def test_a_slow_way_into_a_limit_is_braked_in_time(uneven: Robot, side: float) -> None:
    guard, time = settled(uneven)
    place, out = 0.0, [0.0]
    for tick in range(1, 100):
        place += min(0.1 * tick, 2.5) * TICK
        command = asked(uneven)
        command.position[1] = side * min(place, 1.09999)
        out.append(side * float(guard.apply(command, sensors_at(uneven, time + tick * TICK)).position[1]))
    speeds = np.diff(out) / TICK
    # 2.5 rad/s need 28 mrad to stop at 110 rad/s^2: what is asked stops at once, what passes does not
    assert speeds.max() == pytest.approx(2.5)
    assert np.abs(np.diff(speeds)).max() <= 110.0 * TICK * (1.0 + 1e-9)
    assert out[-1] == pytest.approx(1.09999, abs=1e-3)
    assert "acceleration" in limits(guard)


def test_a_change_of_speed_in_a_tick_has_its_limit(uneven: Robot) -> None:
    guard, time = settled(uneven, acceleration_scale=0.5)
    most = 0.5 * 110.0 * TICK**2
    command = asked(uneven)
    command.position[1] = 0.999 * most
    assert guard.apply(command, sensors_at(uneven, time + TICK)) is command
    assert guard.apply(command, sensors_at(uneven, time + 2 * TICK)) is command
    other = command.copy()
    other.position[1] += 1.001 * most
    out = guard.apply(other, sensors_at(uneven, time + 3 * TICK))
    assert out.position[1] == pytest.approx(1.999 * most)
    assert limits(guard) == ["acceleration"]


def test_a_joint_that_is_held_back_follows_with_its_speed_unless_none_was_asked(uneven: Robot) -> None:
    guard, time = settled(uneven)
    command = asked(uneven, 0.5)
    command.velocity[:] = 1.0
    command.velocity[4] = 0.0
    out = guard.apply(command, sensors_at(uneven, time + TICK))
    assert out.velocity[1] == pytest.approx(110.0 * TICK)
    assert out.velocity[4] == 0.0
    # at a limit: the speed with which the position still moves, and no more
    end, time = settled(uneven, position=1.0)
    command = asked(uneven, 1.0)
    command.position[0], command.velocity[0] = 1.3, 2.0
    assert end.apply(command, sensors_at(uneven, time + TICK)).velocity[0] == 0.0


def test_a_joint_without_finite_position_gets_no_speed_and_keeps_the_rest(uneven: Robot) -> None:
    guard, time = settled(uneven)
    command = asked(uneven)
    command.position[4], command.velocity[4], command.velocity[6] = math.nan, 1.0, 1.0
    command.kd[6] = math.nan
    out = guard.apply(command, sensors_at(uneven, time + TICK))
    assert (out.position[4], out.velocity[4]) == (0.0, 0.0)
    assert (out.velocity[6], out.kd[6]) == (1.0, 0.5)
    assert limits(guard) == ["not_finite"]


def test_events_and_summary_tell_what_was_asked_and_how_often(uneven: Robot) -> None:
    guard, time = settled(uneven)
    for tick in range(1, 4):
        command = asked(uneven)
        command.torque[2] = 7.0
        guard.apply(command, sensors_at(uneven, time + tick * TICK))
    (event,) = guard.take_events()
    assert (event.time, event.text) == (time + TICK, "torque limit on LShoulderRoll")
    assert event.data == {"joint": "LShoulderRoll", "limit": "torque", "asked": 7.0}
    assert guard.take_events() == []
    (total,) = guard.summary()
    assert (total.time, total.text) == (time + 3 * TICK, "torque limit on LShoulderRoll: 3 ticks")
    guard.reset()
    assert guard.summary() == []


def test_a_fall_begins_beyond_its_tilt_and_lasts_its_time(uneven: Robot) -> None:
    guard = Guard(
        uneven, TICK, GuardSettings(fall="soften", fall_gain=0.5, fall_tilt=1.0, fall_rearm=0.5, fall_duration=4 * TICK)
    )
    tilts = (0.0, 0.99, 1.01, 1.2, 1.2, 1.2, 1.2, 0.51, 1.01, 0.49, 1.01, 0.0)
    gains = []
    for tick, tilt in enumerate(tilts):
        sensors = sensors_at(uneven, tick * TICK)
        # a quaternion of any length, tilted about an axis between x and y, of a robot that looks aside
        tilted = (math.cos(tilt / 2), 0.6 * math.sin(tilt / 2), 0.8 * math.sin(tilt / 2), 0.0)
        sensors.orientation[:] = 0.6 * multiply(np.array([math.cos(0.7), 0.0, 0.0, math.sin(0.7)]), np.array(tilted))
        out = guard.apply(asked(uneven), sensors)
        gains.append((float(out.kp[1]), float(out.kd[1])))
    soft = [tick for tick, pair in enumerate(gains) if pair == (2.5, 0.25)]
    assert soft == [2, 3, 4, 5, 10, 11]
    assert all(pair == (5.0, 0.5) for tick, pair in enumerate(gains) if tick not in soft)
    assert ticks_of(guard, Intervention.FALL) == 6


def test_a_tilt_of_exactly_the_limit_is_no_fall_and_a_turn_about_the_vertical_no_tilt(uneven: Robot) -> None:
    guard, time = settled(uneven, fall="soften", fall_tilt=math.pi)
    down = sensors_at(uneven, time + TICK)
    down.orientation[:] = (0.0, 1.0, 0.0, 0.0)
    assert guard.apply(asked(uneven), down).kp[1] == 5.0
    turned, time = settled(uneven, fall="soften")
    about = sensors_at(uneven, time + TICK)
    about.orientation[:] = (0.1, 0.0, 0.0, 0.9)
    assert turned.apply(asked(uneven), about).kp[1] == 5.0


@pytest.mark.parametrize(
    "quaternion", [(0.0, 0.0, 0.0, 0.0), (0.0, 0.5, 0.0, 0.0), (math.nan, 1.0, 0.0, 0.0), (math.inf, 1.0, 0.0, 0.0)]
)
def test_an_orientation_that_is_none_is_no_fall(uneven: Robot, quaternion: tuple[float, ...]) -> None:
    guard, time = settled(uneven, fall="soften")
    broken = sensors_at(uneven, time + TICK)
    broken.orientation[:] = quaternion
    assert guard.apply(asked(uneven), broken).kp[1] == 5.0
    upside = sensors_at(uneven, time + 2 * TICK)
    upside.orientation[:] = (0.0, 0.51, 0.0, 0.0)
    assert guard.apply(asked(uneven), upside).kp[1] == 0.5


def test_limits_that_leave_nothing_are_refused_by_joint(tiny: Robot) -> None:
    for change in ({"lower": 2.1}, {"max_velocity": 0.0}, {"max_acceleration": 0.0}):
        joints = list(tiny.joints)
        joints[4] = dataclasses.replace(joints[4], **change)
        robot = dataclasses.replace(tiny, joints=tuple(joints))
        with pytest.raises(ControlError, match=r"robot 'tiny', joint 'LKneePitch': a joint's limits leave nothing"):
            Guard(robot, PERIOD)
    fixed = list(tiny.joints)
    fixed[4] = dataclasses.replace(fixed[4], lower=0.5, upper=0.5)
    guard = Guard(dataclasses.replace(tiny, joints=tuple(fixed)), PERIOD)
    assert guard.apply(command_at(tiny, 0.1), sensors_at(tiny, 0.0)).position[4] == 0.5
    for period in (math.nan, math.inf, -1.0):
        with pytest.raises(ControlError, match="the guard needs a period"):
            Guard(tiny, period)


@pytest.mark.parametrize("seed", range(24))
def test_uneven_limits_are_kept_by_measured_time_whatever_comes(uneven: Robot, seed: int) -> None:
    for clock in fuzz.CLOCKS:
        assert not fuzz.run(uneven, 150, clock, seed)
