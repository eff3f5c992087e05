"""The part of a scenario that steers a walking robot."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from andante.control.steering import Heading, SteeringScript, Turn
from andante.documents.part import Part
from andante.documents.quantities import Number, Seconds


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


def steering_script(changes: tuple[SteeringChange, ...]) -> SteeringScript:
    """The changes as the controllers take them.

    Raises:
        ControlError: Times do not rise.
    """
    return SteeringScript(
        [Turn(change.time, Heading(change.forward, change.lateral, change.turn)) for change in changes]
    )
