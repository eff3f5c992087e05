"""Gait: which feet stand when, as a pattern that repeats.

Feet are in the house's order FL, FR, HL, HR. A pattern is cut into whole steps of the plan's grid; in step k of a
period of P steps a foot stands where ``P o <= k < P (o + d)``, or ``k < P (o + d - 1)`` beyond the period's end (offset
o, duty factor d). Source: Quad-SDK's nominal contact schedule.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from types import MappingProxyType
from typing import Annotated, ClassVar, Self

import numpy as np
from pydantic import Field, model_validator

from andante.documents.quantities import FixedDuration, Number, PositiveShare
from andante.documents.settings import Settings
from andante.documents.validation import contradicting
from andante.errors import AndanteError
from andante.planning.quadruped.body_plan import Primitive
from andante.spatial.arrays import Flags, Index

Offset = Annotated[Number, Field(ge=0.0, lt=1.0)]
_SAME = 1e-6


class GaitError(AndanteError):
    """A gait that nobody knows, or that does not fit the grid of time."""


class Gait(Settings):
    """A periodic pattern of contacts."""

    place: ClassVar[str] = "gait"

    period: Annotated[FixedDuration, Field(le=60.0)] = 0.36
    """Time after which the pattern repeats [s]."""
    duty: Annotated[tuple[PositiveShare, ...], Field(min_length=4, max_length=4)] = (0.5, 0.5, 0.5, 0.5)
    """Share of the period in which each foot stands."""
    offsets: Annotated[tuple[Offset, ...], Field(min_length=4, max_length=4)] = (0.0, 0.5, 0.5, 0.0)
    """When in the period each foot's stance begins, as a share of it."""

    @model_validator(mode="after")
    def _lands(self) -> Self:
        if all(duty == 1.0 for duty in self.duty):
            raise contradicting(self, "duty", "a gait lifts a foot", "one of them at least below 1")
        return self

    def steps(self, step: float) -> int:
        """Steps of the grid in a period.

        Raises:
            GaitError: A foot would not get a whole step to stand or to swing.
        """
        steps = round(self.period / step)
        for duty in self.duty:
            standing = steps * duty
            if steps < 2 or standing < 1.0 - _SAME or (duty < 1.0 and steps - standing < 1.0 - _SAME):
                raise GaitError(
                    "a foot stands and swings at least one step of the plan's grid",
                    place="gait.period",
                    value=f"{self.period:g} s with duty {duty:g}",
                    limit=f"steps of {step:g} s",
                )
        return steps

    def pattern(self, step: float) -> Flags:
        """Which feet stand in each step of a period, (P, 4)."""
        count = self.steps(step)
        first = count * np.array(self.offsets)
        last = first + count * np.array(self.duty)
        k = np.arange(count)[:, None]
        standing: Flags = (k >= first - _SAME) & (k < last - _SAME) | (k < last - count - _SAME)
        return standing


GAITS: Mapping[str, Gait] = MappingProxyType(
    {
        "trot": Gait(),
        "running-trot": Gait(period=0.30, duty=(0.4, 0.4, 0.4, 0.4)),
        "walk": Gait(period=0.72, duty=(0.75, 0.75, 0.75, 0.75), offsets=(0.25, 0.75, 0.0, 0.5)),
        "pace": Gait(period=0.30, offsets=(0.0, 0.5, 0.0, 0.5)),
        "bound": Gait(period=0.30, duty=(0.5, 0.5, 0.5, 0.5), offsets=(0.0, 0.0, 0.5, 0.5)),
        "pronk": Gait(period=0.36, duty=(0.5, 0.5, 0.5, 0.5), offsets=(0.0, 0.0, 0.0, 0.0)),
        "gallop": Gait(period=0.36, duty=(0.5, 0.5, 0.5, 0.5), offsets=(0.5, 0.6666666667, 0.0, 0.1666666667)),
    }
)
"""Gaits by name."""


def gait_of(name: str) -> Gait:
    """A gait by name.

    Raises:
        GaitError: There is none of this name.
    """
    if name not in GAITS:
        raise GaitError("there is no such gait", value=name, legal=GAITS)
    return GAITS[name]


def of_size(gait: Gait, size: float, step: float) -> Gait:
    """A gait for legs that are ``size`` times as long: its period grows with the root of that.

    Args:
        gait: The gait, for Go2's legs.
        size: How many times as long the legs are as Go2's.
        step: Length of an interval of the plan [s].

    Returns:
        The gait with the nearest period in which each stance begins with an interval, so that all feet stand alike.
    """
    wanted = gait.period * math.sqrt(size) / step
    steps = [
        count
        for count in range(2, math.ceil(2.0 * wanted) + 13)
        if all(abs(count * offset - round(count * offset)) < _SAME * count for offset in gait.offsets)
    ]
    return gait.changed(period=step * min(steps, key=lambda count: abs(count - wanted))) if steps else gait


def quicker(gait: Gait, swing: float, step: float) -> Gait:
    """A gait with a shorter period, of which every foot stands and swings for the same shares.

    Args:
        gait: The gait.
        swing: Time of its shortest swing [s].
        step: Length of an interval of the plan [s].

    Returns:
        The quicker gait; the gait itself where it swings as quickly or where the quicker one does not fit the grid of
        the plan.
    """
    shortest = gait.period * (1.0 - max(each for each in gait.duty if each < 1.0))
    if swing >= shortest - _SAME:
        return gait
    quick = gait.changed(period=gait.period * swing / shortest)
    try:
        quick.steps(step)
    except GaitError:
        return gait
    return quick


def contact_schedule(
    pattern: Flags, phase: int, count: int, primitives: Index | None = None, landed: Flags | None = None
) -> Flags:
    """Which feet stand in each of the next intervals, (count, 4).

    Args:
        pattern: Which feet stand in each step of the gait's period, (P, 4).
        phase: Steps since the gait began.
        count: How many intervals.
        primitives: Kind of motion in each interval, (count,); None: all `Primitive.CONNECT`. All feet are down while
        the
            robot pushes off or lands, none in flight.
        landed: Legs that are so low and falling in intervals of flight that their feet come down early, (count, 4).
    """
    contact = pattern[(phase + np.arange(count)) % len(pattern)].copy()
    if primitives is not None:
        contact[(primitives == Primitive.LEAP_STANCE) | (primitives == Primitive.LAND_STANCE)] = True
        flight = primitives == Primitive.FLIGHT
        contact[flight] = False if landed is None else landed[flight]
    return contact
