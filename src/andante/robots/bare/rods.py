"""Rods between two balls, as legs that are driven from above have: ties of a length between what they join.

A rod that hangs on a ball and whose other end is connected to another body moves nothing by itself: all that it does is
to keep two points at their distance. Andante moves hinges, so the ball is taken out, and a tendon of constant length
does the same.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import mujoco
import numpy as np

from andante.robots.records import Vector


class _Rod(NamedTuple):
    """One rod."""

    joint: Any
    """The ball that it hangs on."""
    tie: Any
    """What connects its other end."""


def tie_rods(spec: Any, model: mujoco.MjModel, balls: list[Any], sources: dict[str, str]) -> list[Any]:
    """Put ties of a length in the place of what connects rods; returns the balls that they hang on, which may go.

    Args:
        spec: The model, whose joints and bodies have names.
        model: The same, compiled.
        balls: Joints that are balls, on bodies that carry no other joint.
        sources: Where it is told.
    """
    found = [_Rod(joint, ties[0]) for joint in balls if len(ties := _connecting(spec, joint.parent)) == 1]
    if not found:
        return []
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    for rod in found:
        _replace(spec, model, data, rod)
    told = ", ".join(rod.joint.parent.name for rod in found)
    sources["rods"] = f"between two balls, here ties of their length, their masses with what they hang on: {told}"
    return [rod.joint for rod in found]


def _connecting(spec: Any, body: Any) -> list[Any]:
    """Ties that hold a body, or a site on it."""
    names = {mujoco.mjtObj.mjOBJ_BODY: {body.name}, mujoco.mjtObj.mjOBJ_SITE: {site.name for site in body.sites}}
    kinds = (mujoco.mjtEq.mjEQ_CONNECT, mujoco.mjtEq.mjEQ_WELD)
    ties = [tie for tie in spec.equalities if tie.type in kinds]
    holding = [tie for tie in ties if {tie.name1, tie.name2} & names.get(tie.objtype, set())]
    welded = any(tie.type != mujoco.mjtEq.mjEQ_CONNECT or not tie.active for tie in holding)
    return [] if welded else holding


def _replace(spec: Any, model: mujoco.MjModel, data: mujoco.MjData, rod: _Rod) -> None:
    body, tie = rod.joint.parent, rod.tie
    start = np.array(data.xanchor[model.joint(rod.joint.name).id])
    if tie.objtype == mujoco.mjtObj.mjOBJ_SITE:
        sites = [spec.site(tie.name1), spec.site(tie.name2)]
        own, other = sites if sites[0].parent.name == body.name else sites[::-1]
        length = float(np.linalg.norm(data.site_xpos[model.site(own.name).id] - start))
        holder, end = other.parent, np.array(data.site_xpos[model.site(other.name).id])
    else:
        # Where both bodies meet with all joints at their references, as MuJoCo has it.
        first = model.body(tie.name1).id
        end = data.xpos[first] + data.xmat[first].reshape(3, 3) @ np.array(tie.data[:3])
        length = float(np.linalg.norm(end - start))
        holder = spec.body(tie.name2 if tie.name1 == body.name else tie.name1)
    name = f"{body.name}_length"
    tendon = spec.add_tendon(name=name)
    for number, (carrier, place) in enumerate(((body.parent, start), (holder, end))):
        site = carrier.add_site(name=f"{name}_{number}", pos=_inside(model, data, carrier.name, place))
        tendon.wrap_site(site.name)
    equality = spec.add_equality(type=mujoco.mjtEq.mjEQ_TENDON, objtype=mujoco.mjtObj.mjOBJ_TENDON, name1=name)
    equality.name = name
    equality.data = np.zeros_like(equality.data)
    equality.data[0] = length - float(np.linalg.norm(end - start))
    equality.solref, equality.solimp = tie.solref, tie.solimp
    spec.delete(tie)


def _inside(model: mujoco.MjModel, data: mujoco.MjData, body: str, place: Vector) -> Vector:
    """A point in a body's frame, (3,) [m]."""
    number = model.body(body).id
    away: Vector = np.array(data.xmat[number]).reshape(3, 3).T @ (place - np.array(data.xpos[number]))
    return away
