"""Where a trotting foot is in its swing, and how fast a robot can trot, found by swinging every leg in thought."""

from __future__ import annotations

import math

import numpy as np

from andante.control.controller import ControlError
from andante.control.legs.foot_motion import FootMotion
from andante.control.steering import Heading
from andante.control.trot.settings import TrotSettings
from andante.kinematics.leg_table import LeggedBody
from andante.kinematics.three_joint_leg import LegReachError
from andante.spatial.arrays import Array

_LATE = 0.05
"""Share of a step by which a foot may be late at its end."""
_HALVINGS = 6
_MATCH = 0.5
"""Share of the ground's speed with which a foot lifts and comes down; all of it would cost joint speed in between."""
_FASTEST = 4.0
"""Leg lengths per half step that no trot exceeds."""


def swing_place(start: Array, goal: Array, lift: float, share: float, passed: Array | None = None) -> Array:
    """Place of a foot in the level frame, (3,) [m], a share of the swing's time after it lifted.

    Across it goes with the speed of a sine's half wave; it is highest a little before the middle, so that it comes down
    steeply onto what may be a little higher than expected.

    Args:
        start: Where it lifted, (3,) [m].
        goal: Where it shall come down, (3,) [m].
        lift: How high it goes [m].
        share: Share of the time, 0 to 1.
        passed: How far the ground passes below the body in the swing's time, (2,) [m].
    """
    s = min(max(share, 0.0), 1.0)
    across = 0.5 - 0.5 * math.cos(math.pi * s)
    place = start + across * (goal - start)
    if passed is not None:
        place[:2] += _MATCH * (s - across) * passed
    place[2] += lift * math.sin(math.pi * s**0.85) ** 1.5
    return np.asarray(place)


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
            possible = _possible(body, settings, home, period, middle * way)
            low, high = (middle, high) if possible else (low, middle)
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
