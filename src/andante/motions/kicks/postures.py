"""From a kick's keyframes to joint angles: every solution of the inverse kinematics, and why one is not used."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from andante.kinematics.planar_chain import PlanarChain
from andante.motions.kicks.document import Choice, FootPose, Kick, KickError
from andante.robots.records import Vector


@dataclass(frozen=True, eq=False)
class KickPosture:
    """One posture that would do for a keyframe."""

    angles: Vector
    """Joint angles, (3,) [rad]."""
    problem: str
    """Why it cannot be used; empty where it can."""


@dataclass(frozen=True, eq=False)
class PosedKeyframe:
    """A keyframe with its joint angles."""

    index: int
    """Place in the kick's list, from 0."""
    duration: float
    """Time for it [s]."""
    angles: Vector
    """Joint angles, (3,) [rad]."""
    solutions: tuple[KickPosture, ...]
    """What the inverse kinematics found; empty where the keyframe gives joint angles."""
    notes: tuple[str, ...]
    """Joints that the stops will hold, as sentences."""


def pose_keyframes(kick: Kick, chain: PlanarChain, place: str = "") -> tuple[PosedKeyframe, ...]:
    """The joint angles of all keyframes.

    Args:
        kick: The kick.
        chain: Its leg.
        place: Name of the document in messages.

    Raises:
        KickError: A joint is missing or unknown, a pose has no feasible solution, or angles leave the limits; names
            the keyframe's index, the joint, the value and its range.
    """
    before = np.clip(0.0, chain.lower, chain.upper)
    posed: list[PosedKeyframe] = []
    for index, keyframe in enumerate(kick.keyframes):
        where = f"{place}: keyframes[{index}]" if place else f"keyframes[{index}]"
        if keyframe.joints is not None:
            before = _by_joints(keyframe.joints, chain, kick.beyond_limits == "stops", where)
            notes = tuple(f"keyframe {index}: {text}; its stop holds it" for text in chain.violations(before))
            posed.append(PosedKeyframe(index, keyframe.duration, before, (), notes))
        elif keyframe.pose is not None:
            before, solutions = _by_pose(keyframe.pose, chain, kick.choose, before, where)
            posed.append(PosedKeyframe(index, keyframe.duration, before, solutions, ()))
    return tuple(posed)


def solutions_of(chain: PlanarChain, toe: tuple[float, float], rotation: float) -> tuple[tuple[KickPosture, ...], str]:
    """All solutions of one pose with what is wrong with each, and why there is none."""
    found = chain.inverse([toe], [rotation])
    listed = tuple(KickPosture(angles, "; ".join(chain.violations(angles))) for angles in found.listed())
    return listed, found.reason()


def _by_joints(joints: dict[str, float], chain: PlanarChain, stops: bool, where: str) -> Vector:
    for name in joints:
        if name not in chain.joints:
            raise KickError("there is no such joint", place=f"{where}.joints", value=name, legal=chain.joints)
    for name in chain.joints:
        if name not in joints:
            raise KickError(f"{name} is missing", place=f"{where}.joints", limit=f"all of {', '.join(chain.joints)}")
    angles = np.array([joints[name] for name in chain.joints])
    outside = np.flatnonzero(chain.outside(angles))
    if len(outside) and not stops:
        i = int(outside[0])
        raise KickError(
            f"{chain.joints[i]} is outside its range",
            place=f"{where}.joints",
            value=f"{math.degrees(angles[i]):g} deg",
            limit=f"{math.degrees(chain.lower[i]):g} to {math.degrees(chain.upper[i]):g} deg",
            remedy="'beyond_limits: stops' would let the joint run against its stop",
        )
    return angles


def _by_pose(
    pose: FootPose, chain: PlanarChain, choose: Choice, before: Vector, where: str
) -> tuple[Vector, tuple[KickPosture, ...]]:
    solutions, reason = solutions_of(chain, pose.position, pose.rotation)
    feasible = [solution for solution in solutions if not solution.problem]
    if not feasible:
        listed = " and ".join(f"solution {n} has {s.problem}" for n, s in enumerate(solutions, start=1))
        value = [*pose.position, f"{math.degrees(pose.rotation):g} deg"]
        raise KickError(
            f"the pose has no feasible solution: {reason or listed}",
            place=f"{where}.pose",
            value=value,
        )
    best = feasible[0]
    if choose == "nearest":
        best = min(feasible, key=lambda each: float(np.abs(each.angles - before).max()))
    elif choose == "middle":
        best = max(
            feasible, key=lambda each: float(np.minimum(each.angles - chain.lower, chain.upper - each.angles).min())
        )
    return best.angles, solutions
