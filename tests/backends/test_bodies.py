"""Bodies that are not what the model says: factors within their range, one draw per run, and what follows from them."""

from __future__ import annotations

import dataclasses

import mujoco
import numpy as np
import pytest
from pydantic import ValidationError

from andante.backends.model_builder import build_model
from andante.backends.mujoco_world import MujocoWorld
from andante.backends.payload import Payload
from andante.backends.world import Start, WorldConfig
from andante.robots.robot import Robot

TORQUE, NO_LOAD = 3.0, 20.0


def factors(world: MujocoWorld, robot: Robot) -> np.ndarray:
    """Mass of each of the robot's bodies over that of the model."""
    model = build_model(robot, WorldConfig())
    names = [model.body(number).name for number in range(model.nbody) if model.body_mass[number] > 0.0]
    return np.array([world.model.body(name).mass[0] / model.body(name).mass[0] for name in names])


def test_each_body_has_a_factor_of_its_own_and_the_seed_decides_it(nao: Robot) -> None:
    world = MujocoWorld(nao, WorldConfig(masses=(0.8, 1.25)))
    seen = []
    for seed in (3, 4, 3):
        world.reset(seed)
        seen.append(factors(world, nao))
    assert np.array_equal(seen[0], seen[2]), "a draw adds nothing to the one before"
    assert not np.allclose(seen[0], seen[1])
    assert seen[0].min() >= 0.8
    assert seen[0].max() <= 1.25
    assert np.ptp(seen[0]) > 0.2


def test_inertia_goes_with_the_mass_and_the_robot_weighs_what_its_bodies_do(nao: Robot) -> None:
    world = MujocoWorld(nao, WorldConfig(masses=1.5))
    plain = build_model(nao, WorldConfig())
    base = nao.base_body
    assert world.model.body(base).inertia == pytest.approx(1.5 * plain.body(base).inertia)
    assert world.model.body(base).subtreemass == pytest.approx(1.5 * plain.body(base).subtreemass)


def test_the_trunk_hangs_from_a_shifted_centre_of_mass(nao: Robot) -> None:
    """A free body turns about its centre of mass: that is where MuJoCo has to see it."""
    world = MujocoWorld(nao, WorldConfig(com_shift=0.02, start=Start(height=2.0)))
    plain = MujocoWorld(nao, WorldConfig(start=Start(height=2.0)))
    base = world.model.body(nao.base_body).id
    for seed in range(5):
        world.reset(seed)
        plain.reset(seed)
        moved = world.model.body_ipos[base] - plain.model.body_ipos[base]
        assert 0.0 < np.abs(moved).max() <= 0.02
        assert world.data.xipos[base] - plain.data.xipos[base] == pytest.approx(moved, abs=1e-9)


def test_a_world_that_leaves_bodies_alone_is_the_same_to_the_last_bit(nao: Robot) -> None:
    world = MujocoWorld(nao, WorldConfig())
    assert np.array_equal(world.model.body_mass, build_model(nao, WorldConfig()).body_mass)
    assert np.array_equal(world.model.dof_invweight0, build_model(nao, WorldConfig()).dof_invweight0)


def test_other_draws_of_a_seed_stay(nao: Robot) -> None:
    plain, heavy = (
        MujocoWorld(nao, WorldConfig(friction=(0.4, 1.0), servo_strength=(0.8, 1.2), **more))
        for more in ({}, {"masses": (0.9, 1.1), "com_shift": 0.01, "torque_speed": (0.9, 1.1)})
    )
    for world in (plain, heavy):
        world.reset(7)
    assert np.array_equal(plain.model.geom_friction, heavy.model.geom_friction)
    assert np.array_equal(plain.servos.strength, heavy.servos.strength)


def test_what_the_robot_carries_is_no_body_of_it(nao: Robot) -> None:
    world = MujocoWorld(nao, WorldConfig(masses=2.0, payload=Payload(mass=0.3)))
    assert world.model.body("andante_payload").mass == pytest.approx(0.3)


def test_a_slower_motor_ends_at_a_slower_speed(pendulum: Robot) -> None:
    servos = tuple(dataclasses.replace(servo, torque_speed=(8.0, NO_LOAD)) for servo in pendulum.servos)
    robot = dataclasses.replace(pendulum, servos=servos)
    config = WorldConfig(fixed_base=True, gravity=(0, 0, 0), command_delay=0, start=Start(height=2.0), torque_speed=0.8)
    world = MujocoWorld(robot, config)
    command = robot.command()
    command.torque[:] = TORQUE
    for _ in range(300):
        world.write(command)
        world.advance(robot.tick)
    assert world.read().velocity[0] == pytest.approx(0.8 * NO_LOAD, abs=0.3)


@pytest.mark.parametrize(
    ("field", "value"),
    [("masses", 0.0), ("masses", (1.1, 0.9)), ("torque_speed", (0.0, 1.0)), ("com_shift", -0.01), ("com_shift", 2.0)],
)
def test_impossible_bodies_are_refused(field: str, value: object) -> None:
    with pytest.raises(ValidationError, match=field):
        WorldConfig(**{field: value})


def test_the_state_after_a_draw_is_the_start(nao: Robot) -> None:
    """Constants are worked out in the model's start posture; the run begins in its own."""
    world = MujocoWorld(nao, WorldConfig(masses=(0.9, 1.1), start=Start(posture="stand")))
    world.reset(1)
    angles = [world.data.joint(name).qpos[0] for name in nao.joint_names]
    assert angles == pytest.approx(list(nao.posture("stand")))
    mujoco.mj_forward(world.model, world.data)
    assert np.isfinite(world.data.qacc).all()
