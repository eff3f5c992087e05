"""TrotControl: the part of a scenario that trots on smooth ground."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from andante.backends.world import WorldConfig
from andante.control.controller import Controller
from andante.control.trot.settings import TrotSettings
from andante.documents.quantities import Duration, Length, Number
from andante.robots.robot import Robot
from andante.runs.controls.kind import ControlKind, ControlPart
from andante.runs.controls.steering import SteeringChange, steering_script

Positive = Annotated[Number, Field(gt=0.0)]
PositiveLength = Annotated[Length, Field(gt=0.0)]


class TrotPart(ControlPart):
    """What a scenario may change in a trot; lengths and times are for LittleDog and scale with the leg."""

    height: Positive = TrotSettings.height
    """Hip axis to foot in standing, as a share of the stretched leg."""
    half: Duration = TrotSettings.half
    """Time of one diagonal pair's swing [s]."""
    lift: PositiveLength = TrotSettings.lift
    """How high feet are lifted [m]."""
    capture: Annotated[Number, Field(ge=0.0)] = TrotSettings.capture
    """Share of the step that would catch a wrong velocity at once."""
    acceleration: Positive = TrotSettings.acceleration
    """How fast the speed is raised and lowered [m/s^2]."""

    def settings(self) -> TrotSettings:
        """The same for the controller."""
        return TrotSettings(**{name: getattr(self, name) for name in type(self).model_fields})


class TrotControl(ControlKind):
    """A trot, steered."""

    type: Literal["trot"]
    """Kind of controller."""
    steering: Annotated[tuple[SteeringChange, ...], Field(max_length=1000)] = ()
    """What is asked when; before the first change the robot stands."""
    trot: TrotPart = TrotPart()
    """How it trots."""

    def controller(self, robot: Robot, world: WorldConfig) -> Controller:
        """The trot.

        Raises:
            ControlError: The robot has other legs, or more is asked than its limits allow.
        """
        # Compiled kernels are imported only where a robot trots.
        from andante.control.trot.trot import Trot

        return Trot(robot, steering_script(self.steering), self.trot.settings())
