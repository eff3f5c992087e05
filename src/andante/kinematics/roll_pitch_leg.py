"""Closed-form inverse kinematics of a three-joint leg that rolls, then pitches, then bends its knee (most quadrupeds).

The leg's chain, all frames parallel to the base's at zero angles:

    roll (x) | offset o | pitch (y) | upper link k | knee (y) | lower link f

With signs s1, s2, s3 of the axes, the foot lies at ``hip + Rx(s1 q1) (o + Ry(s2 q2) (k + Ry(s3 q3) f))``. Turns about
y keep the y coordinate, so the foot's distance from the roll axis gives its depth in the rolled frame and q1, the
length of ``k + Ry(s3 q3) f`` gives q3, and the angle left in the x-z plane gives q2.

There are up to four solutions. One *branch* is the leg's own: the foot hangs below the roll axis, and the knee bends to
one side of the stretched leg (``bend``). A walking robot does not change it under way.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from andante.kinematics.leg_model import LegGeometryError, LegModel, leg_models, refuse_tied
from andante.kinematics.three_joint_leg import (
    SLACK,
    LegReachError,
    ThreeJointLeg,
    Triple,
    triple,
)
from andante.robots.records import Vector
from andante.robots.robot import Robot

_TOLERANCE = 1e-5
_ON_AXIS = 1e-16
"""Square of a distance from the pitch axis, as a share of the upper link's, that is none."""
_BENT = 0.1
"""A keyframe that bends a knee less says nothing of the side [rad]."""
_MADE_UP = ("zero", "stand", "ready", "sit")
"""Postures that are not a keyframe's own."""
"""Axes in files have six digits."""
_TURN = 2.0 * math.pi


@dataclass(frozen=True)
class RollPitchLeg(ThreeJointLeg):
    """Lengths, limits and names of one leg; its joints are roll, pitch and knee."""

    offset: Triple
    """Hip to pitch axis at zero angles, o [m]."""
    upper_link: Triple
    """Pitch axis to knee axis at zero angles, k [m]."""
    lower_link: Triple
    """Knee axis to the foot's centre at zero angles, f [m]."""
    radius: float
    """Radius of the ball foot [m]; 0: a point."""
    bend: float
    """Branch of the knee: +1 or -1, the way in which the lower link turns about +y from the stretched leg."""

    @property
    def lateral(self) -> float:
        """Distance of the plane in which the leg bends from the roll axis, signed along y [m]."""
        return self.offset[1] + self.upper_link[1] + self.lower_link[1]

    @cached_property
    def stretched(self) -> float:
        """Turn of the lower link about +y from zero angles to the stretched leg [rad]."""
        (kx, _, kz), (fx, _, fz) = self.upper_link, self.lower_link
        return math.atan2(kx * fz - kz * fx, kx * fx + kz * fz)

    @property
    def lengths(self) -> tuple[float, float]:
        """Lengths of upper and lower link in the plane in which the leg bends [m]."""
        return math.hypot(*self.upper_link[::2]), math.hypot(*self.lower_link[::2])

    @property
    def length(self) -> float:
        """Pitch axis to the lowest point of the foot with the leg stretched [m]: the robot's measure of length."""
        return sum(self.lengths) + self.radius

    @cached_property
    def bends(self) -> tuple[float, float]:
        """Least and largest bend of the knee from the stretched leg that limits and branch allow, in [0, pi] [rad]."""
        return knee_bends(self.signs[2] * np.array([self.lower[2], self.upper[2]]), self.stretched, self.bend)

    def place(self, angles: ArrayLike) -> Vector:
        """Where the foot's centre is in the base's frame, (3,) [m], at the three joint angles [rad]."""
        q1, q2, q3 = np.asarray(angles, dtype=np.float64).tolist()
        (s1, s2, s3), (fx, fy, fz) = self.signs, self.lower_link
        (kx, ky, kz), (ox, oy, oz), (hx, hy, hz) = self.upper_link, self.offset, self.hip
        c, s = math.cos(s3 * q3), math.sin(s3 * q3)
        x, y, z = c * fx + s * fz + kx, fy + ky, c * fz - s * fx + kz
        c, s = math.cos(s2 * q2), math.sin(s2 * q2)
        x, y, z = c * x + s * z + ox, y + oy, c * z - s * x + oz
        c, s = math.cos(s1 * q1), math.sin(s1 * q1)
        return np.array((x + hx, c * y - s * z + hy, s * y + c * z + hz))

    def solve(self, foot: ArrayLike, near: ArrayLike | None = None) -> Vector:
        """Joint angles, (3,) [rad], that put the foot's centre at a place, on whatever branch the limits allow.

        Args:
            foot: The place in the base's frame, (3,) [m].
            near: Angles of which the nearest solution is wanted, (3,) [rad]; None: that on the leg's own branch (see
                `solve_on_branch`), and where it is beyond a limit, the one nearest to the middle of the limits.

        Raises:
            LegReachError: No angles within the limits put it there; names the joint that is in the way on its branch.
        """
        wanted = triple(self.wanted(foot))
        if near is None:
            own = self._spanned(wanted, 1.0, self.bend)
            if own is not None and (found := self.legal(own, wanted)) is not None:
                return np.array(found)
        found_all = [
            angles
            for side in (1.0, -1.0)
            for bend in (self.bend, -self.bend)
            if (turns := self._spanned(wanted, side, bend)) is not None
            and (angles := self.legal(turns, wanted)) is not None
        ]
        return np.array(self.nearest(found_all, near)) if found_all else self.solve_on_branch(foot)

    def solve_on_branch(self, foot: ArrayLike) -> Vector:
        """Joint angles, (3,) [rad], that put the foot's centre at a place, on the leg's branch: for legs that walk.

        Args:
            foot: The place in the base's frame, (3,) [m].

        Raises:
            LegReachError: No angles within the limits put it there; names the joint that is in the way.
        """
        wanted = triple(self.wanted(foot))
        own = self._spanned(wanted, 1.0, self.bend)
        if own is None:
            raise self._too_far(wanted)
        found = self.legal(own, wanted)
        if found is not None:
            return np.array(found)
        low, middle, high = np.array(self.ranges).T
        angles = middle + np.remainder(np.array(own) * self.signs - middle + math.pi, _TURN) - math.pi
        joint = int(np.argmax(np.maximum(low - angles, angles - high)))
        raise self.beyond(joint, float(angles[joint]))

    def _spanned(self, foot: Triple, side: float, bend: float) -> Triple | None:
        """Turns about the axes [rad] that put the foot's centre at a place, limits apart; None where no turns do.

        Args:
            foot: The place in the base's frame [m].
            side: +1: the foot hangs below the roll axis in the rolled frame; -1: it is above it.
            bend: To which side the knee bends.
        """
        lateral, stretched, upper, lower = self._shape
        x, y, z = foot[0] - self.hip[0] - self.offset[0], foot[1] - self.hip[1], foot[2] - self.hip[2]
        depth2 = y * y + z * z - lateral * lateral
        if depth2 < -SLACK:
            return None
        depth = -side * math.sqrt(depth2) if depth2 > 0.0 else 0.0
        # On the roll axis any roll will do.
        roll = math.atan2(z, y) - math.atan2(depth, lateral) if y or z else self.signs[0] * self.ranges[0][1]
        z = depth - self.offset[2]
        share = (x * x + z * z - upper * upper - lower * lower) / (2.0 * upper * lower)
        if abs(share) > 1.0 + SLACK:
            return None
        knee = stretched + bend * math.acos(max(-1.0, min(1.0, share)))
        (kx, _, kz), (fx, _, fz) = self.upper_link, self.lower_link
        c, s = math.cos(knee), math.sin(knee)
        bent_x, bent_z = c * fx + s * fz + kx, c * fz - s * fx + kz
        if x * x + z * z < _ON_AXIS * upper * upper:
            # Folded onto the pitch axis any pitch will do.
            return roll, self.signs[1] * self.ranges[1][1], knee
        return roll, math.atan2(x, z) - math.atan2(bent_x, bent_z), knee

    @cached_property
    def _shape(self) -> tuple[float, float, float, float]:
        return self.lateral, self.stretched, *self.lengths

    def _too_far(self, foot: Triple) -> LegReachError:
        """Why no turns put the foot's centre at a place [m]."""
        x, y, z = foot[0] - self.hip[0] - self.offset[0], foot[1] - self.hip[1], foot[2] - self.hip[2]
        lateral, upper, lower = self.lateral, *self.lengths
        depth2 = y * y + z * z - lateral * lateral
        if depth2 < -SLACK:
            return LegReachError(
                "the foot's place is too near to the roll axis",
                place=f"{self.name}: {self.joints[0]}",
                value=f"{math.hypot(y, z) * 1e3:.1f} mm from it",
                limit=f"at least {abs(lateral) * 1e3:.1f} mm",
            )
        distance = math.hypot(x, math.sqrt(max(depth2, 0.0)) + self.offset[2])
        return self.out_of_reach(distance, "the pitch axis", abs(upper - lower), upper + lower)


def knee_bends(turns: Vector, stretched: float, bend: float) -> tuple[float, float]:
    """The bends in [0, pi] on one branch that turns of the lower link in ``turns`` (2,) allow; (0, 0) where none."""
    low, high = sorted(turns.tolist())
    best = (0.0, 0.0)
    for turn in (-_TURN, 0.0, _TURN):
        ends = sorted((bend * (low - stretched + turn), bend * (high - stretched + turn)))
        allowed = max(ends[0], 0.0), min(ends[1], math.pi)
        if allowed[1] - allowed[0] > best[1] - best[0]:
            best = allowed
    return best


def roll_pitch_legs(robot: Robot) -> tuple[RollPitchLeg, ...]:
    """The legs of a robot on ball feet, read from its model, in the order of its feet.

    The branch of each knee is the one for which its limits leave more room; where both have the same, that of the first
    keyframe of the model's file which bends the knee, and without one front knees point backward and hind knees
    forward.

    Raises:
        LegGeometryError: There are no feet, or a leg is not of the kind described above.
    """
    if not robot.feet:
        raise LegGeometryError(f"robot {robot.name!r} has no feet", remedy="name its feet in a pack")
    models = tuple(leg_models(robot))
    for model in models:
        refuse_tied(robot, model)
    return tuple(_leg(model, robot.postures) for model in models)


def asymmetries(legs: Sequence[RollPitchLeg], tolerance: float = 1e-4) -> tuple[str, ...]:
    """What differs between the two legs of a pair, one sentence each; files of real robots have such slips.

    Args:
        legs: Legs named FL, FR, HL, HR (or left, right).
        tolerance: Lengths that differ by more count [m]; limits and signs are compared as turns of the leg.
    """
    by_name = {leg.name: leg for leg in legs}
    found = []
    for left_name, right_name in (("FL", "FR"), ("HL", "HR"), ("left", "right")):
        left, right = by_name.get(left_name), by_name.get(right_name)
        if left is None or right is None:
            continue
        for what in ("hip", "offset", "upper_link", "lower_link"):
            one, other = np.array(getattr(left, what)), np.array(getattr(right, what)) * (1.0, -1.0, 1.0)
            axis = int(np.argmax(np.abs(one - other)))
            if abs(one[axis] - other[axis]) > tolerance:
                found.append(
                    f"{what} of {left_name} and {right_name} is no mirror image along {'xyz'[axis]}: "
                    f"{one[axis]:.4f} m against {other[axis]:.4f} m"
                )
        for joint, mirror in enumerate((-1.0, 1.0, 1.0)):
            one = np.sort(left.signs[joint] * np.array([left.lower[joint], left.upper[joint]]))
            other = np.sort(mirror * right.signs[joint] * np.array([right.lower[joint], right.upper[joint]]))
            if np.abs(one - other).max() > 1e-3:
                found.append(
                    f"limits of {left.joints[joint]} and {right.joints[joint]} are no mirror image: "
                    f"{np.round(one, 4).tolist()} rad against {np.round(other, 4).tolist()} rad"
                )
    return tuple(found)


def _leg(model: LegModel, postures: Mapping[str, Mapping[str, float]]) -> RollPitchLeg:
    axes, anchors, place = model.axes, model.anchors, model.place
    signs = np.sign([axes[0, 0], axes[1, 1], axes[2, 1]])
    wanted = np.array([[signs[0], 0.0, 0.0], [0.0, signs[1], 0.0], [0.0, signs[2], 0.0]])
    if np.abs(axes - wanted).max() > _TOLERANCE or not signs.all():
        raise model.refuse("x, y and y at zero angles")
    links = anchors[1] - anchors[0], anchors[2] - anchors[1], model.sole - anchors[2]
    for what, link in zip(("upper", "lower"), links[1:], strict=True):
        if math.hypot(link[0], link[2]) < 1e-3:
            raise LegGeometryError(f"the {what} link has no length", place=place, value=link.tolist())
    backward = RollPitchLeg(
        hip=triple(anchors[0]),
        offset=triple(links[0]),
        upper_link=triple(links[1]),
        lower_link=triple(links[2]),
        radius=model.foot.radius,
        signs=triple(signs),
        bend=-1.0,
        **model.common,
    )
    legs = backward, replace(backward, bend=1.0)
    room = [leg.bends[1] - leg.bends[0] for leg in legs]
    if max(room) <= 0.0:
        raise LegGeometryError("the knee's limits leave it no room", place=f"{place}: {backward.joints[2]}")
    if abs(room[0] - room[1]) >= _TOLERANCE:
        return legs[int(room[1] > room[0])]
    for name, angles in postures.items():
        bent = signs[2] * angles.get(backward.joints[2], 0.0) - backward.stretched
        if name not in _MADE_UP and abs(math.remainder(bent, math.tau)) > _BENT:
            return legs[int(math.remainder(bent, math.tau) > 0.0)]
    return legs[int(anchors[0][0] < 0.0)]
