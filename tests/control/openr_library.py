"""A small library for the AIBO, and a robot that is wherever it was told to be one tick ago."""

from __future__ import annotations

import numpy as np

from andante.control.openr.player import OpenRPlayer
from andante.motions.library import MotionLibrary
from andante.motions.storage import load_library
from andante.robots.records import Sensors
from andante.robots.robot import Robot

TEXT = """
format: andante.motions
version: 1
units: {angle: deg, time: ms, length: mm}
robot: ers7
motions:
  kick_a: {blocks: [wave]}
  kick_b: {blocks: [poses]}
  kick_left: {blocks: [nod]}
blocks:
  wave:
    keyframes:
      - {duration: 300, joints: {LFJ1: 10, LFJ3: 30, Tilt1: -20}}
      - {duration: 404, interpolation: sine_min_to_max, joints: {LFJ1: -50, LFJ2: 30, Pan: 40}}
      - {duration: 408, joints: {LFJ1: -33, LFJ2: 3, LFJ3: 75, Tilt1: -10, Pan: 0}}
  nod:
    keyframes:
      - {duration: 200, joints: {Tilt1: -30}}
      - {duration: 200, joints: {Tilt1: -10}}
  poses:
    keyframes:
      - {duration: 400, joints: {RFJ1: 27}}
      - {duration: 400, joints: {RFJ1: -33}}
      - {duration: 400, joints: {RFJ1: 27}}
      - {duration: 400, joints: {RFJ1: -33}}
      - {duration: 400, joints: {RFJ1: 27}}
      - {duration: 400, joints: {RFJ1: 0}}
      - {duration: 80, joints: {RFJ1: -33}}
"""


def small_library() -> MotionLibrary:
    return load_library(TEXT, place="small")


class Bench:
    """Steps a player against joints that follow at once."""

    def __init__(self, robot: Robot, player: OpenRPlayer, start: np.ndarray | None = None) -> None:
        self.robot, self.player = robot, player
        self.position = robot.posture("walk") if start is None else start
        self.tick = 0
        self.stream: list[np.ndarray] = []

    def step(self, count: int = 1) -> None:
        for _ in range(count):
            sensors: Sensors = self.robot.sensors()
            sensors.vector[0] = self.tick * 0.008
            sensors.position[:] = self.position
            self.position = self.player.step(sensors).position.copy()
            self.stream.append(self.position)
            self.tick += 1

    def until_done(self, limit: int = 20000) -> np.ndarray:
        self.step()
        while not self.player.done and len(self.stream) < limit:
            self.step()
        return np.array(self.stream)
