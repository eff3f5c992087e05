"""Steering: where a walking robot shall go, changing while it walks, and kept so that a run can be repeated."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import astuple, dataclass, fields
from typing import Protocol

from andante.control.controller import ControlError


@dataclass(frozen=True)
class Heading:
    """Speeds that are asked of the body, in its own axes."""

    forward: float = 0.0
    """Along x [m/s]."""
    lateral: float = 0.0
    """Along y, to the left [m/s]."""
    turn: float = 0.0
    """About z, to the left [rad/s]."""

    def __post_init__(self) -> None:
        for each in fields(self):
            value = getattr(self, each.name)
            if not math.isfinite(value):
                raise ControlError("a speed must be finite", place=f"steering.{each.name}", value=value)

    @property
    def still(self) -> bool:
        """Whether the robot shall stand."""
        return astuple(self) == (0.0, 0.0, 0.0)


STILL = Heading()
"""Stand."""


@dataclass(frozen=True)
class Turn:
    """A change of the steering."""

    time: float
    """When it is given, since the start of the run [s]."""
    heading: Heading
    """What is asked from then on."""


class Steering(Protocol):
    """What a walking controller asks at every step."""

    def heading(self, time: float) -> Heading:
        """What is asked at a time of the run [s]."""
        ...

    def over(self, time: float) -> bool:
        """Whether nothing but standing will be asked from this time on."""
        ...

    @property
    def largest(self) -> Heading:
        """The largest magnitudes known beforehand that will be asked."""
        ...


class SteeringScript:
    """Steering that is known beforehand: changes at given times; before the first the robot stands.

    Args:
        turns: The changes; times rise.

    Raises:
        ControlError: A time is not finite, below zero or not above the one before.
    """

    def __init__(self, turns: Sequence[Turn] = ()) -> None:
        self.turns = tuple(turns)
        last = -math.inf
        for number, turn in enumerate(self.turns):
            if not (math.isfinite(turn.time) and turn.time >= 0.0 and turn.time > last):
                raise ControlError(
                    "times of the steering rise from 0",
                    place=f"steering[{number}].time",
                    value=turn.time,
                    limit=f"above {max(last, 0.0):g} s",
                )
            last = turn.time

    @staticmethod
    def straight(speed: float, distance: float) -> SteeringScript:
        """Forward at a speed [m/s] for the time that a distance [m] takes, then stand."""
        if not (speed > 0.0 and distance > 0.0):
            raise ControlError("speed and distance must be above zero", place="steering", value=(speed, distance))
        return SteeringScript((Turn(0.0, Heading(forward=speed)), Turn(distance / speed, STILL)))

    def heading(self, time: float) -> Heading:
        """What is asked at a time [s]."""
        asked = STILL
        for turn in self.turns:
            if turn.time > time + 1e-9:
                break
            asked = turn.heading
        return asked

    def over(self, time: float) -> bool:
        """Whether only standing is asked from this time on."""
        return self.heading(time).still and all(turn.heading.still for turn in self.turns if turn.time > time)

    @property
    def largest(self) -> Heading:
        """The largest magnitudes in the script."""
        headings = [turn.heading for turn in self.turns]
        return Heading(*(max((abs(value) for value in column), default=0.0) for column in _columns(headings)))


class LiveSteering:
    """Steering that a person or another program changes while the robot walks.

    What was asked is kept with the tick at which the controller took it, so `script` repeats the run.
    """

    def __init__(self) -> None:
        self._asked = STILL
        self._ended = False
        self._taken: list[Turn] = []

    def set(self, heading: Heading) -> None:
        """Ask this from the controller's next step on."""
        self._asked = heading

    def end(self) -> None:
        """Stand, and let the controller be done."""
        self._asked, self._ended = STILL, True

    def heading(self, time: float) -> Heading:
        """What is asked now; noted where it is new."""
        asked = self._asked
        if asked != (self._taken[-1].heading if self._taken else STILL):
            self._taken.append(Turn(time, asked))
        return asked

    def over(self, time: float) -> bool:
        """Whether `end` was called."""
        return self._ended

    @property
    def largest(self) -> Heading:
        """Nothing is known beforehand."""
        return STILL

    def script(self) -> SteeringScript:
        """What the controller was asked so far."""
        return SteeringScript(self._taken)


_UNITS = {"forward": "m/s", "lateral": "m/s", "turn": "rad/s"}


def refuse_faster(asked: Heading, largest: Heading, gait: str) -> None:
    """Refuse speeds that a gait does not reach.

    Raises:
        ControlError: Names the speed and the limit.
    """
    for name, unit in _UNITS.items():
        value, limit = abs(getattr(asked, name)), getattr(largest, name)
        if value > limit + 1e-9:
            raise ControlError(
                f"the {gait} cannot go so fast within the robot's limits",
                place=f"steering.{name}",
                value=f"{value:g} {unit}",
                limit=f"{limit:.3g} {unit}",
            )


def limited(asked: Heading, largest: Heading) -> Heading:
    """The same direction at a speed that a gait reaches; speeds that are asked together share its limits."""
    used = sum(abs(getattr(asked, name)) / getattr(largest, name) for name in _UNITS)
    if used <= 1.0:
        return asked
    return Heading(asked.forward / used, asked.lateral / used, asked.turn / used)


def _columns(headings: Sequence[Heading]) -> tuple[tuple[float, ...], ...]:
    return tuple(tuple(getattr(heading, field.name) for heading in headings) for field in fields(Heading))
