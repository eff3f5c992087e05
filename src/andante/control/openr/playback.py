"""Playbacks: the frames of one motion, of a stop, or of a motion with the seed's counted timing.

Each playback is made when it begins, from where the joints are then, and owns its place; nothing is shared between two
of them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from andante.control.controller import ControlError
from andante.control.openr.frames import FRAME, Micro, from_micro, to_micro
from andante.control.openr.settings import FixedTiming
from andante.motions.editing.timing import Retiming, retime_motion
from andante.motions.library import MotionLibrary
from andante.motions.sampling import sample_motion
from andante.robots.robot import Robot

KICKB = FixedTiming(switches=(1, 50, 100, 150, 200, 250, 300), finish=310)
"""Timing of the seed's Kickb: six poses of the kick, then the walk pose."""


@dataclass(eq=False)
class Playback:
    """The frames of one playback and how many of them have been taken."""

    name: str
    """Name of the motion."""
    generation: int
    """Number of the playback in this run."""
    frames: Micro
    """All frames, (n, nj) [microrad]."""
    stretched: tuple[Retiming, ...] = ()
    """Keyframes that take longer here than written, as a joint would have been too fast."""
    taken: int = field(default=0)
    """Frames that have been taken."""

    @property
    def over(self) -> bool:
        """Whether all frames have been taken."""
        return self.taken >= len(self.frames)

    def take(self, count: int) -> Micro:
        """The next frames, at most ``count``, (m, nj)."""
        frames = self.frames[self.taken : self.taken + count]
        self.taken += len(frames)
        return frames


def motion_playback(
    library: MotionLibrary, robot: Robot, motion: str, start: Micro, generation: int, *, retime: bool = True
) -> Playback:
    """A library's motion from where the joints are.

    Args:
        library: The motions.
        robot: The robot.
        motion: Name of the motion.
        start: Where the joints are, (nj,) [microrad].
        generation: Number of the playback.
        retime: Stretch keyframes in which a joint would be faster than its limit from this start.

    Raises:
        MotionError: As `andante.motions.sampling.sample_motion`.
        UnknownJointError: A keyframe names a joint that the robot does not have.
    """
    begin = from_micro(start)
    stretched: tuple[Retiming, ...] = ()
    if retime:
        library, stretched = retime_motion(library, robot, motion, begin, tick=FRAME)
    trajectory = sample_motion(library, robot, motion, begin, FRAME)
    return Playback(motion, generation, _within(robot, to_micro(trajectory.position[1:])), stretched)


def counted_playback(
    library: MotionLibrary,
    robot: Robot,
    motion: str,
    start: Micro,
    generation: int,
    timing: FixedTiming,
    frames: int,
) -> Playback:
    """A motion's keyframes as poses, sent with the seed's counted calls of ``frames`` frames each.

    Raises:
        ControlError: The motion does not have one keyframe per switch.
        MotionError: As `motion_playback`.
    """
    trajectory = sample_motion(library, robot, motion, from_micro(start), FRAME)
    poses = [to_micro(trajectory.position[segment.last]) for segment in trajectory.segments]
    if len(poses) != len(timing.switches):
        raise ControlError(
            "the motion does not have one pose per counted switch",
            place=f"motions.{motion}",
            value=len(poses),
            limit=f"{len(timing.switches)} keyframes",
        )
    sent = np.empty((timing.finish * frames, len(robot.joints)), dtype=np.int64)
    current, following = start, dict(zip(timing.switches, poses, strict=True))
    for call in range(1, timing.finish + 1):
        rows = slice((call - 1) * frames, call * frames)
        target = following.get(call)
        if target is None:
            sent[rows] = current
            continue
        shares = np.arange(1, frames + 1)[:, None] / frames
        sent[rows] = np.rint(current + shares * (target - current)).astype(np.int64)
        sent[rows.stop - 1] = target
        current = target
    return Playback(motion, generation, sent)


def stop_playback(robot: Robot, before: Micro, last: Micro, generation: int, duration: float) -> Playback:
    """A decelerating hold: each joint's step shrinks evenly to 0 within ``duration`` seconds.

    Args:
        robot: The robot; no joint is taken beyond its limits or faster than its speed.
        before: The frame before the last one, (nj,) [microrad].
        last: The last frame that is certainly output, (nj,) [microrad].
        generation: Number of the playback.
        duration: Time to standstill [s].
    """
    count = max(1, math.ceil(duration / FRAME - 1e-9))
    fastest = np.floor(robot.max_velocity * FRAME * 1e6)
    step = np.clip((last - before).astype(np.float64), -fastest, fastest)
    shares = np.cumsum(1.0 - np.arange(1, count + 1) / count)
    low = np.minimum(np.ceil(robot.lower * 1e6), last)
    high = np.maximum(np.floor(robot.upper * 1e6), last)
    # Towards zero: rounding up could make a step longer than the one before.
    way = np.trunc(shares[:, None] * step)
    return Playback("stop", generation, np.clip(last + way, low, high).astype(np.int64))


def _within(robot: Robot, frames: Micro) -> Micro:
    """Frames of which none is beyond a limit by rounding alone."""
    low, high = np.ceil(robot.lower * 1e6).astype(np.int64), np.floor(robot.upper * 1e6).astype(np.int64)
    frames = np.where(frames == low - 1, low, frames)
    return np.where(frames == high + 1, high, frames)
