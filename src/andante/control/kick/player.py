"""Players of a kick's keyframes: by speeds as the exercise does, or by positions as servos do."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from andante.control.controller import ControlError, ControllerBase
from andante.control.events import EventKind
from andante.control.sensor_parts import SensorPart
from andante.motions.kicks.postures import PosedKeyframe
from andante.robots.records import Command, Sensors, Vector
from andante.robots.robot import Robot

_FULL_SPEED = math.pi
"""The exercise's limit of every joint's speed [rad/s]."""


class _KickPlayer(ControllerBase):
    """What both players share.

    Args:
        robot: The leg.
        keyframes: What to play.
        period: Time between two steps [s].

    Raises:
        ControlError: A keyframe is shorter than a step.
    """

    needs = frozenset((SensorPart.ENCODER,))
    """Angles only: the leg is bolted down."""

    def __init__(self, robot: Robot, keyframes: Sequence[PosedKeyframe], period: float) -> None:
        super().__init__(period)
        self._robot, self._keyframes = robot, tuple(keyframes)
        for keyframe in self._keyframes:
            if not keyframe.duration >= period * (1.0 - 1e-9):
                raise ControlError(
                    "the keyframe is shorter than a frame",
                    place=f"keyframes[{keyframe.index}].duration",
                    value=keyframe.duration,
                    limit=f">= {period:g} s",
                )
        self.reset()

    @property
    def done(self) -> bool:
        """Whether the last keyframe is over."""
        return self._current >= len(self._keyframes)

    def reset(self) -> None:
        """Begin anew."""
        super().reset()
        self._current = -1

    def _tell_keyframe(self, time: float) -> None:
        self._time = time
        self._tell(EventKind.KEYFRAME, f"keyframe {self._current}", keyframe=self._current)


class RatePlayer(_KickPlayer):
    """The exercise's player: a keyframe's mean speed is computed once, where it begins, and held.

    Durations are cut to whole frames, and after the last keyframe the joints are asked for speed 0.
    """

    def reset(self) -> None:
        """Begin anew."""
        super().reset()
        self._left = 0
        self._command = self._robot.command()
        self._command.kd[:] = self._robot.servo_kd

    def step(self, sensors: Sensors) -> Command:
        """The speeds for this frame."""
        if self._left == 0 and not self.done:
            self._current += 1
            self._command = self._command.copy()
            if self.done:
                self._command.velocity[:] = 0.0
            else:
                self._tell_keyframe(sensors.time)
                keyframe = self._keyframes[self._current]
                mean = (keyframe.angles - sensors.position) / keyframe.duration
                self._command.velocity[:] = np.clip(mean, -_FULL_SPEED, _FULL_SPEED)
                self._left = whole_frames(keyframe.duration, self._period)
        self._left = max(0, self._left - 1)
        return self._command


class PositionPlayer(_KickPlayer):
    """Goes from keyframe to keyframe in straight lines of the joint angles, from the measured start; holds the last."""

    def reset(self) -> None:
        """Begin anew."""
        super().reset()
        self._begin = 0.0
        self._from: Vector | None = None

    def step(self, sensors: Sensors) -> Command:
        """The posture for this tick."""
        time = sensors.time
        if self._from is None:
            self._from, self._begin, self._current = sensors.position.copy(), time, 0
            self._tell_keyframe(time)
        while not self.done and time >= self._begin + self._keyframes[self._current].duration - 1e-9:
            self._begin += self._keyframes[self._current].duration
            self._from = self._keyframes[self._current].angles
            self._current += 1
            self._tell_keyframe(time)
        command = self._robot.held(self._from)
        if not self.done:
            keyframe = self._keyframes[self._current]
            share = (time + self._period - self._begin) / keyframe.duration
            command.position[:] += min(1.0, share) * (keyframe.angles - self._from)
        return command


def whole_frames(duration: float, period: float) -> int:
    """Whole frames in a duration; the last bits of a division do not cost one."""
    return int(duration / period + 1e-9)
