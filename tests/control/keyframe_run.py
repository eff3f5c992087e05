"""What the engine's tests share: short ways to write libraries, get-ups among them, and a run with perfect servos."""

from __future__ import annotations

import math

import numpy as np

from andante.control.keyframes.configuration import KeyframeEngineSettings
from andante.motions.library import MotionLibrary

MS = 0.001
RAW = KeyframeEngineSettings(respect_limits=False)
"""Commands are what the motion asks."""
UNHURRIED = KeyframeEngineSettings(start_speed_share=99.0, respect_limits=False)
"""The same without the stretching of the first keyframe."""
ALL = {"head": 0.5, "left_arm": 0.5, "right_arm": 0.5, "left_leg": 0.8, "right_leg": 0.8}


def library(blocks, motions, **more):
    return MotionLibrary.model_validate({"robot": "tiny", "blocks": blocks, "motions": motions, **more})


def keyframe(duration_ms, joints=None, **more):
    return {"duration": duration_ms * MS, "joints": joints or {}, **more}


def block(*keyframes, stiffness=ALL, **more):
    return {"base_stiffness": stiffness, "keyframes": list(keyframes), **more}


def request_library(**motions):
    """A library whose motions are one block each, under the motion's name."""
    return library(
        {name: block(*frames) for name, frames in motions.items()}, {name: {"blocks": [name]} for name in motions}
    )


def window(low, high):
    return {"pitch": {"min": low, "max": high}, "roll": {"min": -1.0, "max": 1.0}}


def pitch_above(limit):
    return {"conditions": [{"variable": "torso_pitch", "min": limit, "max": 30.0}]}


NARROW = window(-0.5, 0.5)
FRONT_HACK = {"conditions": [{"variable": "front_hack", "min": 0.5, "max": 1.5}]}
"""Holds from the third try of a get-up on."""


def get_up_library():
    """A get-up that ends in stand; sit is the same posture and no end of a get-up."""
    return library(
        {"r": block(keyframe(24)), "s": block(keyframe(24, window=NARROW, window_start=NARROW))},
        {
            "recoverGeneric": {"blocks": ["r"], "follow_ups": [{"motion": "stand"}]},
            "stand": {"blocks": ["s"]},
            "sit": {"blocks": ["s"]},
        },
    )


def lone_get_up_library(frames=None, **more):
    """A get-up that nothing follows, stand, sit, and a motion whose gate opens in the front hack."""
    return library(
        {
            "r": block(keyframe(24, {"LShoulderRoll": 0.1})),
            "s": block(keyframe(24, window=NARROW, window_start=NARROW)),
            "gate": block(keyframe(24, branches=[{"block": "hack", "early": FRONT_HACK}])),
            "hack": block(keyframe(24)),
            **(frames or {}),
        },
        {
            "recoverGeneric": {"blocks": ["r"]},
            "stand": {"blocks": ["s"]},
            "sit": {"blocks": ["s"]},
            "look": {"blocks": ["gate"]},
        },
        **more,
    )


def constant_gains(gain=0.0, **others):
    """A balance phase whose gains do not grow with the error: one for all but those that are named."""
    once = {"pitch": {"min": 1, "max": 1}, "roll": {"min": 1, "max": 1}}
    bounds = {"min": -0.05, "max": 0.05}
    names = ("p_pitch", "p_roll", "d_pitch", "d_roll")
    gains = {name: {"base": others.get(name, gain), "max_additional": 0} for name in names}
    return {"max_scaling": once, "exponent": once, **gains, "com_range": {"pitch": bounds, "roll": bounds}}


class Run:
    """Steps an engine with perfect servos: what was commanded is measured at the next tick."""

    def __init__(self, robot, engine, position=None):
        self.robot, self.engine = robot, engine
        self.position = np.zeros(len(robot.joints)) if position is None else np.array(position, dtype=float)
        self.tick = 0
        self.orientation = (1.0, 0.0, 0.0, 0.0)
        self.gyro = (0.0, 0.0, 0.0)
        self.buttons = np.zeros(len(robot.buttons))
        self.health = np.ones(len(robot.joints))
        self.stuck = {}
        self.events = []

    def sensors(self):
        sensors = self.robot.sensors()
        sensors.vector[0] = self.tick * 0.012
        sensors.position[:] = self.position
        sensors.health[:] = self.health
        sensors.orientation[:] = self.orientation
        sensors.gyro[:] = self.gyro
        sensors.buttons[:] = self.buttons
        return sensors

    def step(self, count=1):
        for _ in range(count):
            self.command = self.engine.step(self.sensors())
            self.events += self.engine.take_events()
            self.position = self.command.position.copy()
            for joint, value in self.stuck.items():
                self.position[joint] = value
            self.tick += 1
        return self.command

    def path(self, joint, count):
        return [float(self.step().position[joint]) for _ in range(count)]

    def told(self, kind):
        return [event.text for event in self.events if event.kind == kind]

    def motions(self):
        return [text.removeprefix("motion ") for text in self.told("motion")]

    def keyframes(self):
        return self.told("keyframe")

    def tilt(self, pitch=0.0, roll=0.0):
        w, y = math.cos(pitch / 2), math.sin(pitch / 2)
        c, s = math.cos(roll / 2), math.sin(roll / 2)
        self.orientation = (w * c, w * s, y * c, -y * s)


def until(run, *states, most=600):
    """Step until the engine is in one of some states; the number of ticks that it took."""
    for count in range(most):
        run.step()
        if run.engine.state in states:
            return count + 1
    raise AssertionError(f"still {run.engine.state} after {most} ticks")
