"""Self-collision and static balance, asked of the robot's model at every tick at which something has moved."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from andante.motions.checks.context import Context, Sampled, Worst
from andante.motions.findings import Finding
from andante.motions.sampling import Segment, Trajectory

if TYPE_CHECKING:
    from andante.kinematics.forward import Kinematics

COLLISION = "self-collision"
BALANCE = "static-balance"
_TOGETHER = 32
"""So many keyframes are looked at together."""


def check_self_collision(context: Context) -> Iterator[Finding]:
    """Bodies of the robot that overlap at a tick."""
    # Imported here because they bring in the physics engine, which the other checks do without.
    from andante.kinematics.collision import self_collisions
    from andante.kinematics.forward import Kinematics

    kinematics = Kinematics(context.robot)
    allowance = context.settings.collision_allowance
    worst = Worst()
    for sampled in context.sampled():
        for segment in sampled.trajectory.segments:
            rows = sampled.looked_at(segment)
            for row, posture in zip(rows.tolist(), _reachable(context, sampled, rows), strict=True):
                for hit in self_collisions(kinematics, posture, allowance):
                    finding = Finding(
                        COLLISION,
                        "warning",
                        segment.place,
                        f"{hit.first} and {hit.second} overlap by {hit.depth * 1e3:.1f} mm",
                        time=row * context.tick,
                        value=hit.depth,
                        limit=allowance,
                        motion=sampled.motion,
                    )
                    worst.add(finding, hit.depth, hit.first, hit.second)
    yield from worst.findings()


def check_static_balance(context: Context) -> Iterator[Finding]:
    """Postures on flat soles whose centre of mass is not over them.

    Judged are postures that stand on one sole or on both in one plane, with all other parts of the robot clear of that
    plane; of others the file does not tell what carries the robot.
    """
    if not any(foot.outline for foot in context.robot.feet):
        return
    from andante.kinematics.forward import Kinematics
    from andante.motions.checks.standing import flat_margins

    kinematics = Kinematics(context.robot)
    margin = context.settings.balance_margin
    worst = Worst()
    for sampled in context.sampled():
        for segments in chunks(sampled.trajectory):
            rows = [sampled.looked_at(segment) for segment in segments]
            postures = _reachable(context, sampled, np.concatenate(rows))
            margins = flat_margins(kinematics, postures)
            start = 0
            for segment, own in zip(segments, rows, strict=True):
                part = slice(start, start + len(own))
                start = part.stop
                # The worst posture of the keyframe is asked about exactly.
                at = least(margins[part], margin)
                if at is None:
                    continue
                kinematics.update(postures[part][at])
                found = standing_margin(kinematics)
                if found is None or found >= margin:
                    continue
                finding = Finding(
                    BALANCE,
                    "warning",
                    segment.place,
                    f"the centre of mass is {-found * 1e3:.0f} mm outside the soles that stand flat"
                    if found < 0.0
                    else f"the centre of mass is only {found * 1e3:.0f} mm inside the soles that stand flat",
                    time=int(own[at]) * context.tick,
                    value=found,
                    limit=margin,
                    motion=sampled.motion,
                )
                worst.add(finding, -found)
    yield from worst.findings()


def least(margins: NDArray[np.float64], below: float) -> int | None:
    """Place of the smallest of margins, (n,); None where none is below a limit (NaN is none)."""
    low = np.flatnonzero(margins < below)
    return int(low[np.argmin(margins[low])]) if len(low) else None


def chunks(trajectory: Trajectory) -> Iterator[tuple[Segment, ...]]:
    """A motion's keyframes, so many together that arrays of all their postures are worth their making."""
    segments = trajectory.segments
    for at in range(0, len(segments), _TOGETHER):
        yield segments[at : at + _TOGETHER]


def _reachable(context: Context, sampled: Sampled, rows: NDArray[np.intp]) -> NDArray[np.float64]:
    """Postures of samples, (n, nj) [rad]; overdriven joints stop at their limits."""
    return np.asarray(np.clip(sampled.trajectory.position[rows], context.robot.lower, context.robot.upper))


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
