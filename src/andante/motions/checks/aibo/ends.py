"""First and second criterion: a motion begins and ends like the walk, and it is short and keeps the camera in use."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from andante.motions.checks.aibo.context import AiboContext, Played
from andante.motions.findings import Finding

ENDS, DURATION, CAMERA, COMPLETE, PERIOD = "ends", "duration", "camera", "complete", "period"


def check_ends(context: AiboContext) -> Iterator[Finding]:
    """First and last posture against the postures that they should be.

    The first posture is that of a first keyframe that is reached at once; a motion whose first keyframe takes its time
    begins wherever the robot is.
    """
    for played in context.played:
        trajectory = played.trajectory
        if not trajectory.segments:
            continue
        first, last = trajectory.segments[0], trajectory.segments[-1]
        if first.first == first.last:
            yield from _judge(context, played, "begins", played.start, trajectory.position[first.last], first.last)
        yield from _judge(context, played, "ends", played.end, trajectory.position[last.last], last.last)


def _judge(
    context: AiboContext, played: Played, verb: str, name: str, posture: NDArray[np.float64], sample: int
) -> Iterator[Finding]:
    from andante.kinematics.forward import Kinematics

    rules, robot = context.rules, context.robot
    reference = context.posture(name)
    off = np.abs(posture - reference)
    for joint in np.flatnonzero(off > rules.end_pass + 1e-9):
        needed = float(off[joint] / robot.max_velocity[joint])
        yield context.finding(
            ENDS,
            "error" if off[joint] > rules.end_warn else "warning",
            played,
            f"{verb} with {robot.joint_names[joint]} {math.degrees(off[joint]):.1f} deg from posture {name!r};"
            f" limit: {math.degrees(rules.end_pass):.1f} deg; the way takes {needed * 1e3:.0f} ms at full speed",
            joint=robot.joint_names[joint],
            sample=sample,
            value=float(off[joint]),
            limit=rules.end_pass,
        )
    kinematics = Kinematics(robot)
    places = []
    for joints in (posture, reference):
        kinematics.update(joints)
        places.append(np.array([kinematics.pose(foot.site)[0] for foot in robot.feet]).reshape(-1, 3))
    for foot, way in zip(robot.feet, np.linalg.norm(places[0] - places[1], axis=1), strict=True):
        if way > rules.end_foot + 1e-9:
            yield context.finding(
                ENDS,
                "warning",
                played,
                f"{verb} with foot {foot.name} {way * 1e3:.1f} mm from posture {name!r};"
                f" limit: {rules.end_foot * 1e3:.0f} mm",
                sample=sample,
                value=float(way),
                limit=rules.end_foot,
            )


def check_duration(context: AiboContext) -> Iterator[Finding]:
    """Motions that take too long."""
    rules = context.rules
    for played in context.played:
        if played.motion in rules.long_motions:
            continue
        duration = float(played.trajectory.time[-1])
        if duration > rules.duration_pass + 1e-9:
            yield context.finding(
                DURATION,
                "error" if duration > rules.duration_warn + 1e-9 else "warning",
                played,
                f"takes {duration:.2f} s; limit: {rules.duration_pass:.2f} s",
                sample=len(played.trajectory.time) - 1,
                value=duration,
                limit=rules.duration_pass,
            )


def check_camera(context: AiboContext) -> Iterator[Finding]:
    """Pictures that the head's own turning blurs: blur = speed x exposure x pixels per angle."""
    from andante.kinematics.forward import Kinematics

    model = context.robot.model
    if "camera" not in [model.site(number).name for number in range(model.nsite)]:
        return
    rules, kinematics = context.rules, Kinematics(context.robot)
    sharp = rules.blur * rules.camera_view / (rules.camera_pixels * rules.exposure)
    for played in context.played:
        turns = []
        for joints in played.trajectory.position:
            kinematics.update(joints)
            turns.append(kinematics.pose("camera")[1].copy())
        speeds = np.array([_angle(a, b) for a, b in pairwise(turns)]) / rules.tick
        blurred = int((speeds > sharp).sum())
        if not blurred:
            continue
        lost, worst = blurred * rules.tick * rules.camera_rate, int(np.argmax(speeds))
        yield context.finding(
            CAMERA,
            "warning" if lost > rules.lost_frames else "info",
            played,
            f"blurs about {lost:.0f} of {len(speeds) * rules.tick * rules.camera_rate:.0f} pictures: the camera turns"
            f" at up to {math.degrees(speeds[worst]):.0f} deg/s; sharp below {math.degrees(sharp):.0f} deg/s",
            sample=worst + 1,
            value=lost,
            limit=rules.lost_frames,
        )


def check_complete(context: AiboContext) -> Iterator[Finding]:
    """Joints that a motion never names, so that they stay wherever the last motion left them."""
    robot, rules = context.robot, context.rules
    wanted = [joint for group in rules.complete for joint in robot.groups.get(group, ())]
    for played in context.played:
        blocks = context.library.motions[played.motion].blocks
        named = {joint for name in blocks for key in context.library.blocks[name].keyframes for joint in key.joints}
        missing = [joint for joint in wanted if joint not in named and joint not in rules.optional]
        if missing and named:
            yield context.finding(
                COMPLETE,
                "warning",
                played,
                f"never names {len(missing)} of {len(wanted) - len(rules.optional)} joints: {', '.join(missing)}",
                value=", ".join(missing),
            )


def check_period(context: AiboContext) -> Iterator[Finding]:
    """Durations that the robot's clock rounds."""
    period = context.rules.file_period
    for name, block in context.library.blocks.items():
        for index, keyframe in enumerate(block.keyframes):
            rounded = max(1, round(keyframe.duration / period)) * period
            if abs(rounded - keyframe.duration) > 1e-6:
                yield Finding(
                    PERIOD,
                    "info",
                    f"blocks.{name}.keyframes[{index}].duration",
                    f"{keyframe.duration * 1e3:g} ms is no multiple of {period * 1e3:g} ms;"
                    f" it lasts {rounded * 1e3:g} ms",
                    value=keyframe.duration,
                    limit=rounded,
                )


def _angle(one: NDArray[np.float64], other: NDArray[np.float64]) -> float:
    """Angle between two orientations [rad]."""
    # The chord keeps small angles, which the trace loses.
    return 2.0 * math.asin(min(1.0, float(np.linalg.norm(one - other)) / (2.0 * math.sqrt(2.0))))
