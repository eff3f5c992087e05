"""A biped with hips, knees and ankles that squats in physics: small enough to run in every test."""

from __future__ import annotations

from andante.motions.keyframe import Block, Keyframe
from andante.motions.library import Motion, MotionLibrary
from andante.robots.parts import Foot, Joint, Servo
from andante.robots.robot import Robot

SERVO = Servo(kp=60.0, kd=1.5, max_torque=8.0, max_velocity=6.0, damping=0.1, friction=0.0, armature=0.01)
CELLS = (("fl", 0.07, 0.03), ("fr", 0.07, -0.03), ("bl", -0.03, 0.03), ("br", -0.03, -0.03))
OUTLINE = ((0.1, 0.045), (-0.05, 0.045), (-0.05, -0.045), (0.1, -0.045))
PARTS = ("HipPitch", "KneePitch", "AnklePitch")


def squatter() -> Robot:
    legs = "".join(
        f"""<body name="{side}_thigh" pos="0 {y} 0"><joint name="{side}HipPitch" axis="0 1 0"/>
          <inertial pos="0 0 -.05" mass=".3" diaginertia="1e-3 1e-3 3e-4"/>
          <geom type="capsule" size=".025" fromto="0 0 0 0 0 -.1" contype="0" conaffinity="0"/>
          <body name="{side}_shank" pos="0 0 -.1"><joint name="{side}KneePitch" axis="0 1 0"/>
            <inertial pos="0 0 -.05" mass=".3" diaginertia="1e-3 1e-3 3e-4"/>
            <geom type="capsule" size=".022" fromto="0 0 0 0 0 -.1" contype="0" conaffinity="0"/>
            <body name="{side}_foot" pos="0 0 -.1"><joint name="{side}AnklePitch" axis="0 1 0"/>
              <inertial pos=".02 0 -.03" mass=".2" diaginertia="2e-4 4e-4 4e-4"/>
              <geom type="box" pos=".025 0 -.03" size=".075 .045 .01"/><site name="{side}_sole" pos="0 0 -.04"/>
            </body></body></body>"""
        for side, y in (("L", 0.06), ("R", -0.06))
    )
    mjcf = f"""<mujoco><worldbody><body name="torso">
      <inertial pos="0 0 .08" mass="2" diaginertia=".02 .02 .01"/><site name="imu" pos="0 0 .1"/>
      <geom type="box" size=".04 .05 .08" pos="0 0 .1"/>{legs}</body></worldbody></mujoco>"""
    names = [f"{side}{part}" for side in "LR" for part in PARTS]
    return Robot(
        "squatter",
        "Squatting biped",
        tuple(Joint(name, -2.2, 2.2, 6.0, 8.0, 600.0) for name in names),
        (SERVO,) * 6,
        mjcf,
        "torso",
        "imu",
        feet=tuple(
            Foot(name, f"{side}_foot", f"{side}_sole", cells=CELLS, outline=OUTLINE)
            for name, side in (("left", "L"), ("right", "R"))
        ),
        groups={"left_leg": tuple(names[:3]), "right_leg": tuple(names[3:])},
        postures={"stand": dict(zip(names, (-0.3, 0.6, -0.3) * 2, strict=True))},
        tick=0.012,
        delay_ticks=2,
    )


def squats() -> MotionLibrary:
    """Motions: squat, rise, and tip, which throws the robot over."""

    def posture(hip: float, knee: float, ankle: float, duration: float) -> Block:
        joints = {f"{side}{part}": v for side in "LR" for part, v in zip(PARTS, (hip, knee, ankle), strict=True)}
        return Block(
            base_stiffness={"left_leg": 1.0, "right_leg": 1.0}, keyframes=(Keyframe(duration=duration, joints=joints),)
        )

    return MotionLibrary(
        robot="squatter",
        motions={name: Motion(blocks=(name,)) for name in ("squat", "rise", "tip")},
        blocks={
            "squat": posture(-0.8, 1.6, -0.8, 0.6),
            "rise": posture(-0.3, 0.6, -0.3, 0.6),
            "tip": posture(-0.3, 0.6, 0.9, 0.4),
        },
    )
