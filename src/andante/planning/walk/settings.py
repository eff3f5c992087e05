"""PlanSettings: settings of all that makes a walk, and what is tried, in which order, until there is one.

A search finds footsteps all the way; whether body and joints can follow them shows only later. Where they cannot, other
footsteps are looked for. Where none do the robot need not stay: it walks more carefully, or walks the first part and
looks again from there, where feet stand differently. What is tried within one search of footsteps is in
`andante.planning.footsteps.settings`.
"""

from __future__ import annotations

from typing import Annotated, ClassVar, Self

from pydantic import Field, model_validator

from andante.documents.quantities import Count, NonNegativeLength, Number, Positive, PositiveLength, PositiveShare
from andante.documents.settings import Settings
from andante.documents.validation import contradiction
from andante.planning.footsteps.settings import FootstepSettings
from andante.planning.stances.settings import StanceSettings
from andante.planning.trajectory.settings import TrajectorySettings
from andante.planning.walk.rehearsal import RehearsalLimits


class WalkAttempt(Settings):
    """One way to come to a new walk."""

    place: ClassVar[str] = "attempt"

    name: str
    """By which the answer tells of it."""
    purpose: str
    """What it is for."""
    search: bool = False
    """Whether new footsteps are searched, that keep off what the attempts before found wrong; else the first ones that
    were found are walked carefully."""
    share: PositiveShare = 1.0
    """Share of the footsteps that is walked."""


class RestAttempt(Settings):
    """One way to come to a new rest of a walk under way."""

    place: ClassVar[str] = "attempt"

    name: str
    """By which the answer tells of it."""
    purpose: str
    """What it is for."""
    aside: NonNegativeLength = 0.0
    """How far from its old place the foothold is looked for at which the attempt before failed, for LittleDog [m];
    where that was a step which was to stay as it is, all that is left is made anew instead."""


WALK_ATTEMPTS = (
    WalkAttempt(name="first footsteps", purpose="the way that the search finds first", search=True),
    WalkAttempt(
        name="second footsteps", purpose="keep off the steps that body and joints could not follow", search=True
    ),
    WalkAttempt(name="third footsteps", purpose="the same once more", search=True),
    WalkAttempt(name="careful", purpose="the first footsteps, slower and with more margin"),
    WalkAttempt(name="first 70 %", purpose="as far as that part goes; from there feet stand differently", share=0.7),
    WalkAttempt(name="first 40 %", purpose="the same of a shorter part", share=0.4),
    WalkAttempt(name="first 20 %", purpose="the same of a shorter part", share=0.2),
)
"""How a new walk is looked for; those that search come first."""
REST_ATTEMPTS = (
    RestAttempt(name="as planned", purpose="the footholds of the walk under way"),
    RestAttempt(name="nearby foothold", purpose="another place for a foot that cannot come to its own", aside=0.015),
    RestAttempt(name="farther foothold", purpose="the same farther away", aside=0.03),
)
"""How the rest of a walk under way is looked for."""


class RetryPolicy(Settings):
    """The attempts in their order; the first that gives a walk without fault ends them."""

    place: ClassVar[str] = "retries"

    walk: Annotated[tuple[WalkAttempt, ...], Field(min_length=1)] = WALK_ATTEMPTS
    """For a new walk: before the first step, at the end of a part, and after a walk was broken off."""
    rest: Annotated[tuple[RestAttempt, ...], Field(min_length=1)] = REST_ATTEMPTS
    """For the rest of a walk under way."""
    budget: Count = 2000
    """Steps tested in all searches after which there is no other one for a walk that hits or overloads something."""
    fewest: Count = 3
    """Fewest steps that are worth a walk of their own."""

    @model_validator(mode="after")
    def _searches(self) -> Self:
        if not self.walk[0].search:
            raise contradiction(
                "a policy begins with a search", field="walk", value=self.walk[0].name, limit="search=True"
            )
        return self


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
