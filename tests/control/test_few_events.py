"""Nonsense at every tick: what is told stays bounded, and the rest is counted."""

from __future__ import annotations

import math

import numpy as np
import pytest

from andante.control.events import EventKind
from andante.control.guard import Guard
from andante.control.plausibility import SensorCheck
from andante.robots.robot import Robot

NONSENSE = (math.nan, math.inf, -1e9, 1e9, 5.0)


@pytest.mark.parametrize("name", ["nao", "spirit40"])
def test_wrong_commands_make_few_events_and_all_are_counted(name: str) -> None:
    robot, random = Robot.load(name), np.random.default_rng(2)
    guard, told, ticks = Guard(robot, robot.tick), [], round(5.0 / robot.tick)
    for tick in range(ticks):
        sensors, command = robot.sensors(), robot.command()
        sensors.vector[0], sensors.orientation[0] = tick * robot.tick, 1.0
        command.kp[:] = robot.servo_kp
        wrong = random.integers(command.vector.size, size=3)
        command.vector[wrong] = random.choice(NONSENSE, 3)
        passed = guard.apply(command, sensors)
        assert np.isfinite(passed.vector).all()
        told += guard.take_events()
    summary = guard.summary()
    assert len(told) <= 7 * 8
    assert len(summary) <= 7 * 8
    by_kind = {str(event.data["limit"]): 0 for event in summary}
    for event in summary:
        by_kind[str(event.data["limit"])] += int(event.data["ticks"])
    assert by_kind["not_finite"] == int(guard.log.counts[0].sum()) > 0.5 * ticks


def test_joints_beyond_the_sixth_are_told_together(tiny: Robot) -> None:
    guard = Guard(tiny, 0.01)
    for tick in range(3):
        sensors, command = tiny.sensors(), tiny.command()
        sensors.vector[0] = 0.01 * tick
        command.velocity[:] = 1e3
        guard.apply(command, sensors)
    names = tiny.joint_names
    assert sorted(event.text for event in guard.take_events()) == sorted(
        ["velocity limit on more joints", *(f"velocity limit on {name}" for name in names[:6])]
    )
    assert sorted(event.text for event in guard.summary()) == sorted(
        ["velocity limit on 3 more joints: 9 ticks", *(f"velocity limit on {name}: 3 ticks" for name in names[:6])]
    )


@pytest.mark.parametrize("name", ["nao", "spirit40"])
def test_wrong_readings_make_few_events_and_the_rest_is_counted(name: str) -> None:
    robot, random = Robot.load(name), np.random.default_rng(2)
    check, told = SensorCheck(robot, robot.tick), []
    for tick in range(round(5.0 / robot.tick)):
        sensors = robot.sensors()
        sensors.vector[0], sensors.orientation[0], sensors.health[:] = tick * robot.tick, 1.0, 1.0
        sensors.position[:] = 1e-3 * math.sin(0.1 * tick)
        wrong = random.integers(sensors.vector.size, size=3)
        sensors.vector[wrong] = random.choice(NONSENSE, 3)
        check.apply(sensors, None)
        told += check.take_events()
    begun = [event for event in told if event.kind is EventKind.SENSOR]
    assert 10 < len(begun) <= 24 + 5 + 24
    assert len(told) < 120
    counted = {event.text for event in check.summary(5.0)}
    assert any(text.startswith("encoder: not finite ") and text.endswith(" more times") for text in counted)
    assert sum(int(event.data["count"]) for event in check.summary(5.0)) > 500


def test_a_failure_that_comes_later_is_told_again(tiny: Robot) -> None:
    """After a flood, one failure per second has room."""
    check = SensorCheck(tiny, 0.01)
    flood, later = [], []
    for tick in range(3000):
        sensors = tiny.sensors()
        sensors.vector[0], sensors.orientation[0], sensors.health[:] = 0.01 * tick, 1.0, 1.0
        if tick < 400:
            sensors.velocity[tick % 9] = sensors.effort[(tick + 3) % 9] = math.nan
        elif tick == 2500:
            sensors.accelerometer[0] = math.nan
        check.apply(sensors, None)
        (flood if tick < 400 else later).extend(check.take_events())
    assert len([event for event in flood if event.kind is EventKind.SENSOR]) <= 24 + 4
    assert [event.text for event in later if event.kind is EventKind.SENSOR] == ["imu: not finite"]


def test_a_joint_is_not_switched_on_at_an_angle_that_is_old(tiny: Robot) -> None:
    guard, period = Guard(tiny, 0.01), 0.01

    def tick(number: int, angle: float, kp: float) -> np.ndarray:
        sensors, command = tiny.sensors(), tiny.command()
        sensors.vector[0] = number * period
        sensors.position[0] = angle
        command.position[:] = np.where(np.arange(9) == 0, 0.3, 0.0)
        command.kp[:] = 10.0
        command.kp[0] = kp
        return guard.apply(command, sensors).vector.reshape(5, 9)[:, 0]

    for number in range(50):
        tick(number, 0.3, 10.0)
    for number in range(50, 60):
        # Off, it sinks; then its encoder is lost.
        tick(number, 0.3 - 0.02 * (number - 50), 0.0)
    for number in range(60, 65):
        passed = tick(number, math.nan, 0.0)
    for number in range(65, 70):
        passed = tick(number, math.nan, 10.0)
        assert passed[2] == 0.0
    assert "unmeasured limit on" in " ".join(event.text for event in guard.take_events())
    passed = tick(70, -0.2, 10.0)
    assert passed[2] == 10.0
    assert passed[0] == pytest.approx(-0.2, abs=0.03)
