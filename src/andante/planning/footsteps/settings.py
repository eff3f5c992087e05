"""FootstepSettings: how footsteps are chosen."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from andante.planning.course import PlanningError
from andante.planning.footsteps.costs import FootholdWeights
from andante.planning.footsteps.features import FootholdLimits


@dataclass(frozen=True)
class FootstepSettings:
    """How footsteps are chosen. Lengths are for LittleDog's size and grow with the robot."""

    order: tuple[str, ...] = ("HR", "FR", "HL", "FL")
    """Names of the feet in the order in which they step; a foot may skip its turn."""
    shortest: float = -0.06
    """Farthest step back along the path [m]."""
    longest: float = 0.17
    """Longest step along the path [m]."""
    pitch: float = 0.03
    """Distance of the places that are looked at along the path [m]."""
    aside: float = 0.025
    """How far beside its usual place a foot may go [m]."""
    outward: float = 0.0225
    """Usual distance of a foot from where it hangs straight below its hip, away from the middle [m]."""
    squeeze: float = 0.05
    """Least distance of a front foot ahead of the hind foot of its side [m]."""
    margin: float = 0.012
    """Least distance of the centre of mass from the edge of the support triangle [m]."""
    slack: float = 0.004
    """Least room of a pose [m]."""
    comfort: float = 0.009
    """Room from which on more is worth nothing [m]."""
    lift: float = 0.015
    """Height of a swinging foot over all that lies on its way [m]."""
    tolerance: float = 0.02
    """Distance before the goal at which the middle of the feet is there [m]."""
    pause: float = 0.14
    """Time of a step besides its way, in which all feet carry and the body moves on [s]."""
    speed: float = 1.3
    """Speed of a foot over the ground [m/s]."""
    lifting: float = 1.0
    """Speed of a foot up and down [m/s]."""
    skip: float = 0.03
    """Cost of a turn that is skipped [s]."""
    heuristic_weight: float = 1.6
    """How many times too much the rest of the way counts; 1 would find the best of these footsteps, in a long time."""
    stretch_penalty: float = 4.0
    """How much states count as unpromising whose feet of one side are far apart with one of them much higher [s/m]."""
    max_tests: int = 2500
    """Steps that are tested for a pose before an attempt is given up and one with other settings is made."""
    max_poses: int = 560_000
    """Poses that are looked at in all attempts before the course counts as one without a way: below two seconds."""
    weights: FootholdWeights = field(default_factory=FootholdWeights)
    """Weights of the features of a foothold."""
    limits: FootholdLimits = field(default_factory=FootholdLimits)
    """Where no foot may stand."""

    def __post_init__(self) -> None:
        positive = ("longest", "pitch", "tolerance", "pause", "speed", "lifting", "max_tests", "max_poses", "comfort")
        for name in (*positive, "margin", "slack", "lift", "skip", "aside", "stretch_penalty"):
            value = getattr(self, name)
            if not (math.isfinite(value) and (value > 0.0 if name in positive else value >= 0.0)):
                limit = "above 0" if name in positive else "0 or above"
                raise PlanningError(f"the footstep setting {name} is out of range", value=value, limit=limit)
        if not (math.isfinite(self.shortest) and -self.longest <= self.shortest <= 0.0):
            raise PlanningError("the farthest step back must not be above 0", value=self.shortest)
        if not (math.isfinite(self.heuristic_weight) and self.heuristic_weight >= 1.0):
            raise PlanningError("the heuristic weight of the search is 1 or above", value=self.heuristic_weight)
        if not self.order or len(set(self.order)) != len(self.order):
            raise PlanningError("a gait names each foot at most once", value=list(self.order))
