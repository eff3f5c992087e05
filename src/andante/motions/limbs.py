"""Cartesian limb targets of keyframes, solved to joint angles when a library is checked, sampled or compiled.

Legs of the NAO's kind are solved in closed form, both with their one hip yaw pitch; every other limb by damped least
squares. What cannot be reached is refused with its place: a run never finds out.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from andante.kinematics.forward import Kinematics
from andante.kinematics.leg import HumanoidLeg, biped_legs
from andante.kinematics.leg_model import LegGeometryError
from andante.kinematics.nao_leg import UnreachableError, solve_leg, solve_leg_at, solve_legs
from andante.motions.errors import MotionError, group_of
from andante.motions.keyframe import LimbPose
from andante.robots.records import Vector
from andante.robots.robot import Robot
from andante.robots.tree import upwards
from andante.spatial import rotations

_PLACE_TOLERANCE = 1e-6
"""A limb's end nearer to its target than this is there [m]."""
_TURN_LENGTH = 0.1
"""Length that makes a turn comparable with a distance [m/rad]."""
_YAW_TOLERANCE = math.radians(1.0)
"""Turn of a foot that the shared hip yaw pitch may leave [rad]."""
_ITERATIONS, _DAMPING, _LONGEST_STEP = 150, 1e-5, 0.3
_SEEDS = 12
Bounds = tuple[Vector, Vector]
"""Lower and upper limits of joints, (n,) each [rad]."""


@dataclass(frozen=True)
class _Limb:
    """A joint group and its end."""

    pose: LimbPose
    """What is asked of it."""
    place: str
    """Path to that in the document."""
    joints: NDArray[np.intp]
    """Indices of its joints."""
    end: str
    """Site or body at its end."""
    leg: int | None
    """Number of the leg that it is; None: it is none."""


@dataclass(frozen=True)
class _Before:
    """What is known before the poses are solved."""

    posture: Vector
    """Joint angles, (nj,) [rad]."""
    known: NDArray[np.bool_]
    """Joints whose angle is known, (nj,)."""

    def of(self, joints: NDArray[np.intp]) -> Vector | None:
        """Angles of some joints [rad]; None where one is not known."""
        return self.posture[joints] if self.known[joints].all() else None


class LimbSolver:
    """Turns limb poses into joint angles of one robot.

    Args:
        robot: The robot.
    """

    def __init__(self, robot: Robot) -> None:
        self._robot = robot
        self._kinematics = Kinematics(robot)
        self._first_column = len(self._kinematics.velocity_names) - len(robot.joints)
        self._legs: tuple[HumanoidLeg, HumanoidLeg] | None = None
        with contextlib.suppress(LegGeometryError):
            # Legs of another kind are solved like arms.
            self._legs = biped_legs(robot)

    def solve(
        self, limbs: Mapping[str, LimbPose], posture: Vector, known: NDArray[np.bool_], place: str
    ) -> dict[int, float]:
        """Joint angles [rad] by joint index.

        Args:
            limbs: Poses by joint group, in the torso's frame.
            posture: Angles so far in the block, this keyframe's own included, (nj,) [rad]: what a missing position or
                rotation keeps, and what the nearest solution is measured by.
            known: Joints whose angle is known, (nj,).
            place: Path to the poses in the document.

        Raises:
            MotionError: Unknown group, nothing to keep, or a pose out of reach.
        """
        before = _Before(posture, known)
        parts = [self._limb(name, pose, f"{place}.{name}") for name, pose in limbs.items()]
        angles: dict[int, float] = {}
        legs = {part.leg: part for part in parts if part.leg is not None}
        if legs and self._legs is not None:
            angles |= self._solve_legs(self._legs, legs, before)
        for part in parts:
            if part.leg is None:
                angles |= self._solve_chain(part, before)
        return angles

    def _limb(self, name: str, pose: LimbPose, place: str) -> _Limb:
        group = group_of(self._robot, name, place)
        for side, leg in enumerate(self._legs or ()):
            if set(leg.joints) == set(group):
                return _Limb(pose, place, np.array(leg.indices, dtype=np.intp), self._robot.feet[side].site, side)
        end, joints = max(self._ends(group), key=lambda found: len(found[1]))
        indices = np.array([self._robot.index(joint) for joint in joints], dtype=np.intp)
        return _Limb(pose, place, indices, end, None)

    def _ends(self, group: tuple[str, ...]) -> Iterator[tuple[str, list[str]]]:
        """Sites that the group's joints move, else its last joint's body; each with the joints that move it."""
        model = self._robot.model
        owner = {int(model.joint(name).bodyid[0]): name for name in group}
        found = False
        for number in range(model.nsite):
            joints = _movers(self._robot, int(model.site_bodyid[number]), owner)
            if joints:
                found = True
                yield str(model.site(number).name), joints
        if not found:
            body = int(model.joint(group[-1]).bodyid[0])
            yield str(model.body(body).name), _movers(self._robot, body, owner)

    def _pose(self, part: _Limb, before: _Before) -> tuple[Vector, Vector]:
        """Position and rotation of a limb's end; what the pose leaves out is kept from before."""
        position, rotation = part.pose.position, part.pose.rotation
        if (position is None or rotation is None) and before.of(part.joints) is None:
            missing = "position" if position is None else "rotation"
            raise MotionError(
                f"the pose has no {missing}, and no keyframe before it in its block says where the limb is",
                place=part.place,
                remedy=f"give a {missing}, or all joints of the limb in a keyframe before",
            )
        self._kinematics.update(before.posture)
        kept_position, kept_rotation = self._kinematics.pose(part.end)
        return (
            kept_position if position is None else np.array(position),
            kept_rotation if rotation is None else rotations.to_matrix(rotations.exp(rotation)),
        )

    def _solve_legs(
        self, legs: tuple[HumanoidLeg, HumanoidLeg], parts: Mapping[int, _Limb], before: _Before
    ) -> dict[int, float]:
        poses = {side: self._pose(part, before) for side, part in parts.items()}
        near = {side: before.of(part.joints) for side, part in parts.items()}
        yaw = dict.fromkeys(parts, 0.0)
        solved: dict[int, Vector] = {}
        try:
            if len(parts) == 2:
                left, right = near[0], near[1]
                both = None if left is None or right is None else (left, right)
                solution = solve_legs(legs, poses[0], poses[1], 0.5, both)
                solved, yaw = {0: solution.left, 1: solution.right}, dict(enumerate(solution.yaw_error))
            else:
                side = next(iter(parts))
                if before.known[list(legs[1 - side].indices)].all():
                    # The other leg's angles are given, and with them the one hip yaw pitch.
                    shared = float(before.posture[legs[0].indices[0]])
                    solved[side], yaw[side] = solve_leg_at(legs[side], shared, *poses[side], near[side])
                else:
                    solved[side] = solve_leg(legs[side], *poses[side], near[side])
        except UnreachableError as error:
            place = next(part.place for side, part in parts.items() if legs[side].name == error.leg or len(parts) == 1)
            what = f"the pose is out of reach: {error.what}"
            raise MotionError(what, place=place, value=error.joint, limit=error.limit) from error
        for side, part in parts.items():
            if abs(yaw[side]) > _YAW_TOLERANCE:
                raise MotionError(
                    f"{legs[side].joints[0]} moves both legs and cannot turn both feet as asked",
                    place=f"{part.place}.rotation",
                    value=f"{math.degrees(yaw[side]):.2f} deg of turn left over",
                    limit=f"{math.degrees(_YAW_TOLERANCE):g} deg",
                    remedy="turn the feet in opposite directions about z by the same angle",
                )
        angles: dict[int, float] = {}
        for side, values in solved.items():
            angles |= dict(zip(legs[side].indices, values.tolist(), strict=True))
            # One motor: whichever leg was solved, both entries carry the angle.
            angles |= {leg.indices[0]: float(values[0]) for leg in legs}
        return angles

    def _solve_chain(self, part: _Limb, before: _Before) -> dict[int, float]:
        """Damped least squares; a rotation that is not given is free."""
        pose, posture = part.pose, before.posture
        target = self._pose(part, before)[0] if pose.position is None else np.array(pose.position)
        turn = None if pose.rotation is None else rotations.to_matrix(rotations.exp(pose.rotation))
        lower, upper = self._robot.lower[part.joints], self._robot.upper[part.joints]
        start = np.clip(posture[part.joints], lower, upper)
        rng = np.random.default_rng(0)
        seeds = [start, 0.5 * (lower + upper), *rng.uniform(lower, upper, (_SEEDS, len(lower)))]
        best, miss = start, math.inf
        for seed in seeds:
            values, left = self._descend(part, (target, turn), posture, seed, (lower, upper))
            if left < miss:
                best, miss = values, left
            if miss < _PLACE_TOLERANCE:
                return dict(zip(part.joints.tolist(), best.tolist(), strict=True))
        wide = np.full(len(lower), math.pi)
        free, left = self._descend(part, (target, turn), posture, best, (-wide, wide))
        if left < _PLACE_TOLERANCE and bool(((free >= lower) & (free <= upper)).all()):
            # A stretched limb is at the edge of its reach, where descending is slow: the first descent stopped short.
            return dict(zip(part.joints.tolist(), free.tolist(), strict=True))
        raise self._refusal(part, free, left, miss)

    def _refusal(self, part: _Limb, free: Vector, free_miss: float, miss: float) -> MotionError:
        """Say which joint's limit is in the way, or that the limb is too short."""
        lower, upper = self._robot.lower[part.joints], self._robot.upper[part.joints]
        if free_miss < _PLACE_TOLERANCE:
            worst = int(np.argmax(np.maximum(lower - free, free - upper)))
            joint = self._robot.joint_names[part.joints[worst]]
            what = f"the pose is out of reach: {joint} would need {math.degrees(free[worst]):.2f} deg"
            limit = f"{math.degrees(lower[worst]):.2f}..{math.degrees(upper[worst]):.2f} deg"
            return MotionError(what, place=part.place, value=joint, limit=limit)
        return MotionError(
            "the pose is out of reach, whatever the joint limits",
            place=part.place,
            value=f"{miss * 1e3:.1f} mm away at best",
            limit=f"what {self._robot.joint_names[part.joints[0]]} and the joints after it span",
        )

    def _descend(
        self, part: _Limb, goal: tuple[Vector, Vector | None], posture: Vector, start: Vector, bounds: Bounds
    ) -> tuple[Vector, float]:
        """Nearest approach from a start within bounds, and how far it stays away [m]."""
        (target, turn), (lower, upper) = goal, bounds
        kinematics, trial, values = self._kinematics, posture.copy(), start.copy()
        columns = self._first_column + part.joints
        miss = math.inf
        for _ in range(_ITERATIONS):
            trial[part.joints] = values
            kinematics.update(trial)
            place, rotation = kinematics.pose(part.end)
            error, rows = target - place, kinematics.jacobian(part.end)[:, columns]
            jacobian = rows[:3]
            if turn is not None:
                off = rotations.log(rotations.from_matrix(turn @ rotation.T))
                error = np.concatenate([error, _TURN_LENGTH * off])
                jacobian = np.concatenate([jacobian, _TURN_LENGTH * rows[3:]])
            miss = float(np.linalg.norm(error))
            if miss < 0.01 * _PLACE_TOLERANCE:
                break
            # Joints at a bound that the step would leave are left out of it.
            free = np.ones(len(values), dtype=bool)
            for _ in range(2):
                part_jacobian = jacobian * free
                damped = part_jacobian @ part_jacobian.T + _DAMPING * np.eye(len(error))
                step = part_jacobian.T @ np.linalg.solve(damped, error)
                free &= ~(((values <= lower) & (step < 0.0)) | ((values >= upper) & (step > 0.0)))
            longest = float(np.abs(step).max(initial=0.0))
            values = np.clip(values + step * min(1.0, _LONGEST_STEP / max(longest, 1e-12)), lower, upper)
        return values, miss


def _movers(robot: Robot, body: int, owner: Mapping[int, str]) -> list[str]:
    """Joints of ``owner`` (by body) between the base and a body, from the base on."""
    return [owner[each] for each in upwards(robot.model, body) if each in owner][::-1]
