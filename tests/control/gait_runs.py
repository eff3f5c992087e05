"""Short walks in simulation for the tests of the gaits."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from andante.backends.mujoco_world import MujocoWorld
from andante.backends.world import Start, WorldConfig
from andante.control.guard import Guard
from andante.robots.records import Sensors
from andante.robots.robot import Robot

DOG = Robot.load("littledog")
STANDING = Start(posture="stand")


@dataclass
class Walk:
    """What a walk was like."""

    sensors: list[Sensors]
    commands: np.ndarray
    """Command vectors, (ticks, 5 nj)."""
    events: list
    start: np.ndarray
    """MuJoCo's position of the base at the start, (7,)."""
    end: np.ndarray
    tilt: float
    """Largest tilt [rad]."""
    done: bool
    interventions: int
    """Kinds of interventions of the guard."""

    @property
    def way(self) -> np.ndarray:
        return self.end[:3] - self.start[:3]

    @property
    def yaw(self) -> float:
        w, _, _, z = self.end[3:7]
        return 2.0 * math.atan2(z, w)


def walk(
    controller, seconds: float, world: WorldConfig | None = None, seed: int = 0, robot: Robot = DOG, each=None
) -> Walk:
    """Run a controller until it is done, it fell, or time is up."""
    backend = MujocoWorld(robot, world or WorldConfig(start=STANDING))
    backend.reset(seed)
    controller.reset()
    guard = Guard(robot, controller.period)
    sensors, commands, events, tilt = [], [], [], 0.0
    start = backend.truth()["qpos"][:7].copy()
    for _ in range(round(seconds / controller.period)):
        seen = backend.read()
        command = controller.step(seen)
        sensors.append(seen)
        commands.append(command.vector.copy())
        events += controller.take_events()
        if each is not None:
            each(seen.time, controller)
        backend.write(guard.apply(command, seen))
        backend.advance(controller.period)
        truth = backend.truth()
        tilt = max(tilt, math.hypot(truth["pitch"][0], truth["roll"][0]))
        if controller.done or tilt > 1.0:
            break
    summary = [event.text for event in guard.summary()]
    return Walk(
        sensors,
        np.array(commands),
        events,
        start,
        backend.truth()["qpos"][:7].copy(),
        tilt,
        controller.done,
        len(summary),
    )


def assert_within_limits(commands: np.ndarray, robot: Robot = DOG) -> None:
    """Positions, rates and torques of recorded commands against the robot's declared limits."""
    count = len(robot.joints)
    position = commands[:, :count]
    assert (position >= robot.lower - 1e-9).all()
    assert (position <= robot.upper + 1e-9).all()
    assert np.abs(np.diff(position, axis=0) / robot.tick).max() <= robot.max_velocity.max() + 1e-9
    assert np.abs(commands[:, 4 * count :]).max() <= robot.max_effort.max() + 1e-9


def rubbed(friction: float) -> Robot:
    """LittleDog with another dry friction in its joints."""
    return replace(DOG, servos=tuple(replace(servo, friction=friction) for servo in DOG.servos))
