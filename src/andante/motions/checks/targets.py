"""Numbers beyond what a joint can do, or in the wrong unit: angles and times that nobody can mean.

A slip between degrees and radians is a factor of 57, one between milliseconds and seconds a factor of 1000. What is
judged is so far from anything a robot does that only a slip explains it; slips that stay inside are for other rules.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from andante.motions.checks.context import ANGLE_TOLERANCE, CheckContext, DocumentContext
from andante.motions.findings import Finding

UNITS = "units"

SHORTEST = 1e-3
"""Shortest duration that is meant [s]: teams write 1 ms for "at once", and no format counts more finely."""
LONGEST = 60.0
"""Longest duration that is meant [s]; whoever holds a posture longer writes several keyframes."""
FACTOR = 2.0
"""Targets beyond this many times the widest joint's range are a slip. Asking for more than a joint can do is a way to
push; the widest target of the published libraries is 1.4 times the range of its robot's widest joint."""
ENOUGH = 6
"""So many different targets, all of them tiny, are a motion in radians that is read as degrees."""
_TINY = math.radians(math.pi)
_SLACK = 1e-6


def check_units(context: CheckContext) -> Iterator[Finding]:
    """Angles far beyond every joint of the robot, durations of less than 1 ms or of minutes, motions of tiny angles."""
    yield from _angles(context)
    yield from check_durations(context)


def check_durations(context: DocumentContext) -> Iterator[Finding]:
    """Durations of less than 1 ms or of minutes."""
    for place, keyframe in context.keyframes():
        duration = keyframe.duration
        if duration < SHORTEST * (1.0 - _SLACK):
            told = f"a duration of {duration * 1e3:.3g} ms is shorter than any; did you mean {duration * 1e3:.3g} s?"
            yield Finding(UNITS, "error", f"{place}.duration", told, value=duration, limit=SHORTEST)
        elif duration > LONGEST:
            told = f"a duration of {duration:.6g} s is longer than any; did you mean {duration:.6g} ms?"
            yield Finding(UNITS, "error", f"{place}.duration", told, value=duration, limit=LONGEST)


def _angles(context: CheckContext) -> Iterator[Finding]:
    robot = context.robot
    bounds = {joint.name: max(abs(joint.lower), abs(joint.upper)) for joint in robot.joints}
    widest = max((bound for bound in bounds.values() if math.isfinite(bound)), default=math.inf)
    met: set[float] = set()
    for place, keyframe in context.keyframes():
        for name, value in keyframe.joints.items():
            if isinstance(value, str) or not math.isfinite(bounds.get(name, math.inf)):
                continue
            met.add(value)
            if abs(value) > FACTOR * widest:
                told = (
                    f"{math.degrees(value):.6g} deg ({value:.6g} rad) is far beyond every joint of {robot.name}, of"
                    f" which the widest goes to {math.degrees(widest):.6g} deg; did you mean deg ({value:.6g} deg)?"
                )
                yield Finding(UNITS, "error", f"{place}.joints.{name}", told, name, None, value, FACTOR * widest)
    met.discard(0.0)
    if len(met) >= ENOUGH and max(map(abs, met)) <= _TINY:
        largest = math.degrees(max(met, key=abs))
        told = f"of {len(met)} targets none is beyond {abs(largest):.3g} deg; did you mean rad ({largest:.3g} rad)?"
        yield Finding(UNITS, "warning", "blocks", told, value=math.radians(largest), limit=_TINY)


LIMITS = "joint-limit"
COUPLING = "coupling"


def check_limits(context: CheckContext) -> Iterator[Finding]:
    """Targets beyond a joint's limits: a warning, since asking for more than can be reached is a way to push."""
    robot = context.robot
    for place, keyframe in context.keyframes():
        for name, value in keyframe.joints.items():
            index = robot.joint_index.get(name)
            if index is None or isinstance(value, str):
                continue
            joint = robot.joints[index]
            bound = joint.lower if value < joint.lower else joint.upper
            excess = max(joint.lower - value, value - joint.upper)
            if excess > ANGLE_TOLERANCE:
                told = f"target {_shown(value)} is {_shown(excess)} beyond the joint's limit of {_shown(bound)}"
                yield Finding(LIMITS, "warning", f"{place}.joints.{name}", told, name, None, value, bound)


def check_couplings(context: CheckContext) -> Iterator[Finding]:
    """Different targets for two joints that one motor moves."""
    coupled = [(joint.name, joint.follows) for joint in context.robot.joints if joint.follows is not None]
    for place, keyframe in context.keyframes():
        for follower, leader in coupled:
            if follower not in keyframe.joints or leader not in keyframe.joints:
                continue
            mine, other = keyframe.joints[follower], keyframe.joints[leader]
            if isinstance(mine, str) or isinstance(other, str):
                differ = mine != other
            else:
                differ = abs(mine - other) > ANGLE_TOLERANCE
            if differ:
                told = f"one motor moves {leader} and {follower}, but their targets differ"
                told += f" ({_shown(other)} and {_shown(mine)}); {leader} decides"
                yield Finding(COUPLING, "warning", f"{place}.joints.{follower}", told, follower, None, mine, other)


def _shown(value: float | str) -> str:
    return value if isinstance(value, str) else f"{math.degrees(value):.2f} deg"
