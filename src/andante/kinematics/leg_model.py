"""The legs of a robot as its model has them: axes, anchors and soles at zero angles, for closed-form legs."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import takewhile
from typing import Any, NamedTuple

import mujoco
import numpy as np
from numpy.typing import NDArray

from andante.kinematics.forward import KinematicsError
from andante.robots.parts import Foot
from andante.robots.records import Vector
from andante.robots.robot import Robot
from andante.robots.tree import joints_of, upwards

_WALKING = 4
"""Feet of a robot that walks on wheels or balls."""


class LegGeometryError(KinematicsError):
    """A leg is not built the way its closed-form inverse kinematics needs."""


class LegModel(NamedTuple):
    """A leg at zero angles, as the model has it, in the base's frame."""

    place: str
    """Robot and foot, for messages."""
    foot: Foot
    """Its foot."""
    axes: NDArray[np.float64]
    """Directions of the axes, (n, 3), one per row."""
    anchors: NDArray[np.float64]
    """A point on each axis, (n, 3) [m]."""
    sole: Vector
    """The foot's centre, (3,) [m]."""
    turn: NDArray[np.float64]
    """Rotation of the foot's site, (3, 3)."""
    common: dict[str, Any]
    """Name, joints, indices and limits, for the leg's constructor."""

    def refuse(self, axes: str) -> LegGeometryError:
        """That a closed form needs other axes."""
        found = [[round(float(x), 6) for x in axis] for axis in self.axes]
        return LegGeometryError(f"the leg's closed form needs axes along {axes}", place=self.place, value=found)


def leg_models(robot: Robot, count: int = 3, needed: str = "three joints") -> Iterator[LegModel]:
    """The legs of a robot, read from its model, in the order of its feet.

    Args:
        robot: The robot.
        count: How many joints a leg must have.
        needed: The same in words.

    Raises:
        LegGeometryError: A leg has another number of joints.
    """
    data = mujoco.MjData(robot.model)
    data.qpos[:] = robot.model.qpos0
    for joint in robot.joint_names:
        data.joint(joint).qpos[0] = 0.0
    mujoco.mj_kinematics(robot.model, data)
    base = data.body(robot.base_body)
    rotation, origin = base.xmat.reshape(3, 3), base.xpos
    for foot in robot.feet:
        chain, place = _chain(robot, foot), f"{robot.name}.{foot.name}"
        if len(chain) != count:
            wheeled = len(robot.feet) == _WALKING and len(chain) == count + 1
            more = "a joint that is not to walk, as a wheel's, can be fixed in the file" if wheeled else ""
            raise LegGeometryError(f"the leg must have {needed}", place=place, value=chain, remedy=more)
        indices, site = tuple(robot.index(name) for name in chain), data.site(foot.site)
        yield LegModel(
            place,
            foot,
            axes=np.array([rotation.T @ data.joint(name).xaxis for name in chain]),
            anchors=np.array([rotation.T @ (data.joint(name).xanchor - origin) for name in chain]),
            sole=rotation.T @ (site.xpos - origin),
            turn=rotation.T @ site.xmat.reshape(3, 3),
            common={
                "name": foot.name,
                "joints": chain,
                "indices": indices,
                "lower": tuple(robot.joints[index].lower for index in indices),
                "upper": tuple(robot.joints[index].upper for index in indices),
            },
        )


def refuse_tied(robot: Robot, leg: LegModel) -> None:
    """Refuse a leg with a joint that does not turn by itself: one that follows another one, or that the model ties.

    Raises:
        LegGeometryError: There is one.
    """
    model, joints = robot.model, [robot.joints[index] for index in leg.common["indices"]]
    ties = {joint.name: joint.follows for joint in joints if joint.follows}
    links = {int(model.joint(joint.name).bodyid[0]) for joint in joints} | {int(model.body(leg.foot.body).id)}
    for number in np.flatnonzero(np.array(model.eq_active0)).tolist():
        kind, ends = model.eq_type[number], (int(model.eq_obj1id[number]), int(model.eq_obj2id[number]))
        if kind == mujoco.mjtEq.mjEQ_JOINT:
            one, other = (str(model.joint(end).name) if end >= 0 else "one angle" for end in ends)
            for end, far in ((one, other), (other, one)):
                if any(joint.name == end for joint in joints):
                    ties.setdefault(end, far)
        elif kind == mujoco.mjtEq.mjEQ_CONNECT or kind == mujoco.mjtEq.mjEQ_WELD:
            at_sites = model.eq_objtype[number] == mujoco.mjtObj.mjOBJ_SITE
            bodies = [int(model.site_bodyid[end]) if at_sites else end for end in ends]
            if model.body_weldid[bodies[0]] != model.body_weldid[bodies[1]] and links & set(bodies):
                ties.setdefault(*(str(model.body(body).name) for body in bodies))
    if ties:
        what = "each joint of the leg must turn by itself"
        raise LegGeometryError(
            what, place=leg.place, value=", ".join(f"{one} tied to {far}" for one, far in ties.items())
        )


def _chain(robot: Robot, foot: Foot) -> tuple[str, ...]:
    """Names of the joints from the base to the foot's body."""
    model = robot.model
    base = int(model.body(robot.base_body).id)
    chain = takewhile(lambda body: body != base, upwards(model, int(model.body(foot.body).id)))
    names = [str(model.joint(joint).name) for body in chain for joint in reversed(joints_of(model, body))]
    return tuple(reversed(names))
