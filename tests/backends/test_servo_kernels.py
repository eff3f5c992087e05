"""Servos and meters in one call: the same numbers as numpy's, and the same states as physics step by step."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from andante.backends.backend import DivergenceError
from andante.backends.mujoco_world import MujocoWorld
from andante.backends.servo_kernels import count_part
from andante.backends.world import Push, SensorNoise, WorldConfig
from andante.robots.robot import Robot

FAST = 1e6


def counted(
    qvel: np.ndarray, force: np.ndarray, velocity: np.ndarray, warned: int | None = None
) -> tuple[bool, np.ndarray, np.ndarray]:
    """What `count_part` says, good state and meters after a part of 2 ms in which MuJoCo warned of a kind."""
    good, meters = np.full(2 + len(qvel), 7.0), np.array([0.0, 1.0])
    # Between the counts lies what was warned of, which may be any number.
    warnings = np.full(13, 5, dtype=np.int32)
    warnings[::2] = 0
    if warned is not None:
        warnings[2 * warned] = 1
    return count_part(np.ones(2), qvel, force, velocity, good, meters, warnings, 0.002, FAST), good, meters


@given(st.integers(1, 128), st.integers(0, 2**32 - 1))
def test_power_is_added_up_as_numpy_does(count, seed):
    rng = np.random.default_rng(seed)
    force, velocity = rng.normal(0.0, 10.0, (2, count))
    fine, good, meters = counted(np.full(3, 2.0), force, velocity)
    assert fine
    power = float(np.abs(force * velocity).sum())
    assert meters.tolist() == [power, 1.0 + power * 0.002]
    assert good.tolist() == [1.0, 1.0, 2.0, 2.0, 2.0]


@pytest.mark.parametrize("speed", [1e3, np.nan, np.inf, -np.inf])
def test_a_state_that_cannot_be_is_not_kept(speed):
    fine, good, meters = counted(np.array([0.0, speed]), np.ones(2), np.ones(2))
    assert not fine
    assert (good == 7.0).all()
    assert meters.tolist() == [0.0, 1.0]


@pytest.mark.parametrize("kind", range(7))
def test_a_state_that_mujoco_warned_of_is_not_kept(kind):
    fine, good, meters = counted(np.zeros(3), np.ones(2), np.ones(2), kind)
    assert not fine
    assert (good == 7.0).all()
    assert meters.tolist() == [0.0, 1.0]


@pytest.mark.parametrize("changes", [{}, {"backlash": 0.01}, {"timestep": 0.001}], ids=["parts", "play", "1 ms"])
@pytest.mark.parametrize("robot", ["nao", "spirit40"])
@pytest.mark.parametrize("kind", range(len(mujoco.mjtWarning.__members__) - 1))
def test_every_warning_of_mujoco_ends_the_run_by_name(robot, changes, kind):
    world = MujocoWorld(Robot.load(robot), WorldConfig(**changes))
    world.advance(world.robot.tick)
    world.data.warning[kind].lastinfo = 3
    world.advance(world.robot.tick)
    world.data.warning[kind].number += 1
    with pytest.raises(DivergenceError, match=mujoco.mjtWarning(kind).name):
        world.advance(world.robot.tick)


WORLDS = {
    "plain": {},
    "half a millisecond": {"timestep": 0.0005},
    "one millisecond": {"timestep": 0.001},
    "a push": {"pushes": (Push(time=0.035, duration=0.05, force=(80.0, 0.0, 0.0)),)},
    "late sensors": {"sensor_latency": 0.006, "noise": SensorNoise(gyro=0.05, position=0.01)},
    "noisy drives": {"drive_noise": True, "noise": SensorNoise(position=0.01, velocity=0.1)},
    "play": {"backlash": 0.01},
}


@pytest.mark.parametrize("changes", WORLDS.values(), ids=WORLDS)
def test_steps_in_a_row_are_those_one_by_one(changes):
    """Someone who looks at every part makes the world stop there; what it does stays the same to the last bit."""
    robot = Robot.load("spirit40")
    worlds = [MujocoWorld(robot, WorldConfig(**changes)) for _ in range(2)]
    looked = []
    for world, looks in zip(worlds, (False, True), strict=True):
        world.reset(3)
        if looks:
            world.on_solved = lambda: looked.append(1)
    rng = np.random.default_rng(0)
    for _ in range(40):
        command = robot.command()
        command.position[:] = robot.posture("stand") + rng.normal(0.0, 0.3, len(robot.joints))
        command.kp[:], command.kd[:] = robot.servo_kp, robot.servo_kd
        for world in worlds:
            world.write(command)
            world.advance(robot.tick)
        row, single = worlds
        assert row.data.qpos.tobytes() == single.data.qpos.tobytes()
        assert row.data.qvel.tobytes() == single.data.qvel.tobytes()
        assert row.read().vector.tobytes() == single.read().vector.tobytes()
        assert row.truth().vector.tobytes() == single.truth().vector.tobytes()
    assert looked
