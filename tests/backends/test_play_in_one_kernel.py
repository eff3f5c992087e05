"""Motors with play and limits that depend on speed: many steps in one go give the bytes of single steps."""

import numpy as np
import pytest

from andante.backends.mujoco_world import MujocoWorld
from andante.backends.world import WorldConfig
from andante.robots.robot import Robot


@pytest.mark.parametrize("timestep", [0.002, 0.001])
def test_play_and_curves_in_one_kernel(timestep):
    robot = Robot.load("t1")
    told = []
    for singly in (True, False):
        world = MujocoWorld(robot, WorldConfig(timestep=timestep, backlash=0.01, impacts=False))
        world.reset(3)
        assert world.servos.has_play
        assert world.servos.has_curve
        if singly:
            world.on_solved = lambda: None
        rng = np.random.default_rng(5)
        stand = robot.posture("stand")
        bytes_seen = []
        for tick in range(30):
            stiffness = 0.0 if tick in (12, 13) else 1.0
            world.write(robot.held(stand + 0.4 * rng.standard_normal(len(stand)), stiffness))
            world.advance(robot.tick)
            data = world.data
            parts = (data.qpos, data.qvel, data.ctrl, world.servos.gap, world.truth().vector, world.read().vector)
            bytes_seen += [np.asarray(part).tobytes() for part in parts]
        told.append(bytes_seen)
    assert told[0] == told[1]
