"""PlanSettings: settings of all that makes a walk."""

from __future__ import annotations

from typing import Annotated, ClassVar

from pydantic import Field

from andante.documents.quantities import Count, NonNegativeLength, Number, Positive, PositiveLength
from andante.documents.settings import Settings
from andante.planning.footsteps.settings import FootstepSettings
from andante.planning.stances.settings import StanceSettings
from andante.planning.trajectory.settings import TrajectorySettings
from andante.planning.walk.rehearsal import RehearsalLimits
from andante.planning.walk.retries import RetryPolicy


class PlanSettings(Settings):
    """Settings of all that makes a walk; lengths are for LittleDog's size."""

    place: ClassVar[str] = "plan"

    footsteps: FootstepSettings = FootstepSettings()
    """Where the feet go."""
    stances: StanceSettings = StanceSettings()
    """Where the body is over them."""
    trajectory: TrajectorySettings = TrajectorySettings()
    """How fast."""
    rehearsal: RehearsalLimits = RehearsalLimits()
    """What the walk must keep."""
    retries: RetryPolicy = RetryPolicy()
    """What is tried where it cannot."""
    rounds: Count = 4
    """How often steps that do not keep it are made slower and higher."""
    slower: Annotated[Number, Field(ge=1.0)] = 1.25
    """By what factor each time."""
    higher: NonNegativeLength = 0.004
    """By how much the foot is lifted higher each time [m]."""
    wider: NonNegativeLength = 0.012
    """By how much it keeps farther off what it passes each time [m]."""
    hits: PositiveLength = 0.008
    """How much deeper than allowed a plan may hit something without another search [m]."""
    strains: Positive = 0.1
    """How much more of its torque than allowed a joint may need without another search."""
    aside: NonNegativeLength = 0.01
    """By how much a foot whose leg folds against the trunk swings farther aside each time [m]."""

    def with_effort(self, effort: float) -> PlanSettings:
        """The same with so many times the work for footsteps, in each search and in all of them together."""
        steps = self.footsteps
        most = {name: max(round(effort * getattr(steps, name)), 1) for name in ("max_tests", "max_poses")}
        return self.changed(footsteps=steps.changed(**most))
