"""Plans of a walk: footsteps first, then the body's poses over them, then the whole sampled in time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from andante.spatial.arrays import Array, Index

if TYPE_CHECKING:
    from andante.planning.trajectory.tempo import PlanWarmStart

_SAMPLED = ("com", "zmp", "position", "rpy", "feet", "angles", "swinging", "margin", "slack")
"""Fields of a walk with one row per sample."""


@dataclass(frozen=True, eq=False)
class Footstep:
    """One foot goes to one place."""

    leg: int
    """Row of the foot that moves."""
    place: Array
    """Where its centre will be, (3,) [m]."""
    apex: float
    """Height of its centre that clears all that lies between its old and its new place [m]."""
    cost: float = 0.0
    """Cost of the foothold."""


@dataclass(frozen=True, eq=False)
class FootstepPlan:
    """Footsteps from the feet where the robot stands."""

    feet: Array
    """Centres of the feet before the first step, (nl, 3) [m]."""
    steps: tuple[Footstep, ...]
    """The steps in order; one foot is in the air at a time."""
    cost: float = 0.0
    """Cost of the whole."""
    bound: float = 1.0
    """At most how many times dearer than the best plan it is; infinite where nothing is known."""
    stage: int = 0
    """Number of the search that found it, in the schedule of searches."""
    tests: int = 0
    """Steps that all searches up to it tested."""

    def stances(self) -> Array:
        """Feet before each step and after the last, (n + 1, nl, 3) [m]."""
        places = np.repeat(self.feet[None], len(self.steps) + 1, axis=0)
        for number, step in enumerate(self.steps, start=1):
            places[number:, step.leg] = step.place
        return places


@dataclass(frozen=True, eq=False)
class StancePlan:
    """A pose of the body for both ends of each swing; both keep the centre of mass over the other feet."""

    footsteps: FootstepPlan
    """The footsteps."""
    com: Array
    """Centre of mass at lift-off and at landing of each step, (n, 2, 3) [m]."""
    rpy: Array
    """Roll, pitch and yaw of the base there, (n, 2, 3) [rad]."""
    slack: Array
    """Smallest room left there [m]: reach, joint limits, shanks and belly over the ground; (n, 2)."""
    margin: Array
    """Distance of the centre of mass from the edge of the support polygon there [m]; (n, 2)."""


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
