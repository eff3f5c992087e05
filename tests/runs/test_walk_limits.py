"""Limits are checked on the log alone: every way to break one is found and named, and nothing else is."""

from __future__ import annotations

import numpy as np
import pytest

from andante.control.controller import ControlEvent
from andante.control.events import EventKind
from andante.robots.records import Field, Layout, scalar
from andante.robots.robot import Robot
from andante.runs.logs.log import ChannelRows, Log
from andante.runs.tasks.walk.limits import breaches, command_rate
from andante.runs.tasks.walk.metrics import clamp_count

TICK = 0.01
COUNT = 50


@pytest.fixture(scope="module")
def littledog() -> Robot:
    return Robot.load("littledog")


def recorded(robot: Robot, count: int = COUNT) -> tuple[Log, ChannelRows, ChannelRows]:
    """A robot that stands still while its base goes ahead at 0.1 m/s."""
    times = (np.arange(count) * TICK * 1e9).round().astype(np.int64)
    command = ChannelRows(robot.command_layout, times, np.zeros((count, robot.command_layout.size)))
    command["position"][:], command["kp"][:] = robot.posture("stand"), robot.servo_kp
    base = tuple(f"base.{name}" for name in ("x", "y", "z", "qw", "qx", "qy", "qz"))
    speed = tuple(f"base.{name}" for name in ("vx", "vy", "vz", "wx", "wy", "wz"))
    layout = Layout(
        "truth",
        (
            scalar("time", "s"),
            Field("qpos", base + robot.joint_names),
            Field("qvel", speed + robot.joint_names),
            Field("motor_torque", robot.joint_names, "N m"),
        ),
    )
    truth = ChannelRows(layout, times, np.zeros((count, layout.size)))
    truth["qpos"][:, 0] = 0.1 * TICK * np.arange(count)
    truth["qpos"][:, 3] = 1.0
    truth["qpos"][:, 7:] = robot.posture("stand")
    truth["qvel"][:, 0] = 0.1
    return Log({"command": command, "truth": truth}), command, truth


def test_a_run_within_its_limits_has_no_breach(littledog: Robot) -> None:
    log, command, _ = recorded(littledog)
    # 12 rad/s for 10 ms is the declared 0.12 rad, and not more.
    command["position"][20:, 0] += 0.12
    assert breaches(log, littledog) == ()
    assert command_rate(command, littledog) == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("channel", "field", "column", "value", "text"),
    [
        ("command", "position", 0, 0.121, "FL_roll was told to move at 12.10 rad/s (limit 12) at 0.20 s (1 ticks)"),
        ("command", "position", 1, 2.0, "FL_pitch was told to go to 3.0000 rad (limits -3.5 to 2.4)"),
        ("command", "torque", 2, 2.6, "FL_knee was given 2.600 N m ahead (limit 2.5)"),
        ("truth", "motor_torque", 3, -2.51, "FR_roll gave 2.510 N m (limit 2.5)"),
        ("truth", "qpos", 7, 0.6, "FL_roll stood at 0.700 rad (limits -0.6 to 0.6)"),
        ("truth", "qpos", 0, 0.05, "the base jumped 50.0 mm in a tick without the speed for it at 0.20 s"),
    ],
)
def test_every_broken_limit_is_named(
    littledog: Robot, channel: str, field: str, column: int, value: float, text: str
) -> None:
    log, command, truth = recorded(littledog)
    {"command": command, "truth": truth}[channel][field][20:, column] += value
    assert any(text in str(breach) for breach in breaches(log, littledog)), breaches(log, littledog)


def test_a_base_that_creeps_is_found(littledog: Robot) -> None:
    log, _, truth = recorded(littledog)
    # 15 cm/s too much from 0.2 s on: 1.5 mm in a tick, 45 mm until 0.49 s; 10 mm are passed in the 7th tick
    truth["qpos"][20:, 0] += 0.0015 * np.arange(1, COUNT - 19)
    (breach,) = breaches(log, littledog)
    assert str(breach) == "the base crept 45 mm in 0.49 s without the speed for it at 0.26 s (24 ticks)"


@pytest.mark.parametrize(("speed", "found"), [(0.014, True), (0.011, True), (0.009, False)])
def test_a_slow_creep_is_found_over_a_second(littledog: Robot, speed: float, found: bool) -> None:
    log, _, truth = recorded(littledog, 300)
    truth["qpos"][:, 0] += speed * truth.times
    crept = [breach for breach in breaches(log, littledog) if "the base crept" in str(breach)]
    assert bool(crept) == found


@pytest.mark.parametrize(("rate", "found"), [(0.5, True), (0.08, True), (-0.08, True), (0.02, False)])
def test_an_encoder_that_drifts_is_found_unless_its_fault_was_declared(
    littledog: Robot, rate: float, found: bool
) -> None:
    log, _, truth = recorded(littledog, 300)
    layout = littledog.sensors_layout
    sensors = ChannelRows(layout, truth.nanoseconds, np.zeros((300, layout.size)))
    noise = np.random.default_rng(0).normal(0.0, 0.01, (300, 12))
    # A joint that swings quickly and is read 10 ms late does not drift.
    truth["qpos"][:, 7] = 0.3 * np.sin(20.0 * truth.times)
    truth["qvel"][:, 6] = 6.0 * np.cos(20.0 * truth.times)
    late = np.vstack([truth["qpos"][:1, 7:], truth["qpos"][:-1, 7:]])
    sensors["position"][:] = late + noise + 0.04
    sensors["position"][100:, 3] += rate * (truth.times[100:] - truth.times[100])
    told = [
        str(each) for each in breaches(Log({**log.channels, "sensors": sensors}), littledog) if "drift" in str(each)
    ]
    assert bool(told) == found
    assert not found or told[0].startswith("the encoder of FR_roll drifted by ")


def test_a_measured_joint_that_jumps_is_found_unless_its_fault_was_declared(littledog: Robot) -> None:
    log, _, truth = recorded(littledog)
    layout = littledog.sensors_layout
    sensors = ChannelRows(layout, truth.nanoseconds, np.zeros((len(truth.times), layout.size)))
    sensors["position"][:] = truth["qpos"][:, 7:]
    sensors["position"][25:, 3] += 0.3
    log = Log({**log.channels, "sensors": sensors})
    (breach,) = breaches(log, littledog)
    assert str(breach) == (
        "the encoder of FR_roll read a turn of 0.300 rad in a tick in which it made 0.000 at 0.25 s (1 ticks)"
    )
    fault = ControlEvent(0.2, EventKind.FAULT, "FR_roll: offset", {"type": "offset", "joints": "FR_roll"})
    assert breaches(Log(log.channels, (fault,)), littledog) == ()


def test_a_joint_that_jumps_without_speed_is_found(littledog: Robot) -> None:
    log, _, truth = recorded(littledog)
    truth["qpos"][25:, 7] += 0.3
    found = [str(breach) for breach in breaches(log, littledog)]
    assert "FL_roll jumped 0.300 rad in a tick without the speed for it at 0.25 s (1 ticks)" in found


def test_a_turn_without_speed_is_a_jump(littledog: Robot) -> None:
    log, _, truth = recorded(littledog)
    truth["qpos"][30:, 3:7] = np.cos(0.1), 0.0, 0.0, np.sin(0.1)
    (breach,) = breaches(log, littledog)
    assert str(breach) == "the base turned 11.5 deg in a tick without the speed for it at 0.30 s (1 ticks)"


def test_a_fast_body_that_has_the_speed_does_not_jump(littledog: Robot) -> None:
    log, _, truth = recorded(littledog)
    truth["qpos"][:, 2] = 0.5 - 0.5 * 9.81 * truth.times**2
    truth["qvel"][:, 2] = -9.81 * truth.times
    assert breaches(log, littledog) == ()


def test_joints_that_are_off_may_be_told_anything(littledog: Robot) -> None:
    log, command, _ = recorded(littledog)
    command["kp"][:] = 0.0
    command["position"][20:] += 3.0
    assert breaches(log, littledog) == ()


def test_clamps_are_counted_by_the_controller_or_not_known(littledog: Robot) -> None:
    log, command, _ = recorded(littledog)
    assert clamp_count(log) is None
    telemetry = ChannelRows(Layout("crawl", (scalar("clamps"),)), command.nanoseconds, np.zeros((COUNT, 1)))
    counting = Log({**log.channels, "telemetry": telemetry})
    assert clamp_count(counting) == 0
    telemetry["clamps"][30:] = 3.0
    assert clamp_count(counting) == 3
