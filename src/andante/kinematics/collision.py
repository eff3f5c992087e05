"""Self-collision of a posture: parts of the robot that overlap, as its collision geometry sees it."""

from __future__ import annotations

from dataclasses import dataclass

import mujoco

from andante.kinematics.forward import Kinematics
from andante.robots.records import Vector


@dataclass(frozen=True)
class SelfCollision:
    """Two bodies of the robot that overlap."""

    first: str
    """Name of the body with the lower number in the model."""
    second: str
    """Name of the other body."""
    depth: float
    """Largest penetration of their geoms [m], > 0."""


def self_collisions(
    kinematics: Kinematics, joints: Vector | None = None, allowance: float = 0.0
) -> tuple[SelfCollision, ...]:
    """Pairs of bodies that overlap at a posture, deepest first.

    Pairs that the model excludes (neighbours, explicit excludes, contact masks) are never reported.

    Args:
        kinematics: Scratch of the robot.
        joints: Joint positions, (nj,) [rad], to update to; None asks about the posture of the last update.
        allowance: Penetration up to which an overlap is not reported [m]; geometry is approximate.

    Raises:
        KinematicsError: As `Kinematics.update`.
    """
    if joints is not None:
        kinematics.update(joints)
    model, data = kinematics.model, kinematics.data
    mujoco.mj_collision(model, data)
    if data.ncon == 0:
        return ()
    bodies = model.geom_bodyid[data.contact.geom]
    depths = -data.contact.dist
    deepest: dict[tuple[int, int], float] = {}
    for (one, other), depth in zip(bodies.tolist(), depths.tolist(), strict=True):
        if depth > allowance and depth > 0.0 and one and other:
            pair = (min(one, other), max(one, other))
            deepest[pair] = max(depth, deepest.get(pair, 0.0))
    found = [
        SelfCollision(model.body(first).name, model.body(second).name, depth)
        for (first, second), depth in deepest.items()
    ]
    return tuple(sorted(found, key=lambda hit: (-hit.depth, hit.first, hit.second)))
