"""Joints of an SDF that close a chain: URDF has trees alone, so MuJoCo ties such links together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from andante.robots.parts import RobotError
from andante.robots.sdf.assembly import Assembly, ModelPart
from andante.robots.sdf.elements import inverse
from andante.robots.sdf.joints import axis_of, direction_of, kind_of
from andante.spatial.arrays import Array

_HINGES = ("revolute", "continuous")
_CLOSING = ("ball", *_HINGES)
_APART = 0.1
"""How far the two points are apart that hold an axis [m]."""


class Loop(NamedTuple):
    """Two links that a joint joins although a tree holds both."""

    name: str
    """The joint."""
    links: tuple[str, str]
    """Parent and child."""
    points: tuple[Array, ...]
    """Where they are one, in the parent's frame (3,) [m]; two of a hinge, one of a ball."""


def tree_and_loops(
    joints: Sequence[ModelPart], ends: Mapping[str, tuple[str, str]]
) -> tuple[list[ModelPart], list[ModelPart]]:
    """The joints that hold links, one for each, and those that close chains; balls hold only what nothing else does."""
    held: dict[str, str] = {}
    for joint in sorted(joints, key=lambda each: kind_of(each) == "ball"):
        held.setdefault(ends[joint.name][1], joint.name)
    tree = [joint for joint in joints if held[ends[joint.name][1]] == joint.name]
    return tree, [joint for joint in joints if held[ends[joint.name][1]] != joint.name]


def loop_of(joint: ModelPart, model: Assembly, ends: tuple[str, str], frames: Mapping[str, Array]) -> Loop:
    """How a joint ties two links.

    Args:
        joint: The joint.
        model: Its model, where it is told.
        ends: Parent and child.
        frames: Frames of URDF's links against the outermost model's (4, 4) [m].

    Raises:
        RobotError: It is of a kind that leaves more or less free than a tie can, or a number is wrong.
    """
    kind = kind_of(joint)
    if kind not in _CLOSING:
        remedy = (
            "take it out, or write the robot in MJCF with an <equality>; where no chain is closed, turn one joint's"
        )
        raise RobotError(
            "a joint of this kind closes a chain",
            place=joint.place,
            value=f"{kind} of {ends[1]}",
            legal=_CLOSING,
            remedy=f"{remedy} parent and child around",
        )
    model.changed.add("closing a chain, so a tie without limits and friction, joint", joint.name)
    back = inverse(frames[ends[0]])
    points = [model.frames.pose(joint.name)[:3, 3]]
    if kind in _HINGES:
        axis, place = axis_of(joint, "axis")
        points.append(points[0] + _APART * direction_of(axis, joint, model, place))
    return Loop(joint.name, ends, tuple(np.asarray(back[:3, :3] @ point + back[:3, 3]) for point in points))
