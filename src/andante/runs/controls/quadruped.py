"""QuadrupedControl: the part of a scenario that walks a quadruped of twelve torque-controlled joints."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Annotated, Any, Literal, Self

from pydantic import Field, model_validator

from andante.backends.world import WorldConfig
from andante.control.controller import ControlError, Controller
from andante.control.quadruped.settings import LegSettings
from andante.documents.part import Part
from andante.documents.quantities import Length, Seconds
from andante.planning.planner import Planner
from andante.planning.quadruped.gait import GAITS, Gait, gait_of
from andante.planning.quadruped.settings import LocalSettings
from andante.robots.robot import Robot
from andante.runs.controls.kind import ControlKind
from andante.runs.controls.steering import SteeringChange, steering_script

if TYPE_CHECKING:
    from andante.planning.quadruped.body import QuadrupedBody
    from andante.planning.quadruped.ground import Ground

_EARLY = 1e-9


class GaitChange(Part):
    """Which gait is walked from a time on."""

    time: Annotated[Seconds, Field(ge=0.0)] = 0.0
    """When [s]."""
    gait: str | Gait = "trot"
    """A gait by name, or its period, duty factors and offsets."""

    @property
    def chosen(self) -> Gait:
        """The gait.

        Raises:
            GaitError: There is none of this name.
        """
        return gait_of(self.gait) if isinstance(self.gait, str) else self.gait


class QuadrupedControl(ControlKind):
    """A dynamic quadruped: local plans of forces a hundred times a second, steered or along a global plan."""

    type: Literal["quadruped"]
    """Kind of controller."""
    steering: Annotated[tuple[SteeringChange, ...], Field(max_length=1000)] = ()
    """What is asked when; before the first change the robot stands."""
    gaits: Annotated[tuple[GaitChange, ...], Field(min_length=1, max_length=1000)] = (GaitChange(),)
    """Which gait is walked when."""
    goal: tuple[Length, Length] | None = None
    """Where it goes by a global plan in place of the steering [m]; None: it is steered."""
    blind: bool = False
    """Whether it plans as if the ground were level; otherwise it knows the world's heights."""
    local: LocalSettings = LocalSettings()
    """How it plans."""
    legs: LegSettings = LegSettings()
    """How legs follow the plan."""

    @model_validator(mode="after")
    def _ways(self) -> Self:
        if self.goal is not None and self.steering:
            raise ValueError("a robot that goes to a goal is not steered; give one of goal and steering")
        times = [change.time for change in self.gaits]
        if any(later <= earlier for earlier, later in pairwise(times)):
            raise ValueError(f"times of the gaits rise, got {times}")
        return self

    def driven(self, robot: Robot) -> Robot:
        """The robot with torque control at 500 Hz.

        Raises:
            QuadrupedError: It has other legs.
        """
        from andante.runs.quadruped.torque_driven import torque_driven

        return torque_driven(robot, self.local.standing)

    def controller(self, robot: Robot, world: WorldConfig) -> Controller:
        """The legs' controller with its estimator.

        Raises:
            AndanteError: The robot has other legs, a gait is none, or there is no way to the goal.
        """
        from andante.control.estimation.contact_kalman import ContactKalman
        from andante.control.quadruped.controller import QuadrupedController

        if robot.motion_capture:
            raise ControlError("a dynamic quadruped walks without motion capture", value=robot.name)
        body = self._body(robot)
        estimator = ContactKalman(body.legs)
        changes = [(change.time, change.chosen) for change in self.gaits]

        def gait(time: float) -> Gait:
            chosen = changes[0][1]
            for begin, each in changes:
                if time >= begin - _EARLY:
                    chosen = each
            return chosen

        return QuadrupedController(
            robot, steering_script(self.steering), estimator, body, self.legs, gait, self.local.interval
        )

    def planner(self, controller: Controller, world: WorldConfig) -> Planner[Any, Any]:
        """The local planner.

        Raises:
            AndanteError: The solver cannot be made.
        """
        from andante.control.quadruped.controller import QuadrupedController
        from andante.planning.nmpc.online import OnlineNmpc
        from andante.planning.quadruped.local_planner import LocalPlanner

        if not isinstance(controller, QuadrupedController):
            raise ControlError("this planner is for another controller", value=type(controller).__name__)
        body = controller.body
        return LocalPlanner(body, OnlineNmpc(self.local.nmpc, body.rigid), self.local, self._ground(world))

    def _body(self, robot: Robot) -> QuadrupedBody:
        from andante.planning.quadruped.body import QuadrupedBody

        return QuadrupedBody.of(robot, self.local.standing)

    def _ground(self, world: WorldConfig) -> Ground | None:
        if self.blind or world.terrain is None:
            return None
        raise ControlError("terrain comes with the global planner")


__all__ = ["GAITS", "GaitChange", "QuadrupedControl"]
