"""The built model: motors, coupling, start pose, errors."""

from __future__ import annotations

import dataclasses
import math
from pathlib import Path

import mujoco
import numpy as np
import pytest

from andante.backends.backend import BackendError
from andante.backends.ball import Ball
from andante.backends.model_builder import ModelIndex, build_model, build_spec
from andante.backends.mujoco_world import MujocoWorld
from andante.backends.payload import Payload
from andante.backends.terrain import TerrainChoice
from andante.backends.world import Push, Start, WorldConfig
from andante.robots.parts import Foot, UnknownJointError
from andante.robots.robot import Robot


def test_one_motor_per_group_of_joints(biped: Robot) -> None:
    model = build_model(biped, WorldConfig())
    index = ModelIndex.of(biped, model)
    assert [model.actuator(i).name for i in range(model.nu)] == ["left_twist", "left_ankle", "right_ankle"]
    assert index.motor_of_joint.tolist() == [0, 1, 0, 2]
    assert index.leader_of_motor.tolist() == [0, 1, 3]
    assert model.jnt_type[model.joint("base").id] == mujoco.mjtJoint.mjJNT_FREE


def test_coupled_joints_share_the_motor_s_losses(biped: Robot) -> None:
    model = build_model(biped, WorldConfig())
    shared, own = model.joint("right_twist").dofadr[0], model.joint("right_ankle").dofadr[0]
    assert model.dof_armature[shared] == pytest.approx(model.dof_armature[own] / 2)
    assert model.dof_damping[shared] == pytest.approx(model.dof_damping[own] / 2)


def test_a_shared_motor_gives_each_joint_half_of_its_torque(biped: Robot) -> None:
    config = WorldConfig(fixed_base=True, gravity=(0.0, 0.0, 0.0), command_delay=0, start=Start(height=1.0))
    world = MujocoWorld(biped, config)
    command = biped.command()
    command.torque[0] = 1.0
    world.write(command)
    world.advance(0.002)
    assert world.data.qfrc_actuator[[0, 2]] == pytest.approx([0.5, 0.5])
    assert world.read().effort[[0, 2]] == pytest.approx([1.0, 1.0])


def test_model_can_be_saved_and_loaded(quadruped: Robot, tmp_path: Path) -> None:
    spec = build_spec(quadruped, WorldConfig())
    built = spec.compile()
    (tmp_path / "world.xml").write_text(spec.to_xml())
    loaded = mujoco.MjModel.from_xml_path(str(tmp_path / "world.xml"))
    assert (loaded.nq, loaded.nu, loaded.nsensor) == (built.nq, built.nu, built.nsensor)
    assert loaded.actuator_gainprm == pytest.approx(built.actuator_gainprm)
    assert loaded.opt.timestep == 0.002


def test_floor_friction_holds_whatever_the_robot_s(quadruped: Robot) -> None:
    world = MujocoWorld(quadruped, WorldConfig(friction=0.3))
    world.advance(0.1)
    assert world.data.ncon > 0
    assert world.data.contact.friction[:, 0] == pytest.approx(0.3)


def _soft_footed(quadruped: Robot, feet: str, usual: str = "") -> Robot:
    """The robot with feet that say how soft they are, and with a default for all shapes of its file."""
    mjcf = quadruped.mjcf.replace('<geom type="sphere"', f'<geom type="sphere" {feet}')
    return dataclasses.replace(quadruped, mjcf=mjcf.replace("<worldbody>", f"{usual}<worldbody>"))


def test_contacts_are_as_soft_as_the_world_says_whatever_the_file(quadruped: Robot) -> None:
    robot = _soft_footed(
        quadruped, 'solref=".05 1" priority="3"', '<default><geom solimp=".2 .3 .01" solmix="5"/></default>'
    )
    world = MujocoWorld(robot, WorldConfig())
    world.advance(0.1)
    assert world.data.ncon > 0
    assert world.data.contact.solref[:, 0] == pytest.approx(0.008)
    assert world.data.contact.solimp[:, :3] == pytest.approx(np.tile([0.9, 0.95, 0.001], (world.data.ncon, 1)))


@pytest.mark.parametrize("bits", [(2, 2), (4, 8), (0, 6), (2, 0), (1, 0), (0, 1)])
def test_a_robot_of_other_bits_of_contact_stands_on_ground_and_meets_a_ball(
    quadruped: Robot, bits: tuple[int, int]
) -> None:
    spec = quadruped.spec()
    for shape in spec.geoms:
        if shape.contype or shape.conaffinity:
            shape.contype, shape.conaffinity = bits
    spec.compile()
    robot = dataclasses.replace(quadruped, mjcf=spec.to_xml())
    terrain = TerrainChoice.model_validate({"board": "blocks", "difficulty": 0.2})
    for config in (WorldConfig(), WorldConfig(terrain=terrain), WorldConfig(ball=Ball())):
        world = MujocoWorld(robot, config)
        height = float(world.data.qpos[2])
        world.advance(0.1)
        assert abs(world.data.qpos[2] - height) < 0.05
        assert world.data.ncon > 0
    model = world.model
    feet = [geom for geom in range(model.ngeom) if model.geom_type[geom] == mujoco.mjtGeom.mjGEOM_SPHERE]
    ball = model.geom("ball").id
    for foot in set(feet) - {ball}:
        assert (model.geom_contype[foot] & model.geom_conaffinity[ball]) or (
            model.geom_contype[ball] & model.geom_conaffinity[foot]
        )


@pytest.mark.parametrize("bound", ['boundmass="0.7"', 'boundinertia="0.02"', 'boundmass="0.7" boundinertia="0.02"'])
def test_least_masses_of_a_file_are_its_robot_s_alone(quadruped: Robot, bound: str) -> None:
    robot = dataclasses.replace(quadruped, mjcf=quadruped.mjcf.replace("<mujoco>", f"<mujoco><compiler {bound}/>"))
    config = WorldConfig(ball=Ball(mass=0.05), payload=Payload(mass=0.1, side=0.03))
    plain, bounded = build_model(quadruped, config), build_model(robot, config)
    for name in ("ball", "andante_payload"):
        assert bounded.body(name).mass == pytest.approx(plain.body(name).mass)
        assert bounded.body(name).inertia == pytest.approx(plain.body(name).inertia)
    for body in range(1, robot.model.nbody):
        name = robot.model.body(body).name
        assert bounded.body(name).mass == pytest.approx(robot.model.body_mass[body])
        assert bounded.body(name).inertia == pytest.approx(robot.model.body_inertia[body])
    # The bound does act on some of them.
    arrays = ["body_mass"] * ("mass" in bound) + ["body_inertia"] * ("inertia" in bound)
    assert all(getattr(robot.model, name).sum() > 1.05 * getattr(quadruped.model, name).sum() for name in arrays)


@pytest.mark.parametrize(
    "usual",
    [
        '<motor gear="75" ctrllimited="true" ctrlrange="-.4 .4"/>',
        '<general dyntype="filter" dynprm=".1" ctrlrange="-1 1" biastype="affine" biasprm="0 -5" actlimited="false"/>',
        '<position kp="500" ctrlrange="-1 1" forcerange="-3 3"/><tendon stiffness="7" damping="2" armature="0.1"/>',
        '<equality active="false"/><tendon limited="true" range="0 1" frictionloss="2"/>',
    ],
)
def test_motors_are_the_world_s_whatever_the_file_has_for_all_of_its_own(biped: Robot, usual: str) -> None:
    plain = build_model(biped, WorldConfig())
    text = biped.mjcf.replace("<worldbody>", f"<default>{usual}</default><worldbody>")
    model = build_model(dataclasses.replace(biped, mjcf=text), WorldConfig())
    names = [name for name in dir(plain) if name.startswith(("actuator_", "tendon_", "eq_")) or name in ("na", "nu")]
    assert len(names) > 30
    for name in names:
        np.testing.assert_array_equal(getattr(model, name), getattr(plain, name), err_msg=name)


def test_contacts_are_as_soft_as_the_file_says_where_the_world_leaves_it_to_it(quadruped: Robot) -> None:
    own = WorldConfig().solver.but(contact_time=None)
    config = WorldConfig(friction=0.3, solver=own)
    # Floor and feet weigh the same: MuJoCo takes the mean of 0.02 s and 0.05 s; the higher priority decides alone.
    for feet, time in (('solref=".05 1"', 0.035), ('solref=".05 1" priority="3"', 0.05), ("", 0.02)):
        world = MujocoWorld(_soft_footed(quadruped, feet), config)
        world.advance(0.1)
        assert world.data.ncon > 0
        assert world.data.contact.solref[:, 0] == pytest.approx(time)
        assert world.data.contact.friction[:, 0] == pytest.approx(0.3)


def test_a_terrain_and_a_ball_beside_contacts_of_the_file(quadruped: Robot) -> None:
    robot = _soft_footed(quadruped, 'solref=".05 1" priority="3"')
    own = WorldConfig().solver.but(contact_time=None)
    terrain = TerrainChoice.model_validate({"board": "blocks", "difficulty": 0.2})
    model = build_model(robot, WorldConfig(solver=own, terrain=terrain))
    ground = [geom for geom in range(model.ngeom) if model.geom(geom).name.startswith("andante_")]
    assert len(ground) > 1
    assert model.geom_solref[ground, 0] == pytest.approx(0.02)
    assert model.geom_solmix[ground] == pytest.approx(1.0)
    model = build_model(robot, WorldConfig(solver=own, ball=Ball()))
    # A ball's bounce is its own, whatever the priority of a foot.
    assert model.geom_priority.max() == model.geom("ball").priority[0] > 1


@pytest.mark.parametrize("posture", ["stand", {"FL_knee": 0.3, "HR_pitch": -0.4}])
@pytest.mark.parametrize(
    ("roll", "pitch"), [(0.0, 0.0), (0.3, 0.0), (0.0, math.pi / 2), (0.0, -math.pi / 2), (3.0, 0.2)]
)
def test_lowest_point_touches_the_floor(quadruped: Robot, posture: object, roll: float, pitch: float) -> None:
    start = Start(posture=posture, roll=roll, pitch=pitch, yaw=0.7, clearance=0.01)
    world = MujocoWorld(quadruped, WorldConfig(start=start))
    model, data = world.model, world.data
    # Independent of MuJoCo's distances: the lowest corner of the trunk's box and the lowest ball foot.
    lowest = []
    for geom in range(model.ngeom):
        centre, matrix = data.geom_xpos[geom], data.geom_xmat[geom].reshape(3, 3)
        if model.geom_type[geom] == mujoco.mjtGeom.mjGEOM_BOX:
            lowest.append(centre[2] - np.abs(matrix[2]) @ model.geom_size[geom])
        elif model.geom_type[geom] == mujoco.mjtGeom.mjGEOM_SPHERE:
            lowest.append(centre[2] - model.geom_size[geom, 0])
    assert min(lowest) == pytest.approx(0.01, abs=1e-9)
    truth = world.truth()
    assert truth["roll"][0] == pytest.approx(math.asin(math.cos(pitch) * math.sin(roll)), abs=1e-9)


def test_full_circle_pitch(quadruped: Robot) -> None:
    for pitch in (-2.5, -1.0, 0.4, 2.0):
        world = MujocoWorld(quadruped, WorldConfig(start=Start(pitch=pitch, yaw=1.0)))
        assert world.truth()["pitch"][0] == pytest.approx(pitch)


def test_start_outside_the_limits(quadruped: Robot) -> None:
    with pytest.raises(BackendError, match=r"FL_knee: the start posture is outside the joint's limits; got 3.0; limit"):
        MujocoWorld(quadruped, WorldConfig(start=Start(posture={"FL_knee": 3.0})))


def test_unknown_names(quadruped: Robot) -> None:
    with pytest.raises(UnknownJointError, match="did you mean 'FL_knee'"):
        MujocoWorld(quadruped, WorldConfig(start=Start(posture={"FL_kne": 0.0})))
    push = Push(time=0.0, duration=0.1, force=(1.0, 0.0, 0.0), body="trunc")
    with pytest.raises(BackendError, match="did you mean 'trunk'"):
        MujocoWorld(quadruped, WorldConfig(pushes=(push,)))
    with pytest.raises(BackendError, match="no such base body"):
        build_model(dataclasses.replace(quadruped, base_body="torso"), WorldConfig())
    with pytest.raises(BackendError, match="no such IMU site"):
        build_model(dataclasses.replace(quadruped, imu_site="nowhere"), WorldConfig())
    with pytest.raises(BackendError, match="foot 'FL'"):
        build_model(dataclasses.replace(quadruped, feet=(Foot("FL", "FL_shank", "sole"),)), WorldConfig())
    joints = (dataclasses.replace(quadruped.joints[0], name="tail"), *quadruped.joints[1:])
    with pytest.raises(BackendError, match="no such joint; got 'tail'"):
        build_model(dataclasses.replace(quadruped, joints=joints), WorldConfig())


def test_follower_of_a_follower(biped: Robot) -> None:
    joints = (*biped.joints[:3], dataclasses.replace(biped.joints[3], follows="right_twist"))
    with pytest.raises(BackendError, match="right_ankle: a joint can only follow one with its own motor"):
        build_model(dataclasses.replace(biped, joints=joints), WorldConfig())


def test_nothing_to_stand_on(pendulum: Robot) -> None:
    with pytest.raises(BackendError, match=r"nothing of the robot can touch the floor; give start\.height"):
        MujocoWorld(pendulum, WorldConfig())
