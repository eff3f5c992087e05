"""What all checks share: the library, its robot, the settings and the sampled trajectories."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property, wraps
from typing import Annotated, ClassVar, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from andante.documents.quantities import FixedTime, Length, NonNegativeLength
from andante.documents.settings import Settings
from andante.motions.errors import MotionError
from andante.motions.findings import Finding, Severity
from andante.motions.keyframe import Interpolation, Keyframe
from andante.motions.library import MotionLibrary, placed_keyframes
from andante.motions.sampling import Segment, Trajectory, sample_block, sample_motion, samples_of, start_posture
from andante.robots.parts import RobotError
from andante.robots.robot import Robot
from andante.spatial.arrays import Flags

Tick = Annotated[FixedTime, Field(ge=1e-4, le=1.0)]
"""A period at which motions are looked at [s]: 0.1 ms to 1 s."""

ANGLE_TOLERANCE = 1e-4
"""Angles that differ by less are the same to every check [rad], 0.006 deg.

It covers the coarsest of the ways in which the formats hold an angle that was meant to be a limit. Sony's motions hold
whole microradians, of degrees that were turned with pi = 3.1416: 122 deg are stored as 2129306 instead of 2129302, and
360 deg would be off by 15 microradians. Aldebaran publishes the NAO's limits in radians with four decimals: 119.5 deg
are 2.0857 there, off by 31 microradians, at most by 50. Whole hundredths of a degree still differ."""


MAX_ALL = 1_200_000
"""Most samples of all motions of a library together (four hours at 12 ms); motions beyond are told and not sampled."""
_KEPT = 12_000_000
"""Most numbers of trajectories that are kept from one check to the next (0.1 GB)."""
MOVED = math.radians(0.2)
"""Way of a joint after which bodies are looked at again [rad]; 17 deg/s at a tick of 12 ms."""


class CheckSettings(Settings):
    """What the checks may assume and tolerate."""

    place: ClassVar[str] = "rules"

    start: str | None = None
    """Posture of the robot from which motions begin. None: unknown, so that the way to a motion's first posture is not
    judged."""
    tick: Tick | None = None
    """Period of the motion cycle [s]; None: the robot's."""
    entries: tuple[str, ...] | None = None
    """Motions that may be asked for; None: all, or those of the original engine in its dialects."""
    collision_allowance: NonNegativeLength = 0.002
    """Overlap of two bodies that is not reported [m]; collision shapes are approximate."""
    balance_margin: Length = 0.0
    """Smallest distance of the centre of mass from the edge of the support polygon [m]."""


@dataclass(frozen=True, kw_only=False, eq=False)
class Sampled:
    """A sampled motion, or a block that is in none."""

    trajectory: Trajectory
    """The postures."""
    motion: str | None
    """Name of the motion; None for a single block."""
    known_start: bool
    """Whether the start posture is more than an assumption."""
    _looked: dict[int, NDArray[np.intp]] = field(default_factory=dict, init=False, repr=False)

    def looked_at(self, segment: Segment) -> NDArray[np.intp]:
        """The samples of a segment whose postures are certain and worth a look at, rising, (n,); see `moved`.

        None where a joint that the motion tells later is stiff and still where nobody says.
        """
        found = self._looked.get(segment.first)
        if found is None:
            at, told = segment.number, self.trajectory.segment_told
            driven = self._ever_told & (self.trajectory.segment_stiffness[at] > 0.0)
            begun, ended = self.known_before(segment), told[at] | self.known_start
            first = segment.first if begun[driven].all() and (at or self.known_start) else segment.last
            stop = segment.last + 1 if ended[driven].all() else first
            found = moved(self.trajectory.position, first, stop)
            self._looked[segment.first] = found
        return found

    @cached_property
    def _ever_told(self) -> Flags:
        # Once for all segments: a recording has as many as rows.
        return np.asarray(self.trajectory.segment_told.any(axis=0))

    def known_before(self, segment: Segment) -> Flags:
        """Joints whose position at the start of a segment is more than an assumption, (nj,)."""
        at, told = segment.number, self.trajectory.segment_told
        return np.asarray((told[at - 1] if at else np.zeros_like(told[0])) | self.known_start)


def moved(position: NDArray[np.float64], start: int, stop: int) -> NDArray[np.intp]:
    """The samples ``start`` to ``stop`` at which a joint has gone on by `MOVED` since the last, and the last, (n,).

    So a look at the bodies costs by how far joints go, not by how long they take.
    """
    if stop - start < 2:
        return np.arange(start, stop)
    way = np.abs(np.diff(position[start:stop], axis=0)).max(axis=1)
    gone = np.floor(np.cumsum(way) / MOVED)
    keep = np.concatenate([[True], np.diff(gone, prepend=0.0) > 0.0])
    keep[-1] = True
    return np.asarray(start + np.flatnonzero(keep))


@dataclass(eq=False)
class DocumentContext:
    """A library under examination, by what it says itself."""

    library: MotionLibrary
    """The library."""

    def keyframes(self) -> Iterator[tuple[str, Keyframe]]:
        """All keyframes with their places."""
        return placed_keyframes(self.library)

    @property
    def entries(self) -> tuple[str, ...] | None:
        """Motions that may be asked for; None: all, or those of the original engine in its dialects."""
        return None


@dataclass(eq=False)
class CheckContext(DocumentContext):
    """A library under examination, beside its robot."""

    robot: Robot
    """The robot that it is for."""
    settings: CheckSettings = field(default_factory=CheckSettings)
    """Assumptions and tolerances."""
    _unsampled: dict[str, Finding] = field(default_factory=dict)

    @property
    def tick(self) -> float:
        """Period of the motion cycle [s]."""
        return self.robot.tick if self.settings.tick is None else self.settings.tick

    @property
    def start(self) -> NDArray[np.float64]:
        """Posture before every motion, (nj,) [rad]: the settings', else `start_posture`.

        Raises:
            RobotError: The robot has no posture of the settings' name.
        """
        return start_posture(self.robot) if self.settings.start is None else self.robot.posture(self.settings.start)

    @property
    def entries(self) -> tuple[str, ...] | None:
        """As the settings say."""
        return self.settings.entries

    def sampled(self) -> Iterable[Sampled]:
        """The nominal trajectories of all motions, and of the blocks that are in none.

        What is large is made anew each time, so that a long library needs the memory of its longest motion only.
        """
        large = sum(count for *_, count in self._plan) * len(self.robot.joints) > _KEPT
        return self._sample() if large else self._kept

    def timing(self, segment: Segment) -> tuple[float, Interpolation]:
        """Duration [s] and curve of a keyframe."""
        return segment.duration, segment.interpolation

    def segments(self) -> Iterator[tuple[Sampled, Segment]]:
        """All keyframes of `sampled`."""
        return ((sampled, segment) for sampled in self.sampled() for segment in sampled.trajectory.segments)

    def unsampled(self) -> list[Finding]:
        """What could not be sampled and why."""
        for _ in self.sampled():
            pass
        return list(self._unsampled.values())

    @cached_property
    def _kept(self) -> list[Sampled]:
        return list(self._sample())

    @cached_property
    def _plan(self) -> list[tuple[str, str, int]]:
        """Kind, name and number of samples of what is to be sampled: motions, and blocks that are in none."""
        library, left, chosen = self.library, MAX_ALL, list[tuple[str, str, int]]()
        used = {block for each in library.motions.values() for block in each.blocks}
        parts = [("motion", name, motion.blocks) for name, motion in library.motions.items()]
        parts += [("block", name, (name,)) for name in library.blocks if name not in used]
        for kind, name, blocks in parts:
            count = samples_of(library, blocks, self.tick)
            if count > left:
                place, limit = f"{kind}s.{name}", f"{MAX_ALL} samples in all"
                error = MotionError("the motion is too long to sample", place=place, value=count, limit=limit)
                self._refuse(place, error)
            else:
                left -= count
                chosen.append((kind, name, count))
        return chosen

    def _sample(self) -> Iterator[Sampled]:
        library, robot, start, tick = self.library, self.robot, self.start, self.tick
        for kind, name, _ in self._plan:
            motion, sample = (name, sample_motion) if kind == "motion" else (None, sample_block)
            try:
                trajectory = sample(library, robot, name, start, tick)
            except (MotionError, RobotError) as error:
                self._refuse(f"{kind}s.{name}", error)
            else:
                # Whoever inserts a block decides where it starts.
                yield Sampled(trajectory, motion, motion is not None and self.settings.start is not None)

    def _refuse(self, place: str, error: MotionError | RobotError) -> None:
        message = f"not checked for speed, collision and balance, as it cannot be sampled: {error}"
        self._unsampled[place] = Finding("not-sampled", "warning", place, message)


class Breach(NamedTuple):
    """What a keyframe breaks a rule by, at one tick."""

    motion: str | None
    """Motion in which it was met."""
    segment: Segment
    """The keyframe."""
    severity: Severity
    """As `Finding.severity`."""
    message: str
    """As `Finding.message`."""
    sample: int
    """The tick, from the motion's start."""
    value: float
    """Value met, SI units."""
    limit: float
    """Limit that it had to obey, SI units."""
    excess: float
    """How bad it is beside others of the same keyframe and joint or key."""
    joint: str | None = None
    """Joint concerned."""
    key: tuple[str, ...] = ()
    """What it is about, where that is not `joint`."""


C = TypeVar("C", bound=CheckContext)


def worst(rule: str) -> Callable[[Callable[[C], Iterator[Breach]]], Callable[[C], Iterator[Finding]]]:
    """Make a check that finds the worst breach of a rule per keyframe and joint or key, in order of first appearance.

    Args:
        rule: Name of the rule.
    """

    def of(breaches: Callable[[C], Iterator[Breach]]) -> Callable[[C], Iterator[Finding]]:
        @wraps(breaches)
        def check(context: C) -> Iterator[Finding]:
            found: dict[tuple[str | None, ...], Breach] = {}
            for breach in breaches(context):
                key = (breach.segment.place, *(breach.key or (breach.joint,)))
                if key not in found or breach.excess > found[key].excess:
                    found[key] = breach
            for motion, segment, severity, message, sample, value, limit, _, joint, _ in found.values():
                time = sample * context.tick
                yield Finding(rule, severity, segment.place, message, joint, time, value, limit, motion)

        return check

    return of
