"""Names for columns of joints that a file does not name: those of the robot asked for, or of a known data set.

Source: README of the LAFAN1 Retargeting Dataset, and scripts/csv_to_npz.py of unitreerobotics/unitree_rl_mjlab.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from andante.formats.report import FormatError
from andante.robots.loader import is_robot
from andante.robots.register import ROBOTS
from andante.robots.robot import Robot

_SLACK = 0.1
"""By so much a retargeted angle may break a limit [rad]; another order breaks some by more."""
_SIDES = ("left", "right")


def _joints(legs: tuple[str, ...], waist: tuple[str, ...], arms: tuple[str, ...]) -> tuple[str, ...]:
    parts = [f"{side}_{part}" for side in _SIDES for part in legs]
    parts += [*waist, *(f"{side}_{part}" for side in _SIDES for part in arms)]
    return tuple(f"{part}_joint" for part in parts)


_G1_LEGS = ("hip_pitch", "hip_roll", "hip_yaw", "knee", "ankle_pitch", "ankle_roll")
_ARMS = ("shoulder_pitch", "shoulder_roll", "shoulder_yaw", "elbow")
_WRISTS = ("wrist_roll", "wrist_pitch", "wrist_yaw")
_H1_2_LEGS = ("hip_yaw", "hip_pitch", "hip_roll", "knee", "ankle_pitch", "ankle_roll")
DATA_SETS: Mapping[str, tuple[str, ...]] = {
    "Unitree G1": _joints(_G1_LEGS, ("waist_yaw", "waist_roll", "waist_pitch"), _ARMS + _WRISTS),
    "Unitree G1 of 23 joints": _joints(_G1_LEGS, ("waist_yaw",), (*_ARMS, "wrist_roll")),
    "Unitree H1_2": _joints(_H1_2_LEGS, ("torso",), _ARMS + _WRISTS),
    "Unitree H1": _joints(("hip_yaw", "hip_roll", "hip_pitch", "knee", "ankle"), ("torso",), _ARMS),
}
"""Joints in the order of columns, by robot."""


@dataclass(frozen=True)
class NamedColumns:
    """What columns are taken for."""

    joints: tuple[str, ...]
    """A joint for each column."""
    of: str
    """Whose they are, for people."""


def joints_of_columns(count: int, asked: str, file: Path) -> NamedColumns:
    """Names for so many columns.

    Args:
        count: Number of columns of joints.
        asked: The robot asked for, by name or file; empty: none.
        file: The file, for messages.

    Raises:
        FormatError: Neither the robot asked for nor a known data set has so many joints.
        AndanteError: The robot asked for cannot be loaded.
    """
    known = {name: joints for name, joints in DATA_SETS.items() if len(joints) == count}
    robot = robot_asked(asked)
    if robot is not None and len(robot.joint_names) == count:
        return NamedColumns(robot.joint_names, f"the joints of {robot.name!r} in the order of its model")
    for name, joints in known.items():
        if robot is None or set(joints) <= set(robot.joint_names):
            hint = "" if robot is not None else "; with --robot FILE for those of that robot"
            return NamedColumns(joints, f"the joints of a {name} in the order of the LAFAN1 Retargeting Dataset{hint}")
    sizes = ", ".join(f"{len(joints)} ({name})" for name, joints in DATA_SETS.items())
    if robot is not None:
        sizes = f"{len(robot.joint_names)} ({robot.name}), {sizes}"
    raise FormatError(
        "the columns of joints are not named, and no robot that is known here has so many",
        file=file,
        value=count,
        limit=sizes,
        remedy="name the robot that they are for (--robot FILE)",
    )


def joints_by_limits(position: NDArray[np.float64], asked: str, file: Path) -> NamedColumns:
    """Names for the columns of a tracker's motion, which are in the model's order or by the depth of their bodies.

    Args:
        position: Angles, (frames, nj) [rad].
        asked: The robot asked for, by name or file; empty: none.
        file: The file, for messages.

    Raises:
        FormatError: No robot is asked for, it has not so many joints, or their limits do not tell the order.
        AndanteError: The robot cannot be loaded.
    """
    remedy = "add an array joint_names to the file, or read the CSV that it was made of"
    robot = robot_asked(asked)
    if robot is None:
        what = "the file names no joints, and programs that write such files order them in two ways"
        raise FormatError(what, file=file, inside="position", value=position.shape[1], remedy=f"give --robot; {remedy}")
    count = len(robot.joint_names)
    if position.shape[1] != count:
        raise FormatError(
            "the file names no joints, and the robot has another number of them",
            file=file,
            inside="position",
            value=position.shape[1],
            limit=f"{count} ({robot.name})",
            remedy=remedy,
        )
    orders = {
        f"the joints of {robot.name!r} in the order of its model, as mjlab has them": robot.joint_names,
        f"the joints of {robot.name!r} by the depth of their bodies, as Isaac Lab has them": _by_depth(robot),
    }
    limits = {joint.name: (joint.lower, joint.upper) for joint in robot.joints}
    excess = {
        of: max(
            (
                max(limits[name][0] - float(np.nanmin(values)), float(np.nanmax(values)) - limits[name][1])
                for name, values in zip(names, position.T, strict=True)
            ),
            default=0.0,
        )
        for of, names in orders.items()
    }
    legal = [of for of, value in excess.items() if value <= _SLACK]
    if len(legal) != 1 and len(set(orders.values())) > 1:
        both = "both orders are inside" if legal else "neither order is inside"
        raise FormatError(
            f"the file names no joints, and {both} the limits of the robot's joints",
            file=file,
            inside="position",
            remedy=remedy,
        )
    of = (legal or list(orders))[0]
    return NamedColumns(orders[of], f"{of}: the other order breaks its limits" if len(orders) > 1 else of)


def _by_depth(robot: Robot) -> tuple[str, ...]:
    """The joints in the order in which bodies are met level by level from the base, those of one body as they come."""
    model = robot.model
    depth = [0] * model.nbody
    for body in range(1, model.nbody):
        depth[body] = depth[int(model.body_parentid[body])] + 1
    body_of = {name: int(model.jnt_bodyid[model.joint(name).id]) for name in robot.joint_names}
    return tuple(sorted(robot.joint_names, key=lambda name: depth[body_of[name]]))


def robot_asked(asked: str) -> Robot | None:
    """The robot asked for; None: none is, or it is only a word.

    Raises:
        AndanteError: It cannot be loaded.
    """
    if not asked or not (asked in ROBOTS or Path(asked).suffix or is_robot(Path(asked))):
        return None
    return Robot.load(asked)
