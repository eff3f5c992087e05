"""Where the body must be for the centre of mass to be at a place while the feet stay where they are.

Every pass evaluates the legs' inverse kinematics and the centre of mass once and then makes a Newton step with the
exact derivative of the centre of mass by the body's place, feet held: dc/db = I - R (sum of leg terms) R^T. Moving the
body by the plain error instead (IHMC's quarterly report, 2006) gains one digit per pass.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from andante.kernels import entry, inlined, kernel
from andante.kinematics.leg_kernels import directions, joint_angles, leg_moment
from andante.kinematics.leg_table import LeggedBody, LegTable, StanceError, checked_stance
from andante.spatial.arrays import Array, Array1, Array2
from andante.spatial.rotation_kernels import seen_from
from andante.spatial.rotations import from_rpy, to_matrix

_PASSES = 12
_TOUCHING = 1e-9
"""Length and angle by which a place may miss what a leg spans or a limit, from rounding."""


@dataclass(frozen=True)
class BodyPose:
    """A pose of the body over its feet."""

    position: Array
    """Origin of the base in the world, (3,) [m]."""
    rotation: Array
    """Rotation of the base, (3, 3)."""
    angles: Array
    """Angles of the legs' joints, (nl, 3) [rad], in the order of roll, pitch, knee."""
    com: Array
    """Centre of mass in the world, (3,) [m]."""
    slack: float
    """Smallest angle left to a limit of any leg's joint [rad]; a stretched or folded knee is a limit too."""
    limiting: tuple[str, str]
    """Foot and joint that have it."""
    evaluations: int
    """How often inverse kinematics and centre of mass were evaluated."""


def stance_com(body: LeggedBody, position: ArrayLike, feet: Array, rotation: Array | None = None) -> BodyPose:
    """The pose, with joint angles and centre of mass, of a body at a place over its feet.

    Args:
        body: The robot.
        position: Origin of the base, (3,) [m].
        feet: Centres of the feet in the world, (nl, 3) [m].
        rotation: Rotation of the base, (3, 3); None: not turned.

    Raises:
        StanceError: A foot cannot be reached; names leg and joint.
    """
    places, turn = checked_stance(body, feet, rotation)
    place = _triple(position)
    angles, com = np.empty((len(places), 3)), np.empty(3)
    missing, least, which = evaluate(body.table, place, places, turn, angles, com)
    return _pose(body, place, turn, angles, com, (missing, least, which), 1, places)


def com_ik(
    body: LeggedBody,
    com: ArrayLike,
    feet: Array,
    rotation: Array | None = None,
    *,
    tolerance: float = 1e-6,
    start: ArrayLike | None = None,
) -> BodyPose:
    """The body's pose that puts the centre of mass at a place, orientation fixed.

    Args:
        body: The robot.
        com: Wanted centre of mass in the world, (3,) [m].
        feet: Centres of the feet in the world, (nl, 3) [m].
        rotation: Rotation of the base, (3, 3); None: not turned.
        tolerance: Largest distance of the centre of mass from where it is wanted [m].
        start: Origin of the base to start from, (3,) [m]; None: where the centre of mass is wanted.

    Raises:
        StanceError: The feet are out of reach there (names leg and joint), or the search does not converge.
    """
    places, turn = checked_stance(body, feet, rotation)
    wanted = _triple(com)
    position = (wanted if start is None else _triple(start)).copy()
    angles, found = np.empty((len(places), 3)), np.empty(3)
    passes, missing, least, which = solve_com(body.table, wanted, places, turn, tolerance, position, angles, found)
    if passes == 0:
        raise StanceError(
            "no body position brings the centre of mass there",
            value=wanted.tolist(),
            limit=f"{tolerance:g} m within {_PASSES} passes, last {np.linalg.norm(found - wanted):.3g} m",
        )
    return _pose(body, position, turn, angles, found, (missing, least, which), passes, places)


def com_ik_free(
    body: LeggedBody,
    com: ArrayLike,
    feet: Array,
    rpy: ArrayLike = (0.0, 0.0, 0.0),
    *,
    most: ArrayLike = (0.35, 0.9, 0.35),
    tolerance: float = 1e-6,
) -> BodyPose:
    """The body's pose that puts the centre of mass at a place and leaves all joints the most room, orientation free.

    Roll, pitch and yaw are searched around ``rpy`` by steps that halve (a pattern search), each solved as by `com_ik`.

    Args:
        body: The robot.
        com: Wanted centre of mass in the world, (3,) [m].
        feet: Centres of the feet in the world, (nl, 3) [m].
        rpy: Roll, pitch and yaw around which is searched, (3,) [rad].
        most: How far each may go from there, (3,) [rad]; 0 holds it.
        tolerance: As in `com_ik`.

    Raises:
        StanceError: No orientation found has all feet in reach.
    """
    places, _ = checked_stance(body, feet, None)
    wanted, centre = _triple(com), _triple(rpy)
    span = np.abs(_triple(most))
    best = centre.copy()
    best_slack = search_orientation(body.table, wanted, places, tolerance, centre, span, best)
    if best_slack < -_TOUCHING:
        raise StanceError(
            "no orientation of the body has all feet in reach with the centre of mass there",
            value=wanted.tolist(),
            limit=f"roll, pitch, yaw within {np.round(span, 3).tolist()} rad of {np.round(centre, 3).tolist()}",
        )
    return com_ik(body, wanted, places, to_matrix(from_rpy(best)), tolerance=tolerance)


@entry
def evaluate(
    table: LegTable, position: Array1, feet: Array2, rotation: Array2, angles: Array2, com: Array1
) -> tuple[float, float, int]:
    """Joint angles and centre of mass of a body pose.

    Args:
        table: The robot.
        position: Origin of the base, (3,) [m].
        feet: Centres of the feet, (nl, 3) [m].
        rotation: Rotation of the base, (3, 3).
        angles: Gets the joint angles, (nl, 3) [rad].
        com: Gets the centre of mass in the world, (3,) [m].

    Returns:
        By how much a leg is too short [m] (not above 0: none is), smallest angle left to a limit [rad], and the joint
        that has it as 3 leg + joint.
    """
    _pass(table, position, feet, rotation, com, np.empty(3), np.empty((3, 3)), False)
    return _joints(table, position, feet, rotation, angles)


@inlined
def _pass(
    table: LegTable,
    position: Array,
    feet: Array,
    rotation: Array,
    com: Array,
    moment: Array,
    change: Array,
    wanted: bool,
) -> None:
    """Centre of mass of a body pose, and the derivative in the base's frame of mass times centre by the feet's shift.

    Args:
        table: The robot.
        position: Origin of the base, (3,) [m].
        feet: Centres of the feet, (nl, 3) [m].
        rotation: Rotation of the base, (3, 3).
        com: Gets the centre of mass in the world, (3,) [m].
        moment: Gets mass times centre in the base's frame, (3,) [kg m].
        change: Gets the derivative, (3, 3) [kg].
        wanted: Whether it is wanted.
    """
    for row in range(3):
        moment[row] = table.trunk_mass * table.trunk_centre[row]
        for column in range(3):
            change[row, column] = 0.0
    for leg in range(len(feet)):
        x, y, z = seen_from(position, rotation, feet[leg])
        c1, s1, c2, s2, c3, s3, _, _, _ = directions(table, leg, x, y, z)
        leg_moment(table, leg, c1, s1, c2, s2, c3, s3, moment, change, wanted)
    for row in range(3):
        turned = rotation[row, 0] * moment[0] + rotation[row, 1] * moment[1] + rotation[row, 2] * moment[2]
        com[row] = position[row] + turned / table.total_mass


@inlined
def _joints(table: LegTable, position: Array, feet: Array, rotation: Array, angles: Array) -> tuple[float, float, int]:
    """Joint angles of a body pose; returns what `evaluate` does."""
    worst, least, which = -math.inf, math.inf, 0
    for leg in range(len(feet)):
        x, y, z = seen_from(position, rotation, feet[leg])
        left, joint, missing = joint_angles(table, leg, x, y, z, angles[leg])
        worst = max(worst, missing)
        if left < least:
            least, which = left, 3 * leg + joint
    return worst, least, which


@entry
def solve_com(
    table: LegTable,
    wanted: Array1,
    feet: Array2,
    rotation: Array2,
    tolerance: float,
    position: Array1,
    angles: Array2,
    com: Array1,
) -> tuple[int, float, float, int]:
    """`com_ik` without checks; ``position`` is start and result.

    Returns:
        Evaluations (0: did not converge), and what `evaluate` gives for the result.
    """
    return solved_com(table, wanted, feet, rotation, tolerance, position, angles, com, np.empty((5, 3)))


@inlined
def solved_com(
    table: LegTable,
    wanted: Array,
    feet: Array,
    rotation: Array,
    tolerance: float,
    position: Array,
    angles: Array,
    com: Array,
    work: Array,
) -> tuple[int, float, float, int]:
    """As `solve_com`, with room for what comes between, (5, 3)."""
    change, moment, error = work[:3], work[3], work[4]
    # Near a stretched leg the derivative is no guide over long ways.
    limit = 0.5 * table.lengths[0, 0]
    count, near = 0, False
    while not near and count < _PASSES:
        count += 1
        _pass(table, position, feet, rotation, com, moment, change, True)
        for axis in range(3):
            error[axis] = wanted[axis] - com[axis]
        near = math.sqrt(error[0] ** 2 + error[1] ** 2 + error[2] ** 2) <= tolerance
        if not near:
            # Moving the body by db moves the feet by -R^T db seen from it.
            _newton_step(rotation, change, table.total_mass, error)
            longest = math.sqrt(error[0] ** 2 + error[1] ** 2 + error[2] ** 2)
            share = 1.0 if longest <= limit else limit / longest
            for axis in range(3):
                position[axis] += error[axis] * share
    missing, least, which = _joints(table, position, feet, rotation, angles)
    return count if near else 0, missing, least, which


@inlined
def _newton_step(rotation: Array, change: Array, mass: float, error: Array) -> None:
    """Turn an error of the centre of mass into the step that mends it: (I - R change R^T / mass)^-1 error.

    In the base's frame, where it is (I - change / mass), solved by Cramer's rule.
    """
    x = rotation[0, 0] * error[0] + rotation[1, 0] * error[1] + rotation[2, 0] * error[2]
    y = rotation[0, 1] * error[0] + rotation[1, 1] * error[1] + rotation[2, 1] * error[2]
    z = rotation[0, 2] * error[0] + rotation[1, 2] * error[1] + rotation[2, 2] * error[2]
    a, b, c = 1.0 - change[0, 0] / mass, -change[0, 1] / mass, -change[0, 2] / mass
    d, e, f = -change[1, 0] / mass, 1.0 - change[1, 1] / mass, -change[1, 2] / mass
    g, h, i = -change[2, 0] / mass, -change[2, 1] / mass, 1.0 - change[2, 2] / mass
    size = a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g)
    # Without a derivative worth the name the plain error is the step.
    if abs(size) > 1e-3:
        u = (x * (e * i - f * h) - b * (y * i - f * z) + c * (y * h - e * z)) / size
        v = (a * (y * i - f * z) - x * (d * i - f * g) + c * (d * z - y * g)) / size
        w = (a * (e * z - y * h) - b * (d * z - y * g) + x * (d * h - e * g)) / size
        x, y, z = u, v, w
    for row in range(3):
        error[row] = rotation[row, 0] * x + rotation[row, 1] * y + rotation[row, 2] * z


@entry
def search_orientation(
    table: LegTable, wanted: Array1, feet: Array2, tolerance: float, centre: Array1, span: Array1, best: Array1
) -> float:
    """Roll, pitch and yaw within ``span`` of ``centre`` with the most room for all joints, into ``best``.

    Returns:
        That room [rad], below zero where a limit is passed.
    """
    best[:] = centre
    room = _room(table, wanted, feet, tolerance, best)
    step = span.copy()
    trial = best.copy()
    while step.max() > 2e-3:
        better = False
        for axis in range(3):
            if span[axis] <= 0.0:
                continue
            for way in (-1.0, 1.0):
                trial[:] = best
                trial[axis] += way * step[axis]
                if abs(trial[axis] - centre[axis]) > span[axis] + 1e-12:
                    continue
                found = _room(table, wanted, feet, tolerance, trial)
                if found > room:
                    room, better = found, True
                    best[:] = trial
        if not better:
            step *= 0.5
    return room


@kernel
def _room(table: LegTable, wanted: Array, feet: Array, tolerance: float, rpy: Array) -> float:
    """Smallest angle left to a limit [rad] with the centre of mass as wanted; far below zero where legs are short."""
    position, angles, com = wanted.copy(), np.empty((len(feet), 3)), np.empty(3)
    passes, missing, least, _ = solve_com(table, wanted, feet, rpy_matrix(rpy), tolerance, position, angles, com)
    if passes == 0:
        return -100.0
    return -10.0 - missing if missing > _TOUCHING else least


@kernel
def rpy_matrix(rpy: Array) -> Array:
    """Rotation (3, 3) of roll, pitch, yaw (3,) [rad]: Rz(yaw) Ry(pitch) Rx(roll), as `spatial.rotations.from_rpy`."""
    cr, sr = math.cos(rpy[0]), math.sin(rpy[0])
    cp, sp = math.cos(rpy[1]), math.sin(rpy[1])
    cy, sy = math.cos(rpy[2]), math.sin(rpy[2])
    return np.array(
        [
            [cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr],
            [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr],
            [-sp, cp * sr, cp * cr],
        ]
    )


def _pose(
    body: LeggedBody,
    position: Array,
    rotation: Array,
    angles: Array,
    com: Array,
    rooms: tuple[float, float, int],
    evaluations: int,
    feet: Array,
) -> BodyPose:
    missing, least, which = rooms
    leg, joint = body.legs[which // 3], which % 3
    if missing > _TOUCHING or least < -_TOUCHING:
        for each, foot in zip(body.legs, feet, strict=True):
            # The leg's own inverse kinematics names the joint, the angle and the limit.
            each.solve_on_branch(rotation.T @ (foot - position))
        raise StanceError(
            "a joint would pass its limit",
            place=f"{leg.name}: {leg.joints[joint]}",
            value=f"{math.degrees(-least):.2g} deg beyond it",
        )
    return BodyPose(position, rotation, angles, com, least, (leg.name, leg.joints[joint]), evaluations)


def _triple(values: ArrayLike) -> Array:
    array = np.array(values, dtype=np.float64)
    if array.shape != (3,) or not np.isfinite(array).all():
        raise StanceError("three finite numbers are needed", value=array.tolist())
    return array
