"""WeightCarrier: feed-forward torques with which the standing legs carry the robot, so that servos need no error."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from andante.control.legs.foot_motion import FootMotion
from andante.control.legs.force_distribution import ForceDistribution
from andante.kinematics.leg_forward import holding_torques
from andante.robots.records import Command
from andante.spatial.gravity import GRAVITY

Array = NDArray[np.float64]
_UP = np.array([0.0, 0.0, 1.0])


class WeightCarrier:
    """Shares the weight among standing feet and turns it into torques.

    Args:
        motion: The feet as they are commanded.
        smooth: Time in which weight goes over from foot to foot [s].
        friction: Coefficient of friction that is counted on.
    """

    def __init__(self, motion: FootMotion, smooth: float, friction: float = 0.5) -> None:
        self._motion, self._body = motion, motion.body
        self._share = min(1.0, motion.period / smooth)
        self._forces = np.zeros((len(self._body.legs), 3))
        self._split = ForceDistribution(friction, arm=0.5 * self._body.leg_length)
        self._wrench = np.array([0.0, 0.0, self._body.table.total_mass * GRAVITY, 0.0, 0.0, 0.0])
        self._first = True

    def add(self, command: Command, rotation: Array, standing: NDArray[np.bool_]) -> Command:
        """The command with the torques that carry the weight on the standing feet.

        Args:
            command: Where the joints should be.
            rotation: Base to level frame, (3, 3).
            standing: Feet on the ground, (nl,).
        """
        wanted = np.zeros_like(self._forces)
        level = (self._motion.places[standing] - self._motion.com) @ rotation.T
        wanted[standing] = self._split.solve(level, _UP, self._wrench)[0]
        self._forces += (1.0 if self._first else self._share) * (wanted - self._forces)
        self._first = False
        torques = np.empty_like(self._forces)
        holding_torques(self._body.table, self._motion.angles, rotation[2].copy(), self._forces @ rotation, torques)
        limit = self._body.robot.max_effort
        command.torque[:] = np.clip(self._body.joints(torques), -limit, limit)
        return command
