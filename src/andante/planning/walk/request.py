"""What is asked of a planner of walks, and what it answers."""

from __future__ import annotations

from dataclasses import dataclass

from andante.planning.walk_plan import WalkPlan
from andante.spatial.arrays import Array
from andante.terrain.elevation_map import ElevationMap

FIRST = 1
"""Number of the first request of a run."""


@dataclass(frozen=True, eq=False)
class WalkUnderWay:
    """A walk and where its rest begins."""

    plan: WalkPlan
    """The walk."""
    at: int
    """Sample from which on it may change."""
    feet: Array
    """Centres of the feet then, (nl, 3) [m]; the body is taken to be where the walk has it."""


@dataclass(frozen=True, eq=False)
class WalkRequest:
    """A walk to the goal is wanted from where the robot is."""

    serial: int
    """Number of the request; the answer bears it."""
    time: float
    """When it was asked [s]."""
    position: Array
    """Origin of the base, (3,) [m]."""
    rotation: Array
    """Rotation of the base, (3, 3)."""
    com: Array
    """Centre of mass, (3,) [m]."""
    feet: Array
    """Centres of the feet, (nl, 3) [m]."""
    under_way: WalkUnderWay | None = None
    """The walk whose rest shall be planned anew; None: a new walk from where the robot stands."""


@dataclass(frozen=True)
class PlanTimes:
    """What planning took, on the clock [s]."""

    footsteps: float = 0.0
    """Search of the footsteps."""
    stances: float = 0.0
    """Choice of the poses."""
    trajectory: float = 0.0
    """Body, swings and joints over time."""

    @property
    def whole(self) -> float:
        """All of it [s]."""
        return self.footsteps + self.stances + self.trajectory


@dataclass(frozen=True, eq=False)
class WalkAnswer:
    """A walk, or why there is none."""

    request: WalkRequest
    """What was asked."""
    plan: WalkPlan | None = None
    """The walk; None: there is none."""
    whole: bool = False
    """Whether it leads to the goal; else the robot asks again at its end."""
    attempt: str = ""
    """Name of the attempt of the policy that gave it."""
    reason: str = ""
    """Why there is no walk, or none to the goal; empty where there is."""
    times: PlanTimes = PlanTimes()
    """What planning took."""
    known: ElevationMap | None = None
    """The map by which it was planned; None: there is no walk."""
