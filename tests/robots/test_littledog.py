"""LittleDog's pack against its published model, in physics, and under other declared limits."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from quadrupeds import urdf_quadruped

from andante.backends.mujoco_world import MujocoWorld
from andante.backends.world import Start, WorldConfig
from andante.kinematics.collision import self_collisions
from andante.kinematics.forward import Kinematics
from andante.kinematics.roll_pitch_leg import asymmetries, roll_pitch_legs
from andante.robots.declared import with_limits
from andante.robots.parts import RobotError
from andante.robots.robot import Robot


@pytest.fixture(scope="module")
def littledog() -> Robot:
    return Robot.load("littledog")


def test_mass_and_home_posture_are_the_published_ones(littledog):
    kinematics = Kinematics(littledog)
    kinematics.update(littledog.posture("stand"))
    assert kinematics.mass() == pytest.approx(1.8 + 4 * (0.0623 + 0.1279 + 0.0464))
    np.testing.assert_allclose(kinematics.com(), [0.0, 0.0, -0.00492], atol=1e-5)
    for foot, (x, y) in zip(littledog.feet, [(1, 1), (1, -1), (-1, 1), (-1, -1)], strict=True):
        np.testing.assert_allclose(kinematics.pose(foot.site)[0], [0.0667 * x, 0.0735 * y, -0.1354], atol=6e-5)


def test_legs_have_the_published_lengths(littledog):
    legs = roll_pitch_legs(littledog)
    for leg in legs:
        upper, lower = leg.lengths
        assert upper == pytest.approx(0.0751)
        assert lower == pytest.approx(np.hypot(0.0265, 0.0985))
        assert leg.length == pytest.approx(0.187, abs=5e-4)
    # Front knees point backward, hind knees forward.
    assert [leg.bend for leg in legs] == [-1.0, -1.0, 1.0, 1.0]
    assert asymmetries(legs) == ()


def test_every_body_that_can_touch_the_ground_collides(littledog):
    model = littledog.model
    names = {model.geom(i).name for i in range(model.ngeom) if model.geom(i).contype[0]}
    parts = {f"{foot}_{part}" for foot in ("FL", "FR", "HL", "HR") for part in ("thigh", "shank", "foot")}
    assert names == parts | {"trunk"}
    assert not self_collisions(Kinematics(littledog), littledog.posture("stand"))


def test_it_stands_in_physics_at_the_torque_that_was_published(littledog):
    world = MujocoWorld(littledog, WorldConfig(start=Start(posture="stand")))
    command = littledog.command()
    command.position[:] = littledog.posture("stand")
    command.kp[:], command.kd[:] = littledog.servo_kp, littledog.servo_kd
    for _ in range(100):
        world.write(command)
        world.advance(0.01)
    truth = world.truth()
    assert np.abs(truth["motor_torque"]).max() == pytest.approx(0.20, abs=0.02)
    assert world.read().contact.tolist() == [1.0] * 4
    assert truth["base_height"][0] == pytest.approx(0.1457, abs=2e-3)


def test_other_limits_reach_joints_and_servos_and_are_named(littledog):
    weak = with_limits(littledog, torque=1.2, speed=8.0, delay_ticks=2)
    assert {joint.max_effort for joint in weak.joints} == {1.2}
    assert {(servo.max_torque, servo.max_velocity, servo.kp) for servo in weak.servos} == {(1.2, 8.0, 16.0)}
    assert weak.max_acceleration[0] == pytest.approx(1600.0)
    assert weak.delay_ticks == 2
    assert weak.sources["declared limits"] == "set for this run: torque 1.2 N m, speed 8 rad/s, delay 2 ticks"
    assert littledog.max_effort[0] == 2.5


def test_no_change_of_limits_changes_nothing(littledog):
    same = with_limits(littledog)
    for field in dataclasses.fields(Robot):
        assert getattr(same, field.name) == getattr(littledog, field.name)


@pytest.mark.parametrize(("name", "value"), [("torque", 0.0), ("speed", float("nan")), ("delay_ticks", -1)])
def test_impossible_limits_are_refused(littledog, name, value):
    with pytest.raises(RobotError, match=r"a declared (torque|speed|delay)"):
        with_limits(littledog, **{name: value})


def test_a_urdf_with_a_namespace_is_read(tmp_path):
    text = urdf_quadruped().replace("<robot ", '<robot xmlns="some:where" ')
    path = tmp_path / "spaced.urdf"
    path.write_text(text)
    robot = Robot.load(path)
    assert len(robot.joints) == 12
    assert robot.model.body_mass.sum() == pytest.approx(6 + 4 * 1.3)
