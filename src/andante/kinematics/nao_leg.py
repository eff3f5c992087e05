"""Closed-form inverse kinematics of the NAO's legs, alone or both with their one hip yaw pitch.

Derivation (own; compare shared facts in Kofinas, Orfanoudakis, Lagoudakis, J. Intell. Robot. Syst. 78, 2015). Seen
from the sole, the hip centre lies at v above the ankle centre. Ankle roll brings v into the leg's plane, the law of
cosines gives the knee, the direction of v in the plane the ankle pitch. What remains of the foot's rotation is the
hip's: with M = Rx(-s pi/4) R_hip = Rz(-s HYP) Rx(HR - s pi/4) Ry(HP) its three angles read off the matrix. Each of
knee sign, ankle half turn and hip half turn has two solutions, eight in all.

With the hip yaw pitch given, five joints remain: the ankle's place in the turned hip frame gives hip roll, knee and
hip pitch, the sole's normal gives ankle pitch and roll. Place and normal of the sole are met exactly; its turn about
its own normal is what is left over and is reported.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from andante.kinematics.forward import KinematicsError
from andante.kinematics.leg import HumanoidLeg
from andante.robots.records import Vector

Angles = tuple[float, float, float, float, float, float]
Row = tuple[float, float, float]

_ROUNDING = 1e-9
_ORTHONORMAL = 1e-6
_HALF = math.sqrt(0.5)


class UnreachableError(KinematicsError):
    """No posture within the joint limits puts the foot there.

    Attributes:
        leg: Name of the leg.
        joint: Name of the joint that fails; the knee where the foot is too far or too near.
        needed: Angle that the joint would need [rad], or the hip-ankle distance asked for [m].
        lower: Lower limit of ``needed``.
        upper: Upper limit of ``needed``.
    """

    def __init__(self, leg: HumanoidLeg, joint: int, needed: float, *, distance: bool = False) -> None:
        self.leg = leg.name
        self.joint = leg.joints[joint]
        self.needed = needed
        if distance:
            self.lower, self.upper = leg.folded, leg.stretched
            far = "far from" if needed > self.upper else "near to"
            what = f"the foot is too {far} the hip: the ankle would be {needed:.4f} m from the hip centre"
            limit = f"{self.lower:.4f}..{self.upper:.4f} m by the range of {self.joint}"
        else:
            self.lower, self.upper = leg.lower[joint], leg.upper[joint]
            what = f"the foot pose is out of reach: {self.joint} would need {math.degrees(needed):.2f} deg"
            limit = f"{math.degrees(self.lower):.2f}..{math.degrees(self.upper):.2f} deg"
        super().__init__(what, place=f"{leg.name} leg", limit=limit)


@dataclass(frozen=True, eq=False)
class LegsSolution:
    """Joints of both legs with one hip yaw pitch, and what of the feet's turn they could not meet."""

    left: Vector
    """Joints of the left leg, (6,) [rad], order of `HumanoidLeg.joints`."""
    right: Vector
    """Joints of the right leg, (6,) [rad]; the first equals the left's."""
    yaw_error: tuple[float, float]
    """Turn of left and right foot beyond the one asked for, about the sole's normal, + to the left [rad]."""


def solve_leg(
    leg: HumanoidLeg, foot_position: ArrayLike, foot_rotation: ArrayLike, reference: ArrayLike | None = None
) -> Vector:
    """The joints, (6,) [rad], that put a sole at a pose.

    Args:
        leg: The leg, from `biped_legs`.
        foot_position: The sole's origin in the torso's frame, (3,) [m].
        foot_rotation: The sole's rotation matrix in the torso's frame, (3, 3).
        reference: Joints (6,) [rad] to which the nearest solution (least squares) within limits is taken; without it
            the first one within limits, where a bent knee comes before an overstretched one.

    Raises:
        UnreachableError: No solution within the joint limits; names the joint of the least violated one.
        KinematicsError: The pose is not finite or no rotation.
    """
    position, rotation = _pose(leg, foot_position, foot_rotation)
    return np.array(_choose(leg, _six(leg, position, rotation), _reference(leg, reference)))


def solve_leg_at(
    leg: HumanoidLeg,
    hip_yaw_pitch: float,
    foot_position: ArrayLike,
    foot_rotation: ArrayLike,
    reference: ArrayLike | None = None,
) -> tuple[Vector, float]:
    """The joints (6,) [rad] that put a sole at a pose while the hip yaw pitch is given, and the yaw error [rad].

    Place and normal of the sole are met exactly; the yaw error is the turn reached beyond the one asked for, about the
    sole's normal, + to the left.

    Args:
        leg: The leg.
        hip_yaw_pitch: The given first joint [rad].
        foot_position: As in `solve_leg`.
        foot_rotation: As in `solve_leg`.
        reference: As in `solve_leg`.

    Raises:
        UnreachableError: As `solve_leg`.
        KinematicsError: As `solve_leg`.
    """
    position, rotation = _pose(leg, foot_position, foot_rotation)
    angles = _choose(leg, _five(leg, hip_yaw_pitch, position, rotation), _reference(leg, reference))
    return np.array(angles), _yaw_error(leg, angles, rotation)


def solve_legs(
    legs: tuple[HumanoidLeg, HumanoidLeg],
    left_pose: tuple[ArrayLike, ArrayLike],
    right_pose: tuple[ArrayLike, ArrayLike],
    ratio: float = 0.5,
    reference: tuple[ArrayLike, ArrayLike] | None = None,
) -> LegsSolution:
    """The joints of both legs, which share one hip yaw pitch.

    Each foot alone asks for a hip yaw pitch; they are blended, ``(1 - ratio) left + ratio right``, and each leg's
    other five joints are solved again with the blend. Ratio 0 meets the left foot fully and leaves all of the yaw
    error to the right one, 1 the other way round.

    Args:
        legs: Left and right leg, from `biped_legs`.
        left_pose: Position (3,) [m] and rotation (3, 3) of the left sole in the torso's frame.
        right_pose: The same of the right sole.
        ratio: Weight of the right foot's wish, 0..1.
        reference: Joints of left and right leg, as in `solve_leg`.

    Raises:
        UnreachableError: A foot's place and normal, or the blended hip yaw pitch, are out of reach.
        KinematicsError: A pose or the ratio is not legal.
    """
    if not 0.0 <= ratio <= 1.0:
        raise KinematicsError("the blend ratio of the hip yaw pitch is out of range", value=ratio, limit="0..1")
    near_left, near_right = (None, None) if reference is None else reference
    references = (_reference(legs[0], near_left), _reference(legs[1], near_right))
    poses = (_pose(legs[0], *left_pose), _pose(legs[1], *right_pose))
    wishes = [_wish(leg, *pose, near) for leg, pose, near in zip(legs, poses, references, strict=True)]
    shared = (1.0 - ratio) * wishes[0] + ratio * wishes[1]
    left, right = (
        _choose(leg, _five(leg, shared, *pose), near) for leg, pose, near in zip(legs, poses, references, strict=True)
    )
    errors = (_yaw_error(legs[0], left, poses[0][1]), _yaw_error(legs[1], right, poses[1][1]))
    return LegsSolution(np.array(left), np.array((left[0], *right[1:])), errors)


def _six(leg: HumanoidLeg, position: Row, rotation: list[Row]) -> Iterator[Angles]:
    """All solutions of the full pose, whatever the limits."""
    (r00, r01, r02), (r10, r11, r12), (r20, r21, r22) = rotation
    dx, dy, dz = leg.hip[0] - position[0], leg.hip[1] - position[1], leg.hip[2] - position[2]
    vx = r00 * dx + r10 * dy + r20 * dz
    vy = r01 * dx + r11 * dy + r21 * dz
    vz = r02 * dx + r12 * dy + r22 * dz - leg.sole
    bent = _knee(leg, vx * vx + vy * vy + vz * vz)
    quarter = leg.side * math.pi / 4.0
    cq, sq = math.cos(quarter), math.sin(quarter)
    for knee in (bent, -bent) if bent else (bent,):
        lead = math.atan2(leg.thigh * math.sin(knee), leg.tibia + leg.thigh * math.cos(knee))
        for turned in (1.0, -1.0):
            ankle_roll = math.atan2(turned * vy, turned * vz)
            ankle_pitch = -math.atan2(vx, turned * math.hypot(vy, vz)) - lead
            cr, sr = math.cos(ankle_roll), math.sin(ankle_roll)
            cp, sp = math.cos(knee + ankle_pitch), math.sin(knee + ankle_pitch)
            # Rows 0..2 of R (Ry(knee + ankle pitch) Rx(ankle roll))^T, the hip's rotation.
            h = [
                (a * cp + (b * sr + c * cr) * sp, b * cr - c * sr, (b * sr + c * cr) * cp - a * sp)
                for a, b, c in rotation
            ]
            m01 = h[0][1]
            m11 = cq * h[1][1] + sq * h[2][1]
            m20, m21, m22 = (cq * low - sq * high for high, low in zip(h[1], h[2], strict=True))
            for flip in (1.0, -1.0):
                roll = math.atan2(m21, flip * math.hypot(m01, m11))
                yield (
                    -leg.side * math.atan2(-flip * m01, flip * m11),
                    _wrapped(roll + quarter),
                    math.atan2(-flip * m20, flip * m22),
                    knee,
                    _wrapped(ankle_pitch),
                    ankle_roll,
                )


def _five(leg: HumanoidLeg, hip_yaw_pitch: float, position: Row, rotation: list[Row]) -> Iterator[Angles]:
    """All solutions of the sole's place and normal with a given hip yaw pitch, whatever the limits."""
    normal = (rotation[0][2], rotation[1][2], rotation[2][2])
    ankle = tuple(position[i] + leg.sole * normal[i] - leg.hip[i] for i in range(3))
    ux, uy, uz = _hip_turned_back(leg, hip_yaw_pitch, (ankle[0], ankle[1], ankle[2]))
    nx, ny, nz = _hip_turned_back(leg, hip_yaw_pitch, normal)
    bent = _knee(leg, ux * ux + uy * uy + uz * uz)
    for knee in (bent, -bent) if bent else (bent,):
        lead = math.atan2(leg.tibia * math.sin(knee), leg.thigh + leg.tibia * math.cos(knee))
        for turned in (1.0, -1.0):
            hip_roll = math.atan2(turned * uy, -turned * uz)
            hip_pitch = math.atan2(-ux, turned * math.hypot(uy, uz)) - lead
            cr, sr = math.cos(hip_roll), math.sin(hip_roll)
            cp, sp = math.cos(hip_pitch + knee), math.sin(hip_pitch + knee)
            down = cr * nz - sr * ny
            side = cr * ny + sr * nz
            fore, up = cp * nx - sp * down, sp * nx + cp * down
            for flip in (1.0, -1.0):
                yield (
                    hip_yaw_pitch,
                    hip_roll,
                    _wrapped(hip_pitch),
                    knee,
                    math.atan2(flip * fore, flip * up),
                    math.atan2(-side, flip * math.hypot(fore, up)),
                )


def _hip_turned_back(leg: HumanoidLeg, hip_yaw_pitch: float, vector: Row) -> Row:
    """A vector of the torso's frame seen from behind the hip yaw pitch (Rodrigues' formula, angle negated)."""
    x, y, z = vector
    cosine, sine = math.cos(hip_yaw_pitch), -math.sin(hip_yaw_pitch)
    ay, az = _HALF, -leg.side * _HALF
    along = (1.0 - cosine) * (ay * y + az * z)
    return (
        x * cosine + (ay * z - az * y) * sine,
        y * cosine + az * x * sine + ay * along,
        z * cosine - ay * x * sine + az * along,
    )


def _yaw_error(leg: HumanoidLeg, angles: Angles, rotation: list[Row]) -> float:
    """Turn of the reached sole beyond the wanted one about its normal [rad]."""
    _, hip_roll, hip_pitch, knee, ankle_pitch, ankle_roll = angles
    # The wanted forward direction seen from the reached sole: undo the joints one by one.
    x, y, z = _hip_turned_back(leg, angles[0], (rotation[0][0], rotation[1][0], rotation[2][0]))
    y, z = _plane(hip_roll, y, z)
    z, x = _plane(hip_pitch + knee + ankle_pitch, z, x)
    y, z = _plane(ankle_roll, y, z)
    return -math.atan2(y, x)


def _plane(angle: float, first: float, second: float) -> tuple[float, float]:
    """Two coordinates seen from a frame turned by ``angle`` about the third axis."""
    cosine, sine = math.cos(angle), math.sin(angle)
    return cosine * first + sine * second, cosine * second - sine * first


def _knee(leg: HumanoidLeg, square: float) -> float:
    """The bent knee, >= 0 [rad], of a hip-ankle distance whose square is given.

    The half-angle form keeps its digits near the stretched leg, where the arc cosine of the law of cosines loses half.
    """
    distance = math.sqrt(square)
    longest, shortest = leg.thigh + leg.tibia, abs(leg.thigh - leg.tibia)
    if distance > longest + _ROUNDING or distance < shortest - _ROUNDING:
        raise UnreachableError(leg, 3, distance, distance=True)
    over = max(0.0, (longest - distance) * (longest + distance))
    under = max(0.0, (distance - shortest) * (distance + shortest))
    return 2.0 * math.atan2(math.sqrt(over), math.sqrt(under))


def _choose(leg: HumanoidLeg, candidates: Iterable[Angles], reference: Angles | None) -> Angles:
    """The best candidate within the limits."""
    found, missed = _sorted_out(leg, candidates, reference, 0)
    if found is None:
        _, joint, angle = min((excess, joint, angles[joint]) for excess, joint, angles in missed)
        raise UnreachableError(leg, joint, angle)
    return found


def _wish(leg: HumanoidLeg, position: Row, rotation: list[Row], reference: Angles | None) -> float:
    """The hip yaw pitch that a foot alone asks for, which may lie beyond the motor's range.

    Nothing is raised where other joints are beyond theirs: with the blended hip yaw pitch they may be inside.
    """
    found, missed = _sorted_out(leg, _six(leg, position, rotation), reference, 1)
    return found[0] if found is not None else min((excess, angles[0]) for excess, _, angles in missed)[1]


def _sorted_out(
    leg: HumanoidLeg, candidates: Iterable[Angles], reference: Angles | None, first: int
) -> tuple[Angles | None, list[tuple[float, int, Angles]]]:
    """The best candidate whose joints from ``first`` on are within their limits, if any; the others with how far [rad]
    and which joint is beyond them most; without reference the first one, and the rest is not even computed."""
    legal, missed = [], []
    for angles in candidates:
        excess, joint = _worst(leg, angles, first)
        if excess > _ROUNDING:
            missed.append((excess, joint, angles))
        elif reference is None:
            return angles, missed
        else:
            legal.append((sum((a - b) ** 2 for a, b in zip(angles, reference, strict=True)), angles))
    return min(legal, key=lambda each: each[0], default=(0.0, None))[1], missed


def _worst(leg: HumanoidLeg, angles: Angles, first: int) -> tuple[float, int]:
    """How far, and which, of the joints from ``first`` on is beyond its limits most; below zero inside [rad]."""
    worst, which = -math.inf, first
    for index in range(first, 6):
        angle = angles[index]
        excess = max(leg.lower[index] - angle, angle - leg.upper[index])
        if excess > worst:
            worst, which = excess, index
    return worst, which


def _pose(leg: HumanoidLeg, position: ArrayLike, rotation: ArrayLike) -> tuple[Row, list[Row]]:
    place = np.asarray(position, dtype=np.float64)
    matrix = np.asarray(rotation, dtype=np.float64)
    if place.shape != (3,) or matrix.shape != (3, 3):
        raise KinematicsError(
            "a foot pose is a position and a rotation matrix",
            place=f"{leg.name} leg",
            value=(place.shape, matrix.shape),
            limit="(3,) and (3, 3)",
        )
    x, y, z = place.tolist()
    if not math.isfinite(x + y + z):
        raise KinematicsError("the foot's position must be finite", place=f"{leg.name} leg", value=[x, y, z])
    a, b, c = (tuple(row) for row in matrix.tolist())
    errors = (_dot(a, a) - 1.0, _dot(b, b) - 1.0, _dot(c, c) - 1.0, _dot(a, b), _dot(b, c), _dot(c, a))
    handed = a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2])
    handed += a[2] * (b[0] * c[1] - b[1] * c[0])
    if not (all(abs(error) <= _ORTHONORMAL for error in errors) and handed > 0.0):
        raise KinematicsError(
            "the foot's rotation is no rotation matrix",
            place=f"{leg.name} leg",
            value=matrix.tolist(),
            limit="orthonormal rows, determinant 1",
        )
    return (x, y, z), [a, b, c]


def _dot(a: Sequence[float], b: Sequence[float]) -> float:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def _reference(leg: HumanoidLeg, reference: ArrayLike | None) -> Angles | None:
    if reference is None:
        return None
    values = np.asarray(reference, dtype=np.float64)
    if values.shape != (6,) or not np.isfinite(values).all():
        raise KinematicsError(
            "reference joints of a leg are six finite angles", place=f"{leg.name} leg", value=values.tolist()
        )
    a, b, c, d, e, f = values.tolist()
    return a, b, c, d, e, f


def _wrapped(angle: float) -> float:
    """The same angle within (-pi, pi]."""
    return math.remainder(angle, math.tau)
