"""Parts of a robot without a pack that are inside each other where it stands, and so do not collide.

A shape drawn around a link is often larger than the link: hips reach into the pelvis, a shank into its foot. Robots'
semantic descriptions (SRDF) list such pairs as adjacent or as in collision by default; a bare file has no such list.
Pairs of bodies whose shapes overlap in the standing posture are taken out, whatever they do elsewhere. Neighbours count
as inside each other as soon as they touch: a thigh that grazes the pelvis at rest blocks the hip once it bends.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import mujoco

from andante.robots.bare.shapes import colliding
from andante.robots.tree import upwards

_DEEP = 0.003
"""Least depth of an overlap that counts [m]: parts that only touch go on to collide."""
_TOLD = 6
"""Pairs that are told by name."""


def resting_pairs(model: mujoco.MjModel, base: str, stand: Mapping[str, float]) -> tuple[tuple[str, str], ...]:
    """Pairs of bodies that overlap in the standing posture, by name.

    Args:
        model: The robot.
        base: Its base body.
        stand: The standing posture [rad].
    """
    data = mujoco.MjData(model)
    free = int(model.jnt_qposadr[model.body_jntadr[model.body(base).id]])
    data.qpos[free : free + 7] = (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)
    for name, angle in stand.items():
        data.joint(name).qpos[0] = angle
    mujoco.mj_kinematics(model, data)
    mujoco.mj_comPos(model, data)
    mujoco.mj_collision(model, data)
    found: dict[tuple[str, str], None] = {}
    for geoms, distance in zip(data.contact.geom, data.contact.dist, strict=True):
        one, other = sorted(int(model.geom_bodyid[geom]) for geom in geoms)
        if one and distance < (0.0 if neighbours(model, one, other) else -_DEEP):
            found[str(model.body(one).name), str(model.body(other).name)] = None
    return tuple(found)


def neighbours(model: mujoco.MjModel, one: int, other: int) -> bool:
    """Whether one of two bodies hangs on the other by joints and bodies without shapes alone, as thighs on a pelvis."""
    for low, high in ((one, other), (other, one)):
        solid = (body for body in upwards(model, int(model.body_parentid[low])) if colliding(model, body))
        if next(solid, None) == high:
            return True
    return False


def told_pairs(pairs: Sequence[tuple[str, str]]) -> str:
    """The rule and the pairs, for people."""
    more = f" and {len(pairs) - _TOLD} more" if len(pairs) > _TOLD else ""
    told = ", ".join(f"{one} and {other}" for one, other in pairs[:_TOLD])
    return f"none between parts that are inside each other in the standing posture: {told}{more}"
