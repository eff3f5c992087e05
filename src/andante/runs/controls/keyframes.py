"""KeyframeControl: the part of a scenario that plays motions through the keyframe engine."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal, Self

from pydantic import Field, model_validator

from andante.backends.world import WorldConfig
from andante.control.controller import Controller
from andante.control.keyframes.configuration import EngineSettings, MotionRequest
from andante.robots.robot import Robot
from andante.runs.controls.motions import MotionControl


class KeyframeControl(EngineSettings, MotionControl):
    """The keyframe engine plays motions of a library, one after another."""

    place: ClassVar[str] = "controller"

    type: Literal["keyframes"] = "keyframes"
    """Kind of controller."""
    get_up: bool = False
    """Get up by whatever motion fits; done when the robot stands. Give this or ``motions``."""
    mirror: bool = False
    """Exchange left and right."""
    tries: Annotated[int, Field(ge=1, le=100)] | None = None
    """Tries before the robot asks for help; None: as the library says."""

    @model_validator(mode="after")
    def _one_task(self) -> Self:
        if bool(self.motions) == self.get_up:
            raise ValueError("give either motions or get_up")
        return self

    def controller(self, robot: Robot, world: WorldConfig) -> Controller:
        """The engine with its playlist.

        Raises:
            AndanteError: The library cannot be read, does not fit the robot or lacks a motion.
        """
        from andante.control.keyframes.engine import Playlist

        library = self.loaded(robot)
        if self.tries is not None:
            settings = library.settings.model_copy(update={"max_tries": self.tries})
            library = library.model_copy(update={"settings": settings})
        wanted = (None,) if self.get_up else self.motions
        requests = [MotionRequest(motion, self.mirror) for motion in wanted]
        return Playlist(robot, library, requests, EngineSettings.of(self))
