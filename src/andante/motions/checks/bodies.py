"""Self-collision and static balance, asked of the robot's model at every tick at which something has moved."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from andante.motions.checks.context import Breach, CheckContext, worst
from andante.motions.findings import Severity
from andante.motions.reached import off_feet
from andante.motions.sampling import Segment, Trajectory

if TYPE_CHECKING:
    from andante.kinematics.forward import Kinematics

COLLISION = "self-collision"
BALANCE = "static-balance"
_TOGETHER = 32
"""So many keyframes are looked at together."""
_SURE = 0.001
"""A margin that is nearer to its limit is not told: soles and centre of mass are not known better [m]."""
_TIPPED = math.radians(20.0)
"""Farthest that a robot tips onto another edge and still stands [rad]."""
_THIN = 1e-8
"""Twice the area of a face that is none [m^2]."""
_NEAR = 0.02
"""So far above a limit a margin changes little between samples that are looked at [m]."""


@worst(COLLISION)
def check_self_collision(context: CheckContext) -> Iterator[Breach]:
    """Bodies of the robot that overlap at a tick."""
    # Imported here because they bring in the physics engine, which the other checks do without.
    from andante.kinematics.collision import self_collisions
    from andante.kinematics.forward import Kinematics

    kinematics, allowance = Kinematics(context.robot), context.settings.collision_allowance
    for sampled, segment in context.segments():
        rows = sampled.looked_at(segment)
        for row, posture in zip(rows.tolist(), _reachable(context, sampled.trajectory.position[rows]), strict=True):
            for hit in self_collisions(kinematics, posture, allowance):
                pair, depth = (hit.first, hit.second), hit.depth
                message = f"{hit.first} and {hit.second} overlap by {depth * 1e3:.1f} mm"
                yield Breach(sampled.motion, segment, "warning", message, row, depth, allowance, depth, key=pair)


@worst(BALANCE)
def check_static_balance(context: CheckContext) -> Iterator[Breach]:
    """Postures on flat soles whose centre of mass is not over them.

    Judged are postures that stand on one sole or on both in one plane, with all other parts of the robot clear of that
    plane; of others the file does not tell what carries the robot. Nor does it in get-ups, falls, dives and blocks that
    only branches insert, whose postures are told as notes. What a robot on the move does meanwhile only physics tells.
    """
    if not any(foot.outline for foot in context.robot.feet):
        return
    from andante.kinematics.forward import Kinematics
    from andante.motions.checks.standing import flat_margins

    kinematics, limit = Kinematics(context.robot), context.settings.balance_margin

    def margins(postures: NDArray[np.float64]) -> NDArray[np.float64]:
        return flat_margins(kinematics, _reachable(context, postures))

    elsewhere = off_feet(context.library)
    for sampled in context.sampled():
        severity: Severity = "info" if sampled.motion is None or sampled.motion in elsewhere else "warning"
        for segment, row in least(sampled.trajectory, sampled.looked_at, margins, limit):
            kinematics.update(_reachable(context, sampled.trajectory.position[row]))
            found = standing_margin(kinematics)
            if found is None or found > limit - _SURE or (found < 0.0 and _caught(kinematics)):
                continue
            where = f"{-found * 1e3:.0f} mm outside" if found < 0.0 else f"only {found * 1e3:.0f} mm inside"
            message = f"held still here, the robot has its centre of mass {where} the soles that stand flat"
            yield Breach(sampled.motion, segment, severity, message, row, found, limit, -found)


def _caught(kinematics: Kinematics) -> bool:
    """Whether a robot that tips over the edge of a sole comes to rest on its feet nearby, on edges or other soles.

    Looked at are the faces of the hull of all soles: on one below the centre of mass the robot rests.
    """
    from scipy.spatial import ConvexHull, QhullError

    from andante.kinematics.support import sole_points

    feet = [foot for foot in kinematics.robot.feet if foot.outline]
    points = np.concatenate([sole_points(kinematics, foot) for foot in feet])
    normals = [kinematics.pose(foot.site)[1][:, 2] for foot in feet]
    try:
        hull = ConvexHull(points)
    except QhullError:
        # All soles lie in one plane: there is nothing else to tip on.
        return False
    for corners, equation in zip(points[hull.simplices], hull.equations, strict=True):
        up = -equation[:3]
        if max(float(up @ normal) for normal in normals) < math.cos(_TIPPED):
            continue
        ways = np.column_stack([corners[1] - corners[0], corners[2] - corners[0], up])
        if abs(float(np.linalg.det(ways))) < _THIN:
            continue
        v, w, height = np.linalg.solve(ways, kinematics.com() - corners[0])
        if v >= 0.0 and w >= 0.0 and v + w <= 1.0 and height > 0.0:
            return True
    return False


def least(
    trajectory: Trajectory,
    looked_at: Callable[[Segment], NDArray[np.intp]],
    margins: Callable[[NDArray[np.float64]], NDArray[np.float64]],
    below: float,
    stride: int = 1,
) -> Iterator[tuple[Segment, int]]:
    """The keyframes with a margin below a limit, each with the sample of its smallest one.

    Args:
        trajectory: A motion's postures.
        looked_at: The samples of a keyframe, (n,).
        margins: Margins of postures, (n, nj), fast: (n,); NaN is not below. The caller asks about what is left exactly.
        below: The limit.
        stride: Look at every so many samples first, and at those between only where their margins are near the limit or
            only one can be told. For robots whose margin changes little from one sample to the next.
    """
    # So many keyframes together that arrays of all their postures are worth their making.
    for at in range(0, len(trajectory.segments), _TOGETHER):
        segments = trajectory.segments[at : at + _TOGETHER]
        rows = [looked_at(segment) for segment in segments]
        asked = trajectory.position[np.concatenate(rows)]
        found = margins(asked) if stride == 1 else _refined(margins, asked, below + _NEAR, stride)
        parts = np.split(found, np.cumsum([len(own) for own in rows]))
        for segment, own, part in zip(segments, rows, parts[:-1], strict=True):
            low = np.flatnonzero(part < below)
            if len(low):
                yield segment, int(own[low[np.argmin(part[low])]])


def _refined(
    margins: Callable[[NDArray[np.float64]], NDArray[np.float64]],
    postures: NDArray[np.float64],
    near: float,
    stride: int,
) -> NDArray[np.float64]:
    """Margins of postures one after another, (n,); infinite where those around are well above a limit."""
    count = len(postures)
    found = np.full(count, np.inf)
    coarse = np.unique(np.append(np.arange(0, count, stride), count - 1)) if count else np.arange(0)
    found[coarse] = margins(postures[coarse])
    left, right = found[coarse[:-1]], found[coarse[1:]]
    told = ~np.isnan(left) & ~np.isnan(right)
    wanted = (np.isnan(left) != np.isnan(right)) | (told & (np.fmin(left, right) < near))
    starts, ends = coarse[:-1][wanted] + 1, coarse[1:][wanted]
    fine = np.concatenate([np.arange(0), *(np.arange(a, b) for a, b in zip(starts, ends, strict=True))]).astype(np.intp)
    if len(fine):
        found[fine] = margins(postures[fine])
    return found


def _reachable(context: CheckContext, postures: NDArray[np.float64]) -> NDArray[np.float64]:
    """Postures, (..., nj) [rad]; overdriven joints stop at their limits."""
    return np.asarray(np.clip(postures, context.robot.lower, context.robot.upper))


def standing_margin(kinematics: Kinematics) -> float | None:
    """Static stability margin [m] of the posture of the last update, over the soles that stand flat.

    None where nothing stands flat, or where other parts than feet come near the ground.
    """
    from andante.kinematics.support import lowest_other, sole_points, support
    from andante.motions.checks.standing import CLEAR, LEVEL, PARALLEL

    feet = [foot for foot in kinematics.robot.feet if foot.outline]
    normals = [kinematics.pose(foot.site)[1][:, 2] for foot in feet]
    best: float | None = None
    groups = [(feet, normals)] if len(feet) > 1 else []
    groups += [([foot], [normal]) for foot, normal in zip(feet, normals, strict=True)]
    for group, directions in groups:
        up = np.mean(directions, axis=0)
        up = up / np.linalg.norm(up)
        if any(float(up @ direction) < np.cos(PARALLEL) for direction in directions):
            continue
        heights = np.concatenate([sole_points(kinematics, foot) for foot in group]) @ up
        if float(np.ptp(heights)) > LEVEL:
            continue
        if lowest_other(kinematics, [foot.body for foot in group], up) < float(heights.min()) + CLEAR:
            continue
        margin = support(kinematics, [foot.name for foot in group], up).margin
        best = margin if best is None else max(best, margin)
    return best
