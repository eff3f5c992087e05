"""Third criterion, the body: self-collision and static balance at every tick at which something has moved."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np
from numpy.typing import NDArray

from andante.motions.checks.aibo.context import AiboContext, Played
from andante.motions.checks.bodies import least
from andante.motions.checks.context import Breach, worst
from andante.motions.findings import Severity
from andante.motions.sampling import Segment

COLLISION, BALANCE = "self-collision", "static-balance"


@worst(COLLISION)
def check_collision(context: AiboContext) -> Iterator[Breach]:
    """Bodies that overlap (error) or come too close (warning) at a tick."""
    from andante.kinematics.clearance import Clearances

    limit = context.rules.clearance
    clearances = Clearances(context.robot, limit)
    for played, segment in context.segments():
        for sample in played.looked_at(segment).tolist():
            for near in clearances.at(played.trajectory.position[sample]):
                pair, away = (near.first, near.second), near.distance
                hit = away < -context.rules.overlap
                what = f"overlap by {-away * 1e3:.1f} mm" if hit else f"are {away * 1e3:.1f} mm apart"
                message = f"{near.first} and {near.second} {what}; limit: {limit * 1e3:.1f} mm apart"
                severity: Severity = "error" if hit else "warning"
                yield Breach(played.motion, segment, severity, message, sample, away, limit, -away, key=pair)


@worst(BALANCE)
def check_balance(context: AiboContext) -> Iterator[Breach]:
    """Ticks at which the robot, if it stood still on its feet, would tip over or nearly so.

    Postures in which something else than feet comes to the ground are not judged; physics tells what happens then.
    """
    from andante.kinematics.forward import Kinematics
    from andante.kinematics.resting import resting
    from andante.motions.checks.standing import ball_margins

    robot, limit = context.robot, context.rules.static_margin
    if len(robot.feet) < 3 or any(foot.outline for foot in robot.feet):
        return
    kinematics = Kinematics(robot)
    margins = partial(ball_margins, kinematics)
    for played in context.played:
        for segment, row in least(played.trajectory, partial(_unsupported, context, played), margins, limit):
            kinematics.update(played.trajectory.position[row])
            rest = resting(kinematics)
            if rest is None or rest.clearance < 0.0 or rest.margin >= limit:
                continue
            message = (
                f"the centre of mass is {abs(rest.margin) * 1e3:.0f} mm {'outside' if rest.margin < 0.0 else 'inside'}"
                f" the support of feet {', '.join(rest.feet)}; limit: {limit * 1e3:.0f} mm inside"
            )
            yield Breach(played.motion, segment, "warning", message, row, rest.margin, limit, -rest.margin)


def _unsupported(context: AiboContext, played: Played, segment: Segment) -> NDArray[np.intp]:
    """The samples of a segment that are looked at and in which the rules have nothing else carry the robot."""
    rows, rules = played.looked_at(segment), context.rules
    exempt = [(start, end) for motion, start, end in rules.supported if motion == played.motion]
    return rows[[not any(start <= row * rules.tick <= end for start, end in exempt) for row in rows.tolist()]]
