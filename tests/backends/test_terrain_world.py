"""Terrain in physics: the ground that feet meet is the ground of the map, and a robot starts on it."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest
from pydantic import ValidationError

from andante.backends.model_builder import build_model
from andante.backends.mujoco_world import MujocoWorld
from andante.backends.terrain import TERRAIN, TerrainChoice
from andante.backends.world import Start, WorldConfig
from andante.documents.settings import SettingsError
from andante.robots.robot import Robot
from andante.terrain.boards.make import BOARDS
from andante.terrain.height_map import TerrainError

DOG = Robot.load("littledog")


def world(**choice) -> WorldConfig:
    return WorldConfig(terrain=TerrainChoice(**choice), start=Start(x=0.15, posture="stand"))


def stand(backend: MujocoWorld, seconds: float):
    command = DOG.command()
    command.position[:] = DOG.posture("stand")
    command.kp[:], command.kd[:] = DOG.servo_kp, DOG.servo_kd
    for _ in range(round(seconds / DOG.tick)):
        backend.write(command)
        backend.advance(DOG.tick)
    return backend.truth()


@pytest.mark.parametrize("name", sorted(BOARDS))
def test_rays_from_above_hit_the_ground_of_the_map(name):
    config = world(board=name, seed=2)
    board = config.terrain.load()
    model = build_model(DOG, config)
    data = mujoco.MjData(model)
    data.qpos[2] = 50.0
    mujoco.mj_forward(model, data)
    rng, geom = np.random.default_rng(1), np.zeros(1, dtype=np.int32)
    # A ray through a seam between two bodies or triangles meets neither, so rays pass beside nodes and diagonals.
    z = board.heights.heights
    i, j = rng.integers(1, z.shape[0] - 1, 400), rng.integers(1, z.shape[1] - 1, 400)
    misses, ranges = [], []
    for a, b in zip(i.tolist(), j.tolist(), strict=True):
        place = [board.heights.x[a] + 1e-4, board.heights.y[b] + 2e-4, 5.0]
        distance = mujoco.mj_ray(model, data, place, [0.0, 0.0, -1.0], None, 1, -1, geom)
        misses.append(abs(5.0 - distance - z[a, b]))
        ranges.append(np.ptp(z[a - 1 : a + 2, b - 1 : b + 2]))
    assert (np.array(misses) <= np.array(ranges) + 1e-6).all()
    assert np.median(misses) < 1e-4


def test_a_robot_stands_on_the_board_and_its_height_counts_from_the_ground():
    truth = stand(MujocoWorld(DOG, world(board="gaps")), 0.5)
    assert truth["base_height"][0] == pytest.approx(0.1457, abs=2e-3)
    # Over a pit of 10 cm, which the floor is.
    assert truth["qpos"][2] == pytest.approx(0.1457, abs=2e-3)


def test_a_robot_can_start_on_a_mesa():
    config = WorldConfig(
        terrain=TerrainChoice(board="mesa", parameters={"height": 0.075}), start=Start(x=1.0, posture="stand")
    )
    backend = MujocoWorld(DOG, config)
    truth = stand(backend, 0.5)
    assert truth["qpos"][2] == pytest.approx(0.075 + 0.1457, abs=2e-3)
    assert truth["base_height"][0] == pytest.approx(0.1457, abs=2e-3)
    assert backend.read().contact.tolist() == [1.0] * 4


def test_a_blow_of_the_trunk_on_a_board_is_measured():
    config = WorldConfig(
        terrain=TerrainChoice(board="mesa", parameters={"height": 0.075}),
        start=Start(x=1.0, posture="stand", roll=3.1, clearance=0.05),
    )
    backend = MujocoWorld(DOG, config)
    backend.reset(0)
    peak = 0.0
    for _ in range(60):
        backend.advance(0.01)
        peak = max(peak, float(backend.truth()["impact"][0]))
    assert peak > 20.0


def test_friction_of_the_terrain_counts_for_ground_and_soles():
    model = MujocoWorld(DOG, world(board="mesa", friction=0.5)).model
    names = [model.geom(number).name for number in range(model.ngeom)]
    for number, name in enumerate(names):
        if name.startswith(TERRAIN) or name.endswith("_foot"):
            assert model.geom_friction[number, 0] == pytest.approx(0.4)


def test_a_file_is_terrain_too(tmp_path):
    heights = np.zeros((201, 61))
    heights[100:] = 0.02
    np.save(tmp_path / "step.npy", heights)
    config = WorldConfig(
        terrain=TerrainChoice(file=str(tmp_path / "step.npy"), spacing=0.01),
        start=Start(x=1.6, y=0.3, posture="stand"),
    )
    assert stand(MujocoWorld(DOG, config), 0.5)["qpos"][2] == pytest.approx(0.02 + 0.1457, abs=2e-3)


def test_terrain_that_cannot_be_is_refused():
    with pytest.raises(TerrainError, match="there is no such board"):
        MujocoWorld(DOG, world(board="mesas"))
    with pytest.raises(SettingsError, match="either board or file"):
        TerrainChoice()
    with pytest.raises(ValidationError, match="neither slope nor carpet"):
        WorldConfig(terrain=TerrainChoice(board="mesa"), slope=0.1)
