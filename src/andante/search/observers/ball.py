"""The observer `ball`: where a ball went and whether the robot stayed on its feet, without a log."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Annotated, Any, ClassVar

import numpy as np
from pydantic import Field

from andante.backends.backend import Backend
from andante.backends.ball import BALL
from andante.backends.mujoco_world import MujocoWorld
from andante.control.controller import Controller
from andante.documents.quantities import Angle
from andante.runs.build import Parts
from andante.runs.loop.outcome import Ending
from andante.runs.scenario import Scenario
from andante.runs.tasks.ball.track import track_of
from andante.search.errors import SearchError
from andante.search.experiment.observing import ObserverKind, TrialObserver


class BallKind(ObserverKind):
    """Watches a ball and the robot that moves it."""

    place: ClassVar[str] = "observers.ball"
    tells: ClassVar[tuple[str, ...]] = ("reach", "speed", "direction", "astray", "fell", "tilt", "done", "finished")

    fallen: Annotated[Angle, Field(gt=0.0)] = 1.0471975511965976
    """Tilt of the torso above which the robot has fallen (60 deg) [rad]; the trial ends there."""

    def observer(self, scenario: Scenario, parts: Parts) -> BallObserver:
        """An observer of one trial.

        Raises:
            SearchError: There is no ball, or the world is not simulated.
        """
        if not isinstance(parts.backend, MujocoWorld) or scenario.world.ball is None:
            raise SearchError("a ball is watched in a simulated world that has one", place=self.place)
        return BallObserver(self, parts.controller, parts.backend, scenario.world.ball.deceleration)


class BallObserver(TrialObserver):
    """What is seen of one ball."""

    def __init__(self, kind: BallKind, controller: Controller, world: MujocoWorld, deceleration: float) -> None:
        self._controller, self._deceleration = controller, deceleration
        self._up = math.cos(kind.fallen)
        joint = world.model.joint(BALL)
        self._place, self._velocity = int(joint.qposadr[0]), int(joint.dofadr[0])
        base = int(world.model.body(world.robot.base_body).id)
        self._matrix = world.data.xmat[base]
        self._data = world.data
        self._forget()

    def _forget(self) -> None:
        self._rows: list[list[float]] = []
        self._lowest = 1.0
        self._done: float | None = None
        self._ended: Ending | None = None

    def begin(self, backend: Backend) -> None:
        """Watch from the start."""
        self._forget()
        self._keep()

    def over(self, backend: Backend) -> bool:
        """Look at ball and robot; whether the robot has fallen."""
        self._keep()
        self._lowest = min(self._lowest, float(self._matrix[8]))
        if self._done is None and self._controller.done:
            self._done = backend.time
        return self._lowest < self._up

    def ended(self, ending: Ending | None, reason: str = "") -> None:
        """Note how the trial ended."""
        self._ended = ending

    def values(self) -> Mapping[str, Any]:
        """What became of ball and robot."""
        rows = np.array(self._rows)
        track = track_of(rows[:, :2], rows[:, 2:], self._deceleration)
        return {
            "reach": track.reach,
            "speed": track.speed,
            "direction": track.direction,
            "astray": abs(track.direction),
            "fell": self._lowest < self._up,
            "tilt": math.acos(min(1.0, self._lowest)),
            "done": self._done,
            "finished": self._ended is Ending.DONE,
        }

    def reasons(self) -> tuple[str, ...]:
        """That the robot fell."""
        return ("fell",) if self._lowest < self._up else ()

    def _keep(self) -> None:
        place, velocity = self._place, self._velocity
        self._rows.append(
            [*self._data.qpos[place : place + 2].tolist(), *self._data.qvel[velocity : velocity + 2].tolist()]
        )
