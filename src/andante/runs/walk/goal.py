"""WalkGoal: what a walk from the terrain's start to its goal is asked for."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from andante.documents.part import Part
from andante.documents.quantities import Length, Number, Seconds


class WalkGoal(Part):
    """The robot walks from the terrain's start to its goal; lengths are LittleDog's and scale with the terrain."""

    start: tuple[Length, Length] | None = None
    """Where the way begins, x and y; None: at the terrain's start [m]."""
    goal: tuple[Length, Length] | None = None
    """Where it ends; None: at the terrain's goal [m]."""
    tolerance: Annotated[Length, Field(gt=0.0)] = 0.08
    """The robot has arrived when its centre of mass is no more than this short of the goal, along the line from start
    to goal [m]."""
    aside: Annotated[Length, Field(gt=0.0)] = 0.3
    """Farther beside that line the robot is off the course: half the width of a board [m]."""
    miss: Annotated[Length, Field(gt=0.0)] = 0.02
    """A foot that comes down farther than this from where it was planned has missed [m]."""
    linger: Annotated[Seconds, Field(ge=0.0)] | None = 1.5
    """The run ends so long after the arrival, or after the robot left the course; a fall by then still counts. None: it
    goes on until the controller is done [s]."""
    min_speed: Annotated[Number, Field(gt=0.0)] | None = None
    """Smallest speed along the line from the start of the run to the arrival; None: any [m/s]."""
