"""SteeredGait: the base of gaits of four legs that follow a steering without a map."""

from __future__ import annotations

import math
from typing import ClassVar, Generic, TypeVar

import numpy as np

from andante.control.controller import TunableBase
from andante.control.estimation.state import Estimator
from andante.control.legs.foot_motion import FootMotion
from andante.control.legs.four_legs import size_of
from andante.control.legs.weight import WeightCarrier
from andante.control.steering import Steering
from andante.documents.settings import Settings
from andante.kinematics.leg_table import LeggedBody
from andante.robots.records import Sensors

S = TypeVar("S", bound=Settings)
E = TypeVar("E")
STANCE_LENGTH = 0.9
"""Front to hind feet, as a share of the distance of the hips."""


class SteeredGait(TunableBase[S], Generic[S, E]):
    """Keeps what such gaits have in common: steering, estimator, feet, weight, heading.

    Args:
        body: The robot.
        steering: Where to go.
        settings: For LittleDog's size; scaled to the robot.
        estimator: Tells how the body moves.
    """

    smooth: ClassVar[float]
    """Time in which the weight goes over from foot to foot, for LittleDog [s]."""
    rate: ClassVar[float] = 0.95
    """Share of the joints' speed limits that the feet may use."""

    def __init__(self, body: LeggedBody, steering: Steering, settings: S, estimator: Estimator[E]) -> None:
        self._body, self._scale = body, size_of(body)
        self.steering = steering
        """What it follows."""
        self._estimator = estimator
        super().__init__(body.robot.tick, settings)
        self.reset()

    def reset(self) -> None:
        """Forget everything; the next step takes the posture that it measures."""
        super().reset()
        self._estimator.reset()
        self._motion = FootMotion(self._body, self._period, rate=self.rate)
        self._weight = WeightCarrier(self._motion, self.smooth * math.sqrt(self._scale))
        self._standing = np.ones(4, dtype=np.bool_)
        self._yaw_wanted: float | None = None
        self.way = 0.0
        """How far the body has come along its own x axis by its own estimate [m]."""
        self._begun = False
        self.done = False
        """Whether it stands and nothing more will be asked."""

    def _begin(self, sensors: Sensors) -> None:
        if not self._begun:
            self._motion.begin(sensors)
            self._begun = True

    def _off_heading(self, yaw: float, turn: float) -> float:
        """The heading that is wanted less the robot's, where it turns at this speed [rad]."""
        if self._yaw_wanted is None:
            self._yaw_wanted = yaw
        self._yaw_wanted += turn * self._period
        return math.remainder(self._yaw_wanted - yaw, math.tau)
