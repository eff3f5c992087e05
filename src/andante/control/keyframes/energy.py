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
        nj = len(robot.joints)
        legs, arms = limb_mask(robot, "leg"), limb_mask(robot, "arm")
        self._masks = {(True, False): legs, (False, True): arms, (True, True): legs | arms}
        # Arrays, as numpy takes three times as long where one side is a number.
        self._creep, self._back = np.full(nj, _RATE * tick), np.full(nj, _RETURN_RATE * tick)
        self._most, self._enough = np.full(nj, _MOST), np.full(nj, _ENOUGH)
        self._followers, self._leaders = robot.followers, robot.leaders[robot.followers]
        self.reset()

    def reset(self) -> None:
        """Forget everything."""
        self.active = False
        """Whether there is anything to add."""
        self.change: Vector = np.zeros(len(self._most))
        """What is added to the command, (nj,) [rad]."""

    def update(self, motion: CompiledMotion | None, waiting: bool, request: Vector, measured: Vector) -> None:
        """Move the change of this tick.

        Args:
            motion: Motion under way or over; its end request names the limbs.
            waiting: The motion is over and its last posture is held.
            request: Positions that the engine asks for, (nj,) [rad].
            measured: Measured positions, (nj,) [rad].
        """
        saving = None if motion is None else self._saving(motion, waiting)
        if saving is None and not self.active:
            return
        # The way back is for limbs that save nothing now; it is as fast for all of them.
        step = np.minimum(np.maximum(self.change, -self._back), self._back)
        if saving is not None:
            lag = request + self.change - measured
            np.copyto(step, np.sign(lag) * (np.abs(lag) > self._enough) * self._creep, where=saving)
        change = self.change - step
        self.active = saving is not None or bool(change.any())
        if saving is not None:
            change = np.minimum(np.maximum(change, -self._most), self._most)
            change[self._followers] = change[self._leaders]
        self.change = change

    def _saving(self, motion: CompiledMotion, waiting: bool) -> NDArray[np.bool_] | None:
        """Joints that save energy now, None for none."""
        end = motion.written.end_request
        return self._masks.get((_now(end.energy_saving_legs, waiting), _now(end.energy_saving_arms, waiting)))


def limb_mask(robot: Robot, kind: str) -> NDArray[np.bool_]:
    """Joints of all groups whose name contains ``kind``."""
    mask = np.zeros(len(robot.joints), dtype=bool)
    for group, names in robot.groups.items():
        if kind in group:
            mask[[robot.index(name) for name in names]] = True
    return mask


def _now(saving: EnergySaving, waiting: bool) -> bool:
    return saving is EnergySaving.ALWAYS or (saving is EnergySaving.IN_WAIT and waiting)
