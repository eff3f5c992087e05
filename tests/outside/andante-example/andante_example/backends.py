"""A backend without physics: joints are at once where they are told to be."""

from typing import Literal

import numpy as np

from andante.extend import BackendKind


class Still:
    """A robot that stands still and whose joints follow."""

    def __init__(self, robot):
        self.robot, self.time = robot, 0.0
        self.reset(0)

    def reset(self, seed):
        self.time, self.sensors, self.noise = 0.0, self.robot.sensors(), np.random.default_rng(seed)
        self.sensors.orientation[0] = 1.0
        self.sensors.health[:], self.sensors.contact[:] = 1.0, 1.0
        self.sensors.position[:] = self.robot.posture("stand")

    def read(self):
        self.sensors.vector[0] = self.time
        self.sensors.accelerometer[:] = self.noise.normal((0.0, 0.0, 9.81), 0.01)
        self.sensors.gyro[:] = self.noise.normal(0.0, 1e-3, 3)
        return self.sensors.copy()

    def write(self, command):
        self.sensors.position[:] = command.position

    def advance(self, duration):
        self.time += duration

    def truth(self):
        return None

    def close(self):
        pass


class StillBackend(BackendKind):
    """Joints follow at once, and nothing else happens."""

    type: Literal["still"]
    """Kind of backend."""

    @property
    def source(self):
        return "no physics"

    def backend(self, robot, world):
        return Still(robot)
