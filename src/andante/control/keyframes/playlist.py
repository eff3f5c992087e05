"""Playlist: several motions of the keyframe engine, one after another."""

from __future__ import annotations

from collections.abc import Sequence

from andante.control.keyframes.configuration import EngineSettings, MotionRequest
from andante.control.keyframes.engine import KeyframeEngine
from andante.motions.library import MotionLibrary
from andante.robots.records import Command, Sensors
from andante.robots.robot import Robot


class Playlist(KeyframeEngine):
    """Keyframe engine that asks itself for the next motion whenever it is done.

    Args:
        robot: The robot.
        library: Its motions.
        requests: The motions in order, at least one.
        settings: Settings of the engine.

    Raises:
        ControlError: The library does not fit the robot or lacks one of the motions.
    """

    def __init__(
        self,
        robot: Robot,
        library: MotionLibrary,
        requests: Sequence[MotionRequest],
        settings: EngineSettings | None = None,
    ) -> None:
        self._requests = tuple(requests)
        super().__init__(robot, library, self._requests[0], settings)
        # A wrong name fails now instead of in the middle of the run.
        for request in self._requests[1:]:
            self._check(request)

    @property
    def done(self) -> bool:
        """True when the last motion is over and its posture is held."""
        return self._next == len(self._requests) and super().done

    def reset(self) -> None:
        """Forget everything; the next step begins the first motion."""
        super().reset()
        self._next = 1

    def step(self, sensors: Sensors) -> Command:
        """The command for this tick."""
        if super().done and self._next < len(self._requests):
            self.request(self._requests[self._next])
            self._next += 1
        return super().step(sensors)
