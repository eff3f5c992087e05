"""How fast a robot can trot within its limits, found by swinging every leg in thought."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from andante.control.controller import ControlError
from andante.control.legs.foot_motion import FootMotion
from andante.control.steering import Heading
from andante.control.trot.settings import TrotSettings
from andante.control.trot.swing_path import swing_place
from andante.kinematics.leg_table import LeggedBody
from andante.kinematics.three_joint_leg import LegReachError

Array = NDArray[np.float64]
_LATE = 0.05
"""Share of a step by which a foot may be late at its end."""
_HALVINGS = 6
_FASTEST = 4.0
"""Leg lengths per half step that no trot exceeds."""


def fastest(body: LeggedBody, settings: TrotSettings, home: Array, period: float) -> Heading:
    """Largest speeds forward, to the side and of turning, each on its own.

    Raises:
        ControlError: The legs cannot even step on the spot in this time.
    """
    ways = [np.tile(way, (4, 1)) for way in ((1.0, 0.0), (0.0, 1.0))]
    ways.append(np.stack([-home[:, 1], home[:, 0]], axis=-1))
    limits = []
    for way in ways:
        low, high = 0.0, _FASTEST * body.leg_length / settings.half / float(np.abs(way).max())
        if not _possible(body, settings, home, period, 0.02 * high * way):
            raise ControlError(
                "the legs cannot step so fast within the robot's limits",
                place="trot.half",
                value=f"{settings.half:.3g} s",
                remedy="ask for a longer time or less lift",
            )
        for _ in range(_HALVINGS):
            middle = 0.5 * (low + high)
            if _possible(body, settings, home, period, middle * way):
                low = middle
            else:
                high = middle
        limits.append(low)
    return Heading(*limits)


def _possible(body: LeggedBody, settings: TrotSettings, home: Array, period: float, speeds: Array) -> bool:
    """Whether all feet come to the end of a swing in time if the ground passes below them at speeds (4, 2) [m/s]."""
    half, step = settings.half, np.zeros((4, 3))
    step[:, :2] = 0.5 * half * speeds
    motion = FootMotion(body, period)
    start, goal = home - step, home + step
    try:
        motion.angles = np.array([leg.solve_on_branch(place) for leg, place in zip(body.legs, start, strict=True)])
        for leg, place in zip(body.legs, goal, strict=True):
            leg.solve_on_branch(place)
    except LegReachError:
        return False
    motion.places = start.copy()
    duration = settings.swing * half
    alone = np.zeros(4, dtype=np.bool_)
    for tick in range(1, round(duration / period) + 1):
        share = tick * period / duration
        goals = [
            swing_place(a, b, settings.lift, share, -duration * speed)
            for a, b, speed in zip(start, goal, speeds, strict=True)
        ]
        motion.move(np.array(goals), alone)
    missed = np.linalg.norm(motion.places - goal, axis=1).max()
    return bool(missed <= _LATE * max(float(np.abs(step).max()) * 2.0, settings.lift))
