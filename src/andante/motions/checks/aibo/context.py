"""What the design rules share: the motions' trajectories, each from the posture in which it begins."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from andante.motions.checks.aibo.rules import AiboRules
from andante.motions.errors import MotionError
from andante.motions.findings import Finding, Severity
from andante.motions.library import MotionLibrary
from andante.motions.sampling import Segment, Trajectory, sample_motion
from andante.robots.robot import Robot, RobotError

_NAME = re.compile(r"^[a-z]_(?P<start>\w+?)(?:#(?P<end>[a-zA-Z]+)\w*)?$")


@dataclass(frozen=True, eq=False)
class Played:
    """One motion, played from where it begins."""

    motion: str
    """Its name."""
    trajectory: Trajectory
    """Its postures."""
    start: str
    """Name of the posture in which it begins."""
    end: str
    """Name of the posture in which it ends."""

    def place(self, segment: Segment | None = None) -> str:
        """Place in the document."""
        return f"motions.{self.motion}" if segment is None else segment.place


class AiboContext:
    """A library under the design rules."""

    def __init__(self, library: MotionLibrary, robot: Robot, rules: AiboRules) -> None:
        self.library, self.robot, self.rules = library, robot, rules
        self.refused: list[Finding] = []
        """What cannot be judged and why."""

    @cached_property
    def played(self) -> tuple[Played, ...]:
        """All motions that can be sampled."""
        return tuple(self._play())

    def posture(self, name: str) -> NDArray[np.float64]:
        """A posture of the robot, (nj,) [rad].

        Raises:
            RobotError: The robot has no such posture.
        """
        return self.robot.posture(name)

    def finding(
        self,
        rule: str,
        severity: Severity,
        played: Played,
        message: str,
        *,
        segment: Segment | None = None,
        joint: str | None = None,
        sample: int | None = None,
        value: float | str | None = None,
        limit: float | str | None = None,
    ) -> Finding:
        """A finding about a motion, or about one of its keyframes."""
        time = None if sample is None else sample * self.rules.tick
        return Finding(rule, severity, played.place(segment), message, joint, time, value, limit, played.motion)

    def _play(self) -> Iterator[Played]:
        for name in self.library.motions:
            start, end = declared_ends(name, self.robot, self.rules.reference)
            try:
                trajectory = sample_motion(self.library, self.robot, name, self.robot.posture(start), self.rules.tick)
            except (MotionError, RobotError) as error:
                self.refused.append(
                    Finding("not-sampled", "error", f"motions.{name}", f"cannot be judged: {error}", motion=name)
                )
            else:
                yield Played(name, trajectory, start, end)


def declared_ends(name: str, robot: Robot, reference: str) -> tuple[str, str]:
    """Postures that a motion's name declares (``<part>_<start>#<end>_<label>``); the reference where it does not.

    A start that is no posture of the robot, as in ``a_KickB``, declares nothing.
    """
    found = _NAME.match(name)
    if found is None:
        return reference, reference
    start, end = found["start"], found["end"]
    if start not in robot.postures:
        return reference, reference
    return start, end if end in robot.postures else start
