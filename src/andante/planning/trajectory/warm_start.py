"""PlanWarmStart: what a walk was made of beside its footsteps, so that its rest can be planned anew in milliseconds."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from andante.planning.footstep import FootstepPlan
from andante.planning.stance_plan import StancePlan
from andante.planning.trajectory.tempo import Tempo

Array = NDArray[np.float64]
_ROWS = ("poses", "aims", "rooms", "laws")
"""Fields with one row per step."""


@dataclass(frozen=True, eq=False)
class PlanWarmStart:
    """What the n steps of a walk were timed with."""

    poses: Array
    """Centre of mass and roll, pitch, yaw that were wanted at lift-off and landing, (n, 2, 6) [m, rad]."""
    aims: Array
    """How far past them the body was aimed, (n, 2, 6) [m, rad]."""
    rooms: Array
    """Room and margin of the stances there, (n, 2, 2) [m]."""
    tempo: Tempo
    """What each step was allowed."""
    laws: Array
    """Times 0 to 1 at which each foot is at the points of its path, (n, m)."""

    def stances(self, footsteps: FootstepPlan, first: int, last: int) -> StancePlan:
        """The poses of steps ``first`` to before ``last`` over footsteps that are these."""
        poses, rooms = self.poses[first:last], self.rooms[first:last]
        return StancePlan(footsteps, poses[..., :3], poses[..., 3:], rooms[..., 0], rooms[..., 1])

    def part(self, first: int, last: int | None = None) -> PlanWarmStart:
        """The same of steps ``first`` to before ``last`` only."""
        last = len(self.poses) if last is None else last
        rows = {name: getattr(self, name)[first:last] for name in _ROWS}
        return PlanWarmStart(tempo=self.tempo.part(first, last), **rows)

    def then(self, rest: PlanWarmStart) -> PlanWarmStart:
        """This, and then the rest."""
        rows = {name: np.concatenate([getattr(self, name), getattr(rest, name)]) for name in _ROWS}
        return PlanWarmStart(tempo=self.tempo.then(rest.tempo), **rows)
