"""Whether a robot will come to rest over its soles, and what a search leaves out that nobody reads."""

from __future__ import annotations

import mujoco
import numpy as np

from andante.backends.mujoco_world import MujocoWorld
from andante.backends.world import Start, WorldConfig
from andante.robots.robot import Robot
from andante.search.observers.support import Support

UP = np.array([0.0, 0.0, 1.0])


def test_a_robot_at_rest_is_supported_until_it_is_pushed():
    robot = Robot.load("nao")
    world = MujocoWorld(robot, WorldConfig(start=Start(posture="stand")))
    support = Support(world)
    assert support.holds(UP)
    # 0.3 m/s moves the capture point of a NAO by 5 cm, out of the middle half of its soles.
    for axis in (0, 1):
        for speed in (-0.4, 0.4):
            world.reset(0)
            world.data.qvel[axis] = speed
            mujoco.mj_forward(world.model, world.data)
            assert not support.holds(UP)
