"""First and second criterion: a motion begins and ends like the walk, and it is short and keeps the camera in use."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from andante.motions.checks.aibo.context import AiboContext, PlayedMotion
from andante.motions.checks.context import ANGLE_TOLERANCE
from andante.motions.findings import Finding, Severity
from andante.motions.interpolation import keyframe_ticks
from andante.motions.library import keyframes_of
from andante.motions.posture_kind import ANY
from andante.robots.tree import upwards

ENDS, DURATION, CAMERA, COMPLETE, PERIOD = "ends", "duration", "camera", "complete", "period"
_SLACK = 1e-9
_LONG_MOTIONS = ("celebrate", "celebration", "festejo")
"""Motions that may take longer."""
_EXPOSURE = 0.01
"""Exposure of the head camera [s]."""
_BLUR = 2.0
"""Blur up to which a picture is of use [px]."""
_CAMERA_PIXELS = 208.0
"""Width of the camera's picture [px]."""
_CAMERA_VIEW = math.radians(56.9)
"""Width of the camera's view [rad]."""
_CAMERA_RATE = 30.0
"""Pictures per second."""
_END_FOOT = 0.010
"""Difference of a foot's place from the reference up to which an end is good [m]."""


def check_ends(context: AiboContext) -> Iterator[Finding]:
    """First and last posture against the postures that they should be.

    The first posture is that of a first keyframe that is reached at once; a motion whose first keyframe takes its time
    begins wherever the robot is. Motions that begin so and name their postures are compared with each other, since
    their library says itself what "sit" is; what only one end shows is compared with the robot's posture of that name,
    which gives a warning at most. Of a motion from elsewhere whose name tells no posture nobody says where it begins.
    """
    for played in context.played:
        trajectory = played.trajectory
        if not trajectory.segments or (played.foreign and not played.told):
            continue
        first, last = trajectory.segments[0], trajectory.segments[-1]
        if first.first == first.last or played.at_once:
            yield from _judge(context, played, "begins", played.start, first.last)
        yield from _judge(context, played, "ends", played.end, last.last)
    yield from _own_and_robots(context)


def _own_and_robots(context: AiboContext) -> Iterator[Finding]:
    """One note for each posture that the library has otherwise than the robot's pack."""
    robot, rules = context.robot, context.rules
    for name, own in context.own_postures.items():
        if name not in robot.postures:
            continue
        off = np.abs(own.position - robot.posture(name))
        joint = int(np.nanargmax(np.where(own.count > 1, off, 0.0)))
        if own.count[joint] < 2 or not off[joint] > rules.end_warn:
            continue
        named, value, motion = robot.joint_names[joint], float(off[joint]), own.source[joint]
        message = (
            f"the library's own posture {name!r} has {named} {math.degrees(value):.1f} deg from the robot's;"
            " its motions are compared with each other"
        )
        yield Finding(ENDS, "info", f"motions.{motion}", message, named, None, value, rules.end_warn, motion)


@dataclass(frozen=True, eq=False)
class _Reference:
    """What one end of a motion is compared with."""

    position: NDArray[np.float64]
    """Posture, (nj,) [rad]; a joint that is not compared has the motion's own angle."""
    certain: NDArray[np.bool_]
    """Joints that may be in error, (nj,); others are warned of at most."""
    told: tuple[str, ...]
    """Per joint what it is compared with, (nj,)."""


def _reference(
    context: AiboContext, played: PlayedMotion, name: str, posture: NDArray[np.float64]
) -> _Reference | None:
    robot = context.robot
    known = robot.posture(name) if name in robot.postures else None
    own = context.own_postures.get(name) if played.at_once and played.told else None
    if name == ANY or (known is None and own is None):
        return None
    robots = posture if known is None else known
    if own is None:
        return _Reference(robots, np.ones(len(posture), dtype=bool), ("",) * len(posture))
    shown = own.count > 1
    told = tuple(
        f" as {motion} has it" if several else "; no other motion shows where its own one is"
        for motion, several in zip(own.source, shown, strict=True)
    )
    position = np.where(shown, own.position, robots)
    return _Reference(np.where(played.joints, position, posture), shown, told)


def _judge(context: AiboContext, played: PlayedMotion, verb: str, name: str, sample: int) -> Iterator[Finding]:
    rules, robot = context.rules, context.robot
    posture = played.trajectory.position[sample]
    reference = _reference(context, played, name, posture)
    if reference is None:
        return
    off = np.abs(posture - reference.position)
    for joint in np.flatnonzero(off > rules.end_pass + ANGLE_TOLERANCE):
        named, value, limit = robot.joint_names[joint], float(off[joint]), rules.end_pass
        needed = float(off[joint] / robot.max_velocity[joint])
        wrong = reference.certain[joint] and value > rules.end_warn + ANGLE_TOLERANCE
        message = (
            f"{verb} with {named} {math.degrees(value):.1f} deg from posture {name!r}{reference.told[joint]};"
            f" limit: {math.degrees(limit):.1f} deg; the way takes {needed * 1e3:.0f} ms at full speed"
        )
        severity: Severity = "error" if wrong else _by_origin(played, "warning")
        yield context.finding(ENDS, severity, played, message, named, sample, value, limit)
    kinematics = context.kinematics
    places = []
    for joints in (posture, reference.position):
        kinematics.update(joints)
        places.append(np.array([kinematics.pose(foot.site)[0] for foot in robot.feet]).reshape(-1, 3))
    for foot, way in zip(robot.feet, np.linalg.norm(places[0] - places[1], axis=1), strict=True):
        if way > _END_FOOT + _SLACK:
            away, most = f"{way * 1e3:.1f} mm", f"{_END_FOOT * 1e3:.0f} mm"
            message = f"{verb} with foot {foot.name} {away} from posture {name!r}; limit: {most}"
            severity = _by_origin(played, "warning")
            yield context.finding(ENDS, severity, played, message, None, sample, float(way), _END_FOOT)


def _by_origin(played: PlayedMotion, severity: Severity) -> Severity:
    """How much a convention of this team weighs: for a motion from elsewhere it is worth knowing, no more."""
    return "info" if played.foreign else severity


def check_duration(context: AiboContext) -> Iterator[Finding]:
    """Motions that take too long: the sum of their keyframes as written, without a first one that is reached at once.

    A change of posture that a name declares (``a_sit#stand_up``) is no move of the game and only warned of; motions
    from elsewhere were not made for the game.
    """
    rules = context.rules
    for played in context.played:
        if played.motion in _LONG_MOTIONS:
            continue
        keyframes = keyframes_of(context.library, played.motion)[played.at_once :]
        duration = math.fsum(keyframe.duration for keyframe in keyframes)
        if duration > rules.duration_pass + _SLACK:
            severity: Severity = "warning"
            message = f"takes {duration * 1e3:.0f} ms; limit: {rules.duration_pass * 1e3:.0f} ms"
            if played.foreign:
                severity = "info"
            elif played.start == played.end:
                message += f", an error above {rules.duration_warn * 1e3:.0f} ms"
                severity = "error" if duration > rules.duration_warn + _SLACK else "warning"
            last = len(played.trajectory.time) - 1
            yield context.finding(DURATION, severity, played, message, None, last, duration, rules.duration_pass)


def check_camera(context: AiboContext) -> Iterator[Finding]:
    """Pictures that the head's own turning blurs: blur = speed x exposure x pixels per angle."""
    model = context.robot.model
    if "camera" not in [model.site(number).name for number in range(model.nsite)]:
        return
    rules, kinematics = context.rules, context.kinematics
    sharp = _BLUR * _CAMERA_VIEW / (_CAMERA_PIXELS * _EXPOSURE)
    carriers = _carriers(context)
    for played in context.played:
        # No camera turns faster than its joints together, so most motions need no look at it.
        rates = np.abs(np.diff(played.trajectory.position[:, carriers], axis=0)) / rules.tick
        fast = rates.sum(axis=1) > sharp * (1.0 - _SLACK)
        speeds = np.zeros(len(rates))
        for step in np.flatnonzero(fast).tolist():
            turns = []
            for joints in played.trajectory.position[step : step + 2]:
                kinematics.update(joints)
                turns.append(kinematics.pose("camera")[1])
            speeds[step] = _angle(*turns) / rules.tick
        blurred = int((speeds > sharp).sum())
        if not blurred:
            continue
        lost, worst = blurred * rules.tick * _CAMERA_RATE, int(np.argmax(speeds))
        message = (
            f"blurs about {lost:.0f} of {len(speeds) * rules.tick * _CAMERA_RATE:.0f} pictures: the camera turns"
            f" at up to {math.degrees(speeds[worst]):.0f} deg/s; sharp below {math.degrees(sharp):.0f} deg/s"
        )
        severity: Severity = _by_origin(played, "warning") if lost > rules.lost_frames else "info"
        yield context.finding(CAMERA, severity, played, message, None, worst + 1, lost, rules.lost_frames)


def _carriers(context: AiboContext) -> list[int]:
    """Numbers of the joints between the base and the camera."""
    model = context.robot.model
    bodies = set(upwards(model, int(model.site("camera").bodyid[0])))
    return [n for n, name in enumerate(context.robot.joint_names) if int(model.joint(name).bodyid[0]) in bodies]


def check_complete(context: AiboContext) -> Iterator[Finding]:
    """Joints that a motion never names, so that they stay wherever the last motion left them."""
    robot, rules = context.robot, context.rules
    wanted = [joint for group in rules.complete for joint in robot.groups.get(group, ())]
    for played in context.played:
        named = {joint for keyframe in keyframes_of(context.library, played.motion) for joint in keyframe.joints}
        missing = [joint for joint in wanted if joint not in named and joint not in rules.optional]
        if missing and named:
            names = ", ".join(missing)
            message = f"never names {len(missing)} of {len(wanted) - len(rules.optional)} joints: {names}"
            yield context.finding(COMPLETE, _by_origin(played, "warning"), played, message, value=names)


def check_period(context: AiboContext) -> Iterator[Finding]:
    """Durations that the robot's clock rounds, as the player does at its tick and motion files do at their frames."""
    period, tick = context.rules.file_period, context.rules.tick
    for place, keyframe in context.keyframes():
        lasts = keyframe.duration
        whole = keyframe_ticks(lasts, tick) if period == tick else max(1, round(lasts / period))
        rounded = whole * period
        if abs(rounded - lasts) > 1e-6:
            message = f"{lasts * 1e3:g} ms is no multiple of {period * 1e3:g} ms; it lasts {rounded * 1e3:g} ms"
            yield Finding(PERIOD, "info", f"{place}.duration", message, value=lasts, limit=rounded)


def _angle(one: NDArray[np.float64], other: NDArray[np.float64]) -> float:
    """Angle between two orientations [rad]."""
    # The chord keeps small angles, which the trace loses.
    return 2.0 * math.asin(min(1.0, float(np.linalg.norm(one - other)) / (2.0 * math.sqrt(2.0))))
