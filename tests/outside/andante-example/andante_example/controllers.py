"""A controller that lifts the boom."""

from typing import Literal

from andante.extend import ControlKind, ControllerBase


class Lift(ControllerBase):
    """Lifts the boom at a constant speed up to an angle."""

    def __init__(self, robot, angle, speed):
        super().__init__(robot.tick)
        self.robot, self.angle, self.speed, self.done = robot, angle, speed, False

    def reset(self):
        super().reset()
        self.done = False

    def step(self, sensors):
        command = self.robot.command()
        command.position[0] = min(self.speed * sensors.time, self.angle)
        command.kp[:], command.kd[:] = self.robot.servo_kp, self.robot.servo_kd
        self.done = self.speed * sensors.time >= self.angle
        return command


class LiftControl(ControlKind):
    """Lifts the boom."""

    type: Literal["lift"]
    """Kind of controller."""
    angle: float = 0.8
    """Where to [rad]."""
    speed: float = 0.8
    """How fast [rad/s]."""

    def controller(self, robot, world):
        return Lift(robot, self.angle, self.speed)
