"""Plans of a walk before it is timed: footsteps first, then the body's poses over them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from andante.spatial.arrays import Array


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
