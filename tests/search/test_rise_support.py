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


def by_arrays(world, normal):
    """The rule in arrays: the oracle."""
    model, data, robot = world.model, world.data, world.robot
    base = model.body(robot.base_body).id
    mujoco.mj_subtreeVel(model, data)
    soles = []
    for foot in robot.feet:
        site, turn = model.site(foot.site).id, data.site_xmat[model.site(foot.site).id].reshape(3, 3)
        soles += [data.site_xpos[site] + turn @ (x, y, 0.0) for x, y in foot.outline]
    soles, com = np.array(soles), data.subtree_com[base]
    height = max((com - soles.mean(axis=0)) @ normal, 0.02)
    point = com + data.subtree_linvel[base] * np.sqrt(height / 9.81)
    ahead = data.xmat[base].reshape(3, 3)[:, 0]
    ahead = ahead - normal * (normal @ ahead)
    ahead /= np.linalg.norm(ahead)
    for axis in (ahead, np.cross(normal, ahead)):
        low, high = (soles @ axis).min(), (soles @ axis).max()
        if abs(point @ axis - 0.5 * (low + high)) > 0.25 * (high - low):
            return False
    return True


def test_support_on_slopes_and_in_motion_is_that_of_the_rule_in_arrays():
    robot, rng = Robot.load("nao"), np.random.default_rng(5)
    world = MujocoWorld(robot, WorldConfig(start=Start(posture="stand")))
    support, found = Support(world), []
    for _ in range(200):
        world.reset(0)
        world.data.qvel[:] = rng.normal(0.0, 0.15, world.model.nv)
        world.data.qpos[3:7] = (1.0, *rng.normal(0.0, 0.05, 3))
        world.data.qpos[7:] += rng.normal(0.0, 0.05, len(world.data.qpos) - 7)
        mujoco.mj_forward(world.model, world.data)
        normal = np.array((*rng.normal(0.0, 0.05, 2), 1.0))
        normal /= np.linalg.norm(normal)
        found.append(support.holds(normal))
        assert found[-1] is by_arrays(world, normal)
    assert 20 < sum(found) < 180
