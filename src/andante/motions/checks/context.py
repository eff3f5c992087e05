"""What all checks share: the library, its robot, the settings and the sampled trajectories."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from andante.documents.quantities import FixedDuration, Length, NonNegativeAngle, NonNegativeLength, Positive
from andante.documents.settings import Settings
from andante.motions.checks.tolerance import ANGLE_TOLERANCE
from andante.motions.errors import MotionError
from andante.motions.findings import Finding
from andante.motions.keyframe import Keyframe
from andante.motions.library import MotionLibrary
from andante.motions.sampling import Segment, Trajectory, sample_block, sample_motion
from andante.robots.robot import Robot, RobotError


class CheckSettings(Settings):
    """What the checks may assume and tolerate."""

    place: ClassVar[str] = "rules"

    start: str | None = None
    """Posture of the robot from which motions begin. None: unknown, so that the way to a motion's first posture is not
    judged."""
    tick: FixedDuration | None = None
    """Period of the motion cycle [s]; None: the robot's."""
    entries: tuple[str, ...] | None = None
    """Motions that may be asked for; None: all, or those of the original engine in its dialects."""
    velocity_jump: Positive = 1.0
    """Largest change of a joint's velocity between two keyframes, as share of its speed limit."""
    collision_allowance: NonNegativeLength = 0.002
    """Overlap of two bodies that is not reported [m]; collision shapes are approximate."""
    angle_tolerance: NonNegativeAngle = ANGLE_TOLERANCE
    """Angles that differ by less are the same: files round them [rad]."""
    balance_margin: Length = 0.0
    """Smallest distance of the centre of mass from the edge of the support polygon [m]."""


@dataclass(frozen=True)
class Sampled:
    """A sampled motion, or a block that is in none."""

    trajectory: Trajectory
    """The postures."""
    motion: str | None
    """Name of the motion; None for a single block."""
    known_start: bool
    """Whether the start posture is more than an assumption."""

    def judged(self, segment: Segment) -> slice:
        """The samples of a segment whose postures are certain."""
        assumed = segment is self.trajectory.segments[0] and not self.known_start
        return slice(segment.last if assumed else segment.first, segment.last + 1)


@dataclass(eq=False)
class Context:
    """A library under examination."""

    library: MotionLibrary
    """The library."""
    robot: Robot
    """The robot that it is for."""
    settings: CheckSettings = field(default_factory=CheckSettings)
    """Assumptions and tolerances."""
    _sampled: list[Sampled] | None = None
    _unsampled: list[Finding] = field(default_factory=list)

    @property
    def tick(self) -> float:
        """Period of the motion cycle [s]."""
        return self.robot.tick if self.settings.tick is None else self.settings.tick

    @property
    def start(self) -> NDArray[np.float64]:
        """Posture before every motion, (nj,) [rad]: the settings', else "stand", else the nearest legal to zero.

        Raises:
            RobotError: The robot has no posture of the settings' name.
        """
        if self.settings.start is not None:
            return self.robot.posture(self.settings.start)
        if "stand" in self.robot.postures:
            return self.robot.posture("stand")
        return np.clip(np.zeros(len(self.robot.joints)), self.robot.lower, self.robot.upper)

    def keyframes(self) -> Iterator[tuple[str, Keyframe]]:
        """All keyframes with their places."""
        for name, block in self.library.blocks.items():
            for index, keyframe in enumerate(block.keyframes):
                yield f"blocks.{name}.keyframes[{index}]", keyframe

    def sampled(self) -> list[Sampled]:
        """The nominal trajectories of all motions, and of the blocks that are in none."""
        if self._sampled is None:
            self._sampled = list(self._sample())
        return self._sampled

    def unsampled(self) -> list[Finding]:
        """What could not be sampled and why."""
        self.sampled()
        return self._unsampled

    def _sample(self) -> Iterator[Sampled]:
        used = {block for motion in self.library.motions.values() for block in motion.blocks}
        start, known = self.start, self.settings.start is not None
        for name in self.library.motions:
            try:
                trajectory = sample_motion(self.library, self.robot, name, start, self.tick)
            except (MotionError, RobotError) as error:
                self._refuse(f"motions.{name}", error)
            else:
                yield Sampled(trajectory, name, known)
        for name in self.library.blocks:
            if name in used:
                continue
            try:
                trajectory = sample_block(self.library, self.robot, name, start, self.tick)
            except (MotionError, RobotError) as error:
                self._refuse(f"blocks.{name}", error)
            else:
                # Whoever inserts the block decides where it starts.
                yield Sampled(trajectory, None, False)

    def _refuse(self, place: str, error: MotionError | RobotError) -> None:
        message = f"not checked for speed, collision and balance, as it cannot be sampled: {error}"
        self._unsampled.append(Finding("not-sampled", "warning", place, message))


class Worst:
    """Keeps, per key, the finding that is farthest beyond its limit."""

    def __init__(self) -> None:
        self._found: dict[tuple[str, ...], tuple[float, Finding]] = {}

    def add(self, finding: Finding, excess: float, *key: str) -> None:
        """Keep ``finding`` unless one of the same place and key is worse."""
        full_key = (finding.rule, finding.place, *key)
        if full_key not in self._found or excess > self._found[full_key][0]:
            self._found[full_key] = (excess, finding)

    def findings(self) -> list[Finding]:
        """What is left, in order of first appearance."""
        return [finding for _, finding in self._found.values()]
