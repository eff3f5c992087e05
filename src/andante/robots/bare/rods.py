"""Rods on a ball, as legs that are driven from above have: ties between what they join.

A rod that hangs on a ball and whose other end is connected to another body moves nothing by itself: all that it does is
to keep two points at their distance. Andante moves hinges, so the ball is taken out, and a tendon of constant length
does the same. Where the other end is welded to the other body, the rod is a part of that one, and the ball connects it.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import mujoco
import numpy as np

from andante.robots.records import Vector

_TORQUE = 10
"""Where a weld's data have how strongly it holds the turn."""


class _Rod(NamedTuple):
    """One rod."""

    joint: Any
    """The ball that it hangs on."""
    tie: Any
    """What connects or welds its other end."""
    number: int
    """The same as a number of the model's equalities."""

    @property
    def welded(self) -> bool:
        """Whether it is welded."""
        return bool(self.tie.type == mujoco.mjtEq.mjEQ_WELD)


def tie_rods(spec: Any, model: mujoco.MjModel, balls: list[Any], sources: dict[str, str]) -> list[Any]:
    """Put ties of a length in the place of what connects rods; returns the balls that they hang on, which may go.

    Args:
        spec: The model, whose joints and bodies have names.
        model: The same, compiled.
        balls: Joints that are balls, on bodies that carry no other joint.
        sources: Where it is told.
    """
    every = list(spec.equalities)
    holding = [(joint, _holding(every, joint.parent)) for joint in balls]
    found = [_Rod(joint, every[ties[0]], ties[0]) for joint, ties in holding if len(ties) == 1]
    # Without torque a weld is a point that is held, where nobody expects it.
    found = [rod for rod in found if not rod.welded or model.eq_data[rod.number, _TORQUE] > 0.0]
    if not found:
        return []
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    for rod in found:
        _replace(spec, model, data, rod)
    masses = "their masses with what they hang on"
    told = []
    for welded, what in (
        (False, "between two balls, here ties of their length"),
        (True, "welded, here ties of points"),
    ):
        names = ", ".join(rod.joint.parent.name for rod in found if rod.welded == welded)
        told += [f"{what}, {masses}: {names}"] if names else []
    sources["rods"] = "; ".join(told)
    return [rod.joint for rod in found]


def _holding(every: list[Any], body: Any) -> list[int]:
    """Which ties hold a body, or a site on it; those that are off hold nothing."""
    names = {mujoco.mjtObj.mjOBJ_BODY: {body.name}, mujoco.mjtObj.mjOBJ_SITE: {site.name for site in body.sites}}
    kinds = (mujoco.mjtEq.mjEQ_CONNECT, mujoco.mjtEq.mjEQ_WELD)
    return [
        number
        for number, tie in enumerate(every)
        if tie.type in kinds and tie.active and {tie.name1, tie.name2} & names.get(tie.objtype, set())
    ]


def _replace(spec: Any, model: mujoco.MjModel, data: mujoco.MjData, rod: _Rod) -> None:
    body, tie = rod.joint.parent, rod.tie
    if rod.welded:
        _connect(spec, model, data, rod)
        return
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


def _connect(spec: Any, model: mujoco.MjModel, data: mujoco.MjData, rod: _Rod) -> None:
    """Connect what a rod hangs on with what its other end is welded to, where its ball is."""
    body, tie = rod.joint.parent, rod.tie
    start = np.array(data.xanchor[model.joint(rod.joint.name).id])
    own, other = tie.name1, tie.name2
    if tie.objtype == mujoco.mjtObj.mjOBJ_SITE:
        first, second = (_Frame.of_site(data, model.site(name).id) for name in (own, other))
        relative = _Frame(np.zeros(3), np.eye(3))
        holders = [spec.site(name).parent for name in (own, other)]
    else:
        first, second = (_Frame.of_body(data, model.body(name).id) for name in (own, other))
        # The second body in the first one's frame; the model has it also where the file leaves it to the reference.
        turn = np.zeros(9)
        mujoco.mju_quat2Mat(turn, model.eq_data[rod.number, 6:10])
        relative = _Frame(np.array(model.eq_data[rod.number, 3:6]), turn.reshape(3, 3))
        holders = [spec.body(name) for name in (own, other)]
    mine = 0 if holders[0].name == body.name else 1
    if mine == 0:
        place = second.out(relative.inside(first.inside(start)))
    else:
        place = first.out(relative.out(second.inside(start)))
    holder = holders[1 - mine]
    names = [f"{body.name}_end_{end}" for end in range(2)]
    body.add_site(name=names[0], pos=_inside(model, data, body.name, start))
    holder.add_site(name=names[1], pos=_inside(model, data, holder.name, place))
    made = spec.add_equality(
        name=f"{body.name}_end",
        type=mujoco.mjtEq.mjEQ_CONNECT,
        objtype=mujoco.mjtObj.mjOBJ_SITE,
        name1=names[0],
        name2=names[1],
    )
    made.data = np.zeros_like(made.data)
    made.solref, made.solimp = tie.solref, tie.solimp
    spec.delete(tie)


class _Frame(NamedTuple):
    """A frame."""

    place: Vector
    """Its origin (3,) [m]."""
    turn: Vector
    """Its axes as columns (3, 3)."""

    @staticmethod
    def of_body(data: mujoco.MjData, number: int) -> _Frame:
        """The frame of a body."""
        return _Frame(np.array(data.xpos[number]), np.array(data.xmat[number]).reshape(3, 3))

    @staticmethod
    def of_site(data: mujoco.MjData, number: int) -> _Frame:
        """The frame of a site."""
        return _Frame(np.array(data.site_xpos[number]), np.array(data.site_xmat[number]).reshape(3, 3))

    def inside(self, point: Vector) -> Vector:
        """A point in this frame, (3,) [m]."""
        return np.asarray(self.turn.T @ (point - self.place))

    def out(self, point: Vector) -> Vector:
        """A point of this frame outside of it, (3,) [m]."""
        return np.asarray(self.turn @ point + self.place)


def _inside(model: mujoco.MjModel, data: mujoco.MjData, body: str, place: Vector) -> Vector:
    """A point in a body's frame, (3,) [m]."""
    number = model.body(body).id
    away: Vector = np.array(data.xmat[number]).reshape(3, 3).T @ (place - np.array(data.xpos[number]))
    return away
