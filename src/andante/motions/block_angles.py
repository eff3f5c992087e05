"""Joint angles that a block's keyframes ask for, whether they are written as angles or as limb poses."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from andante.motions.keyframe import Keyframe
from andante.robots.robot import Robot

if TYPE_CHECKING:
    from andante.motions.limbs import LimbSolver


class BlockAngles:
    """Joint angles that the keyframes of one block ask for, one keyframe after another, limb poses included.

    Args:
        robot: The robot.
    """

    def __init__(self, robot: Robot) -> None:
        self._robot = robot
        self._solver: LimbSolver | None = None
        self._before: dict[int, float] = {}

    def begin(self) -> None:
        """A block begins: nothing is known of the keyframes before it."""
        self._before = {}

    def of(self, keyframe: Keyframe, angles: Mapping[int, float], place: str) -> dict[int, float]:
        """Angles by joint index [rad] of the block's next keyframe; limb poses win over angles of their joints.

        Args:
            keyframe: The keyframe.
            angles: Its own angles by joint index [rad].
            place: Path to it in the document.

        Raises:
            MotionError: As `LimbSolver.solve`.
        """
        asked = dict(angles)
        if keyframe.limbs:
            if self._solver is None:
                # Imported here because it brings in the physics engine, which most libraries do without.
                from andante.motions.limbs import LimbSolver

                self._solver = LimbSolver(self._robot)
            nj = len(self._robot.joints)
            posture, known = np.zeros(nj), np.zeros(nj, dtype=bool)
            for joint, value in {**self._before, **angles}.items():
                posture[joint], known[joint] = value, True
            asked |= self._solver.solve(keyframe.limbs, posture, known, f"{place}.limbs")
        self._before |= asked
        return asked
