"""TrotControl: the part of a scenario that trots on smooth ground."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from andante.backends.world import WorldConfig
from andante.control.controller import Controller
from andante.control.trot.settings import TrotSettings
from andante.robots.robot import Robot
from andante.runs.controls.kind import ControlKind
from andante.runs.controls.steering import LiveChoice, SteeringChange, allow, steering_of


class TrotControl(ControlKind):
    """A trot, steered."""

    type: Literal["trot"]
    """Kind of controller."""
    steering: Annotated[tuple[SteeringChange, ...], Field(max_length=1000)] = ()
    """What is asked when; before the first change the robot stands."""
    live: LiveChoice | None = None
    """Steered while it walks in place of a script."""
    trot: TrotSettings = TrotSettings()
    """How it trots."""

    def controller(self, robot: Robot, world: WorldConfig) -> Controller:
        """The trot.

        Raises:
            ControlError: The robot has other legs, or more is asked than its limits allow.
        """
        # Compiled kernels are imported only where a robot trots.
        from andante.control.trot.trot import Trot

        steering = steering_of(self.steering, self.live)
        trot = Trot(robot, steering, self.trot)
        allow(steering, self.live, trot.largest, "the trot")
        return trot
