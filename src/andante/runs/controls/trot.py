"""TrotControl: the part of a scenario that trots on smooth ground."""

from __future__ import annotations

from typing import Literal

from andante.backends.world import WorldConfig
from andante.control.controller import Controller
from andante.control.trot.settings import TrotSettings
from andante.robots.robot import Robot
from andante.runs.controls.steering import SteeredControl, allow, steering_of


class TrotControl(SteeredControl):
    """A trot, steered."""

    type: Literal["trot"]
    """Kind of controller."""
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
