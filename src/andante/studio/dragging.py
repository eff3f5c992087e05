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

from andante.kinematics.whole_body import WholeBodyIk
from andante.kinematics.whole_body_problem import Configuration, PositionTask, PostureTask, Task, feet_fixed
from andante.robots.robot import Robot

MOST_MOTION = math.radians(15.0)
"""Largest change of a joint in one event [rad]: what is dragged beyond reach must not jump."""

_REACHED = 1e-3
"""A limb that comes so near needs no help of the whole body [m]."""


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
) -> dict[str, Any]:
    """The posture near one in which a frame is at a place, or as near to it as it can be.

    Args:
        robot: The robot's name.
        joints: The posture, (nj,) [rad].
        base: Position [m] and orientation (wxyz) of the base, (7,).
        frame: Site or body that is dragged.
        target: Where to, (3,) [m].
        feet: Feet that stay in their places.
        locked: Joints that keep their angles.
        limb: Joints that are tried alone first; the whole body helps where they do not reach. Empty: it helps at once.

    Raises:
        AndanteError: There is no such frame, foot or joint.
    """
    solver = _solver(robot)
    began = time.perf_counter()
    angles = np.array(joints)
    orientation = np.array(base[3:])
    start = Configuration(angles, np.array(base[:3]), orientation / np.linalg.norm(orientation))
    stay = PostureTask(np.clip(angles, solver.robot.lower, solver.robot.upper))
    tasks: tuple[Task, ...] = (PositionTask(frame, np.array(target)), stay)
    fixed = feet_fixed(solver.robot, feet)
    answer = None
    if limb and feet:
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
        "seconds": time.perf_counter() - began,
    }


def warm(robot: str) -> None:
    """Make a robot's solver ready."""
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
