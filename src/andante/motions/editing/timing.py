"""Time: scaling durations, and stretching them until no joint is faster than it can be."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from andante.motions.errors import MotionError, block_of, motion_of
from andante.motions.interpolation import PEAK_SPEED, curve_array, keyframe_ratios
from andante.motions.keyframe import Block
from andante.motions.library import MotionLibrary
from andante.motions.sampling import Segment, sample_motion
from andante.robots.robot import Robot
from andante.spatial.arrays import Array


@dataclass(frozen=True)
class Retiming:
    """One changed duration."""

    place: str
    """Keyframe in the document."""
    joint: str
    """The joint that needs the longest."""
    before: float
    """Old duration [s]."""
    after: float
    """New duration [s]."""
    speed: float
    """The joint's fastest step at the old duration [rad/s]."""
    limit: float
    """Speed that it may have [rad/s]."""

    def __str__(self) -> str:
        return (
            f"{self.place}: {self.before * 1e3:g} ms -> {self.after * 1e3:g} ms, as {self.joint} would move at"
            f" {math.degrees(self.speed):.0f} deg/s; limit: {math.degrees(self.limit):.0f} deg/s"
        )


def scale_block(block: Block, factor: float) -> Block:
    """A block whose durations are ``factor`` times as long; waits and conditions stay.

    Raises:
        MotionError: A factor that is not above 0 and finite.
    """
    if not (factor > 0.0 and math.isfinite(factor)):
        raise MotionError("durations cannot be scaled by this factor", value=factor, limit="above 0, finite")
    keyframes = tuple(keyframe.but(duration=keyframe.duration * factor) for keyframe in block.keyframes)
    return block.but(keyframes=keyframes)


def scale_motion(library: MotionLibrary, motion: str, factor: float) -> MotionLibrary:
    """A library in which a motion's blocks take ``factor`` times as long, also where other motions use them.

    Raises:
        MotionError: An unknown motion or block, or a factor that is not above 0 and finite.
    """
    blocks = dict(library.blocks)
    for name in dict.fromkeys(motion_of(library, motion).blocks):
        blocks[name] = scale_block(block_of(library, name, f"motions.{motion}.blocks"), factor)
    return library.but(blocks=blocks)


def retime_motion(
    library: MotionLibrary,
    robot: Robot,
    motion: str,
    start: Array,
    *,
    tick: float | None = None,
    share: float = 1.0,
) -> tuple[MotionLibrary, tuple[Retiming, ...]]:
    """Stretch the keyframes of a motion in which a joint's step from tick to tick is faster than its limit.

    The slowest joint decides. A new duration is the shortest whole number of ticks that obeys the limit for the curve's
    steepest point, and never shorter than the old one. A block that stands in the motion more than once gets the
    longest duration that any of its places needs.

    Args:
        library: The motions.
        robot: The robot with the speed limits.
        motion: Name of the motion.
        start: Posture before the motion, (nj,) [rad].
        tick: Period of the motion cycle [s]; the robot's where None.
        share: Share of the speed limits that may be used, above 0 to 1.

    Returns:
        The new library and what has changed, in the motion's order.

    Raises:
        MotionError: As `sample_motion`; a share outside the range, or a moving joint whose speed limit is 0.
        UnknownJointError: As `sample_motion`.
    """
    if not 0.0 < share <= 1.0:
        raise MotionError("the share of the speed limits is out of range", value=share, limit="above 0, at most 1")
    tick = robot.tick if tick is None else tick
    limits = robot.max_velocity * share
    trajectory = sample_motion(library, robot, motion, start, tick)
    changes: dict[tuple[str, int], Retiming] = {}
    for segment in trajectory.segments:
        way = np.abs(trajectory.position[segment.last] - trajectory.position[segment.first - 1])
        found = _needed(robot, segment, way, limits, tick)
        key = (segment.block, segment.keyframe)
        if found is not None and (key not in changes or found.after > changes[key].after):
            changes[key] = found
    blocks = dict(library.blocks)
    for (name, index), change in changes.items():
        keyframes = list(blocks[name].keyframes)
        keyframes[index] = keyframes[index].but(duration=change.after)
        blocks[name] = blocks[name].but(keyframes=tuple(keyframes))
    return library.but(blocks=blocks), tuple(changes.values())


def _needed(robot: Robot, segment: Segment, way: Array, limits: Array, tick: float) -> Retiming | None:
    """The longer duration that a keyframe needs, or None. ``way`` and ``limits`` are (nj,)."""
    curve = segment.interpolation
    shares = curve_array(curve, np.concatenate(([0.0], keyframe_ratios(segment.duration, tick))))
    speeds = way * (np.max(np.diff(shares)) / tick)
    if not (speeds > limits * (1.0 + 1e-9)).any():
        return None
    if (limits[way > 0.0] <= 0.0).any():
        stuck = robot.joint_names[int(np.flatnonzero((way > 0.0) & (limits <= 0.0))[0])]
        raise MotionError("a joint moves that has a speed limit of 0", place=segment.place, value=stuck)
    times = np.divide(way * PEAK_SPEED[curve], limits, out=np.zeros_like(way), where=way > 0.0)
    slowest = int(np.argmax(times))
    # The engine joins a rest of less than a quarter tick to the last step; whole ticks have none.
    ticks = math.ceil(max(times[slowest], segment.duration) / tick - 1e-9)
    return Retiming(
        place=segment.place,
        joint=robot.joint_names[slowest],
        before=segment.duration,
        # Whole microseconds, the engine's resolution.
        after=round(ticks * tick, 6),
        speed=float(speeds[slowest]),
        limit=float(limits[slowest]),
    )
