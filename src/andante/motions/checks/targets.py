"""Numbers beyond what a joint can do, or in the wrong unit: angles and times that nobody can mean.

A slip between degrees and radians is a factor of 57, one between milliseconds and seconds a factor of 1000. What is
judged is so far from anything a robot does that only a slip explains it; slips that stay inside are for other rules.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

from andante.motions.checks.context import ANGLE_TOLERANCE, CheckContext, DocumentContext
from andante.motions.extras import TABLE
from andante.motions.findings import Finding
from andante.motions.keyframe import Block, angles_of

UNITS = "units"

SHORTEST = 1e-3
"""Shortest duration that is meant [s]: teams write 1 ms for "at once", and no format counts more finely."""
LONGEST = 60.0
"""Longest duration that is meant [s]; whoever holds a posture longer writes several keyframes."""
FACTOR = 2.0
"""Targets beyond this many times the widest joint's range are a slip. Asking for more than a joint can do is a way to
push; the widest target of the published libraries is 1.4 times the range of its robot's widest joint."""
TWO_TURNS = 4.0 * math.pi
"""Angle beyond which nobody means radians [rad]."""
ENOUGH = 6
"""So many different targets, all of them tiny, are a motion in radians that is read as degrees."""
_TINY = math.radians(math.pi)
SLOW = ((6, 5.0), (20, 2.0))
"""Blocks of so many keyframes or more, of which none takes less than so long [s], are in milliseconds that are read as
seconds: a table of a row every 5 ms is one of a row every 5 s then."""
QUICK = 0.02
"""Blocks of which no keyframe takes longer [s] are in seconds that are read as milliseconds where joints could not
follow by far; tables have as short rows, but no such ways."""
RUSH = 10.0
"""By far: so many times a joint's speed limit."""
ANY_SPEED = 20.0
"""Speed limit of joints of which none is known [rad/s]."""
BEYOND = 1.0 / 3.0
"""A library of which this share of targets is beyond limits, all of them inside as degrees, is in degrees."""
_SLACK = 1e-6


def check_units(context: CheckContext) -> Iterator[Finding]:
    """Angles far beyond every joint of the robot, durations of less than 1 ms or of minutes, motions of tiny angles."""
    yield from _far_angles(context)
    yield from check_durations(context)
    yield from check_pace(context)


def check_durations(context: DocumentContext) -> Iterator[Finding]:
    """Durations of less than 1 ms or of minutes; rows of a table may be closer where joints can follow them."""
    followed = _followed_tables(context)
    for place, keyframe in context.keyframes():
        duration = keyframe.duration
        if duration < SHORTEST * (1.0 - _SLACK) and place.rpartition(".")[0] not in followed:
            told = f"a duration of {duration * 1e3:.3g} ms is shorter than any; did you mean {duration * 1e3:.3g} s?"
            yield Finding(UNITS, "error", f"{place}.duration", told, value=duration, limit=SHORTEST)
        elif duration > LONGEST:
            told = f"a duration of {duration:.6g} s is longer than any; did you mean {duration:.6g} ms?"
            yield Finding(UNITS, "error", f"{place}.duration", told, value=duration, limit=LONGEST)


def _followed_tables(context: DocumentContext) -> set[str]:
    """Places of the blocks that are a table's rows and whose ways joints can follow.

    Recorded rows are as close as messages were: two publishers of some joints each have theirs a fraction of a
    millisecond apart. Seconds that are read as milliseconds ask joints for a thousand times their speed.
    """
    library = context.library
    tables = {name for motion in library.motions.values() if TABLE in motion.extras for name in motion.blocks}
    limits = _speeds(context) if isinstance(context, CheckContext) else {}
    followed = set()
    for name in tables & set(library.blocks):
        block = library.blocks[name]
        shares = sorted(_rushes(block, limits))
        # The way to the first posture is not known: where nothing moves after it, its own duration has to do.
        still = not shares and bool(block.keyframes) and block.keyframes[0].duration >= SHORTEST * (1.0 - _SLACK)
        if still or (shares and shares[len(shares) // 2] <= RUSH):
            followed.add(f"blocks.{name}")
    return followed


def check_turns(context: DocumentContext) -> Iterator[Finding]:
    """Angles of more than two turns, which no joint of a leg or an arm makes, whatever the robot."""
    for place, name, value in _angles(context):
        if abs(value) > TWO_TURNS:
            told = f"{math.degrees(value):.6g} deg ({value:.6g} rad) is more than two turns; did you mean deg"
            told += f" ({value:.6g} deg)?"
            yield Finding(UNITS, "error", place, told, name, None, value, TWO_TURNS)


def check_pace(context: DocumentContext) -> Iterator[Finding]:
    """Blocks whose keyframes are all slow or all quick by a factor of 1000."""
    limits = _speeds(context) if isinstance(context, CheckContext) else {}
    for name, block in context.library.blocks.items():
        times = [keyframe.duration for keyframe in block.keyframes[1:]]
        if not times or min(times) < SHORTEST * (1.0 - _SLACK) or max(times) > LONGEST:
            continue  # told keyframe by keyframe, or there is nothing to tell
        place, shortest, longest = f"blocks.{name}", min(times), max(times)
        if any(len(times) >= count and shortest >= slow for count, slow in SLOW):
            told = f"none of {len(times)} keyframes takes less than {shortest:.6g} s; did you mean {shortest:.6g} ms?"
            yield Finding(UNITS, "warning", place, told, value=shortest, limit=SLOW[0][1])
        elif len(times) >= 2 and longest <= QUICK:
            shares = sorted(_rushes(block, limits))
            if shares and shares[len(shares) // 2] > RUSH:
                told = f"none of {len(times)} keyframes takes longer than {longest * 1e3:.6g} ms, half of the ways in"
                told += f" them ask for {shares[len(shares) // 2]:.0f} times the speed of a joint or more; did you mean"
                told += f" {longest * 1e3:.6g} s?"
                yield Finding(UNITS, "warning", place, told, value=longest, limit=QUICK)


def _speeds(context: CheckContext) -> dict[str, float]:
    """Speed limits of the joints that have one, by name [rad/s]."""
    speeds = {joint.name: joint.max_velocity for joint in context.robot.joints}
    return {name: speed for name, speed in speeds.items() if math.isfinite(speed) and speed > 0.0}


def _rushes(block: Block, limits: Mapping[str, float]) -> Iterator[float]:
    """Speed over its limit of each joint that moves in a keyframe after the first."""
    held: dict[str, float] = {}
    for index, keyframe in enumerate(block.keyframes):
        for name, value in angles_of(keyframe).items():
            way = abs(value - held.get(name, value))
            held[name] = value
            if index and way > 0.0:
                yield way / keyframe.duration / limits.get(name, ANY_SPEED)


def _angles(context: DocumentContext) -> Iterator[tuple[str, str, float]]:
    """All targets that are angles: place, joint and angle [rad]."""
    for place, keyframe in context.keyframes():
        for joint, angle in angles_of(keyframe).items():
            yield f"{place}.joints.{joint}", joint, angle


def _far_angles(context: CheckContext) -> Iterator[Finding]:
    robot = context.robot
    bounds = {joint.name: max(abs(joint.lower), abs(joint.upper)) for joint in robot.joints}
    widest = max((bound for bound in bounds.values() if math.isfinite(bound)), default=math.inf)
    met: set[float] = set()
    for place, name, value in _angles(context):
        if not math.isfinite(bounds.get(name, math.inf)):
            continue
        met.add(value)
        if abs(value) > FACTOR * widest:
            told = f"{math.degrees(value):.6g} deg ({value:.6g} rad) is far beyond every joint of {robot.name}, of"
            told += f" which the widest goes to {math.degrees(widest):.6g} deg; did you mean deg ({value:.6g} deg)?"
            yield Finding(UNITS, "error", place, told, name, None, value, FACTOR * widest)
    yield from _small_degrees(context, bounds, FACTOR * widest)
    met.discard(0.0)
    if len(met) >= ENOUGH and max(map(abs, met)) <= _TINY:
        largest = math.degrees(max(met, key=abs))
        told = f"of {len(met)} targets none is beyond {abs(largest):.3g} deg; did you mean rad ({largest:.3g} rad)?"
        yield Finding(UNITS, "warning", "blocks", told, value=math.radians(largest), limit=_TINY)


def _small_degrees(context: CheckContext, bounds: Mapping[str, float], most: float) -> Iterator[Finding]:
    """Degrees read as radians that are small enough for some joint: many beyond limits, all inside as degrees."""
    beyond, count, worst = 0, 0, ("", 0.0)
    for _, name, value in _angles(context):
        if not value or not math.isfinite(bounds.get(name, math.inf)):
            continue
        joint, count = context.robot.joints[context.robot.joint_index[name]], count + 1
        excess = max(joint.lower - value, value - joint.upper)
        degrees = max(joint.lower - math.radians(value), math.radians(value) - joint.upper)
        if abs(value) > most or degrees > _HARDLY:
            return  # told target by target, or no motion in degrees either
        beyond += excess > _WIDELY
        worst = max(worst, (name, excess), key=lambda each: each[1])
    if beyond >= ENOUGH and beyond > BEYOND * count:
        told = f"{beyond} of {count} targets are far beyond their joint's limits, by up to"
        told += f" {math.degrees(worst[1]):.0f} deg ({worst[0]}), and read as degrees none is; did you mean deg?"
        yield Finding(UNITS, "warning", "blocks", told, worst[0], value=worst[1], limit=_WIDELY)


_WIDELY = math.radians(20.0)
"""So far beyond a limit nobody asks a joint to push in most of a motion [rad]."""
_HARDLY = math.radians(5.0)
"""So far beyond a limit is as good as inside, where degrees are tried [rad]."""

LIMITS = "joint-limit"
COUPLING = "coupling"


def check_limits(context: CheckContext) -> Iterator[Finding]:
    """Targets beyond a joint's limits: a warning, since asking for more than can be reached is a way to push."""
    joints = {joint.name: joint for joint in context.robot.joints}
    for place, name, value in _angles(context):
        if name not in joints:
            continue
        joint = joints[name]
        bound = joint.lower if value < joint.lower else joint.upper
        excess = max(joint.lower - value, value - joint.upper)
        if excess > ANGLE_TOLERANCE:
            told = f"target {_shown(value)} is {_shown(excess)} beyond the joint's limit of {_shown(bound)}"
            yield Finding(LIMITS, "warning", place, told, name, None, value, bound)


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
