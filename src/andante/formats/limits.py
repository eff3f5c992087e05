"""What a motion asks beyond a robot's limits, and motions with their targets brought inside.

Teams ask for more than a joint can do on purpose, to push; so importing tells and never refuses, and clips on request.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from operator import itemgetter

from andante.formats.report import Remark
from andante.motions.checks.context import ANGLE_TOLERANCE, CheckContext
from andante.motions.checks.targets import check_units
from andante.motions.interpolation import PEAK_SPEED, effective_interpolation
from andante.motions.keyframe import JointTarget
from andante.motions.library import MotionLibrary
from andante.robots.parts import Joint, MissingModelError
from andante.robots.register import ROBOTS
from andante.robots.robot import Robot

TOLERANCE = 1e-6
"""Share by which a speed may be beyond its limit untold."""


_Excesses = list[tuple[float, str]]
"""By how much a joint is beyond a limit, and where, each time."""


def robot_of(library: MotionLibrary) -> Robot | None:
    """The pack of a library's robot; None where Andante ships none, or its model is not there."""
    try:
        return Robot.load(library.robot) if library.robot in ROBOTS else None
    except MissingModelError:
        return None


def excesses(library: MotionLibrary, robot: Robot) -> list[Remark]:
    """One remark for each joint and limit that is exceeded: how often, and the worst place; slips of units first."""
    joints = {joint.name: joint for joint in robot.joints}
    remarks = list(_slips(library, robot))
    for (limit, name), found in _beyond(library, joints).items():
        if found:
            worst, place = max(found, key=itemgetter(0))
            text = f"{len(found)} target{'s' if len(found) > 1 else ''} of {name}"
            if limit == "speed":
                text += f" faster than it can turn, by a factor of up to {worst:.2f}"
            else:
                angle = math.degrees(getattr(joints[name], limit))
                text += f" beyond its {limit} limit of {angle:.2f} deg, by up to {math.degrees(worst):.2f} deg"
            remarks.append(Remark(text, inside=place))
    return remarks


def _beyond(library: MotionLibrary, joints: dict[str, Joint]) -> dict[tuple[str, str], _Excesses]:
    """The targets beyond each limit (lower, upper, speed) of each joint; those of speed last."""
    beyond: dict[tuple[str, str], _Excesses] = {(end, name): [] for name in joints for end in ("lower", "upper")}
    beyond |= {("speed", name): [] for name in joints}
    for block_name, block in library.blocks.items():
        held: dict[str, float] = {}
        for index, keyframe in enumerate(block.keyframes):
            place = f"blocks.{block_name}.keyframes[{index}]"
            peak = PEAK_SPEED[effective_interpolation(keyframe.interpolation, block.interpolation)]
            for name, value in keyframe.joints.items():
                joint = joints.get(name)
                if joint is None or isinstance(value, str):
                    continue
                for end, amount in (("lower", joint.lower - value), ("upper", value - joint.upper)):
                    if amount > ANGLE_TOLERANCE:
                        beyond[end, name].append((amount, place))
                if name in held:
                    way = abs(value - held[name])
                    factor = peak * way / keyframe.duration / joint.max_velocity
                    if factor > 1.0 + TOLERANCE and factor * (1.0 - ANGLE_TOLERANCE / way) > 1.0:
                        beyond["speed", name].append((factor, place))
                held[name] = value
    return beyond


def clipped(library: MotionLibrary, robot: Robot) -> tuple[MotionLibrary, int]:
    """The library with all targets inside the robot's position limits, and how many were changed."""
    joints = {joint.name: joint for joint in robot.joints}
    count = 0
    blocks = {}
    for name, block in library.blocks.items():
        keyframes = []
        for keyframe in block.keyframes:
            targets = {joint: _inside(value, joints.get(joint)) for joint, value in keyframe.joints.items()}
            count += sum(targets[joint] != value for joint, value in keyframe.joints.items())
            keyframes.append(keyframe.model_copy(update={"joints": targets}))
        blocks[name] = block.model_copy(update={"keyframes": tuple(keyframes)})
    return library.model_copy(update={"blocks": blocks}), count


def _slips(library: MotionLibrary, robot: Robot) -> Iterator[Remark]:
    """Numbers that only a wrong unit explains: the first place, and how many more."""
    found = list(check_units(CheckContext(library, robot)))
    if found:
        more = f" (and at {len(found) - 1} more places)" if found[1:] else ""
        yield Remark(f"{found[0].message}{more}", inside=found[0].place)


def _inside(value: JointTarget, joint: Joint | None) -> JointTarget:
    if joint is None or isinstance(value, str):
        return value
    return min(max(value, joint.lower), joint.upper)
