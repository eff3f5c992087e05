"""Steer a trot while it walks, and repeat the walk from what was asked."""

import numpy as np

from andante.backends.mujoco_world import MujocoWorld
from andante.backends.world import Start, WorldConfig
from andante.control.guard import Guard
from andante.control.steering import Heading, LiveSteering
from andante.control.trot.trot import Trot
from andante.robots.records import Command, Sensors
from andante.robots.robot import Robot
from andante.runs.loop.outcome import RunLimits
from andante.runs.loop.runner import run
from andante.runs.session import Session


class Driven(Trot):
    """A trot with a driver: straight on, a turn to the left, and home."""

    def step(self, sensors: Sensors) -> Command:
        if sensors.time < 2.0:
            live.set(Heading(forward=0.25))
        elif sensors.time < 4.0:
            live.set(Heading(forward=0.1, turn=0.6))
        else:
            live.end()
        return super().step(sensors)


def walk(trot: Trot) -> np.ndarray:
    """Where the base was at the end of a walk, MuJoCo's position and quaternion, (7,)."""
    world = MujocoWorld(robot, WorldConfig(start=Start(posture="stand")))
    run(Session(world, trot, Guard(robot, robot.tick), limits=RunLimits(timeout=8.0), seed=3))
    return np.array(world.truth()["qpos"][:7])


robot, live = Robot.load("littledog"), LiveSteering()
driven = walk(Driven(robot, live))
for turn in live.script().turns:
    print(f"from {turn.time:.2f} s: {turn.heading.forward:.2f} m/s, {turn.heading.turn:.2f} rad/s")
print(f"went {driven[0]:.2f} m ahead and {driven[1]:.2f} m to the left")
again = walk(Trot(robot, live.script()))
print("the script repeats it:", bool((driven == again).all()))
