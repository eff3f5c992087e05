"""Cues: what a sequence looks at to hand a robot from one controller to the next, measured by the robot itself."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import ClassVar

import numpy as np

from andante.control.answers import told_yes
from andante.control.controller import ControlError, Controller, Fallible
from andante.control.events import EventKind
from andante.control.keyframes.buttons import Buttons
from andante.control.keyframes.catch import FallCatcher
from andante.control.keyframes.configuration import KeyframeEngineSettings
from andante.control.keyframes.features import TorsoAngles
from andante.control.steering import Steering
from andante.documents.quantities import Duration, NonNegativeAngularVelocity, PositiveAngle, Share
from andante.documents.settings import Settings
from andante.motions.library import MotionLibrary
from andante.robots.records import Sensors
from andante.robots.robot import Robot

_GRAVITY = 9.81


class Cue(StrEnum):
    """Something that a robot can tell of itself, or that it is asked."""

    DONE = "done"
    """The controller in force is done."""
    FAILED = "failed"
    """The controller in force has given up."""
    HANDED_OVER = "handed-over"
    """The keyframe engine told that its get-up stands on its feet; a walk may take over."""
    UPRIGHT = "upright"
    """The torso leans by less than ``upright``."""
    LIES = "lies"
    """The torso leans by more than ``lies``."""
    FALLS = "falls"
    """An upright robot leans too far, or will have one horizon ahead."""
    CALM = "calm"
    """The gyro turns by less than ``calm``."""
    FEET_CARRY = "feet-carry"
    """The pressure cells of the feet feel a good part of the weight."""
    HEAD_TOUCHED = "head-touched"
    """Two buttons on the head are pressed."""
    CHEST_PRESSED = "chest-pressed"
    """The button on the chest went down."""
    WALK_ASKED = "walk-asked"
    """The steering asks a speed."""
    STOP_ASKED = "stop-asked"
    """The steering asks to stand."""


class CueSettings(Settings):
    """When cues hold."""

    place: ClassVar[str] = "cues"

    upright: PositiveAngle = math.radians(20.0)
    """Lean below which a robot is upright [rad]."""
    lies: PositiveAngle = math.radians(60.0)
    """Lean above which it lies [rad]."""
    fall_tilt: PositiveAngle = KeyframeEngineSettings().catch_tilt
    """Lean, now or one horizon ahead, that counts as a fall; see `KeyframeEngineSettings.catch_tilt` [rad]."""
    fall_horizon: Duration = KeyframeEngineSettings().catch_horizon
    """How far ahead the lean is looked at [s]."""
    calm: NonNegativeAngularVelocity = 0.5
    """Angular velocity below which a robot is calm [rad/s]."""
    carried: Share = 0.3
    """Share of the weight that the feet feel when they carry."""


@dataclass(frozen=True, slots=True)
class CueMoment:
    """What cues are judged by at a tick."""

    sensors: Sensors
    """What is measured."""
    part: Controller
    """The controller in force."""
    told: frozenset[EventKind]
    """Kinds of events that it told since it began."""


class Cues:
    """Judges cues, tick by tick.

    Args:
        robot: The robot.
        settings: When they hold.
        steering: What the robot is asked; None: nothing.
    """

    def __init__(self, robot: Robot, settings: CueSettings, steering: Steering | None) -> None:
        self._robot, self._settings, self._steering = robot, settings, steering
        self._torso, self._buttons = TorsoAngles(), Buttons(robot)
        engine = KeyframeEngineSettings(
            catch_falls=True, catch_tilt=settings.fall_tilt, catch_horizon=settings.fall_horizon
        )
        self.catcher = FallCatcher(engine, MotionLibrary(robot=robot.name))
        """Sees falls, and how far the robot leans one horizon ahead."""
        self._weight = float(robot.model.body_mass.sum()) * _GRAVITY
        self._judges: Mapping[Cue, Callable[[CueMoment], bool]] = {
            Cue.DONE: lambda now: told_yes(now.part, "done"),
            Cue.FAILED: lambda now: isinstance(now.part, Fallible) and told_yes(now.part, "failed"),
            Cue.HANDED_OVER: lambda now: EventKind.HAND_OVER in now.told,
            Cue.UPRIGHT: lambda now: self._torso.up[2] > math.cos(settings.upright),
            Cue.LIES: lambda now: self._torso.up[2] < math.cos(settings.lies),
            Cue.FALLS: lambda now: bool(self.catcher.falling),
            Cue.CALM: lambda now: float(np.linalg.norm(now.sensors.gyro)) < settings.calm,
            Cue.FEET_CARRY: self._feet_carry,
            Cue.HEAD_TOUCHED: lambda now: self._buttons.head_touched(now.sensors, round(now.sensors.time * 1e6)),
            Cue.CHEST_PRESSED: lambda now: self._pressed,
            Cue.WALK_ASKED: lambda now: self._asked(now) is False,
            Cue.STOP_ASKED: lambda now: self._asked(now) is True,
        }
        self.reset()

    def reset(self) -> None:
        """Forget all measurements; a fall is seen only after the robot stood."""
        self._torso.reset()
        self._buttons.reset()
        self.catcher.reset()
        self._pressed = False

    def look(self, sensors: Sensors) -> None:
        """Take this tick's measurements."""
        self._torso.update(sensors)
        self.catcher.update(self._torso, sensors)
        self._pressed = self._buttons.chest_pressed(sensors)

    def holds(self, cue: Cue, moment: CueMoment) -> bool:
        """Whether a cue holds now."""
        return self._judges[cue](moment)

    def refuse_blind(self, cue: Cue, place: str) -> None:
        """Refuse a cue that this robot cannot give.

        Raises:
            ControlError: It has no such sensor, or is not steered.
        """
        robot = self._robot
        names = [name.casefold() for name in robot.buttons]
        lacks = {
            Cue.FEET_CARRY: "" if any(foot.cells for foot in robot.feet) else "has no pressure cells in its feet",
            Cue.HEAD_TOUCHED: "" if sum("head" in name for name in names) > 1 else "has no two buttons on its head",
            Cue.CHEST_PRESSED: "" if any("chest" in name for name in names) else "has no button on its chest",
            Cue.WALK_ASKED: "" if self._steering is not None else "is not steered",
            Cue.STOP_ASKED: "" if self._steering is not None else "is not steered",
        }.get(cue, "")
        if lacks:
            raise ControlError(f"robot {robot.name!r} {lacks}", place=place, value=cue.value)

    def _feet_carry(self, now: CueMoment) -> bool:
        total = float(now.sensors.force.sum())
        return math.isfinite(total) and total > self._settings.carried * self._weight

    def _asked(self, now: CueMoment) -> bool | None:
        return None if self._steering is None else self._steering.heading(now.sensors.time).still
