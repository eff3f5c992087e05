"""Force control: legs that push by springs on the body, and what dry friction in the joints does to them."""

from dataclasses import replace

import numpy as np

from andante.backends.mujoco_world import MujocoWorld
from andante.backends.world import Start, WorldConfig
from andante.control.compliance.stand import Sway, SwayingStand
from andante.control.guard import Guard
from andante.robots.records import Command, Sensors
from andante.robots.robot import Robot
from andante.runs.loop.outcome import RunLimits
from andante.runs.loop.runner import run
from andante.runs.session import Session


class Watched(SwayingStand):
    """Notes how far the body is from where it should be."""

    def step(self, sensors: Sensors) -> Command:
        command = super().step(sensors)
        if self.telemetry is not None:
            errors.append(float(np.linalg.norm(self.telemetry["error"])))
        return command


dog = Robot.load("littledog")
for friction in (0.0, 0.05):
    robot = replace(dog, servos=tuple(replace(servo, friction=friction) for servo in dog.servos))
    for legs in ("compliant", "stiff"):
        errors: list[float] = []
        stand = Watched(robot, Sway(height=0.02, duration=4.0), legs)
        world = MujocoWorld(robot, WorldConfig(start=Start(posture="stand")))
        run(Session(world, stand, Guard(robot, robot.tick), limits=RunLimits(timeout=5.0)))
        rms = float(np.sqrt(np.mean(np.square(errors[200:]))))
        print(f"joint friction {friction:.2f} N m, {legs} legs: body off by {1e3 * rms:.1f} mm rms")
