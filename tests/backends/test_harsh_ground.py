"""Floors: materials, slopes, carpet, and what the IMU and the truth make of them."""

from __future__ import annotations

import math

import numpy as np
import pytest
from pydantic import ValidationError

from andante.backends.floor import FloorVariation
from andante.backends.model_builder import build_model
from andante.backends.mujoco_world import MujocoWorld
from andante.backends.world import Carpet, Materials, Start, WorldConfig
from andante.robots.robot import Robot

G = 9.81


def contact_friction(world: MujocoWorld, body: str) -> set[float]:
    """Friction coefficients of the contacts of a body."""
    wanted = world.model.body(body).id
    return {
        round(float(friction[0]), 6)
        for pair, friction in zip(world.data.contact.geom, world.data.contact.friction, strict=True)
        if wanted in world.model.geom_bodyid[pair]
    }


def test_soles_and_shells_have_their_own_friction(biped: Robot) -> None:
    config = WorldConfig(friction=0.5, materials=Materials(sole=1.4, shell=0.6))
    world = MujocoWorld(biped, config)
    world.advance(0.12)
    assert contact_friction(world, "left_foot") == {0.7}
    lying = MujocoWorld(biped, config.model_copy(update={"start": Start(pitch=math.pi / 2)}))
    lying.advance(0.3)
    assert contact_friction(lying, "torso") == {0.3}


def test_factors_are_drawn_and_the_friction_itself_stays(biped: Robot) -> None:
    plain = MujocoWorld(biped, WorldConfig(friction=(0.4, 1.0)))
    mixed = MujocoWorld(biped, WorldConfig(friction=(0.4, 1.0), materials=Materials(sole=(0.5, 1.0))))
    factors = []
    for seed in range(20):
        plain.reset(seed)
        mixed.reset(seed)
        sole = mixed.model.geom_friction[mixed.model.geom_bodyid == mixed.model.body("left_foot").id, 0]
        factors.append(float(sole[0]) / float(plain.model.geom("andante_floor").friction[0]))
    assert 0.5 <= min(factors) < 0.6
    assert 0.9 < max(factors) <= 1.0


@pytest.mark.parametrize("slope", [3.0, 7.0])
@pytest.mark.parametrize("direction", [0.0, 90.0, -135.0])
def test_the_imu_sees_the_slope(biped: Robot, slope: float, direction: float) -> None:
    slope, direction = math.radians(slope), math.radians(direction)
    world = MujocoWorld(biped, WorldConfig(slope=slope, slope_direction=direction, friction=1.0))
    for _ in range(80):
        world.advance(0.012)
    # The torso is perpendicular to the floor: uphill it sees its own up axis leaning downhill.
    along = math.sin(slope)
    up = (along * math.cos(direction), along * math.sin(direction), math.cos(slope))
    sensors, truth = world.read(), world.truth()
    assert sensors.accelerometer / G == pytest.approx(up, abs=0.015)
    assert truth["pitch"][0] == pytest.approx(math.atan2(-up[0], up[2]), abs=0.015)
    assert sensors.contact.all()
    # The torso's origin is 0.25 m above the soles along the normal.
    assert truth["base_height"][0] == pytest.approx(0.25 / math.cos(slope), abs=0.003)


def test_a_tilted_floor_carries_the_feet_uphill_of_its_origin_too() -> None:
    slope, dog = math.radians(10.0), Robot.load("littledog")
    world = MujocoWorld(dog, WorldConfig(slope=slope, start=Start(posture="stand")))
    world.advance(0.5)
    assert world.read().contact.tolist() == [1.0] * 4
    assert world.truth()["pitch"][0] == pytest.approx(-slope, abs=0.01)


@pytest.mark.parametrize("friction", [0.2, 0.5])
def test_a_brick_slides_down_a_steep_slope_only(brick: Robot, friction: float) -> None:
    slope = math.radians(20.0)
    world = MujocoWorld(brick, WorldConfig(slope=slope, slope_direction=math.pi / 2, friction=friction))
    world.advance(0.1)
    start = world.truth()["qpos"][1]
    world.advance(0.4)
    slid = start - world.truth()["qpos"][1]
    # a = g (sin - mu cos), seen from above; it slid for 0.1 s before.
    pull = G * (math.sin(slope) - friction * math.cos(slope))
    expected = max(0.0, pull) * (0.5**2 - 0.1**2) / 2.0 * math.cos(slope)
    assert slid == pytest.approx(expected, rel=0.05, abs=2e-3)


def test_every_start_touches_a_sloping_floor(biped: Robot) -> None:
    for lying in ("prone", "left", None):
        config = WorldConfig(slope=0.3, slope_direction=1.0, start=Start(x=0.7, y=-0.4, roll=0.2, yaw=1.0))
        world = MujocoWorld(biped, config)
        floor = FloorVariation(biped, config, world.model)
        floor.draw(np.random.default_rng(0), np.random.default_rng(0))
        lowest = min(
            float((world.data.geom_xpos[g] + world.data.geom_xmat[g].reshape(3, 3) @ corner) @ floor.normal)
            for g in range(1, world.model.ngeom)
            for corner in world.model.geom_size[g] * np.array(np.meshgrid(*[(-1, 1)] * 3)).reshape(3, -1).T
        )
        assert lowest == pytest.approx(0.0, abs=1e-9), lying


def test_slopes_are_drawn(biped: Robot) -> None:
    config = WorldConfig(slope=(0.0, 0.1), slope_direction=(-math.pi, math.pi))
    model = build_model(biped, config)
    floor = FloorVariation(biped, config, model)
    normals = []
    for seed in range(200):
        floor.draw(np.random.default_rng(0), np.random.default_rng(seed))
        normals.append(floor.normal)
    tilts = np.arccos(np.array(normals)[:, 2])
    assert tilts.max() <= 0.1
    assert tilts.mean() == pytest.approx(0.05, abs=0.01)
    assert np.abs(np.mean(normals, axis=0)[:2]).max() < 0.01


def roll(ball: Robot, carpet: Carpet | None) -> float:
    """Deceleration of a rolling ball [m/s^2]."""
    world = MujocoWorld(ball, WorldConfig(carpet=carpet, start=Start(posture={"flag": 0.0})))
    world.advance(0.5)
    world.data.qvel[:] = 0.0
    world.data.qvel[[0, 4]] = 1.0, 1.0 / 0.05
    world.advance(0.1)
    before = world.truth()["qvel"][0]
    world.advance(0.5)
    return float(before - world.truth()["qvel"][0]) / 0.5


def test_carpet_brakes_a_rolling_ball(ball: Robot) -> None:
    # Torque r_r N against rolling: a = r_r g / (1.4 r) for a solid ball.
    assert roll(ball, Carpet(rolling=0.003)) == pytest.approx(0.003 * G / (1.4 * 0.05), rel=0.1)
    assert roll(ball, Carpet(rolling=0.006)) == pytest.approx(0.006 * G / (1.4 * 0.05), rel=0.1)
    assert roll(ball, None) == pytest.approx(0.0, abs=0.01)


def test_carpet_brakes_a_turning_ball(ball: Robot) -> None:
    for torsion in (0.005, 0.01):
        world = MujocoWorld(ball, WorldConfig(carpet=Carpet(torsion=torsion)))
        world.advance(0.5)
        world.data.qvel[:6] = 0.0, 0.0, 0.0, 0.0, 0.0, 30.0
        world.advance(0.1)
        # Torque r_t N on 0.4 m r^2.
        slowed = (30.0 - world.truth()["qvel"][5]) / 0.1
        assert slowed == pytest.approx(torsion * G / (0.4 * 0.05**2), rel=0.1)


def test_things_sink_into_carpet(brick: Robot, ball: Robot) -> None:
    depths = {}
    for robot in (brick, ball):
        for carpet in (None, Carpet()):
            world = MujocoWorld(robot, WorldConfig(carpet=carpet))
            start = world.truth()["base_height"][0]
            world.advance(1.0)
            depths[robot.name, carpet is None] = start - world.truth()["base_height"][0]
    for name in ("brick", "ball"):
        assert 0.0 < depths[name, True] < 0.5 * depths[name, False] < 0.002
    assert depths["ball", False] > 1e-4


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"slope": 2.0}, "slope needs 0 <= low <= high <= 1.047"),
        ({"slope": (0.1, 0.0)}, "slope needs"),
        ({"materials": {"sole": -1.0}}, "materials.sole needs 0 <= low <= high"),
        ({"carpet": {"rolling": -1.0}}, "greater than or equal to 0"),
        ({"carpet": {"pile": 1.0}}, "Extra inputs"),
    ],
)
def test_refuses(fields: dict[str, object], message: str) -> None:
    with pytest.raises(ValidationError, match=message):
        WorldConfig.model_validate(fields)
