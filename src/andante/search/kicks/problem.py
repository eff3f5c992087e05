"""KickProblem: a kick as a point of the unit box, and how near it brings the ball to the target."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from andante.kinematics.planar_chain import PlanarChain
from andante.motions.kicks.document import Kick, KickKeyframe
from andante.motions.kicks.postures import PosedKeyframe
from andante.robots.records import Vector
from andante.robots.robot import Robot
from andante.runs.kick.execute import KickRun, Physics, kick_world, play
from andante.search.errors import SearchError

if TYPE_CHECKING:
    from andante.backends.leglab.scene import KickWorld

MOST_KEYFRAMES = 12
"""Largest number of keyframes that a search takes on."""
_BEYOND = math.pi
"""How far beyond its limits a joint's target may lie in an unlimited search [rad]: it only makes the joint faster."""
_SHORTEST, _LONGEST = 0.1, 1.0
"""Durations of a keyframe [s]."""
_GRAIN = 0.01
"""Durations between whole frames are rounded to this [s]."""


@dataclass(frozen=True)
class KickProblem:
    """What is searched for."""

    target: tuple[float, float]
    """Where the ball shall pass [m]."""
    physics: Physics = "servos"
    """What moves the leg."""
    keyframes: int = 4
    """Number of keyframes."""
    unlimited: bool = False
    """Targets may lie beyond the joint limits."""
    robot: str = "bootcamp-leg"
    """The leg."""

    def __post_init__(self) -> None:
        if not 1 <= self.keyframes <= MOST_KEYFRAMES:
            limit = f"1 to {MOST_KEYFRAMES}"
            raise SearchError("no such number of keyframes", place="keyframes", value=self.keyframes, limit=limit)

    @property
    def size(self) -> int:
        """Numbers per kick: three angles and a duration per keyframe."""
        return 4 * self.keyframes

    @property
    def chain(self) -> PlanarChain:
        """The leg."""
        return _world(self.robot, self.physics).chain

    def posed(self, point: Vector) -> tuple[PosedKeyframe, ...]:
        """The keyframes of a point, (size,), of the unit box."""
        lower, upper = self._bounds()
        rows = np.asarray(point).reshape(self.keyframes, 4)
        return tuple(
            PosedKeyframe(index, self._duration(float(row[3])), lower + row[:3] * (upper - lower), (), ())
            for index, row in enumerate(rows)
        )

    def point(self, keyframes: tuple[PosedKeyframe, ...]) -> Vector:
        """The point of keyframes, (size,), cut to the unit box.

        Raises:
            SearchError: Another number of keyframes.
        """
        if len(keyframes) != self.keyframes:
            raise SearchError("another number of keyframes is needed", value=len(keyframes), limit=str(self.keyframes))
        lower, upper = self._bounds()
        rows = [
            [*((k.angles - lower) / (upper - lower)), (k.duration - _SHORTEST) / (_LONGEST - _SHORTEST)]
            for k in keyframes
        ]
        return np.clip(np.ravel(rows), 0.0, 1.0)

    def kick(self, point: Vector) -> Kick:
        """The kick document of a point."""
        joints = self.chain.joints
        keyframes = tuple(
            KickKeyframe(duration=k.duration, joints=dict(zip(joints, k.angles.tolist(), strict=True)))
            for k in self.posed(point)
        )
        return kick_of(self.robot, self.target, self.unlimited, keyframes)

    def distance(self, point: Vector) -> float:
        """How near the ball comes to the target [m]."""
        return self._play(point).distance

    def path(self, point: Vector) -> Vector:
        """The ball's way, (n, 3): time [s], x, z [m]."""
        return self._play(point).path

    def _play(self, point: Vector) -> KickRun:
        return play(_world(self.robot, self.physics), self.physics, self.posed(point), self.target, record=False)

    def _bounds(self) -> tuple[Vector, Vector]:
        chain = self.chain
        beyond = _BEYOND if self.unlimited else 0.0
        return np.array(chain.lower) - beyond, np.array(chain.upper) + beyond

    def _duration(self, share: float) -> float:
        duration = _SHORTEST + share * (_LONGEST - _SHORTEST)
        grain = _GRAIN if self.physics == "servos" else _SHORTEST
        return round(round(duration / grain) * grain, 6)


def kick_of(robot: str, target: tuple[float, float], unlimited: bool, keyframes: tuple[KickKeyframe, ...]) -> Kick:
    """The document of a kick; ``unlimited``: its targets may lie beyond the joint limits."""
    return Kick(
        format="andante.kick",
        version=1,
        robot=robot,
        target=target,
        beyond_limits="stops" if unlimited else "refuse",
        keyframes=keyframes,
    )


@lru_cache(maxsize=8)
def _world(robot: str, physics: Physics) -> KickWorld:
    """One world per process: building it costs more than a kick."""
    return kick_world(Robot.load(robot), physics)
