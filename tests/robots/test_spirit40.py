"""Spirit 40's pack against its published model, and in physics at the rate of its driver."""

from __future__ import annotations

import math

import mujoco
import numpy as np
import pytest

from andante.backends.mujoco_world import MujocoWorld
from andante.backends.world import Start, WorldConfig
from andante.control.guard import Guard
from andante.kinematics.collision import self_collisions
from andante.kinematics.forward import Kinematics
from andante.kinematics.roll_pitch_leg import asymmetries, roll_pitch_legs
from andante.robots.declared import with_limits
from andante.robots.parts import RobotError
from andante.robots.robot import Robot


@pytest.fixture(scope="module")
def spirit() -> Robot:
    return Robot.load("spirit40")


def test_masses_are_the_published_ones(spirit):
    model = spirit.model
    assert model.body("body").mass[0] == 7.388
    assert Kinematics(spirit).mass() == pytest.approx(7.388 + 4 * (0.575 + 0.792 + 0.096 + 0.015)) == 13.3


def test_legs_and_hips_have_the_published_lengths(spirit):
    legs = roll_pitch_legs(spirit)
    for leg, (x, y) in zip(legs, [(1, 1), (1, -1), (-1, 1), (-1, -1)], strict=True):
        assert leg.lengths == pytest.approx((0.206, 0.206))
        np.testing.assert_allclose(leg.hip, [0.2263 * x, 0.07 * y, 0.0])
        np.testing.assert_allclose(leg.offset, [0.0, 0.10098 * y, 0.0])
        # All four knees point backward; the knee at 180 degrees is the stretched leg.
        assert leg.bend == -1.0
        assert leg.bends == pytest.approx((0.0, math.pi), abs=1e-6)
    # The published hip pitch limits of hind legs are the front's with the sign changed, the same on both sides.
    assert asymmetries(legs) == ()


def test_the_driver_s_stand_puts_the_feet_below_the_hips(spirit):
    """(0, 0.76, 1.52) rad: both links 0.76 rad below the horizon, so that the foot is straight below."""
    kinematics = Kinematics(spirit)
    kinematics.update(spirit.posture("stand"))
    for foot, (x, y) in zip(spirit.feet, [(1, 1), (1, -1), (-1, 1), (-1, -1)], strict=True):
        place = kinematics.pose(foot.site)[0]
        np.testing.assert_allclose(place, [0.2263 * x, (0.07 + 0.10098) * y, -0.412 * math.sin(0.76)], atol=1e-9)
    assert not self_collisions(kinematics, spirit.posture("stand"))
    assert not self_collisions(kinematics, spirit.posture("sit"))


def test_only_toes_count_as_feet(spirit):
    model = spirit.model
    for foot in spirit.feet:
        body = model.body(foot.body)
        assert (body.jntnum[0], body.geomnum[0]) == (0, 1)
        assert model.geom(body.geomadr[0]).size[0] == foot.radius == 0.02


def test_motors_fall_off_to_the_published_speeds(spirit):
    limits = {
        name[3:]: (servo.torque_speed, servo.max_torque)
        for name, servo in zip(spirit.joint_names, spirit.servos, strict=True)
    }
    assert limits == {
        "roll": ((18.85, 37.7), 21.0),
        "pitch": ((18.85, 37.7), 21.0),
        "knee": ((12.55, 25.1), 32.0),
    }
    assert spirit.max_velocity[:3].tolist() == [37.7, 37.7, 25.1]


def test_a_slower_motor_falls_off_sooner(spirit):
    slow = with_limits(spirit, speed=18.85)
    assert slow.servos[0].torque_speed == pytest.approx((9.425, 18.85))
    assert slow.servos[2].torque_speed == pytest.approx((9.425, 18.85))
    assert with_limits(spirit, torque=10.0).servos[0].torque_speed == (18.85, 37.7)


def test_it_sits_and_stands_in_physics_with_the_driver_s_gains(spirit):
    world = MujocoWorld(spirit, WorldConfig(timestep=0.001, start=Start(posture="sit")))
    guard = Guard(spirit, spirit.tick)
    command = spirit.command()
    command.kp[:], command.kd[:] = spirit.servo_kp, spirit.servo_kd
    height = []
    for tick in range(1500):
        # One second from sit to stand, a straight blend of joint angles, then hold.
        command.position[:] = spirit.posture("stand") * min(max((tick - 250) / 500, 0.0), 1.0)
        world.write(guard.apply(command, world.read()))
        world.advance(spirit.tick)
        height.append(world.truth()["base_height"][0])
    assert height[200] == pytest.approx(0.055, abs=0.01)  # lies on its hips, whose radius that is
    assert world.read().contact.tolist() == [1.0] * 4
    # With 35 N m/rad the legs sag below the posture's 0.304 m.
    assert 0.26 < height[-1] < 0.304
    assert np.ptp(height[-200:]) < 1e-3
    assert guard.summary() == []


def test_another_cycle_changes_nothing_else(spirit):
    slow = spirit.at(tick=0.01)
    assert slow.tick == 0.01
    assert (slow.joints, slow.servos, slow.mjcf, slow.delay_ticks) == (
        spirit.joints,
        spirit.servos,
        spirit.mjcf,
        spirit.delay_ticks,
    )
    assert spirit.tick == 0.002


def test_a_position_robot_runs_at_500_hz_too():
    """LittleDog at a fifth of its cycle: five commands where it had one, the same posture at the end."""
    ends = {}
    for tick in (0.01, 0.002):
        dog = Robot.load("littledog").at(tick)
        world = MujocoWorld(dog, WorldConfig(timestep=0.001, command_delay=0, start=Start(posture="stand")))
        command = dog.command()
        command.position[:] = dog.posture("stand")
        command.kp[:], command.kd[:] = dog.servo_kp, dog.servo_kd
        for _ in range(round(0.5 / tick)):
            world.write(command)
            world.advance(dog.tick)
        assert world.time == pytest.approx(0.5)
        ends[tick] = world.read().position
    np.testing.assert_allclose(ends[0.01], ends[0.002], atol=1e-9)


@pytest.mark.parametrize("tick", [0.0, -0.01, math.nan, math.inf])
def test_a_cycle_needs_a_period(spirit, tick):
    with pytest.raises(RobotError, match="robot 'spirit40': a motion cycle needs a period above zero"):
        spirit.at(tick)


def test_the_model_is_free_of_meshes(spirit):
    assert dict(spirit.assets) == {}
    kinds = set(spirit.model.geom_type.tolist())
    assert int(mujoco.mjtGeom.mjGEOM_MESH) not in kinds
