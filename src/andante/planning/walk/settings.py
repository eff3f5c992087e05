"""PlanSettings: settings of all that makes a walk."""

from __future__ import annotations

from dataclasses import dataclass, field

from andante.planning.course import PlanningError
from andante.planning.footsteps.settings import FootstepSettings
from andante.planning.stances.settings import StanceSettings
from andante.planning.trajectory.settings import TrajectorySettings
from andante.planning.walk.rehearsal import RehearsalLimits
from andante.planning.walk.retries import RetryPolicy


@dataclass(frozen=True)
class PlanSettings:
    """Settings of all that makes a walk.

    Raises:
        PlanningError: A number that makes no sense; names it.
    """

    footsteps: FootstepSettings = field(default_factory=FootstepSettings)
    """Where the feet go."""
    stances: StanceSettings = field(default_factory=StanceSettings)
    """Where the body is over them."""
    trajectory: TrajectorySettings = field(default_factory=TrajectorySettings)
    """How fast."""
    rehearsal: RehearsalLimits = field(default_factory=RehearsalLimits)
    """What the walk must keep."""
    retries: RetryPolicy = field(default_factory=RetryPolicy)
    """What is tried where it cannot."""
    rounds: int = 4
    """How often steps that do not keep it are made slower and higher."""
    slower: float = 1.25
    """By what factor each time."""
    higher: float = 0.004
    """By how much the foot is lifted higher each time, for LittleDog's size [m]."""
    wider: float = 0.012
    """By how much it keeps farther off what it passes each time, for LittleDog's size [m]."""
    hits: float = 0.008
    """How much deeper than allowed a plan may hit something without another search, for LittleDog's size [m]."""
    strains: float = 0.1
    """How much more of its torque than allowed a joint may need without another search."""
    aside: float = 0.01
    """By how much a foot whose leg folds against the trunk swings farther aside each time, for LittleDog's size [m]."""

    def __post_init__(self) -> None:
        for name, low in (("rounds", 0), ("slower", 1.0), ("higher", 0.0), ("wider", 0.0), ("aside", 0.0)):
            if not getattr(self, name) >= low:
                raise PlanningError(
                    f"the plan setting {name} is out of range", value=getattr(self, name), limit=f">= {low}"
                )
        for name in ("hits", "strains"):
            if not getattr(self, name) > 0.0:
                raise PlanningError(f"the plan setting {name} is out of range", value=getattr(self, name), limit="> 0")
