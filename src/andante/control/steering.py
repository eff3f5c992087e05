"""Steering: where a walking robot shall go, changing while it walks, and kept so that a run can be repeated."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import astuple, dataclass, fields
from typing import Protocol, runtime_checkable

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

    def over(self, time: float) -> bool:
        """Whether nothing but standing will be asked from this time on."""

    @property
    def largest(self) -> Heading:
        """The largest magnitudes known beforehand that will be asked."""


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
        return next((turn.heading for turn in reversed(self.turns) if not turn.time > time + 1e-9), STILL)

    def over(self, time: float) -> bool:
        """Whether only standing is asked from this time on, and no change is to come: a last one says for how long."""
        return self.heading(time).still and not any(turn.time > time + 1e-9 for turn in self.turns)

    @property
    def largest(self) -> Heading:
        """The largest magnitudes in the script."""
        speeds = [astuple(turn.heading) for turn in self.turns]
        return Heading(*(max(map(abs, column)) for column in zip(*speeds, strict=True)))


HOLDS = 2.0
"""Time for which what was asked from outside holds without being asked again [s], as in Quad-SDK."""


class LiveSteering:
    """Steering that a person or another program changes while the robot walks.

    What was asked ends after a time without a new command, so that a robot stands where whoever steers it is gone. It
    is kept with the tick at which the controller took it, so `script` repeats the run.

    Args:
        fastest: Largest speeds that may be asked; None: any.
        gaits: Gaits that may be chosen.
        timeout: Time for which what was asked holds without being asked again [s]; infinite: until something else is.

    Raises:
        ControlError: ``timeout`` is not above zero.
    """

    largest = STILL
    """Nothing is known beforehand."""

    def __init__(self, fastest: Heading | None = None, gaits: Sequence[str] = (), timeout: float = HOLDS) -> None:
        if not timeout > 0.0:
            raise ControlError("a command holds for some time", place="live.timeout", value=timeout, limit="> 0 s")
        self.timeout = timeout
        """Time for which what was asked holds without being asked again [s]."""
        self.fastest = fastest
        """Largest speeds that may be asked; None: any."""
        self.gaits = tuple(gaits)
        """Gaits that may be chosen."""
        self.asked = STILL
        """What is asked now; standing where a command has ended for its age."""
        self.gait: str | None = None
        """The gait that was chosen last; None: nobody has chosen."""
        self._ended = self._renewed = self._expired = False
        self._since = math.nan
        self._taken: list[Turn] = []

    def set(self, heading: Heading) -> None:
        """Ask this from the controller's next step on, for `timeout` where nothing else is asked before.

        Raises:
            ControlError: It is faster than may be asked; what was asked before stays.
        """
        if self.fastest is not None:
            _refuse(heading, self.fastest, "is faster than may be asked of this robot while it walks")
        self.asked, self._renewed = heading, True

    def choose(self, gait: str) -> None:
        """Walk in this gait from where the present one changes feet.

        Raises:
            ControlError: It may not be chosen.
        """
        if gait not in self.gaits:
            what = "there is no such gait" if self.gaits else "this controller has one gait only"
            raise ControlError(what, place="steering.gait", value=gait, legal=self.gaits)
        self.gait = gait

    def end(self) -> None:
        """Stand, and let the controller be done."""
        self.asked, self._ended = STILL, True

    def heading(self, time: float) -> Heading:
        """What is asked now; noted where it is new. A command that is too old ends here."""
        if self._renewed or not self._since <= time:
            # The time of the run counts, not how often anybody looks; a clock that was set back begins it anew.
            self._since, self._renewed = time, False
        elif time - self._since >= self.timeout - 1e-9 and not self.asked.still:
            self.asked, self._expired = STILL, True
        asked = self.asked
        if asked != (self._taken[-1].heading if self._taken else STILL):
            self._taken.append(Turn(time, asked))
        return asked

    def take_expiry(self) -> bool:
        """Whether a command has ended for its age since the last call."""
        expired, self._expired = self._expired, False
        return expired

    def over(self, time: float) -> bool:
        """Whether `end` was called."""
        return self._ended

    def script(self) -> SteeringScript:
        """What the controller was asked so far."""
        return SteeringScript(self._taken)


@runtime_checkable
class Steered(Protocol):
    """A controller that follows a steering."""

    @property
    def steering(self) -> Steering:
        """What it follows."""


_UNITS = {"forward": "m/s", "lateral": "m/s", "turn": "rad/s"}


def refuse_faster(asked: Heading, largest: Heading, gait: str) -> None:
    """Refuse speeds that a gait ("the trot") does not reach.

    Raises:
        ControlError: Names the speed and the limit.
    """
    _refuse(asked, largest, f"{gait} cannot go so fast within the robot's limits")


def limited(asked: Heading, largest: Heading) -> Heading:
    """The same direction at a speed that a gait reaches; speeds that are asked together share its limits."""
    used = sum(abs(getattr(asked, name)) / getattr(largest, name) for name in _UNITS)
    if used <= 1.0:
        return asked
    return Heading(asked.forward / used, asked.lateral / used, asked.turn / used)


def _refuse(asked: Heading, largest: Heading, what: str) -> None:
    for name, unit in _UNITS.items():
        value, limit = abs(getattr(asked, name)), getattr(largest, name)
        if value > limit + 1e-9:
            raise ControlError(what, place=f"steering.{name}", value=f"{value:g} {unit}", limit=f"{limit:.3g} {unit}")
