"""Tiny robots with hand-worked physics."""

from __future__ import annotations

import dataclasses
import math

import pytest

from andante.robots.parts import Foot, Joint, Servo
from andante.robots.robot import Robot

PENDULUM_LENGTH = 0.4
PENDULUM_MASS = 0.5


def joint(name: str, follows: str | None = None, limit: float = 2.5) -> Joint:
    return Joint(name, -limit, limit, 6.0, 8.0, 400.0, follows)


def servo(**changes: object) -> Servo:
    usual = Servo(kp=60.0, kd=1.5, max_torque=8.0, max_velocity=6.0, damping=0.1, friction=0.0, armature=0.01)
    return dataclasses.replace(usual, **changes)  # type: ignore[arg-type]


@pytest.fixture(scope="session")
def pendulum() -> Robot:
    """One frictionless hinge about y with a point mass; the base hangs in the air."""
    mjcf = f"""<mujoco><worldbody><body name="base" pos="0 0 2">
      <inertial pos="0 0 0" mass="1" diaginertia=".01 .01 .01"/><site name="imu"/>
      <body name="rod"><joint name="swing" type="hinge" axis="0 1 0"/>
        <inertial pos="0 0 -{PENDULUM_LENGTH}" mass="{PENDULUM_MASS}" diaginertia="1e-9 1e-9 1e-9"/>
      </body></body></worldbody></mujoco>"""
    still = servo(damping=0.0, armature=0.0, max_velocity=6.0, max_torque=3.0)
    return Robot("pendulum", "Pendulum", (joint("swing", limit=3.1),), (still,), mjcf, "base", "imu", tick=0.01)


LEGS = {"FL": (0.2, 0.1), "FR": (0.2, -0.1), "HL": (-0.2, 0.1), "HR": (-0.2, -0.1)}


@pytest.fixture(scope="session")
def quadruped() -> Robot:
    """A box on four legs of three joints with ball feet; its drives clip torque at the limit only."""
    legs = "".join(
        f"""<body name="{leg}_hip" pos="{x} {y} 0"><joint name="{leg}_roll" axis="1 0 0"/>
          <inertial pos="0 0 0" mass=".2" diaginertia="1e-3 1e-3 1e-3"/>
          <body name="{leg}_thigh"><joint name="{leg}_pitch" axis="0 1 0"/>
            <inertial pos="0 0 -.07" mass=".2" diaginertia="1e-3 1e-3 1e-4"/>
            <geom type="capsule" size=".015" fromto="0 0 0 0 0 -.15" contype="0" conaffinity="0"/>
            <body name="{leg}_shank" pos="0 0 -.15"><joint name="{leg}_knee" axis="0 1 0"/>
              <inertial pos="0 0 -.07" mass=".1" diaginertia="1e-3 1e-3 1e-4"/>
              <geom type="sphere" size=".02" pos="0 0 -.15"/><site name="{leg}_foot" pos="0 0 -.15"/>
            </body></body></body>"""
        for leg, (x, y) in LEGS.items()
    )
    mjcf = f"""<mujoco><worldbody><body name="trunk">
      <inertial pos="0 0 0" mass="4" diaginertia=".02 .05 .06"/><site name="imu" pos="0 0 .05"/>
      <geom type="box" size=".25 .1 .05"/>{legs}</body></worldbody></mujoco>"""
    names = [f"{leg}_{part}" for leg in LEGS for part in ("roll", "pitch", "knee")]
    return Robot(
        "box",
        "Box on legs",
        tuple(joint(name) for name in names),
        tuple(servo(max_torque=20.0, max_velocity=math.inf, stiffness_limits_torque=False) for _ in names),
        mjcf,
        "trunk",
        "imu",
        feet=tuple(Foot(leg, f"{leg}_shank", f"{leg}_foot", radius=0.02) for leg in LEGS),
        buttons=("back",),
        postures={"stand": {n: {"roll": 0.0, "pitch": -0.5, "knee": 1.0}[n.split("_")[1]] for n in names}},
        tick=0.002,
    )


BIPED_CELLS = (("fl", 0.07, 0.03), ("fr", 0.07, -0.03), ("bl", -0.03, 0.03), ("br", -0.03, -0.03))


@pytest.fixture(scope="session")
def biped() -> Robot:
    """A torso on two straight legs with flat soles; both legs' twist joints share one motor, as on the NAO."""
    legs = "".join(
        f"""<body name="{side}_leg" pos="0 {y} 0"><joint name="{side}_twist" axis="0 {sign} -1"/>
          <inertial pos="0 0 -.1" mass=".6" diaginertia="2e-3 2e-3 5e-4"/>
          <body name="{side}_foot" pos="0 0 -.2"><joint name="{side}_ankle" axis="0 1 0"/>
            <inertial pos=".02 0 -.03" mass=".2" diaginertia="2e-4 4e-4 4e-4"/>
            <geom type="box" pos=".025 0 -.04" size=".075 .045 .01"/><site name="{side}_sole" pos="0 0 -.05"/>
          </body></body>"""
        for side, y, sign in (("left", 0.06, 1), ("right", -0.06, -1))
    )
    mjcf = f"""<mujoco><worldbody><body name="torso">
      <inertial pos="0 0 .1" mass="2" diaginertia=".02 .02 .01"/><site name="imu" pos="0 0 .1"/>
      <geom type="box" size=".04 .05 .08" pos="0 0 .12"/>{legs}</body></worldbody></mujoco>"""
    return Robot(
        "biped",
        "Stiff biped",
        (joint("left_twist"), joint("left_ankle"), joint("right_twist", "left_twist"), joint("right_ankle")),
        (servo(max_torque=6.0), servo(), servo(max_torque=6.0), servo()),
        mjcf,
        "torso",
        "imu",
        feet=tuple(
            Foot(side, f"{side}_foot", f"{side}_sole", cells=BIPED_CELLS, outline=((0.1, 0.045), (-0.05, -0.045)))
            for side in ("left", "right")
        ),
        buttons=("head", "chest"),
        postures={"stand": {}},
        tick=0.012,
        delay_ticks=2,
    )


def _lump(name: str, geom: str, mass: float) -> Robot:
    """One shape that slides or rolls, with a weightless flag as its only joint."""
    inertia = " ".join([str(0.4 * mass * 0.05**2)] * 3)
    mjcf = f"""<mujoco><worldbody><body name="lump">
      <inertial pos="0 0 0" mass="{mass}" diaginertia="{inertia}"/><geom name="{name}" {geom}/><site name="imu"/>
      <body name="flag"><joint name="flag" axis="0 1 0"/>
        <inertial pos="0 0 0" mass="1e-6" diaginertia="1e-7 1e-7 1e-7"/>
      </body></body></worldbody></mujoco>"""
    return Robot(name, name, (joint("flag"),), (servo(),), mjcf, "lump", "imu", tick=0.01)


@pytest.fixture(scope="session")
def brick() -> Robot:
    """A brick of 2 kg, 0.2 x 0.2 x 0.1 m."""
    return _lump("brick", 'type="box" size=".1 .1 .05"', 2.0)


@pytest.fixture(scope="session")
def ball() -> Robot:
    """A solid ball of 1 kg and 0.05 m radius."""
    return _lump("ball", 'type="sphere" size=".05"', 1.0)
