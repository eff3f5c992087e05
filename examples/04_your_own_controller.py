"""A controller of your own: nod for ever, through the guard, in the MuJoCo world."""

import math

from andante.backends.mujoco_world import MujocoWorld
from andante.backends.world import WorldConfig
from andante.control.controller import ControlEvent
from andante.control.guard import Guard
from andante.robots.records import Command, Record, Sensors
from andante.robots.robot import Robot
from andante.runs.runner import run
from andante.runs.session import Limits


class Nod:
    """Stands and nods with 0.5 Hz."""

    def __init__(self, robot: Robot) -> None:
        self.robot = robot
        self.period = robot.tick
        self.done = False
        self.telemetry: Record | None = None

    def reset(self) -> None:
        """Nothing is remembered between steps."""

    def step(self, sensors: Sensors) -> Command:
        """Stand with full stiffness; the head follows a sine."""
        command = self.robot.command()
        command.position[:] = self.robot.posture("stand")
        command.position[self.robot.index("HeadPitch")] = 0.3 * math.sin(math.pi * sensors.time)
        command.kp[:] = self.robot.servo_kp
        command.kd[:] = self.robot.servo_kd
        return command

    def take_events(self) -> list[ControlEvent]:
        """Nothing to tell."""
        return []


robot = Robot.load("nao")
world = MujocoWorld(robot, WorldConfig())
outcome = run(world, Nod(robot), Guard(robot, robot.tick), limits=Limits(timeout=3.0), seed=1)
print(f"{outcome.ticks} ticks, {outcome.ending}, head pitch {world.read().position[robot.index('HeadPitch')]:.3f} rad")
