"""The guard beside a plain model of what it promises: the same numbers and the same events, whatever is asked for."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator

import numpy as np
import pytest
from guard_model import GuardModel
from test_guard import fuzz

from andante.control.guard import Guard
from andante.control.guard_settings import GuardSettings
from andante.robots.robot import Robot

TICKS = 150
PAUSED = ("jitter", "mixed")
"""Clocks that now and then jump ahead, by up to some hours."""


def random_robot(tiny: Robot, rng: np.random.Generator) -> Robot:
    """Two to five joints with limits of their own, some of which follow the first."""
    count = int(rng.integers(2, 6))
    joints, servos = [], []
    for joint, servo in zip(tiny.joints[:count], tiny.servos, strict=False):
        lower, upper = rng.uniform(-2.0, -0.2), rng.uniform(0.2, 2.0)
        joints.append(
            dataclasses.replace(
                joint,
                lower=float(lower),
                upper=float(upper),
                max_velocity=float(10.0 ** rng.uniform(-0.5, 1.2)),
                max_acceleration=float(10.0 ** rng.uniform(1.0, 2.5)),
                max_effort=float(rng.uniform(0.5, 5.0)),
                follows=joints[0].name if joints and rng.random() < 0.35 else None,
            )
        )
        kp, kd = (float(gain) if rng.random() < 0.8 else 0.0 for gain in rng.uniform((5.0, 0.1), (50.0, 2.0)))
        servos.append(dataclasses.replace(servo, kp=kp, kd=kd))
    return dataclasses.replace(tiny, joints=tuple(joints), servos=tuple(servos))


def random_settings(period: float, rng: np.random.Generator) -> GuardSettings:
    hold = (int(rng.integers(1, 6)) - 0.5) * period
    return GuardSettings(
        velocity_scale=float(rng.uniform(0.3, 1.5)),
        acceleration_scale=float(rng.uniform(0.3, 1.5)),
        gain_scale=float(rng.uniform(0.5, 4.0)),
        stale_hold=hold,
        stale_limp=hold + int(rng.integers(0, 6)) * period,
        fall=str(rng.choice(("none", "soften"))),  # type: ignore[arg-type]
        fall_gain=float(rng.choice((0.0, 0.1, 0.7), p=(0.1, 0.4, 0.5))),
        fall_duration=float(rng.uniform(0.0, 20.0)) * period,
    )


def swings(robot: Robot, period: float, rng: np.random.Generator) -> Iterator[np.ndarray]:
    """Smooth ways (nj,) [rad] that use limits of speed and acceleration nearly, wholly, or a little too much."""
    nj = len(robot.joints)
    while True:
        speed = robot.max_velocity * rng.uniform(0.05, 1.0, nj)
        turn = robot.max_acceleration * rng.uniform(0.05, 1.0, nj) / speed
        for tick in range(int(rng.integers(10, 60))):
            yield speed / turn * np.sin(turn * tick * period)


def random_command(
    robot: Robot, place: np.ndarray, stiffness: np.ndarray, strange: float, rng: np.random.Generator
) -> np.ndarray:
    """Five numbers per joint, (5, nj): calm ones, of which a share goes beyond its bounds or is no number."""
    nj = len(robot.joints)
    rows = np.empty((5, nj))
    rows[0] = place
    rows[1] = np.where(rng.random(nj) < 0.3, 0.0, rng.uniform(-0.3, 0.3, nj) * robot.max_velocity)
    rows[2] = stiffness * (0.5 * robot.servo_kp.min() + 0.1)
    rows[3] = 0.5 * robot.servo_kd.min()
    rows[4] = rng.uniform(-0.5, 0.5, nj) * robot.max_effort.min()
    wild = rng.random(rows.shape) < strange
    wild[0] = False
    rows[wild] *= rng.choice((-1.0, 0.0, 1.5, 5.0, 1e6), int(wild.sum()))
    nonsense = rng.random(rows.shape) < 0.2 * strange
    rows[nonsense] = rng.choice(fuzz.NONSENSE, int(nonsense.sum()))
    return rows


def compare(tiny: Robot, clock: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    robot, period = random_robot(tiny, rng), float(rng.choice((0.002, 0.008, 0.012)))
    settings = random_settings(period, rng)
    guard, model = Guard(robot, period, settings), GuardModel(robot, period, settings)
    nj, followers = len(robot.joints), [bool(joint.follows) for joint in robot.joints]
    strange, alike, wild = rng.choice((0.0, 0.003, 0.05)), rng.random() < 0.8, rng.random() < 0.3
    times, calm, jumps = fuzz.ticks(clock, period, rng), swings(robot, period, rng), fuzz.targets(robot, rng)
    tilt, stiffness, paused, blind = 0.0, np.ones(nj), 0.0, rng.random() < 0.5
    told = {}
    for tick in range(TICKS):
        place, jump, time = next(calm), next(jumps), next(times) + paused
        if rng.random() < 0.02:
            wild = not wild
        if rng.random() < 0.03:
            stiffness = rng.choice((1.0, 0.5, 0.0), nj, p=(0.7, 0.2, 0.1))
        rows = random_command(robot, jump if wild else place, stiffness, float(strange), rng)
        if alike and rng.random() > strange:
            rows[:, followers] = rows[:, :1]
        if clock in PAUSED and rng.random() < 0.02:
            paused += 10.0 ** rng.uniform(-2.0, 4.0)
        if rng.random() < 0.05:
            tilt = float(rng.choice((0.0, 0.3, 0.6, 1.2)))
        sensors = robot.sensors()
        sensors.vector[0] = time
        sensors.position[:] = rng.normal(0.0, 0.7, nj)
        if (tick < 3 and not model.measured) or (model.measured and blind):
            sensors.position[rng.random(nj) < 0.3] = math.nan
        sensors.orientation[:] = (math.cos(tilt / 2.0), math.sin(tilt / 2.0), 0.0, 0.0)
        passed = guard.apply(robot.command(rows.ravel()), sensors).vector
        expected = model.apply(rows.tolist(), time, sensors.position.tolist(), tilt)
        np.testing.assert_allclose(passed.reshape(5, nj), expected, rtol=1e-7, atol=1e-9, err_msg=f"tick {tick}")
        for event in guard.take_events():
            key = str(event.data["limit"]), event.data.get("joint")
            told[key] = (event.time, event.data.get("asked", math.nan))
        counts = {(str(e.data["limit"]), e.data.get("joint")): e.data["ticks"] for e in guard.summary()}
        assert counts == model.counts, f"tick {tick}"
    assert told.keys() == model.firsts.keys()
    for key, first in model.firsts.items():
        assert told[key] == pytest.approx(first, rel=1e-9, nan_ok=True), key


@pytest.mark.parametrize("seed", range(20))
def test_numbers_and_events_are_those_of_the_model(tiny: Robot, seed: int) -> None:
    for clock in fuzz.CLOCKS:
        compare(tiny, clock, seed)
