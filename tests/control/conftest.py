"""Robots that several files share: one small enough to work out by hand, a quadruped beside MuJoCo's model of it."""

from __future__ import annotations

import dataclasses

import pytest

from andante.robots.parts import Foot, Joint, Mirror, Servo
from andante.robots.robot import Robot


def make_robot() -> Robot:
    """Two shoulders (pitch, roll), two knees, two coupled hips, a head: four joints left and right."""
    names = (
        "HeadYaw",
        "LShoulderPitch",
        "LShoulderRoll",
        "LHipYawPitch",
        "LKneePitch",
        "RHipYawPitch",
        "RKneePitch",
        "RShoulderPitch",
        "RShoulderRoll",
    )
    joints = tuple(
        Joint(
            name,
            lower=-2.0,
            upper=2.0,
            max_velocity=5.0,
            max_effort=3.0,
            max_acceleration=200.0,
            follows="LHipYawPitch" if name == "RHipYawPitch" else None,
        )
        for name in names
    )
    servo = Servo(kp=40.0, kd=1.0, max_torque=5.0, max_velocity=6.0, damping=0.1, friction=0.1, armature=0.01)
    body = """<mujoco><worldbody><body name="torso"><freejoint/><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>
      <site name="imu"/></body></worldbody></mujoco>"""
    return Robot(
        name="tiny",
        title="Tiny test robot",
        joints=joints,
        servos=(servo,) * len(names),
        mjcf=body,
        base_body="torso",
        imu_site="imu",
        feet=(
            Foot("left", "torso", "imu", cells=(("front", 0.05, 0.0), ("back", -0.05, 0.0))),
            Foot("right", "torso", "imu", cells=(("front", 0.05, 0.0), ("back", -0.05, 0.0))),
        ),
        buttons=("head_front", "head_middle", "head_rear"),
        groups={
            "head": ("HeadYaw",),
            "left_arm": ("LShoulderPitch", "LShoulderRoll"),
            "right_arm": ("RShoulderPitch", "RShoulderRoll"),
            "left_leg": ("LHipYawPitch", "LKneePitch"),
            "right_leg": ("RHipYawPitch", "RKneePitch"),
        },
        mirror=Mirror(
            pairs=(
                ("LShoulderPitch", "RShoulderPitch"),
                ("LShoulderRoll", "RShoulderRoll"),
                ("LHipYawPitch", "RHipYawPitch"),
                ("LKneePitch", "RKneePitch"),
            ),
            negate=frozenset({"HeadYaw", "LShoulderRoll", "RShoulderRoll"}),
        ),
        tick=0.012,
    )


@pytest.fixture(scope="session")
def tiny() -> Robot:
    return make_robot()


@pytest.fixture(scope="session")
def walker():
    """A Spirit 40 driven by torques. Nobody changes its model."""
    from mujoco_legs import Walker

    return Walker.load("spirit40")


@pytest.fixture
def uneven(tiny: Robot) -> Robot:
    """Limits that differ from joint to joint; the coupled one and its leader each have the narrower of some.

    Joint 0 has no servo gains; 3 leads and 5 follows.
    """
    joints = [
        dataclasses.replace(
            joint,
            lower=-1.0 - 0.1 * index,
            upper=1.0 + 0.1 * index,
            max_velocity=3.0 + index,
            max_acceleration=100.0 + 10.0 * index,
            max_effort=1.0 + index,
        )
        for index, joint in enumerate(tiny.joints)
    ]
    joints[3] = dataclasses.replace(joints[3], lower=-0.7, upper=1.4, max_velocity=4.0, max_acceleration=150.0)
    joints[5] = dataclasses.replace(joints[5], lower=-0.9, upper=1.2, max_velocity=6.0, max_acceleration=120.0)
    servos = [dataclasses.replace(servo, kp=10.0 + i, kd=1.0 + 0.1 * i) for i, servo in enumerate(tiny.servos)]
    servos[0] = dataclasses.replace(servos[0], kp=0.0, kd=0.0)
    return dataclasses.replace(tiny, joints=tuple(joints), servos=tuple(servos))
