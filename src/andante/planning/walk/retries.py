"""RetryPolicy: what is tried, in which order, until there is a walk.

A search finds footsteps all the way; whether body and joints can follow them shows only later. Where they cannot, other
footsteps are looked for. Where none do the robot need not stay: it walks more carefully, or walks the first part and
looks again from there, where feet stand differently. What is tried within one search of footsteps is in
`andante.planning.footsteps.search_schedule`.
"""

from __future__ import annotations

from dataclasses import dataclass

from andante.planning.course import PlanningError


@dataclass(frozen=True)
class WalkAttempt:
    """One way to come to a new walk."""

    name: str
    """By which the answer tells of it."""
    purpose: str
    """What it is for."""
    search: bool = False
    """Whether new footsteps are searched, that keep off what the attempts before found wrong; else the first ones that
    were found are walked carefully."""
    share: float = 1.0
    """Share of the footsteps that is walked."""


@dataclass(frozen=True)
class RestAttempt:
    """One way to come to a new rest of a walk under way."""

    name: str
    """By which the answer tells of it."""
    purpose: str
    """What it is for."""
    aside: float = 0.0
    """How far from its old place the foothold is looked for at which the attempt before failed, for LittleDog [m];
    where that was a step which was to stay as it is, all that is left is made anew instead."""


WALK_ATTEMPTS = (
    WalkAttempt("first footsteps", "the way that the search finds first", search=True),
    WalkAttempt("second footsteps", "keep off the steps that body and joints could not follow", search=True),
    WalkAttempt("third footsteps", "the same once more", search=True),
    WalkAttempt("careful", "the first footsteps, slower and with more margin"),
    WalkAttempt("first 70 %", "as far as that part goes; from there feet stand differently", share=0.7),
    WalkAttempt("first 40 %", "the same of a shorter part", share=0.4),
    WalkAttempt("first 20 %", "the same of a shorter part", share=0.2),
)
"""How a new walk is looked for; those that search come first."""
REST_ATTEMPTS = (
    RestAttempt("as planned", "the footholds of the walk under way"),
    RestAttempt("nearby foothold", "another place for a foot that cannot come to its own", aside=0.015),
    RestAttempt("farther foothold", "the same farther away", aside=0.03),
)
"""How the rest of a walk under way is looked for."""


@dataclass(frozen=True)
class RetryPolicy:
    """The attempts in their order; the first that gives a walk without fault ends them.

    Raises:
        PlanningError: Nothing is searched first, or a share is no share.
    """

    walk: tuple[WalkAttempt, ...] = WALK_ATTEMPTS
    """For a new walk: before the first step, at the end of a part, and after a walk was broken off."""
    rest: tuple[RestAttempt, ...] = REST_ATTEMPTS
    """For the rest of a walk under way."""
    budget: int = 2000
    """Steps tested in all searches after which there is no other one for a walk that hits or overloads something."""
    fewest: int = 3
    """Fewest steps that are worth a walk of their own."""

    def __post_init__(self) -> None:
        if not self.walk or not self.walk[0].search or not self.rest:
            raise PlanningError("a policy begins with a search, and with one attempt at the rest of a walk")
        for each in self.walk:
            if not 0.0 < each.share <= 1.0:
                raise PlanningError("a share of the footsteps", place=each.name, value=each.share, limit="above 0 to 1")
        for name in ("budget", "fewest"):
            if not getattr(self, name) >= 0:
                raise PlanningError(
                    f"the retry setting {name} is out of range", value=getattr(self, name), limit=">= 0"
                )
