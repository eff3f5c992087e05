"""Dragging hands, feet, head and trunk: whole-body inverse kinematics for each event of the pointer.

It runs in a process of its own: the first question of all compiles kernels, which takes a minute where none are cached,
and pages must be answered meanwhile.
"""

from __future__ import annotations

import math
import time
from functools import lru_cache
from typing import Any

import numpy as np

from andante.kinematics.forward import Kinematics
from andante.kinematics.whole_body import WholeBodyIk
from andante.kinematics.whole_body_problem import (
    ComTask,
    Configuration,
    PoseTask,
    PositionTask,
    PostureTask,
    Task,
    feet_fixed,
)
from andante.robots.records import Vector
from andante.robots.robot import Robot
from andante.studio.errors import StudioError

MOST_MOTION = math.radians(15.0)
"""Largest change of a joint in one event [rad]: what is dragged beyond reach must not jump."""

_REACHED = 1e-3
"""A limb that comes so near needs no help of the whole body [m]."""
_SHORTEST = 1e-6
"""Shortest quaternion that says an orientation."""
_LEVEL = 0.01
"""So many metres beside its place are as bad for a dragged sole as a radian of turn [m]: the place comes first."""
_UPRIGHT = 0.02
"""The same for the trunk [m]."""


@lru_cache(maxsize=4)
def _solver(robot: str) -> WholeBodyIk:
    return WholeBodyIk(Robot.load(robot))


def dragged(
    robot: str,
    joints: tuple[float, ...],
    base: tuple[float, ...],
    frame: str,
    target: tuple[float, ...],
    feet: tuple[str, ...],
    locked: tuple[str, ...],
    limb: tuple[str, ...] = (),
    *,
    turn: tuple[float, ...] | None = None,
    trunk: tuple[float, ...] | None = None,
    com: tuple[float, ...] | None = None,
    hold_com: bool = False,
) -> dict[str, Any]:
    """The posture near one in which a frame is at a place, or as near to it as it can be.

    Args:
        robot: The robot's name.
        joints: The posture, (nj,) [rad].
        base: Position [m] and orientation (wxyz) of the base, (7,).
        frame: Site or body that is dragged; empty: the centre of mass is, over the ground.
        target: Where to, (3,) [m]; of the centre of mass x and y count.
        feet: Feet that stay in their places.
        locked: Joints that keep their angles.
        limb: Joints that are tried alone first; the whole body helps where they do not reach. Empty: it helps at once.
        turn: Orientation (wxyz) that the frame keeps as far as it reaches its place, (4,); None: it turns freely.
        trunk: Orientation (wxyz) that the trunk keeps as far as the others allow, (4,); None: it turns freely.
        com: Where over the ground ``hold_com`` keeps the centre of mass, (2,) [m]; None: where the posture has it.
        hold_com: Keep the centre of mass over its place on the ground: the body leans against what is dragged.

    Raises:
        AndanteError: There is no such frame, foot or joint, or an orientation is none.
    """
    solver = _solver(robot)
    began = time.perf_counter()
    angles = np.array(joints)
    start = Configuration(angles, np.array(base[:3]), _unit(base[3:], "base"))
    spot = _com(robot, start) if com is None else np.array(com)
    tasks: list[Task] = [PostureTask(np.clip(angles, solver.robot.lower, solver.robot.upper))]
    if not frame:
        tasks.insert(0, _over(np.array(target)))
    elif turn is None:
        tasks.insert(0, PositionTask(frame, np.array(target)))
    else:
        tasks.insert(0, PoseTask(frame, np.array(target), _unit(turn, "turn"), turn_length=_LEVEL))
    if hold_com and frame:
        tasks.append(_over(spot))
    if trunk is not None and frame != solver.robot.base_body:
        upright = _unit(trunk, "trunk")
        tasks.append(PoseTask(solver.robot.base_body, start.base_position, upright, 0.0, _UPRIGHT))
    fixed = feet_fixed(solver.robot, feet)
    answer = None
    if limb and feet and not hold_com:
        others = {*locked, *(name for name in solver.robot.joint_names if name not in limb)}
        answer = solver.solve(start, tasks, fixed=fixed, locked=others, most_motion=MOST_MOTION)
    # A limb that is only held back by the cap arrives with the next event.
    if answer is None or (answer.residuals[0].position > _REACHED and not any(limit.capped for limit in answer.active)):
        answer = solver.solve(start, tasks, fixed=fixed, locked=locked, most_motion=MOST_MOTION)
    return {
        "joints": answer.joints.tolist(),
        "base": [*answer.base_position.tolist(), *answer.base_orientation.tolist()],
        "left": answer.residuals[0].position,
        "drift": max((residual.position for residual in answer.fixed), default=0.0),
        "capped": any(limit.capped for limit in answer.active),
        "limits": [limit.joint for limit in answer.active if not limit.capped],
        "com": spot.tolist(),
        "seconds": time.perf_counter() - began,
    }


def _unit(values: tuple[float, ...], place: str) -> Vector:
    """An orientation (wxyz) of length 1, (4,).

    Raises:
        StudioError: It has no length.
    """
    length = float(np.linalg.norm(values))
    if length < _SHORTEST:
        raise StudioError("this is no orientation", place=place, value=values, limit="a quaternion wxyz")
    return np.asarray(np.array(values) / length)


def _over(spot: Vector) -> ComTask:
    """The centre of mass over a place on the ground, (2,) or (3,) [m]."""
    return ComTask(np.array([spot[0], spot[1], 0.0]), (True, True, False))


@lru_cache(maxsize=4)
def _kinematics(robot: str) -> Kinematics:
    return Kinematics(_solver(robot).robot)


def _com(robot: str, start: Configuration) -> Vector:
    """Where over the ground the centre of mass is, (2,) [m]."""
    kinematics = _kinematics(robot)
    placed = (start.base_position, start.base_orientation) if kinematics.floating else ()
    kinematics.update(start.joints, *placed)
    return kinematics.com()[:2]


def warm(robot: str) -> None:
    """Make a robot's solver ready, compiled where it was never used."""
    model = Robot.load(robot)
    if model.feet:
        zero = tuple(np.clip(np.zeros(len(model.joints)), model.lower, model.upper).tolist())
        foot, *others = model.feet
        dragged(
            robot,
            zero,
            (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0),
            foot.site,
            (0.0, 0.0, 0.0),
            tuple(o.name for o in others),
            (),
        )
