"""Robots that begin on inclined ground of a file are set down as on a floor that is inclined so."""

from __future__ import annotations

import math

import numpy as np
import pytest

from andante.backends.incline import Incline
from andante.backends.mujoco_world import MujocoWorld
from andante.backends.world import WorldConfig
from andante.robots.robot import Robot
from andante.terrain.height_map import HeightMap

RISE = math.tan(math.radians(8.0))


def ground(rise_x, rise_y, step=0.0):
    x = np.arange(-1.5, 1.51, 0.02)
    heights = rise_x * x[:, None] + rise_y * x[None, :] + step * (x[:, None] > 0.05)
    return HeightMap(heights, (-1.5, -1.5), 0.02)


def world_on(robot, folder, heights, **start):
    path = folder / "hill.npz"
    np.savez(path, heights=heights.heights, spacing=heights.spacing, origin=np.array(heights.origin))
    return MujocoWorld(robot, WorldConfig.model_validate({"terrain": {"file": str(path)}, "start": start}))


STANDING = ({}, {"yaw": 0.7, "pitch": 0.1, "x": 0.1})
# T1's round back rolls down either ground, each time another way.
CASES = [(name, start) for name in ("nao", "t1", "k1") for start in STANDING]
CASES += [(name, {"lying": "supine"}) for name in ("nao", "k1")]


@pytest.mark.parametrize(("name", "start"), CASES)
def test_a_start_on_a_hill_is_that_on_an_inclined_floor(tmp_path, name, start):
    robot = Robot.load(name)
    if "lying" in start:
        # Where it was put down, and not where it came to rest.
        start = {**start, "noise_scale": 0.0, "settle": {"duration": 0.01, "held": 0.0}}
    hill = world_on(robot, tmp_path, ground(0.0, RISE), **start)
    floor = MujocoWorld(
        robot,
        WorldConfig.model_validate({"slope": math.radians(8.0), "slope_direction": math.pi / 2, "start": start}),
    )
    places = []
    for world in (hill, floor):
        world.reset(0)
        places.append(world.data.qpos.copy())
    if "lying" not in start:
        np.testing.assert_allclose(places[0], places[1], atol=1e-9)
        return
    # Limp limbs come to rest on a height field a little otherwise than on a plane.
    assert places[0][:3] == pytest.approx(places[1][:3], abs=3e-3)
    assert abs(places[0][3:7] @ places[1][3:7]) > math.cos(math.radians(1.0))


def test_a_robot_that_was_set_down_stays_standing(tmp_path):
    world = world_on(Robot.load("nao"), tmp_path, ground(RISE, 0.0))
    world.reset(0)
    before = world.data.qpos[:7].copy()
    world.advance(0.5)
    assert world.data.qpos[:3] == pytest.approx(before[:3], abs=0.02)
    assert abs(world.data.qpos[3:7] @ before[3:7]) > math.cos(math.radians(2.0))


def test_level_uneven_and_steep_ground_and_rims_are_no_inclines():
    assert Incline.under(ground(0.04, 0.0), 0.0, 0.0, 0.3) is None
    assert Incline.under(ground(0.1, 0.0, step=0.12), 0.0, 0.0, 0.3) is None
    assert Incline.under(ground(8.0, 0.0), 0.0, 0.0, 0.3) is None
    assert Incline.under(ground(0.2, 0.0), 1.4, 0.0, 0.3) is None
    found = Incline.under(ground(0.2, -0.1), 0.4, 0.3, 0.3)
    assert found is not None
    assert found.rotation[:, 2] == pytest.approx(np.array([-0.2, 0.1, 1.0]) / math.hypot(1.0, 0.2, 0.1))
    assert (found.height, found.above) == pytest.approx((0.05, 0.0), abs=1e-12)


def test_a_height_that_is_given_and_level_ground_leave_a_robot_as_it_was(tmp_path):
    robot = Robot.load("nao")
    for heights, start in ((ground(RISE, 0.0), {"height": 0.4}), (ground(0.0, 0.0), {})):
        world = world_on(robot, tmp_path, heights, **start)
        world.reset(0)
        assert world.data.qpos[3:7] == pytest.approx([1.0, 0.0, 0.0, 0.0], abs=1e-12)
