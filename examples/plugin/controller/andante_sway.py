"""A controller that lets one joint follow a sine: what a scenario says of it, and what it does at every tick."""

import math
from typing import Literal

from andante.extend import ControlKind, ControllerBase


class Sway(ControllerBase):
    """Holds the posture ``stand``; one joint follows a sine for some time."""

    def __init__(self, robot, joint, depth, time):
        super().__init__(robot.tick)
        self.robot, self.joint, self.depth, self.time = robot, robot.index(joint), depth, time
        self.done = False

    def reset(self):
        """Forget everything."""
        super().reset()
        self.done = False

    def step(self, sensors):
        """The command for this tick."""
        command = self.robot.command()
        command.position[:] = self.robot.posture("stand")
        command.position[self.joint] += self.depth * math.sin(math.tau * sensors.time / self.time)
        command.kp[:], command.kd[:] = self.robot.servo_kp, self.robot.servo_kd
        self.done = sensors.time >= self.time
        return command


class SwayControl(ControlKind):
    """Sways a joint."""

    type: Literal["sway"]
    """Kind of controller."""
    joint: str
    """The joint."""
    depth: float = 0.3
    """How far it goes to both sides [rad]."""
    time: float = 2.0
    """How long it takes [s]."""

    def controller(self, robot, world):
        """The controller that is described."""
        return Sway(robot, self.joint, self.depth, self.time)
