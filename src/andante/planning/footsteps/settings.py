"""How footsteps are chosen, and the schedule of searches: firm stances first, then what finds a way more often."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, ClassVar, Self

from pydantic import Field, model_validator

from andante.documents.quantities import (
    FixedDuration,
    Length,
    NonNegative,
    NonNegativeFixedTime,
    NonNegativeLength,
    Number,
    PositiveCount,
    PositiveLength,
    PositiveSpeed,
)
from andante.documents.settings import Settings
from andante.documents.validation import contradicting, contradiction
from andante.planning.footsteps.footholds import FootholdLimits, FootholdWeights

CLIMB, TALL = 0.055, 0.085
"""Heights from which a step is a climb and from which it is tall, for LittleDog [m]."""
_FIRM, _STEADY = 2.0, 4.0 / 3.0
"""How many times wider margins are asked for first, and second where wide gaps lie ahead: the broader the triangles of
the feet, the more a body may be off, and beside a gap a fall has no second try."""
_UP = (1.5, 1.25, 1.0)
"""The same at tall steps, where legs reach no farther."""
_COARSE = 1.5
"""How many times farther apart places are looked at: a search that has fewer of them gets farther."""
_THINNEST, _FARTHEST_BACK = 0.5, 2.0
"""Share of the margin, and how many times farther back a foot may step, where nothing else leads on."""


class FootstepSettings(Settings):
    """How footsteps are chosen; lengths are for LittleDog's size.

    Ways are compared by their times as LittleDog would need them: speeds grow with the robot as lengths do.
    """

    place: ClassVar[str] = "footsteps"

    order: Annotated[tuple[str, ...], Field(min_length=1)] = ("HR", "FR", "HL", "FL")
    """Names of the feet in the order in which they step; a foot may skip its turn."""
    shortest: Annotated[Length, Field(le=0.0)] = -0.06
    """Farthest step back along the path [m]."""
    longest: PositiveLength = 0.17
    """Longest step along the path [m]."""
    pitch: PositiveLength = 0.03
    """Distance of the places that are looked at along the path [m]."""
    aside: NonNegativeLength = 0.025
    """How far beside its usual place a foot may go [m]."""
    outward: Length = 0.0225
    """Usual distance of a foot from where it hangs straight below its hip, away from the middle [m]."""
    squeeze: Length = 0.05
    """Least distance of a front foot ahead of the hind foot of its side [m]."""
    margin: NonNegativeLength = 0.012
    """Least distance of the centre of mass from the edge of the support triangle [m]."""
    slack: NonNegativeLength = 0.004
    """Least room of a pose [m]."""
    comfort: PositiveLength = 0.009
    """Room from which on more is worth nothing [m]."""
    lift: NonNegativeLength = 0.015
    """Height of a swinging foot over all that lies on its way [m]."""
    tolerance: PositiveLength = 0.02
    """Distance before the goal at which the middle of the feet is there [m]."""
    pause: FixedDuration = 0.14
    """Time of a step besides its way, in which all feet carry and the body moves on [s]."""
    speed: PositiveSpeed = 1.3
    """Speed of a foot over the ground [m/s]."""
    lifting: PositiveSpeed = 1.0
    """Speed of a foot up and down [m/s]."""
    skip: NonNegativeFixedTime = 0.03
    """Cost of a turn that is skipped [s]."""
    heuristic_weight: Annotated[Number, Field(ge=1.0)] = 1.6
    """How many times too much the rest of the way counts; 1 would find the best of these footsteps, in a long time."""
    stretch_penalty: NonNegative = 4.0
    """How much states count as unpromising whose feet of one side are far apart with one of them much higher [s/m]."""
    max_tests: PositiveCount = 2500
    """Steps that are tested for a pose before an attempt is given up and one with other settings is made."""
    max_poses: PositiveCount = 900_000
    """Poses that are looked at in all attempts before the course counts as one without a way, every tested step counted
    as fourteen, or six where the same was tested before: below two seconds."""
    weights: FootholdWeights = FootholdWeights()
    """Weights of the features of a foothold."""
    limits: FootholdLimits = FootholdLimits()
    """Where no foot may stand."""

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        if self.shortest < -self.longest:
            limit = f"at least {-self.longest:g} m"
            raise contradicting(self, "shortest", "no step back is longer than the longest step", limit)
        if len(set(self.order)) != len(self.order):
            raise contradiction(
                "a gait names each foot at most once", field="order", value=list(self.order), limit="once"
            )
        return self


def search_schedule(
    settings: FootstepSettings, *, highest: float = 0.0, wall: float = 0.0, wide: bool = False
) -> Iterator[FootstepSettings]:
    """Settings that are tried one after the other.

    How long a search takes is hard to foresee, so several short ones do better than one long one.

    Args:
        settings: What was asked for.
        highest: The highest step on the way, for LittleDog's size [m]: settings that fail there come later.
        wall: The same of what goes up and down again within a stride.
        wide: Whether a foot has to cross a wide gap alone.
    """
    weight, tests, stretch = settings.heuristic_weight, settings.max_tests, settings.stretch_penalty
    thorough = settings.changed(heuristic_weight=1.4 * weight, max_tests=2 * tests)
    # Wide gaps and rough ground ask for longer steps, which are slow and have more places to look at.
    longer = settings.changed(longest=1.2 * settings.longest, max_tests=2 * tests)
    near = settings.changed(outward=settings.outward - 0.0075, slack=0.75 * settings.slack, lift=0.8 * settings.lift)
    closer = near.changed(heuristic_weight=1.6 * weight, stretch_penalty=1.75 * stretch)
    closest = near.changed(heuristic_weight=1.9 * weight, stretch_penalty=2.5 * stretch, max_tests=2 * tests)
    # What would only be nicer is given up soon.
    soon = round(1.2 * tests)
    if highest >= TALL:
        # What is less greedy finds no way up.
        yield from (_coarse(closest, share) for share in _UP)
    elif wall >= CLIMB:
        yield from (_coarse(each, _FIRM).changed(max_tests=soon) for each in (thorough, closest))
    elif highest >= CLIMB:
        yield _coarse(thorough, _FIRM)
    elif wide:
        yield from (_coarse(settings, _FIRM), _coarse(longer, _FIRM).changed(max_tests=soon))
    else:
        yield from (settings.changed(margin=_FIRM * settings.margin), _coarse(longer, _FIRM))
    if wide:
        # Without wide margins it is thoroughness that finds a way most often.
        yield from (_coarse(settings, _STEADY), _coarse(thorough), _coarse(longer), _coarse(settings))
    if highest >= TALL:
        yield from (*_relaxed(closest), settings, thorough, longer)
    elif wall >= CLIMB:
        # Three feet stay where they are while the fourth goes across: what is not greedy looks there for long.
        yield from (thorough, closer, closest, settings, longer)
    elif highest >= CLIMB:
        # The closer ones are found fast, but leave less room.
        yield from (settings, thorough, closer, closest, longer)
    else:
        yield from (settings, longer, thorough, closer, closest)
    yield near.changed(heuristic_weight=2.2 * weight, pitch=0.67 * settings.pitch, margin=0.8 * settings.margin)
    # From where a robot has stopped the way often begins with a step back, or with a thin margin.
    free = near.changed(
        heuristic_weight=1.4 * weight,
        margin=_THINNEST * settings.margin,
        shortest=max(_FARTHEST_BACK * settings.shortest, -settings.longest),
        aside=2.0 * settings.aside,
    )
    yield free
    # The greediest of the freest comes last, since it takes thin margins for speed: over what is about as hard as legs
    # manage there are few ways, which searches that look at more places do not come to before the work is used up.
    yield _coarse(free).changed(heuristic_weight=1.9 * weight, stretch_penalty=2.5 * stretch, max_tests=2 * tests)


def _coarse(settings: FootstepSettings, share: float = 1.0) -> FootstepSettings:
    """Settings with places farther apart and a margin so many times as wide."""
    return settings.changed(pitch=_COARSE * settings.pitch, margin=share * settings.margin)


def _relaxed(settings: FootstepSettings) -> Iterator[FootstepSettings]:
    """Settings with longer steps to look at, with thinner margins, or with both, which finds a way most often."""
    pitch, margin, slack = 1.15 * settings.pitch, 0.8 * settings.margin, 0.8 * settings.slack
    yield settings.changed(pitch=pitch, margin=margin, slack=slack)
    yield settings.changed(pitch=pitch)
    yield settings.changed(margin=margin, slack=slack)
    yield settings
