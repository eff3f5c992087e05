"""QuadrupedControl: the part of a scenario that walks a quadruped of twelve torque-controlled joints."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, Self

import numpy as np
from pydantic import Field, model_validator

from andante.backends.world import WorldConfig
from andante.control.controller import ControlError, Controller
from andante.control.quadruped.settings import LegSettings
from andante.control.steering import Heading, LiveSteering
from andante.documents.choice import NameIn
from andante.documents.part import Part
from andante.documents.quantities import Length, Seconds
from andante.planning.planner import Planner
from andante.planning.quadruped.gait import GAITS, Gait, GaitError, gait_of, of_size
from andante.planning.quadruped.gait_policy import GAIT_CHOICE, GaitMoment, GaitPolicy, choose_gait
from andante.planning.quadruped.settings import GO2_LEG, LocalSettings
from andante.robots.robot import Robot
from andante.runs.controls.asked import Asked
from andante.runs.controls.estimators import ESTIMATORS, make_estimator
from andante.runs.controls.maps import MapSettings
from andante.runs.controls.steering import LiveChoice, SteeredControl
from andante.spatial.arrays import Array
from andante.spatial.gravity import GRAVITY

if TYPE_CHECKING:
    from andante.control.estimation.floating_base import FloatingBase
    from andante.control.estimation.state import Estimator
    from andante.planning.quadruped.body import QuadrupedBody
    from andante.planning.quadruped.body_plan import BodyPlan
    from andante.planning.quadruped.global_plan.body import GlobalBody
    from andante.planning.quadruped.global_plan.planner import GlobalPlan
    from andante.planning.quadruped.ground import Ground


_EARLY = 1e-9


class GaitChange(Part):
    """Which gait is walked from a time on."""

    time: Annotated[Seconds, Field(ge=0.0)] = 0.0
    """When [s]."""
    gait: str | Gait = "trot"
    """A gait by name, or its period, duty factors and offsets."""

    def chosen(self, size: float, step: float) -> Gait:
        """The gait: by name for a robot whose legs are ``size`` times as long as Go2's, others as they are.

        Args:
            size: How many times as long the legs are.
            step: Length of an interval of the plan [s].

        Raises:
            GaitError: There is none of this name.
        """
        return of_size(gait_of(self.gait), size, step) if isinstance(self.gait, str) else self.gait


class QuadrupedControl(SteeredControl):
    """A dynamic quadruped: local plans of forces a hundred times a second, steered or along a global plan."""

    type: Literal["quadruped"]
    """Kind of controller."""
    live: LiveChoice | None = None
    """Steered while it walks in place of a script, in any gait by name."""
    gaits: Annotated[tuple[GaitChange, ...], Field(min_length=1, max_length=1000)] = (GaitChange(),)
    """Which gait is walked when."""
    gait: Annotated[GaitPolicy, GAIT_CHOICE] | None = None
    """Policy that chooses the gait in place of these times."""
    goal: tuple[Length, Length] | None = None
    """Where it goes by a global plan in place of the steering [m]; None: it is steered."""
    seed: Annotated[int, Field(ge=0)] = 0
    """Decides what is random in the global plan."""
    estimator: Annotated[str, NameIn(ESTIMATORS)] = "contact"
    """What tells how the body moves: ``contact``, the contact-aided filter from IMU, joints and foot switches;
    ``complementary``, the complementary filter from IMU, joints and a motion capture that the robot gets for it; or one
    of an installed package."""
    blind: bool = False
    """Whether it takes the plane through its feet for the ground; otherwise it walks by a map of the terrain."""
    map: MapSettings = MapSettings()
    """The map that it walks by; the ground itself it never sees."""
    local: LocalSettings = LocalSettings()
    """How it plans."""
    legs: LegSettings = LegSettings()
    """How legs follow the plan."""

    @model_validator(mode="after")
    def _ways(self) -> Self:
        if self.goal is not None and (self.steering or self.live is not None):
            raise ValueError("a robot that goes to a goal is not steered; give one of goal and steering")
        if self.gait is not None and (self.live is not None or self.gaits != (GaitChange(),)):
            raise ValueError("a policy chooses the gait; give one of gait, gaits and live")
        times = [change.time for change in self.gaits]
        if any(later <= earlier for earlier, later in pairwise(times)):
            raise ValueError(f"times of the gaits rise, got {times}")
        return self

    def anchored(self, folder: Path) -> Self:
        """The same with the path of its map made absolute where it exists in ``folder``."""
        return self.model_copy(update={"map": self.map.anchored(folder)})

    def driven(self, robot: Robot) -> Robot:
        """The robot with torque control at 500 Hz, and with motion capture where the estimator needs it.

        Raises:
            QuadrupedError: It has other legs.
        """
        from andante.runs.tasks.quadruped.torque_driven import torque_driven

        driven = torque_driven(robot, self.local.standing)
        return driven.tracked() if ESTIMATORS[self.estimator].tracked else driven

    def assumed(self, robot: Robot) -> tuple[str, ...]:
        """Whatever control by torque needs and the robot's file does not say."""
        from andante.runs.tasks.quadruped.torque_driven import ASSUMED
        from andante.runs.tasks.walk.walker import is_bare

        if is_bare(robot):
            return ASSUMED
        # Servos that are told positions are driven as if they took torques.
        return ("control",) if any(not servo.torque_speed for servo in robot.servos) else ()

    def controller(self, robot: Robot, world: WorldConfig) -> Controller:
        """The legs' controller with its estimator.

        Raises:
            AndanteError: The robot has other legs, a gait is none, or there is no way to the goal.
        """
        from andante.control.quadruped.controller import QuadrupedController
        from andante.planning.quadruped.body import QuadrupedBody

        body = QuadrupedBody.of(robot, self.local.standing)
        self._check_speeds(robot, body)
        steering = self.followed()
        if self.live is not None and isinstance(steering, LiveSteering):
            self._offer(steering, self.live, robot, body)
        ground = self._ground(body, world)
        start = self._start(robot, body, world, ground)
        size, step = body.legs.leg_length / GO2_LEG, self.local.nmpc.step
        changes = [(change.time, change.chosen(size, step)) for change in self.gaits]

        def gait(moment: GaitMoment) -> Gait:
            if self.gait is not None:
                return choose_gait(self.gait, moment, size, step)
            if isinstance(steering, LiveSteering) and steering.gait is not None:
                return of_size(gait_of(steering.gait), size, step)
            begun = [each for begin, each in changes if moment.time >= begin - _EARLY]
            return begun[-1] if begun else changes[0][1]

        return QuadrupedController(
            robot,
            steering,
            self._estimator(body, ground),
            body,
            self.legs,
            gait,
            self.local.interval,
            None if self.goal is None else self._course(body, world, start),
            (start, world.start.yaw),
        )

    def asked(self, robot: Robot) -> Asked:
        """The script, or the goal."""
        return super().asked(robot) if self.goal is None else Asked(goal=self.goal)

    def planner(self, controller: Controller, world: WorldConfig) -> Planner[Any, Any]:
        """The local planner.

        Raises:
            AndanteError: The solver cannot be made.
        """
        from andante.control.quadruped.controller import QuadrupedController
        from andante.planning.quadruped.local_planner import LocalPlanner

        if not isinstance(controller, QuadrupedController):
            raise ControlError("this planner is for another controller", value=type(controller).__name__)
        body = controller.body
        return LocalPlanner(body, settings=self.local, ground=self._ground(body, world))

    def _estimator(self, body: QuadrupedBody, ground: Ground | None) -> Estimator[FloatingBase]:
        from andante.planning.quadruped.ground import ground_heights

        known = None if ground is None else partial(ground_heights, ground)
        return make_estimator(self.estimator, body.legs, known)

    def _check_speeds(self, robot: Robot, body: QuadrupedBody) -> None:
        """Refuse speeds at which no standing foot can pass below its hip.

        Raises:
            ControlError: Names the speed and the limit.
        """
        limit, arm = self._hip_speed(robot, body)
        for number, change in enumerate(self.steering):
            speed = math.hypot(change.forward, change.lateral) + arm * abs(change.turn)
            if speed > limit:
                raise ControlError(
                    f"robot {robot.name!r} cannot walk or turn so fast: its hips move at {speed:.3g} m/s",
                    place=f"controller.steering[{number}]",
                    value=(change.forward, change.lateral, change.turn),
                    limit=f"{limit:.3g} m/s, by the speed of its pitch joints",
                )

    def _hip_speed(self, robot: Robot, body: QuadrupedBody) -> tuple[float, float]:
        """How fast a hip can pass over its standing foot: the pitch joints' speed times the hips' height [m/s].

        And how far the farthest hip is from the base's middle [m].
        """
        pitch = np.array([leg.indices[1] for leg in body.legs.legs])
        speed = float(robot.max_velocity[pitch].min()) * self.local.standing * body.legs.leg_length
        return speed, float(np.linalg.norm(body.hips[:, :2], axis=1).max())

    def _offer(self, steering: LiveSteering, live: LiveChoice, robot: Robot, body: QuadrupedBody) -> None:
        """Tell a live steering what may be asked: any gait that fits the plan's grid, and speeds that legs carry.

        Where the scenario names none, the hips move at a Froude number v^2 / (g h) of 1 forward, and half as fast to a
        side and in turning; legs that are too slow for that share what they reach.

        Raises:
            ControlError: The scenario allows more than the pitch joints' speed.
        """
        limit, arm = self._hip_speed(robot, body)
        speed = min(math.sqrt(GRAVITY * body.height), 0.5 * limit)
        usual = Heading(speed, 0.5 * speed, 0.5 * speed / arm)
        self.allow(steering, Heading(limit, limit, limit / arm), f"robot {robot.name!r}")
        steering.fastest = live.within(usual)
        steering.gaits = tuple(name for name, gait in GAITS.items() if _fits(gait, self.local.nmpc.step))

    def _ground(self, body: QuadrupedBody, world: WorldConfig) -> Ground | None:
        """What the robot knows of the ground; None: nothing."""
        if self.blind:
            return None
        from andante.planning.quadruped.ground import ground_of_map

        known = self.map.underfoot(world)
        return None if known is None else ground_of_map(known, body.legs.leg_length)

    @staticmethod
    def _start(robot: Robot, body: QuadrupedBody, world: WorldConfig, ground: Ground | None) -> Array:
        """Where the base is in the world at the start, (3,) [m]."""
        from andante.planning.quadruped.ground import ground_height

        start = world.start
        angles = robot.posture(start.posture) if isinstance(start.posture, str) else body.legs.joints(body.posture)
        places = [leg.place(each) for leg, each in zip(body.legs.legs, body.legs.angles(angles), strict=True)]
        lowest = min(float(place[2]) - radius for place, radius in zip(places, body.radius, strict=True))
        below = 0.0 if ground is None else ground_height(ground, start.x, start.y)
        return np.array([start.x, start.y, below - lowest])

    def body_plan(self, robot: Robot, world: WorldConfig) -> tuple[GlobalBody, GlobalPlan]:
        """The body's way to the goal, as the controller would follow it, and what was planned for.

        Raises:
            AndanteError: There is no goal or no map, or the robot has other legs.
        """
        from andante.planning.quadruped.body import QuadrupedBody

        body = QuadrupedBody.of(robot, self.local.standing)
        start = self._start(robot, body, world, self._ground(body, world))
        return self._planned(body, world, start)

    def _planned(self, body: QuadrupedBody, world: WorldConfig, start: Array) -> tuple[GlobalBody, GlobalPlan]:
        from andante.planning.quadruped.global_plan.body import GlobalBody
        from andante.planning.quadruped.global_plan.layers import body_layers
        from andante.planning.quadruped.global_plan.planner import GlobalPlanner, GlobalRequest
        from andante.planning.quadruped.global_plan.settings import GlobalSettings

        known = None if self.blind else self.map.known(world)
        if known is None or self.goal is None:
            raise ControlError("a way to a goal needs a map", place="controller.goal", value=self.goal)
        # The local plan's grid has a step for each step of the body's.
        settings = GlobalSettings(step=self.local.nmpc.step)
        planner = GlobalPlanner(replace(GlobalBody.of(body.legs), standing=body.height), settings)
        state = np.zeros(12)
        state[:3], state[5] = start, world.start.yaw
        layers = body_layers(known, body.legs.leg_length)
        return planner.body, planner.plan(GlobalRequest(state, self.goal, layers, self.seed))

    def _course(self, body: QuadrupedBody, world: WorldConfig, start: Array) -> BodyPlan:
        """The body's way to the goal.

        Raises:
            ControlError: There is none.
        """
        _, found = self._planned(body, world, start)
        if found.body is None:
            raise ControlError(
                f"no way to the goal: {found.reason}",
                place="controller.goal",
                value=self.goal,
                limit=str(found.status),
            )
        return found.body


def _fits(gait: Gait, step: float) -> bool:
    """Whether a gait fits the plan's grid."""
    try:
        gait.steps(step)
    except GaitError:
        return False
    return True
