"""A small robot for the tests: head, two two-joint arms, two legs with a coupled hip yaw, flat soles."""

from __future__ import annotations

import math

from andante.robots.parts import Foot, Joint, Mirror, Servo
from andante.robots.robot import Robot

_ARM = """
<body name="{side}_shoulder" pos="0 {y} 0.1">
  <joint name="{S}ArmPitch" type="hinge" axis="0 1 0"/>
  <geom type="sphere" size="0.01" mass="0.05" contype="0" conaffinity="0"/>
  <body name="{side}_arm">
    <joint name="{S}ArmRoll" type="hinge" axis="1 0 0"/>
    <geom type="box" size="0.02 0.02 0.1" pos="0 0 -0.12" mass="0.1"/>
  </body>
</body>
"""
_LEG = """
<body name="{side}_hip" pos="0 {y} -0.15">
  <joint name="{S}HipYaw" type="hinge" axis="0 0 1"/>
  <geom type="sphere" size="0.01" mass="0.1" contype="0" conaffinity="0"/>
  <body name="{side}_leg">
    <joint name="{S}HipRoll" type="hinge" axis="1 0 0"/>
    <geom type="box" size="0.02 0.02 0.13" pos="0 0 -0.15" mass="0.2"/>
    <body name="{side}_foot" pos="0 0 -0.3">
      <joint name="{S}AnkleRoll" type="hinge" axis="1 0 0"/>
      <geom type="box" size="0.08 0.04 0.005" pos="0 0 -0.025" mass="0.1"/>
      <site name="{side}_sole" pos="0 0 -0.03"/>
    </body>
  </body>
</body>
"""
_MJCF = """
<mujoco model="walker">
  <compiler angle="radian"/>
  <worldbody>
    <body name="torso" pos="0 0 0.48">
      <freejoint/>
      <site name="imu"/>
      <geom type="box" size="0.05 0.08 0.14" mass="2"/>
      <body name="head" pos="0 0 0.2">
        <joint name="HeadYaw" type="hinge" axis="0 0 1"/>
        <geom type="sphere" size="0.04" mass="0.2"/>
      </body>
      {parts}
    </body>
  </worldbody>
</mujoco>
"""

NAMES = (
    "HeadYaw",
    *(f"{side}{part}" for side in "LR" for part in ("ArmPitch", "ArmRoll", "HipYaw", "HipRoll", "AnkleRoll")),
)
OUTLINE = ((0.08, 0.04), (-0.08, 0.04), (-0.08, -0.04), (0.08, -0.04))


def walker() -> Robot:
    """Limits: +-2 rad, 4 rad/s, 200 rad/s^2 for every joint; tick 12 ms; RHipYaw follows LHipYaw."""
    parts = "".join(
        text.format(side=side, S=letter, y=sign * y)
        for text, y in ((_ARM, 0.13), (_LEG, 0.06))
        for side, letter, sign in (("left", "L", 1.0), ("right", "R", -1.0))
    )
    return Robot(
        name="walker",
        title="Walker",
        joints=tuple(
            Joint(name, -2.0, 2.0, 4.0, 2.0, 200.0, follows="LHipYaw" if name == "RHipYaw" else None) for name in NAMES
        ),
        servos=tuple(Servo(20.0, 0.5, 2.0, 4.0, 0.1, 0.05, 0.001) for _ in NAMES),
        mjcf=_MJCF.format(parts=parts),
        base_body="torso",
        imu_site="imu",
        feet=tuple(Foot(side, f"{side}_foot", f"{side}_sole", OUTLINE) for side in ("left", "right")),
        groups={
            "head": ("HeadYaw",),
            "left_arm": ("LArmPitch", "LArmRoll"),
            "right_arm": ("RArmPitch", "RArmRoll"),
            "left_leg": ("LHipYaw", "LHipRoll", "LAnkleRoll"),
            "right_leg": ("RHipYaw", "RHipRoll", "RAnkleRoll"),
        },
        mirror=Mirror(
            pairs=tuple((f"L{part}", f"R{part}") for part in ("ArmPitch", "ArmRoll", "HipYaw", "HipRoll", "AnkleRoll")),
            negate=frozenset(("HeadYaw", "LArmRoll", "RArmRoll", "LHipRoll", "RHipRoll", "LAnkleRoll", "RAnkleRoll")),
        ),
        postures={"stand": {}, "lean": {"LHipRoll": math.radians(10)}},
        tick=0.012,
    )
