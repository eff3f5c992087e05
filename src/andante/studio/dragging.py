"""Dragging hands, feet, head and trunk: whole-body inverse kinematics for each event of the pointer.

It runs in a process of its own, made ready before the first drag: the first question of all compiles kernels, which
takes a minute where none are cached, and pages must be answered meanwhile.
"""

from __future__ import annotations

import contextlib
import math
import time
from collections.abc import Callable
from functools import lru_cache, partial
from typing import Any

import numpy as np

from andante.errors import AndanteError
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
from andante.studio.connected_page import Jobs, Page, answered
from andante.studio.errors import StudioError
from andante.studio.messages import Drag
from andante.studio.processes import Helper
from andante.studio.supervised import HelperLimits

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


_READY = 4
"""Robots whose solvers are kept."""
_MOST_LOSSES = 100
"""So often another process is made ready before somebody drags; one that ends at once would be begun for ever."""


@lru_cache(maxsize=_READY)
def _solver(robot: str) -> tuple[WholeBodyIk, Kinematics]:
    model = Robot.load(robot)
    return WholeBodyIk(model), Kinematics(model)


def dragged(robot: str, asked: Drag) -> dict[str, Any]:
    """The posture near one in which a frame is at a place, or as near to it as it can be.

    Args:
        robot: The robot's name.
        asked: What is dragged where, and what is held.

    Raises:
        AndanteError: There is no such frame, foot or joint, or an orientation is none.
    """
    solver, kinematics = _solver(robot)
    began = time.perf_counter()
    model, angles = solver.robot, np.array(asked.joints)
    start = Configuration(angles, np.array(asked.base[:3]), _unit(asked.base[3:], "base"))
    spot = _com(kinematics, start) if asked.com is None else np.array(asked.com)
    tasks: list[Task] = [PostureTask(np.clip(angles, model.lower, model.upper))]
    if not asked.frame:
        tasks.insert(0, _over(np.array(asked.target)))
    elif asked.turn is None:
        tasks.insert(0, PositionTask(asked.frame, np.array(asked.target)))
    else:
        turn = _unit(asked.turn, "turn")
        tasks.insert(0, PoseTask(asked.frame, np.array(asked.target), turn, turn_length=_LEVEL))
    if asked.hold_com and asked.frame:
        tasks.append(_over(spot))
    if asked.trunk is not None and asked.frame != model.base_body:
        tasks.append(PoseTask(model.base_body, start.base_position, _unit(asked.trunk, "trunk"), 0.0, _UPRIGHT))
    solve = partial(solver.solve, start, tasks, fixed=feet_fixed(model, asked.feet), most_motion=MOST_MOTION)
    answer = None
    if asked.limb and asked.feet and not asked.hold_com:
        answer = solve(locked={*asked.locked, *(name for name in model.joint_names if name not in asked.limb)})
    # A limb that is only held back by the cap arrives with the next event.
    if answer is None or (answer.residuals[0].position > _REACHED and not any(limit.capped for limit in answer.active)):
        answer = solve(locked=asked.locked)
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


def _com(kinematics: Kinematics, start: Configuration) -> Vector:
    """Where over the ground the centre of mass is, (2,) [m]."""
    placed = (start.base_position, start.base_orientation) if kinematics.floating else ()
    kinematics.update(start.joints, *placed)
    return kinematics.com()[:2]


def warm(robot: str, anew: bool = False) -> None:
    """Make a robot's solver ready, compiled where it was never used; ``anew``: forget what its file was before."""
    if anew:
        _solver.cache_clear()
    model = Robot.load(robot)
    if model.feet:
        zero = tuple(np.clip(np.zeros(len(model.joints)), model.lower, model.upper).tolist())
        base, (foot, *others) = (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0), model.feet
        feet = tuple(other.name for other in others)
        dragged(robot, Drag(do="drag", joints=zero, base=base, frame=foot.site, target=(0.0, 0.0, 0.0), feet=feet))


class Moves:
    """The process that solves what is dragged, begun at its first use.

    Args:
        tell: Tells all pages something.
        lost: Told a sentence when the process has ended by itself.
        helper: The process; None: its own.
    """

    def __init__(
        self, tell: Callable[[dict[str, Any]], None], lost: Callable[[str], None], helper: Helper | None = None
    ) -> None:
        self._tell, self._told_lost = tell, lost
        limits = HelperLimits(seconds=300.0)
        self.helper = helper or Helper("drags", "the helper that solves drags", self._lost, limits)
        self._preparing: list[str] = []
        self._robots: list[str] = []
        self._losses = 0
        self._jobs = Jobs()

    def state(self) -> dict[str, Any]:
        """Whether a drag is answered at once, as pages are told."""
        return {"type": "moves", "ready": not self._preparing}

    def prepare(self, robot: str, *, anew: bool = False) -> None:
        """Load and, where they were never used, compile what drags of a robot need; pages are told when it is done.

        Args:
            robot: The robot's name or file.
            anew: Its file is another than before.
        """
        if robot not in self._robots:
            self._robots.append(robot)
        self._preparing.append(robot)
        if len(self._preparing) == 1:
            self._tell(self.state())
        self._jobs.begin(self._prepare(robot, anew))

    def drag(self, page: Page, robot: str, message: Drag) -> None:
        """Tell a page where a drag leads."""
        self._jobs.begin(answered(page, message.request, "dragged", self.helper.ask, dragged, robot, message))

    def end(self) -> None:
        """End the process."""
        self._jobs.end()
        self.helper.end()

    async def _prepare(self, robot: str, anew: bool) -> None:
        # What went wrong is told by the drag that meets it.
        with contextlib.suppress(AndanteError):
            await self.helper.ask(warm, robot, anew)
        self._preparing.remove(robot)
        if not self._preparing:
            self._tell(self.state())

    def _lost(self, text: str) -> None:
        """The process has ended: begin another, with the robots that were ready."""
        self._told_lost(text)
        self._losses += 1
        if self._losses <= _MOST_LOSSES:
            for robot in self._robots[-_READY:]:
                self.prepare(robot)
