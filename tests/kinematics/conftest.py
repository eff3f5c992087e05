"""A small biped whose joint order differs from its model's, with a coupled hip and a passive joint."""

from __future__ import annotations

import numpy as np
import pytest

from andante.kinematics.forward import Kinematics
from andante.robots.parts import Foot, Joint, Servo
from andante.robots.robot import Robot

_LEG = """
<body name="{p}Pelvis" pos="0 {y} -0.085">
  <inertial pos="0 0 0.01" mass="0.07" diaginertia="8e-5 8e-5 5e-5"/>
  <joint name="{p}Yaw" axis="0 1 {z}" armature="0.01"/>
  <body name="{p}Hip"><inertial pos="0.01 0 0" mass="0.14" diaginertia="3e-5 3e-5 3e-5"/>
    <joint name="{p}Roll" axis="1 0 0"/>
    <body name="{p}Thigh"><inertial pos="0 0.002 -0.05" mass="0.39" diaginertia="5e-4 5e-4 3e-4"/>
      <joint name="{p}Pitch" axis="0 1 0"/>
      <geom name="{p}thigh" type="capsule" fromto="0 0 -0.02 0 0 -0.08" size="0.03"/>
      <body name="{p}Tibia" pos="0 0 -0.1"><inertial pos="0.004 0 -0.05" mass="0.3" diaginertia="4e-4 4e-4 2e-4"/>
        <joint name="{p}Knee" axis="0 1 0" armature="0.02"/>
        <body name="{p}Ankle" pos="0 0 -0.1029"><inertial pos="0 0 0" mass="0.13" diaginertia="4e-5 4e-5 2e-5"/>
          <joint name="{p}Flex" axis="0 1 0"/>
          <body name="{p}Foot"><inertial pos="0.02 0 -0.03" mass="0.17" diaginertia="2e-4 6e-4 6e-4"/>
            <joint name="{p}Tilt" axis="1 0 0"/>
            <geom name="{p}foot" type="box" pos="0.025 0 -0.03" size="0.075 0.04 0.015"/>
            <site name="{p}_sole" pos="0 0 -0.04519"/>
          </body>
        </body>
      </body>
    </body>
  </body>
</body>
"""

_MJCF = f"""
<mujoco model="small">
  <compiler angle="radian" autolimits="true"/>
  <worldbody>
    <body name="trunk"><freejoint name="root"/>
      <inertial pos="0.01 0 0.03" mass="1.2" fullinertia="5e-3 5e-3 2e-3 1e-4 2e-4 -1e-4"/>
      <geom name="trunk" type="box" size="0.04 0.04 0.05"/>
      <body name="ears" pos="0 0 0.2"><inertial pos="0 0 0.01" mass="0.05" diaginertia="1e-5 1e-5 1e-5"/>
        <joint name="earFlap" axis="0 0 1"/>
      </body>
      {_LEG.format(p="L", y="0.05", z="-1")}
      {_LEG.format(p="R", y="-0.05", z="1")}
      <body name="arm" pos="0 0.1 0.1"><inertial pos="0.05 0 0" mass="0.2" diaginertia="1e-4 2e-4 2e-4"/>
        <joint name="Shoulder" axis="0 1 0"/>
        <geom name="arm" type="capsule" fromto="0 0 0 0.15 0 0" size="0.02"/>
        <site name="hand" pos="0.15 0 0" quat="0.9 0.1 0.3 0.2"/>
      </body>
    </body>
  </worldbody>
</mujoco>
"""

_RANGES = {
    "Yaw": (-1.1453, 0.7407),
    "Roll": (-0.3794, 0.7904),
    "Pitch": (-1.5359, 0.484),
    "Knee": (-0.0923, 2.1125),
    "Flex": (-1.1894, 0.9226),
    "Tilt": (-0.3978, 0.769),
}


def _joints(side: str) -> list[Joint]:
    joints = []
    for name, (lower, upper) in _RANGES.items():
        if side == "R" and name in ("Roll", "Tilt"):
            lower, upper = -upper, -lower
        follows = "LYaw" if side == "R" and name == "Yaw" else None
        joints.append(Joint(side + name, lower, upper, 5.0, 3.0, 100.0, follows))
    return joints


@pytest.fixture(scope="session")
def small() -> Robot:
    """The small biped; joint order: arm, right leg, left leg, against the model's left, right, arm."""
    joints = (Joint("Shoulder", -2.0, 2.0, 5.0, 3.0, 100.0), *_joints("R"), *_joints("L"))
    outline = ((0.1, -0.04), (0.1, 0.04), (-0.05, 0.04), (-0.05, -0.04))
    return Robot(
        name="small",
        title="Small biped",
        joints=joints,
        servos=tuple(Servo(10.0, 1.0, 3.0, 5.0, 0.1, 0.1, 0.01) for _ in joints),
        mjcf=_MJCF,
        base_body="trunk",
        imu_site="hand",
        feet=(Foot("left", "LFoot", "L_sole", outline), Foot("right", "RFoot", "R_sole", outline)),
    )


@pytest.fixture
def kinematics(small: Robot) -> Kinematics:
    """Scratch of the small biped."""
    return Kinematics(small)


@pytest.fixture
def rng() -> np.random.Generator:
    """Seeded randomness."""
    return np.random.default_rng(20240611)
