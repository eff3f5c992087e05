"""Quadrupeds of boxes and capsules as MJCF, whole or with something missing."""

from __future__ import annotations

PLACES = {
    "FL": (0.2, 0.1),
    "FR": (0.2, -0.1),
    "RL": (-0.2, 0.1),
    "RR": (-0.2, -0.1),
    "ML": (0.0, 0.1),
    "MR": (0.0, -0.1),
}
FOUR = ("FL", "FR", "RL", "RR")


def quadruped(
    legs: tuple[str, ...] = FOUR,
    *,
    roll: bool = True,
    ranges: bool = True,
    mass: bool = True,
    base: str = "<freejoint/>",
    pitch: float = 2.0,
) -> str:
    """A model of a 5 kg body on legs of 0.2 m links.

    Args:
        legs: Which legs it has.
        roll: Whether their hips roll.
        ranges: Whether hips have position limits.
        mass: Whether anything has a mass.
        base: Joint of the base.
        pitch: How far hips pitch [rad].
    """
    inner = "".join(_leg(name, roll, f'range="-{pitch} {pitch}"' if ranges else "", mass) for name in legs)
    return (
        '<mujoco model="box"><compiler angle="radian"/><worldbody><body name="base" pos="0 0 0.5">'
        f'{base}<geom type="box" size="0.2 0.1 0.05" mass="{5 if mass else 0}"/>{inner}</body></worldbody></mujoco>'
    )


def _leg(name: str, roll: bool, limits: str, mass: bool) -> str:
    x, y = PLACES[name]
    weight, effort = f'mass="{0.3 if mass else 0}"', 'actuatorfrcrange="-20 20"'
    hinge = f'<joint name="{name}_roll" axis="1 0 0" {limits} {effort}/>' if roll else ""
    out = 0.05 if y > 0 else -0.05
    return (
        f'<body name="{name}_hip" pos="{x} {y} 0">{hinge}<geom type="sphere" size="0.02" {weight}/>'
        f'<body name="{name}_thigh" pos="0 {out} 0"><joint name="{name}_pitch" axis="0 1 0" {limits} {effort}/>'
        f'<geom type="capsule" fromto="0 0 0 0 0 -0.2" size="0.015" {weight}/>'
        f'<body name="{name}_calf" pos="0 0 -0.2"><joint name="{name}_knee" axis="0 1 0" range="-2.6 -0.4" {effort}/>'
        f'<geom type="capsule" fromto="0 0 0 0 0 -0.2" size="0.01" {weight}/>'
        f'<geom type="sphere" pos="0 0 -0.2" size="0.02" {weight}/></body></body></body>'
    )
