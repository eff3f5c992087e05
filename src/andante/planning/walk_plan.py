"""WalkPlan: a walk sampled in time, and what it was made of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from andante.planning.plans import FootstepPlan
from andante.planning.trajectory.tempo import PlanWarmStart
from andante.spatial.arrays import Array, Index

_SAMPLED = ("com", "zmp", "position", "rpy", "feet", "angles", "swinging", "margin", "slack")
"""Fields of a walk with one row per sample."""


@dataclass(frozen=True)
class Swing:
    """When one step of the plan has its foot in the air."""

    step: int
    """Number of the footstep."""
    leg: int
    """Row of the foot."""
    lift_off: int
    """Sample at which it leaves the ground."""
    touchdown: int
    """Sample at which it is on its new place."""


@dataclass(frozen=True, eq=False)
class WalkPlan:
    """Body, feet and joints over time; sample k is at time k times the period."""

    footsteps: FootstepPlan
    """The footsteps that it makes."""
    period: float
    """Time between samples [s]."""
    swings: tuple[Swing, ...]
    """One per footstep, in order; the time between them all feet carry."""
    com: Array
    """Centre of mass, (n, 3) [m]."""
    zmp: Array
    """Zero moment point, (n, 2) [m]."""
    position: Array
    """Origin of the base, (n, 3) [m]."""
    rpy: Array
    """Roll, pitch and yaw of the base, (n, 3) [rad]."""
    feet: Array
    """Centres of the feet, (n, nl, 3) [m]; a ball foot's centre rolls on a little while it carries."""
    angles: Array
    """Joint angles of the legs, (n, nl, 3) [rad], in the order of roll, pitch, knee."""
    swinging: Index
    """Row of the foot in the air, -1 where none is, (n,)."""
    margin: Array
    """Distance of the zero moment point from the edge of the support polygon [m]; below zero outside; (n,)."""
    slack: Array
    """Smallest angle left to a joint's limit without what the course reserves of the knees' bend [rad]; below zero:
    that is used, or the place is out of reach; (n,)."""
    warm_start: PlanWarmStart | None = None
    """What it was made of, for planning anew under way; None: nothing is known."""

    @property
    def duration(self) -> float:
        """Time that it takes [s]."""
        return (len(self.com) - 1) * self.period

    def joined_samples(self, end: int | None, rest: WalkPlan, begin: int | None = None) -> dict[str, Any]:
        """Its samples before ``end`` and then those of another walk from ``begin`` on, by the names of the fields."""
        return {name: np.concatenate([getattr(self, name)[:end], getattr(rest, name)[begin:]]) for name in _SAMPLED}
