"""How standing feet share a wanted force and moment on the body, and the torques with which legs push so.

Feet only push, and only inside their friction cones. A cone is taken as a pyramid inside it, and the force of a foot as
a sum of its four edges with factors that are not negative. So the quadratic programme, nearest wrench and smallest
forces, is one of least squares with factors >= 0 (Lawson and Hanson 1974).
"""

from __future__ import annotations

import math

import numpy as np

from andante.control.controller import ControlError
from andante.control.legs.foot_motion import FootMotion
from andante.kinematics.leg_forward import holding_torques
from andante.kinematics.leg_table import LeggedBody
from andante.robots.records import Command
from andante.spatial.arrays import Array, Flags
from andante.spatial.gravity import GRAVITY

_EVEN = 1e-3
"""Weight of small, even forces against the wrench."""
_UP = np.array([0.0, 0.0, 1.0])


class ForceDistribution:
    """Forces of feet for a wrench.

    Args:
        friction: Coefficient of friction that is counted on.
        arm: Length by which moments [N m] are weighed against forces [N] [m].

    Raises:
        ControlError: One of them is not above zero.
    """

    def __init__(self, friction: float = 0.5, arm: float = 0.1) -> None:
        for name, value in (("friction", friction), ("arm", arm)):
            if not (math.isfinite(value) and value > 0.0):
                raise ControlError(
                    "the distribution of forces needs a number above zero", place=name, value=value, limit="> 0"
                )
        self.friction, self.arm = friction, arm
        self._one = (b"", np.zeros((4, 3)))

    def solve(self, feet: Array, normals: Array, wrench: Array) -> tuple[Array, float]:
        """Force of the ground on each foot.

        Args:
            feet: Feet that stand, relative to the point about which the moment acts, (n, 3) [m].
            normals: Normals of the ground below them, (n, 3), or one for all, (3,).
            wrench: Wanted force [N] and moment [N m], (6,).

        Returns:
            Forces, (n, 3) [N], and how far their sum is from the wrench [N].
        """
        from scipy.optimize import nnls

        count = len(feet)
        if count == 0:
            return np.zeros((0, 3)), float(np.linalg.norm(self._weighed(wrench)))
        forces = np.tile(self._alike(normals), (count, 1)) if normals.ndim == 1 else self._edges(normals).reshape(-1, 3)
        moments = _cross(np.repeat(feet, 4, axis=0), forces) / self.arm
        columns = np.concatenate([forces, moments], axis=1).T
        wanted = self._weighed(wrench)
        size = 4 * count
        matrix = np.zeros((6 + size, size))
        matrix[:6] = columns
        matrix[6:].flat[:: size + 1] = math.sqrt(_EVEN)
        factors, _ = nnls(matrix, np.concatenate([wanted, np.zeros(size)]))
        missed = float(np.linalg.norm(columns @ factors - wanted))
        return (factors[:, None] * forces).reshape(count, 4, 3).sum(axis=1), missed

    def _weighed(self, wrench: Array) -> Array:
        return np.concatenate([wrench[:3], wrench[3:] / self.arm])

    def _alike(self, normal: Array) -> Array:
        """Edges of the pyramid about one normal, (4, 3), which is the same at most ticks."""
        key = normal.tobytes()
        if key != self._one[0]:
            self._one = (key, self._edges(normal[None])[0])
        return self._one[1]

    def _edges(self, normals: Array) -> Array:
        """Edges of the pyramids inside the cones, (n, 4, 3), each 1 along its normal."""
        helper = np.where(np.abs(normals[:, :1]) < 0.9, [[1.0, 0.0, 0.0]], [[0.0, 1.0, 0.0]])
        first = _cross(normals, helper)
        first /= np.linalg.norm(first, axis=1, keepdims=True)
        second = _cross(normals, first)
        reach = self.friction / math.sqrt(2.0)
        return np.stack(
            [normals + reach * (a * first + b * second) for a, b in ((1, 1), (1, -1), (-1, -1), (-1, 1))], axis=1
        )


def _cross(one: Array, other: Array) -> Array:
    """Cross products of rows, (n, 3): what numpy's `cross` computes, which takes ten times as long for a few rows."""
    found = np.empty(np.broadcast_shapes(one.shape, other.shape))
    for axis, (ahead, behind) in enumerate(((1, 2), (2, 0), (0, 1))):
        found[:, axis] = one[:, ahead] * other[:, behind] - one[:, behind] * other[:, ahead]
    return found


def push(command: Command, body: LeggedBody, angles: Array, rotation: Array, forces: Array) -> Command:
    """The command with the torques by which legs take forces of the ground, within what the joints give.

    Args:
        command: Where the joints should be; changed.
        body: The robot.
        angles: Joint angles of the legs, (nl, 3) [rad].
        rotation: Base to level frame, (3, 3).
        forces: Force of the ground on each foot in the level frame, (nl, 3) [N].
    """
    torques = np.empty_like(forces)
    holding_torques(body.table, angles, rotation[2].copy(), forces @ rotation, torques)
    limit = body.robot.max_effort
    command.torque[:] = np.clip(body.joints(torques), -limit, limit)
    return command


class WeightCarrier:
    """Shares the weight among standing feet and feeds it forward as torques, so that servos need no error.

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

    def add(self, command: Command, rotation: Array, standing: Flags) -> Command:
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
        return push(command, self._body, self._motion.angles, rotation, self._forces)
