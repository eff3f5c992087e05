"""Third criterion, the body: self-collision and static balance at every tick at which something has moved."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from andante.motions.checks.aibo.context import AiboContext
from andante.motions.checks.bodies import chunks, least
from andante.motions.checks.context import Worst
from andante.motions.findings import Finding

COLLISION, BALANCE = "self-collision", "static-balance"


def check_collision(context: AiboContext) -> Iterator[Finding]:
    """Bodies that overlap (error) or come too close (warning) at a tick."""
    from andante.kinematics.clearance import Clearances

    rules, worst = context.rules, Worst()
    clearances = Clearances(context.robot, rules.clearance)
    for played in context.played:
        for segment in played.trajectory.segments:
            for sample in played.looked_at(segment).tolist():
                for near in clearances.at(played.trajectory.position[sample]):
                    hit = near.distance < -rules.overlap
                    what = (
                        f"overlap by {-near.distance * 1e3:.1f} mm"
                        if hit
                        else f"are {near.distance * 1e3:.1f} mm apart"
                    )
                    finding = context.finding(
                        COLLISION,
                        "error" if hit else "warning",
                        played,
                        f"{near.first} and {near.second} {what}; limit: {rules.clearance * 1e3:.1f} mm apart",
                        segment=segment,
                        sample=sample,
                        value=near.distance,
                        limit=rules.clearance,
                    )
                    worst.add(finding, -near.distance, near.first, near.second)
    yield from worst.findings()


def check_balance(context: AiboContext) -> Iterator[Finding]:
    """Ticks at which the robot, if it stood still on its feet, would tip over or nearly so.

    Postures in which something else than feet comes to the ground are not judged; physics tells what happens then.
    """
    from andante.kinematics.forward import Kinematics
    from andante.kinematics.resting import resting
    from andante.motions.checks.standing import ball_margins

    robot, rules, worst = context.robot, context.rules, Worst()
    if len(robot.feet) < 3 or any(foot.outline for foot in robot.feet):
        return
    kinematics = Kinematics(robot)
    for played in context.played:
        exempt = [(start, end) for motion, start, end in rules.supported if motion == played.motion]
        for segments in chunks(played.trajectory):
            rows = [played.looked_at(segment) for segment in segments]
            rows = [own[[not _within(row * rules.tick, exempt) for row in own.tolist()]] for own in rows]
            postures = played.trajectory.position[np.concatenate(rows)]
            margins = ball_margins(kinematics, postures)
            start = 0
            for segment, own in zip(segments, rows, strict=True):
                part = slice(start, start + len(own))
                start = part.stop
                # The worst posture of the keyframe is asked about exactly.
                at = least(margins[part], rules.static_margin)
                if at is None:
                    continue
                kinematics.update(postures[part][at])
                rest = resting(kinematics)
                if rest is None or rest.clearance < 0.0 or rest.margin >= rules.static_margin:
                    continue
                where = "outside" if rest.margin < 0.0 else "inside"
                finding = context.finding(
                    BALANCE,
                    "warning",
                    played,
                    f"the centre of mass is {abs(rest.margin) * 1e3:.0f} mm {where} the support of feet"
                    f" {', '.join(rest.feet)}; limit: {rules.static_margin * 1e3:.0f} mm inside",
                    segment=segment,
                    sample=int(own[at]),
                    value=rest.margin,
                    limit=rules.static_margin,
                )
                worst.add(finding, -rest.margin)
    yield from worst.findings()


def _within(time: float, spans: list[tuple[float, float]]) -> bool:
    return any(start <= time <= end for start, end in spans)
