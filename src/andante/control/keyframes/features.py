"""What the engine knows about the robot's posture in space, computed only when somebody asks."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from andante.control.keyframes.capture_kernels import over_soles
from andante.robots.records import Sensors, Vector
from andante.robots.robot import Robot
from andante.robots.roles import joint_with_role
from andante.spatial.rotations import to_matrix

if TYPE_CHECKING:
    from andante.kinematics.forward import Kinematics


class TorsoAngles:
    """Pitch, roll and restlessness of the torso from the IMU's orientation.

    Pitch is taken over the full circle (a robot on its head is beyond +-90 degrees), roll as an arc sine, so that both
    exist in every posture. Fluctuation is |change| + |change of change| per tick.
    """

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        """Forget all measurements."""
        self.up = (0.0, 0.0, 1.0)
        """World's up direction in the torso frame."""
        self.pitch = 0.0
        """Pitch, + forward [rad]."""
        self.roll = 0.0
        """Roll [rad]."""
        self.fluctuation = 0.0
        """Restlessness of the pitch [rad per tick]."""
        self._change = 0.0
        self._seen = 0

    def update(self, sensors: Sensors) -> None:
        """Take this tick's orientation; one that is no rotation leaves everything as it was."""
        w, x, y, z = sensors.orientation.tolist()
        norm = w * w + x * x + y * y + z * z
        if not (math.isfinite(norm) and 0.25 < norm < 4.0):
            return
        ux = 2.0 * (x * z - w * y) / norm
        uy = 2.0 * (y * z + w * x) / norm
        uz = (w * w - x * x - y * y + z * z) / norm
        self.up = (ux, uy, uz)
        pitch = math.atan2(-ux, uz)
        self.roll = math.asin(max(-1.0, min(1.0, uy)))
        change = math.remainder(pitch - self.pitch, math.tau) if self._seen else 0.0
        bend = change - self._change if self._seen > 1 else 0.0
        self.fluctuation = abs(change) + abs(bend)
        self.pitch, self._change = pitch, change
        self._seen += 1


_CORNERS = np.array(list(itertools.product((-1.0, 1.0), repeat=3)))
_BACK = -0.05
"""Back edge of a sole without an outline [m]."""


class Body:
    """Centre of mass, soles and wrists at the measured posture.

    Args:
        robot: The robot.
        support_offsets: Front, outer and inner offset of the support polygon's corners from the sole's origin [m].
        first_corner_missing: The support centre leaves out the first corner fore and aft, as the engine of 2022 to
            2024 did; goals of that time are only right with it (docs/sources/keyframe-engine.md, 2.7).
    """

    def __init__(
        self, robot: Robot, support_offsets: tuple[float, float, float], first_corner_missing: bool = False
    ) -> None:
        self._robot = robot
        front, outer, _ = support_offsets
        # Per foot, left first, in the sole's frame: the polygon's front and back corner and their middle.
        self._corners: list[NDArray[np.float64]] = []
        for foot, side in zip(robot.feet[:2], (-outer, outer), strict=False):
            back = min((x for x, _ in foot.outline), default=_BACK)
            self._corners.append(np.array([[front, side, 0.0], [back, side, 0.0], [0.5 * (front + back), side, 0.0]]))
        # The same front and back corner as plain numbers.
        self._edges = [[(float(corner[0]), float(corner[1])) for corner in corners[:2]] for corners in self._corners]
        self._outlines = [_corners(foot.outline) for foot in robot.feet[:2]]
        self._middles = [0.5 * (each.min(axis=0) + each.max(axis=0)) for each in self._outlines]
        self._hands: list[tuple[str, Vector]] | None = None
        self._first_corner_missing = first_corner_missing
        self._kinematics: Kinematics | None = None
        self._wrists: tuple[str, ...] | None = None
        self._position = np.zeros(len(robot.joints))
        self._up = (0.0, 0.0, 1.0)
        self._fresh = False
        self._level_known: NDArray[np.float64] | None = None
        self._soles_known: tuple[tuple[Vector, Vector], tuple[Vector, Vector]] | None = None

    def take_scratch(self, other: Body) -> None:
        """Compute in the memory of a body of the same robot that is not used any more; making it takes a millisecond.

        Args:
            other: That body, which computes in memory of its own where it is used after all.
        """
        if other._robot is self._robot and self._kinematics is None:
            self._kinematics, other._kinematics = other._kinematics, None
            other._fresh = False

    def update(self, position: Vector, up: tuple[float, float, float]) -> None:
        """Take the measured posture (nj,) [rad] and up direction of this tick; nothing is computed yet."""
        self._position, self._up = position, up
        self._fresh = False
        self._level_known, self._soles_known = None, None

    def _updated(self) -> Kinematics:
        if self._kinematics is None:
            from andante.kinematics.forward import Kinematics

            self._kinematics = Kinematics(self._robot)
        if not self._fresh:
            self._kinematics.update(self._position)
            self._fresh = True
        return self._kinematics

    def level(self) -> NDArray[np.float64]:
        """Rotation from the torso frame to the level frame, (3, 3): the smallest that brings up to +z."""
        if self._level_known is None:
            x, y, z = self._up
            if z < -0.999999:
                self._level_known = np.diag([1.0, -1.0, -1.0])
            else:
                k = 1.0 / (1.0 + z)
                rows = (1.0 - k * x * x, -k * x * y, -x, -k * x * y, 1.0 - k * y * y, -y, x, y, z)
                self._level_known = np.array(rows).reshape(3, 3)
        return self._level_known

    def _soles(self) -> tuple[tuple[Vector, Vector], tuple[Vector, Vector]]:
        """Position and rotation of the left and the right sole in the torso frame."""
        if self._soles_known is None:
            kinematics, (left, right) = self._updated(), self._robot.feet[:2]
            self._soles_known = kinematics.pose(left.site), kinematics.pose(right.site)
        return self._soles_known

    def com_height(self) -> float:
        """Height of the centre of mass over the lower sole [m]."""
        lowest = min(self.sole_heights(), default=0.0)
        return float(np.array(self._up) @ self._updated().com()) - lowest

    def sole_heights(self) -> tuple[float, ...]:
        """Height of each sole's origin over the torso's, in the level frame [m]; negative below."""
        kinematics, up = self._updated(), np.array(self._up)
        return tuple(float(up @ kinematics.pose(foot.site)[0]) for foot in self._robot.feet)

    def com_offset(self, mirror: bool = False) -> tuple[float, float]:
        """Centre of mass relative to the support centre in the level frame, x forward, y left [m].

        Args:
            mirror: The motion is mirrored; a corner that is left out is then that of the right foot.
        """
        kinematics, level = self._updated(), self.level()
        (left_place, left_turn), (right_place, right_turn) = self._soles()
        left_corners, right_corners = self._corners
        left_middle, right_middle = left_turn.dot(left_corners[2]), right_turn.dot(right_corners[2])
        center = 0.5 * (left_place + left_middle + right_place + right_middle)
        x, y, _ = level.dot(kinematics.com() - center).tolist()
        if self._first_corner_missing:
            place, turn, corners = (
                (right_place, right_turn, right_corners) if mirror else (left_place, left_turn, left_corners)
            )
            first = place + turn @ corners[0] - 0.5 * (left_place + right_place)
            x += float(level[0] @ first) / 4.0
        return x, y

    def com_over_soles(self, speeds: Vector, imu: Vector, gyro: Vector) -> tuple[float, ...]:
        """Centre of mass relative to the soles as the robot describes them: what `over_soles` gives.

        Args:
            speeds: Of the joints, (nj,) [rad/s], finite.
            imu: Rotation of the IMU in the torso, (3, 3).
            gyro: What the gyro measures, (3,) [rad/s].
        """
        kinematics, (left, right), (one, other) = self._updated(), self._soles(), self._robot.feet[:2]
        kinematics.move(speeds)
        moving = kinematics.com_velocity(), kinematics.twist(one.site), kinematics.twist(other.site)
        soles = (*left, *right, *moving, *self._outlines, *self._middles)
        arguments: Any = (kinematics.com(), self.level(), *soles, imu, gyro)
        found = over_soles.now(*arguments)
        # As Python the kernel gives numbers of numpy.
        return tuple(map(float, found))

    def rotation(self, site: str) -> Vector:
        """Rotation of a site relative to the torso, (3, 3)."""
        return self._updated().pose(site)[1]

    def hand_height(self) -> float:
        """Height of the lowest part of the arms' ends over the lower sole [m]; infinite without arms."""
        if self._hands is None:
            self._hands = _hands(self._robot)
        kinematics, up = self._updated(), np.array(self._up)
        lowest = math.inf
        for name, corners in self._hands:
            place, turn = kinematics.pose(name)
            lowest = min(lowest, float(up @ place) + float((corners @ turn.T @ up).min()))
        return lowest - min(float(up @ place) for place, _ in self._soles())

    def com_outside_support_x(self) -> float:
        """How far the centre of mass lies outside the support polygon along x; below 0 inside [m]."""
        kinematics, forward = self._updated(), self.level()[0]
        com = float(forward.dot(kinematics.com()))
        ends: list[float] = []
        for (place, turn), (front, back) in zip(self._soles(), self._edges, strict=True):
            at, (along, across, _) = float(forward.dot(place)), forward.dot(turn).tolist()
            ends += at + along * front[0] + across * front[1], at + along * back[0] + across * back[1]
        return max(com - max(ends), min(ends) - com)

    def wrist_y(self, side: int) -> float:
        """y of the left (0) or right (1) wrist in the torso frame [m]."""
        if self._wrists is None:
            model = self._robot.model
            names = []
            for role in ("left_wrist_yaw", "right_wrist_yaw"):
                index = joint_with_role(self._robot, role)
                body = model.joint(self._robot.joint_names[index]).bodyid[0] if index is not None else 0
                names.append(str(model.body(body).name))
            self._wrists = tuple(names)
        return float(self._updated().pose(self._wrists[side])[0][1])


def _corners(outline: Sequence[tuple[float, float]]) -> Vector:
    """Corners of a sole in its frame, (k, 3) [m]; its origin without an outline."""
    return np.array([(x, y, 0.0) for x, y in outline or ((0.0, 0.0),)])


def _hands(robot: Robot) -> list[tuple[str, Vector]]:
    """Last body of each arm that can touch something, and the corners of the boxes around its shapes, (n, 3) [m]."""
    model, found = robot.model, []
    touching = [geom for geom in range(model.ngeom) if model.geom_contype[geom] or model.geom_conaffinity[geom]]
    for group, names in robot.groups.items():
        bodies = [int(model.joint(name).bodyid[0]) for name in names] if "arm" in group else []
        last = [body for body in bodies if any(model.geom_bodyid[geom] == body for geom in touching)][-1:]
        for body in last:
            corners = []
            for geom in touching:
                if model.geom_bodyid[geom] == body:
                    inside = model.geom_aabb[geom, :3] + model.geom_aabb[geom, 3:] * _CORNERS
                    corners.append(model.geom_pos[geom] + inside @ to_matrix(model.geom_quat[geom]).T)
            found.append((str(model.body(body).name), np.concatenate(corners)))
    return found
