"""Energy saving after a motion: requests of waiting limbs creep towards where the joints are anyway.

Two limbs that press against each other or the ground hold a torque that serves nothing. A request that moves towards
the measurement lets it go. Temperature plays no part. The change is bounded, slow, and only added to the command: the
engine goes on from its own request.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from andante.control.keyframes.compiled import CompiledMotion
from andante.motions.library import EnergySaving
from andante.robots.records import Vector
from andante.robots.robot import Robot

_RATE = math.radians(1.0)
"""Speed of the creeping [rad/s]."""
_RETURN_RATE = math.radians(10.0)
"""Speed of the way back once it is over [rad/s]."""
_MOST = math.radians(1.0)
"""Largest change of a request: joints that must carry a load sag by no more [rad]."""
_ENOUGH = math.radians(0.3)
"""A joint nearer to its request is left alone [rad]."""


class EnergySaver:
    """Change of the commanded positions.

    Args:
        robot: The robot.
        tick: Period [s].
    """

    def __init__(self, robot: Robot, tick: float) -> None:
        self._tick = tick
        self._limbs: dict[str, NDArray[np.bool_]] = {}
        for kind in ("leg", "arm"):
            mask = np.zeros(len(robot.joints), dtype=bool)
            for group, names in robot.groups.items():
                if kind in group:
                    mask[[robot.index(name) for name in names]] = True
            self._limbs[kind] = mask
        pairs = [(index, robot.index(joint.follows)) for index, joint in enumerate(robot.joints) if joint.follows]
        self._followers = np.array([pair[0] for pair in pairs], dtype=np.intp)
        self._leaders = np.array([pair[1] for pair in pairs], dtype=np.intp)
        self._at_rest = True
        self.change: Vector = np.zeros(len(robot.joints))
        """What is added to the command, (nj,) [rad]."""

    @property
    def active(self) -> bool:
        """Whether there is anything to add."""
        return not self._at_rest

    def reset(self) -> None:
        """Forget everything."""
        self.change[:] = 0.0
        self._at_rest = True

    def update(self, motion: CompiledMotion | None, waiting: bool, request: Vector, measured: Vector) -> None:
        """Move the change of this tick.

        Args:
            motion: Motion under way or over; its end request names the limbs.
            waiting: The motion is over and its last posture is held.
            request: Positions that the engine asks for, (nj,) [rad].
            measured: Measured positions, (nj,) [rad].
        """
        saving = None if motion is None else self._saving(motion, waiting)
        if saving is None:
            if self._at_rest:
                return
            back = _RETURN_RATE * self._tick
            self.change -= np.clip(self.change, -back, back)
            self._at_rest = not self.change.any()
            return
        self._at_rest = False
        lag = request + self.change - measured
        step = np.where(np.abs(lag) > _ENOUGH, np.sign(lag) * (_RATE * self._tick), 0.0)
        back = _RETURN_RATE * self._tick
        step = np.where(saving, step, np.clip(self.change, -back, back))
        self.change -= step
        np.clip(self.change, -_MOST, _MOST, out=self.change)
        self.change[self._followers] = self.change[self._leaders]

    def _saving(self, motion: CompiledMotion, waiting: bool) -> NDArray[np.bool_] | None:
        """Joints that save energy now, None for none."""
        legs = _now(motion.end_request.energy_saving_legs, waiting)
        arms = _now(motion.end_request.energy_saving_arms, waiting)
        if legs and arms:
            return self._limbs["leg"] | self._limbs["arm"]
        if legs or arms:
            return self._limbs["leg" if legs else "arm"]
        return None


def _now(saving: EnergySaving, waiting: bool) -> bool:
    return saving is EnergySaving.ALWAYS or (saving is EnergySaving.IN_WAIT and waiting)
