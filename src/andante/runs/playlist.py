"""Playlist: several motions of the keyframe engine, one after another."""

from __future__ import annotations

from collections.abc import Sequence

from andante.control.controller import ControlEvent
from andante.control.keyframes.configuration import EngineConfig, MotionRequest
from andante.control.keyframes.engine import KeyframeEngine
from andante.motions.library import MotionLibrary
from andante.robots.records import Command, Record, Sensors
from andante.robots.robot import Robot


class Playlist:
    """Controller that asks the keyframe engine for the next motion whenever it is done.

    Args:
        robot: The robot.
        library: Its motions.
        requests: The motions in order, at least one.
        config: Settings of the engine.

    Raises:
        ControlError: The library does not fit the robot or lacks one of the motions.
    """

    def __init__(
        self,
        robot: Robot,
        library: MotionLibrary,
        requests: Sequence[MotionRequest],
        config: EngineConfig | None = None,
    ) -> None:
        self._requests = tuple(requests)
        # Asking for each motion once makes a wrong name fail now instead of in the middle of the run.
        self._engine = KeyframeEngine(robot, library, self._requests[0], config)
        for request in self._requests[1:]:
            self._engine.request(request)
        self.reset()

    @property
    def period(self) -> float:
        """Time between two steps [s]."""
        return self._engine.period

    @property
    def done(self) -> bool:
        """True when the last motion is over and its posture is held."""
        return self._next == len(self._requests) and self._engine.done

    @property
    def failed(self) -> bool:
        """True while the engine has given up and waits for help."""
        return self._engine.failed

    @property
    def telemetry(self) -> Record | None:
        """The engine's telemetry."""
        return self._engine.telemetry

    def reset(self) -> None:
        """Forget everything; the next step begins the first motion."""
        self._engine.reset()
        self._next = 1

    def step(self, sensors: Sensors) -> Command:
        """The command for this tick."""
        if self._engine.done and self._next < len(self._requests):
            self._engine.request(self._requests[self._next])
            self._next += 1
        return self._engine.step(sensors)

    def take_events(self) -> list[ControlEvent]:
        """What happened since the last call, in order."""
        return self._engine.take_events()
