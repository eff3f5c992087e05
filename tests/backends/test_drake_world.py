"""Worlds stepped by Drake: the same robot, servos, faults and sensors, other physics."""

from __future__ import annotations

import dataclasses
import gc
import importlib.util
import weakref

import mujoco
import numpy as np
import pytest

from andante.backends.backend import BackendError
from andante.backends.fault import Fault
from andante.backends.mujoco_world import MujocoWorld
from andante.backends.world import Push, Start, WorldConfig
from andante.robots.robot import Robot

if importlib.util.find_spec("pydrake") is None:
    pytest.skip("needs the package drake (make robots, or pip install --no-deps drake)", allow_module_level=True)

from andante.backends.drake.world import DrakeWorld


def standing(kind: type[MujocoWorld], robot: Robot, seconds: float = 0.6, **world: object) -> MujocoWorld:
    made = kind(robot, WorldConfig(**world))  # type: ignore[arg-type]
    command = robot.command()
    command.position[:] = robot.posture("stand")
    command.kp[:], command.kd[:] = robot.servo_kp, robot.servo_kd
    made.write(command)
    for _ in range(round(seconds / robot.tick)):
        made.advance(robot.tick)
    return made


@pytest.mark.parametrize("name", ["nao", "littledog", "ers7"])
def test_a_robot_stands_as_in_mujoco(name):
    robot = Robot.load(name)
    here, there = (standing(kind, robot) for kind in (MujocoWorld, DrakeWorld))
    one, other = here.truth(), there.truth()
    assert other["base_height"] == pytest.approx(one["base_height"], abs=4e-4)
    assert other["foot_force"][2::3].sum() == pytest.approx(one["foot_force"][2::3].sum(), rel=0.02)
    assert other["other_contacts"][0] == 0.0
    assert there.read()["accelerometer"] == pytest.approx(here.read()["accelerometer"], abs=0.1)
    assert there.read()["force"].sum() == pytest.approx(here.read()["force"].sum(), rel=0.02, abs=1e-9)
    assert there.read()["contact"].tolist() == here.read()["contact"].tolist()


def test_the_same_seed_gives_the_same_bytes():
    robot = Robot.load("littledog")
    world = standing(DrakeWorld, robot, 0.1)
    first = world.truth().vector.copy()
    again = standing(DrakeWorld, robot, 0.1)
    assert again.truth().vector.tobytes() == first.tobytes()
    for _ in range(2):
        # The plant of the run before is used again.
        world.reset(0)
        world.write(_stand(robot))
        for _ in range(round(0.1 / robot.tick)):
            world.advance(robot.tick)
        assert world.truth()["qpos"] == pytest.approx(first[world.truth_layout.slices["qpos"]], abs=1e-12)


def _stand(robot):
    command = robot.command()
    command.position[:] = robot.posture("stand")
    command.kp[:], command.kd[:] = robot.servo_kp, robot.servo_kd
    return command


def test_a_push_changes_the_momentum_by_its_impulse():
    robot = Robot.load("littledog")
    push = Push(time=0.02, duration=0.02, impulse=(0.0, 1.5, 0.0))
    world = standing(DrakeWorld, robot, 0.08, gravity=(0.0, 0.0, 0.0), start=Start(height=3.0), pushes=(push,))
    mujoco.mj_subtreeVel(world.model, world.data)
    mass = float(world.model.body_subtreemass[1])
    assert world.data.subtree_linvel[1] * mass == pytest.approx([0.0, 1.5, 0.0], abs=0.02)


def test_a_stuck_joint_is_held_and_let_go_of():
    robot = Robot.load("nao")
    fault = Fault(type="stuck", joints=("LHipYawPitch",), start=0.0, duration=0.24)
    world = DrakeWorld(robot, WorldConfig(faults=(fault,), fixed_base=True, start=Start(height=2.0)))
    joint = robot.index("LHipYawPitch")
    begin = float(world.read()["position"][joint])
    command = _stand(robot)
    command.position[joint] = begin - 0.3
    turns = []
    for _ in range(50):
        world.write(command)
        world.advance(robot.tick)
        turns.append(float(world.read()["position"][joint]) - begin)
    assert max(abs(turn) for turn in turns[:19]) < 5e-3
    assert turns[-1] == pytest.approx(-0.3, abs=0.03)
    follower = robot.index("RHipYawPitch")
    assert float(world.read()["position"][follower]) == pytest.approx(begin + turns[-1], abs=2e-3)


def test_what_drake_cannot_hold_is_refused_by_name():
    robot = Robot.load("nao")
    spring = robot.mjcf.replace('name="HeadYaw"', 'name="HeadYaw" stiffness="3"', 1)
    assert spring != robot.mjcf
    with pytest.raises(BackendError, match=r"HeadYaw.*springs of joints are not carried over to Drake; got 3"):
        DrakeWorld(dataclasses.replace(robot, mjcf=spring), WorldConfig())


TENDON = '<tendon><fixed name="cord"{}><joint joint="LKneePitch" coef="1"/></fixed></tendon>'


@pytest.mark.parametrize(
    ("added", "told"),
    [
        (TENDON.format(' stiffness="5"'), r"tendon cord.*stiffness 5"),
        (TENDON.format(' damping="0.2"'), r"tendon cord.*damping 0.2"),
        (TENDON.format(' limited="true" range="-1 1"'), r"tendon cord.*limited 1"),
        ('<option density="1000"/>', r"option density: no fluid.*got 1000"),
        ('<equality><joint joint1="LElbowYaw" joint2="RElbowYaw" polycoef="0 1 2 0 0"/></equality>', "by a ratio"),
    ],
)
def test_what_pulls_without_a_motor_is_not_left_out_in_silence(added, told):
    """Drake's plant was made without it, and its verdicts were of another robot."""
    robot = Robot.load("nao")
    more = robot.mjcf.replace("</mujoco>", f"{added}</mujoco>")
    with pytest.raises(BackendError, match=told):
        DrakeWorld(dataclasses.replace(robot, mjcf=more), WorldConfig())


def test_impacts_and_touches_are_drakes_own():
    robot = Robot.load("nao")
    world = DrakeWorld(robot, WorldConfig(start=Start(pitch=np.pi / 2, clearance=0.1)))
    peak = np.zeros(2)
    for _ in range(40):
        world.advance(robot.tick)
        peak = np.maximum(peak, world.truth()["impact"])
    assert peak.max() > 52.0
    forces = sum(force[2] for one, other, force in world.contact_forces() if one == 0 or other == 0)
    assert abs(forces) == pytest.approx(52.6, rel=0.2)


def test_worlds_that_nobody_needs_are_let_go_of():
    robot = Robot.load("littledog")
    made = []
    gc.collect()
    gc.disable()  # Whether Python looks for garbage by itself depends on all that ran before.
    try:
        for _ in range(8):
            world = DrakeWorld(robot, WorldConfig())
            world.reset(0)
            made.append(weakref.ref(world._plant._plant))
            del world
        assert sum(plant() is not None for plant in made) <= 4
    finally:
        gc.enable()
