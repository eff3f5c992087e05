"""The parts of a scenario that steer a walking robot: by a script, or live."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from andante.control.controller import ControlError
from andante.control.steering import Heading, LiveSteering, Steering, SteeringScript, Turn, refuse_faster
from andante.documents.part import Part
from andante.documents.quantities import Number, Seconds
from andante.runs.controls.kind import ControlKind


class SteeringChange(Part):
    """What is asked of a walking robot from a time on."""

    time: Annotated[Seconds, Field(ge=0.0)] = 0.0
    """When [s]."""
    forward: Number = 0.0
    """Speed along the body's x axis [m/s]."""
    lateral: Number = 0.0
    """Speed to the left [m/s]."""
    turn: Number = 0.0
    """Speed of turning to the left [rad/s]."""


class LiveChoice(Part):
    """A robot that is steered while it walks, from a keyboard, a gamepad or a program; until then it stands."""

    forward: Annotated[Number, Field(gt=0.0)] | None = None
    """Largest speed forward or backward that may be asked; None: as the controller thinks fit [m/s]."""
    lateral: Annotated[Number, Field(gt=0.0)] | None = None
    """Largest speed to a side [m/s]."""
    turn: Annotated[Number, Field(gt=0.0)] | None = None
    """Largest speed of turning [rad/s]."""

    def within(self, fitting: Heading) -> Heading:
        """The largest speeds that may be asked, with a controller's own where nothing is said."""
        return Heading(
            fitting.forward if self.forward is None else self.forward,
            fitting.lateral if self.lateral is None else self.lateral,
            fitting.turn if self.turn is None else self.turn,
        )


class SteeredControl(ControlKind):
    """A kind of controller that is steered."""

    steering: Annotated[tuple[SteeringChange, ...], Field(max_length=1000)] = ()
    """What is asked when; before the first change the robot stands."""
    live: LiveChoice | None = None
    """Steered while it walks in place of a script."""


def steering_of(changes: tuple[SteeringChange, ...], live: LiveChoice | None) -> Steering:
    """What a controller follows: a script, or what is asked while it walks.

    Raises:
        ControlError: Times of the script do not rise, or there are both.
    """
    if live is None:
        return steering_script(changes)
    if changes:
        raise ControlError("a robot that is steered live follows no script", place="controller.steering")
    return LiveSteering()


def allow(steering: Steering, live: LiveChoice | None, largest: Heading, gait: str) -> None:
    """Tell a live steering how fast it may ask.

    Args:
        steering: What the controller follows.
        live: What the scenario allows.
        largest: What the gait reaches.
        gait: Its name for messages: "the trot".

    Raises:
        ControlError: The scenario allows more than the gait reaches.
    """
    if live is not None and isinstance(steering, LiveSteering):
        steering.fastest = live.within(largest)
        refuse_faster(steering.fastest, largest, gait)


def steering_script(changes: tuple[SteeringChange, ...]) -> SteeringScript:
    """The changes as the controllers take them.

    Raises:
        ControlError: Times do not rise.
    """
    return SteeringScript(
        [Turn(change.time, Heading(change.forward, change.lateral, change.turn)) for change in changes]
    )
