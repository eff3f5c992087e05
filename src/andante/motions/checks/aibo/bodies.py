"""Third criterion, the body: self-collision at every tick and static balance."""

from __future__ import annotations

from collections.abc import Iterator

from andante.motions.checks.aibo.context import AiboContext
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
            for sample in range(segment.first, segment.last + 1):
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

    robot, rules, worst = context.robot, context.rules, Worst()
    if len(robot.feet) < 3 or any(foot.outline for foot in robot.feet):
        return
    kinematics = Kinematics(robot)
    for played in context.played:
        exempt = [(start, end) for motion, start, end in rules.supported if motion == played.motion]
        for segment in played.trajectory.segments:
            for sample in range(segment.first, segment.last + 1):
                time = sample * rules.tick
                if any(start <= time <= end for start, end in exempt):
                    continue
                kinematics.update(played.trajectory.position[sample])
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
                    sample=sample,
                    value=rest.margin,
                    limit=rules.static_margin,
                )
                worst.add(finding, -rest.margin)
    yield from worst.findings()
