"""Readings and commands that come late, unevenly or never: by time stamps, and by what the joints do."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from andante.backends.mujoco_world import MujocoWorld
from andante.backends.world import Start, WorldConfig
from andante.robots.robot import Robot

STEP, TICK = 0.001, 0.01


def world_of(robot: Robot, **changes: object) -> MujocoWorld:
    return MujocoWorld(robot, WorldConfig(fixed_base=True, timestep=STEP, start=Start(height=2.0), **changes))  # type: ignore[arg-type]


def stamps(world: MujocoWorld, ticks: int = 60, tick: float = TICK) -> tuple[np.ndarray, np.ndarray]:
    """Time stamps of the readings and the angles in them, tick by tick, of a joint that swings."""
    times, angles = [], []
    for number in range(ticks):
        sensors = world.read()
        times.append(sensors.time)
        angles.append(sensors.position[0])
        command = world.robot.command()
        command.torque[:] = np.sin(20.0 * tick * number)
        world.write(command)
        world.advance(tick)
    return np.array(times), np.array(angles)


@pytest.mark.parametrize("age", [0.001, 0.003, 0.008, 0.01, 0.013, 0.027])
def test_readings_are_as_old_as_asked_whatever_part_of_a_tick_that_is(pendulum: Robot, age: float) -> None:
    times, _ = stamps(world_of(pendulum, sensor_latency=age))
    assert times == pytest.approx(np.maximum(TICK * np.arange(60) - age, 0.0), abs=1e-9)


def test_an_old_reading_is_what_a_fresh_one_was_then(pendulum: Robot) -> None:
    """A robot whose readings are fresh and come every millisecond against one whose readings are 3 ms old."""
    fine = world_of(pendulum)
    fresh = []
    for number in range(200):
        if number % 10 == 0:
            command = fine.robot.command()
            command.torque[:] = np.sin(20.0 * TICK * (number // 10))
            fine.write(command)
        fresh.append(fine.read().position[0])
        fine.advance(STEP)
    _, angles = stamps(world_of(pendulum, sensor_latency=0.003), ticks=20)
    assert angles[1:] == pytest.approx([fresh[10 * number - 3] for number in range(1, 20)], abs=1e-12)


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 12), st.integers(0, 12), st.integers(0, 2**20))
def test_uneven_readings_stay_within_age_and_jitter_and_in_order(
    pendulum: Robot, age: int, jitter: int, seed: int
) -> None:
    world = world_of(pendulum, sensor_latency=age * STEP, sensor_jitter=jitter * STEP)
    world.reset(seed)
    times, _ = stamps(world, 40)
    late = np.rint((TICK * np.arange(40) - times) / STEP)
    assert (np.diff(times) >= -1e-12).all()
    assert (late >= np.minimum(age, 10 * np.arange(40))).all()
    assert (late <= age + jitter).all()
    if jitter > 3:
        assert len(np.unique(late)) > 2


def test_the_joints_may_be_older_than_their_stamp(pendulum: Robot) -> None:
    plain, late = world_of(pendulum), world_of(pendulum, joint_latency=0.02)
    times, angles = stamps(plain)
    late_times, late_angles = stamps(late)
    assert late_times.tolist() == times.tolist()
    assert late_angles[2:].tolist() == angles[:-2].tolist()


def test_lost_readings_are_those_before_again(pendulum: Robot) -> None:
    times, _ = stamps(world_of(pendulum, sensor_loss=0.3), 400)
    repeats = (np.diff(times) == 0.0).mean()
    assert 0.2 < repeats < 0.4
    fresh = np.diff(times) > 0.0
    assert times[1:][fresh] == pytest.approx((TICK * np.arange(1, 400))[fresh])
    times, _ = stamps(world_of(pendulum, sensor_loss=1.0), 5)
    assert times.tolist() == [0.0] * 5


def test_uneven_commands_keep_their_order_and_their_bounds(pendulum: Robot) -> None:
    """Each command is a torque of its own, so what acts tells which it is."""
    world = world_of(pendulum, command_delay=1, command_jitter=0.025)
    acting = []
    for number in range(60):
        command = world.robot.command()
        command.torque[:] = 0.01 * (number + 1)
        world.write(command)
        for _ in range(10):
            world.advance(STEP)
            acting.append(round(float(world.read().effort[0]) / 0.01))
    acting = acting[40:]
    assert (np.diff(acting) >= 0).all()
    # After 10 ms of delay and up to 25 ms more it acts, unless a later one has come with it.
    ages = np.array([number + 40 - 10 * (each - 1) for number, each in enumerate(acting)])
    assert ages.min() >= 10
    assert ages.max() <= 10 + 25 + 10
    assert max(np.diff(acting)) > 1


def test_equal_seeds_give_equal_lateness(pendulum: Robot) -> None:
    worlds = [world_of(pendulum, sensor_jitter=0.008, sensor_loss=0.1, command_jitter=0.008) for _ in range(2)]
    for world in worlds:
        world.reset(7)
    (first, angles), (second, others) = (stamps(world) for world in worlds)
    assert first.tolist() == second.tolist()
    assert angles.tolist() == others.tolist()
    worlds[1].reset(8)
    assert stamps(worlds[1])[0].tolist() != first.tolist()


@pytest.mark.parametrize("field", ["sensor_jitter", "joint_latency", "command_jitter"])
@pytest.mark.parametrize("value", [-0.001, 1.5, float("nan")])
def test_times_that_are_none_are_refused(field: str, value: float) -> None:
    with pytest.raises(ValidationError, match=field):
        WorldConfig.model_validate({field: value})
