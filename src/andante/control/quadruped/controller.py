"""QuadrupedController: walks a quadruped of twelve torque-controlled joints by plans of forces."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from andante.control.base import TunableBase
from andante.control.estimation.state import Estimator
from andante.control.quadruped.dynamics import FloatingModel
from andante.control.quadruped.leg_kernels import LegMemory, LegRules, control_legs
from andante.control.quadruped.settings import LegSettings
from andante.control.steering import Steering
from andante.planning.quadruped.body import QuadrupedBody
from andante.planning.quadruped.gait import GAITS, Gait
from andante.planning.quadruped.local_plan import LocalPlan, LocalRequest
from andante.planning.quadruped.local_planner import GO2_LEG
from andante.robots.records import Command, Sensors
from andante.robots.robot import Robot

Array = NDArray[np.float64]


class QuadrupedController(TunableBase[LegSettings]):
    """Follows local plans with forces and swings.

    Args:
        robot: A robot of twelve joints in four legs.
        steering: Where to go.
        estimator: Tells how the body moves.
        body: The robot as the planner sees it.
        settings: For Go2's size; scaled to the robot.
        gait: The gait.
        interval: Time between two requests to the planner [s].
    """

    def __init__(
        self,
        robot: Robot,
        steering: Steering,
        estimator: Estimator,
        body: QuadrupedBody,
        settings: LegSettings | None = None,
        gait: Gait = GAITS["trot"],
        interval: float = 0.01,
    ) -> None:
        self._robot, self._steering, self._estimator, self._body = robot, steering, estimator, body
        self._gait = gait
        self._every = max(1, round(interval / robot.tick))
        self._model = FloatingModel(robot, body.legs)
        self._order = np.array([list(leg.indices) for leg in body.legs.legs])
        self._friction = np.array([servo.friction for servo in robot.servos])[self._order]
        self._viscous = np.array([servo.damping for servo in robot.servos])[self._order]
        self._hold = body.legs.joints(body.posture)
        super().__init__(robot.tick, settings or LegSettings())
        self.reset()

    def _use(self, settings: LegSettings) -> None:
        s = self._scaled = settings.scaled(self._body.legs.leg_length / GO2_LEG)
        self._rules = LegRules(
            s.frequency, s.damping, s.stance_kp, s.stance_kd, s.early, s.probe, s.depth, s.error, s.slow, s.ahead, self._body.rigid.mass
        )

    @property
    def done(self) -> bool:
        """Whether it stands and nothing more will be asked."""
        return self._steering.over(self._time) and self._plan is not None and self._plan.mode == 0

    def reset(self) -> None:
        """Forget everything."""
        super().reset()
        self._estimator.reset()
        self._plan: LocalPlan | None = None
        self._request: LocalRequest | None = None
        self._tick = 0
        self._asked = np.zeros(3)
        self._memory = LegMemory(
            np.ones(4, dtype=np.bool_), np.zeros(4, dtype=np.bool_), np.zeros((4, 3)), np.zeros(4)
        )
        self._standing = np.ones(4, dtype=np.bool_)
        self._contact = np.ones((1, 4))

    def take_request(self) -> LocalRequest | None:
        """What the planner shall answer; None: nothing."""
        request, self._request = self._request, None
        return request

    def accept(self, plan: LocalPlan) -> None:
        """Use this plan from the next step on."""
        self._plan = plan
        self._contact = plan.contact.astype(np.float64)

    def step(self, sensors: Sensors) -> Command:
        """The command for this tick."""
        self._time = sensors.time
        state = self._estimator.update(sensors, self._memory.landed)
        touching = state.contact
        legs = self._model.update(
            state.position,
            state.orientation,
            state.velocity,
            state.angular_velocity,
            sensors.position,
            sensors.velocity,
            touching,
        )
        self._steer()
        if self._tick % self._every == 0:
            row = np.empty(12)
            row[:3], row[3:6], row[6:9], row[9:] = legs.com, state.rpy, legs.velocity, state.angular_velocity
            self._request = LocalRequest(
                self._time, row, legs.feet, touching.copy(), self._asked.copy(), self._gait
            )
        self._tick += 1
        command = self._robot.command()
        plan = self._plan
        if plan is None:
            command.position[:] = self._hold
            command.kp[:], command.kd[:] = self._robot.servo_kp, self._robot.servo_kd
            return command
        out = np.zeros((5, 4, 3))
        control_legs(
            self._rules,
            legs,
            self._memory,
            self._model.dofs,
            self._body.radius,
            self._friction,
            self._viscous,
            sensors.position[self._order],
            sensors.velocity[self._order],
            self._time,
            plan.times,
            plan.states,
            plan.forces,
            self._contact,
            plan.swings,
            plan.swing_counts,
            out,
        )
        rows = command.vector.reshape(5, -1)
        rows[:, self._order] = out
        return command

    def _steer(self) -> None:
        heading = self._steering.heading(self._time)
        wanted = np.array([heading.forward, heading.lateral, heading.turn])
        quick = self.period * np.array(
            [self._scaled.acceleration, self._scaled.acceleration, self._scaled.turn_acceleration]
        )
        self._asked += np.clip(wanted - self._asked, -quick, quick)
