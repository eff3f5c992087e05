"""What the design rules share: the motions' trajectories, each from the posture in which it begins.

Sony's motions say by their names in which posture they begin and end (``a_stand#sit_slowly``), and begin with their
first key. What "sit" is, is then what the motions of one archive have in common, which need not be the posture of that
name in a robot's pack.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from andante.motions.checks.aibo.rules import AiboRules
from andante.motions.checks.context import CheckContext, CheckSettings, Sampled
from andante.motions.errors import MotionError
from andante.motions.findings import Finding, Severity
from andante.motions.interpolation import keyframe_ticks
from andante.motions.keyframe import Block
from andante.motions.library import MotionLibrary, keyframes_of
from andante.motions.posture_kind import ANY, ends_of, ends_of_name, foreign, own_name
from andante.motions.sampling import sample_motion
from andante.robots.parts import RobotError
from andante.robots.robot import Robot

if TYPE_CHECKING:
    from andante.kinematics.forward import Kinematics


@dataclass(frozen=True, eq=False)
class OwnPosture:
    """A posture as a library has it."""

    position: NDArray[np.float64]
    """Angle per joint, (nj,) [rad]; NaN where no motion names the joint."""
    source: tuple[str, ...]
    """Per joint the motion that shows it, (nj,)."""
    count: NDArray[np.int64]
    """How many ends show each joint, (nj,)."""


_SLACK = 1e-9
_AT_ONCE = 0.016
"""A first keyframe of up to this is where the motion begins: one frame of Sony's files, in which nothing moves [s]."""


@dataclass(frozen=True, eq=False)
class PlayedMotion(Sampled):
    """One motion, played from where it begins."""

    motion: str
    """Its name."""
    start: str
    """Name of the posture in which it begins."""
    end: str
    """Name of the posture in which it ends."""
    at_once: bool
    """Whether it begins with its first keyframe's posture; else that is where it goes first."""
    joints: NDArray[np.bool_]
    """The joints that it names, (nj,)."""
    told: bool = True
    """Whether its name tells these postures; else they are taken for granted."""
    foreign: bool = False
    """Whether it comes from elsewhere, so that this team's conventions are none of its own."""
    upright: bool = True
    """Whether nothing says that it sits or lies."""


class AiboContext(CheckContext):
    """A library under the design rules."""

    def __init__(self, library: MotionLibrary, robot: Robot, rules: AiboRules) -> None:
        super().__init__(library, robot, CheckSettings(tick=rules.tick))
        self.rules = rules
        self.refused: list[Finding] = []
        """What cannot be judged and why."""

    @cached_property
    def kinematics(self) -> Kinematics:
        """Scratch of the robot."""
        # Imported here because it brings in the physics engine.
        from andante.kinematics.forward import Kinematics

        return Kinematics(self.robot)

    @cached_property
    def played(self) -> tuple[PlayedMotion, ...]:
        """All motions that can be sampled."""
        return tuple(self._play())

    def sampled(self) -> tuple[PlayedMotion, ...]:
        """All motions that can be sampled."""
        return self.played

    @cached_property
    def own_postures(self) -> Mapping[str, OwnPosture]:
        """Postures by the names that motions declare which begin with their first keyframe."""
        found: dict[str, list[tuple[PlayedMotion, NDArray[np.float64]]]] = {}
        for played in self.played:
            if played.at_once and ends_of_name(own_name(self.library, played.motion)).declared:
                position, first = played.trajectory.position, played.trajectory.segments[0]
                found.setdefault(played.start, []).append((played, position[first.last]))
                found.setdefault(played.end, []).append((played, position[-1]))
        return {name: _in_common(ends) for name, ends in found.items() if name != ANY}

    def finding(
        self,
        rule: str,
        severity: Severity,
        played: PlayedMotion,
        message: str,
        joint: str | None = None,
        sample: int | None = None,
        value: float | str | None = None,
        limit: float | str | None = None,
    ) -> Finding:
        """A finding about a motion as a whole."""
        time = None if sample is None else sample * self.rules.tick
        return Finding(rule, severity, f"motions.{played.motion}", message, joint, time, value, limit, played.motion)

    def _play(self) -> Iterator[PlayedMotion]:
        robot, tick = self.robot, self.rules.tick
        for name in self.library.motions:
            ends = ends_of(self.library, name)
            start, end = declared_ends(own_name(self.library, name), robot, self.rules.reference)
            known = start if start in robot.postures else self.rules.reference
            try:
                begin, at_once = robot.posture(known), self._at_once(name)
                if at_once:
                    # Nothing comes before the first keyframe, so there is no way to it that could be judged.
                    first = sample_motion(self._beginning(name), robot, name, begin, tick)
                    begin = first.position[first.segments[0].last]
                trajectory = sample_motion(self.library, robot, name, begin, tick)
            except (MotionError, RobotError) as error:
                message = f"cannot be judged: {error}"
                self.refused.append(Finding("not-sampled", "error", f"motions.{name}", message, motion=name))
            else:
                stated = ends.declared or (start, end) != (self.rules.reference,) * 2
                strange = foreign(self.library, name)
                named = self._named(name)
                yield PlayedMotion(trajectory, name, True, start, end, at_once, named, stated, strange, ends.upright)

    def _at_once(self, motion: str) -> bool:
        """Whether a motion's first keyframe is where it begins."""
        first, tick = keyframes_of(self.library, motion)[:1], self.rules.tick
        return any(keyframe_ticks(keyframe.duration, tick) * tick <= _AT_ONCE + _SLACK for keyframe in first)

    def _beginning(self, motion: str) -> MotionLibrary:
        """A library with a motion's first keyframe only."""
        entry, blocks = self.library.motions[motion], dict[str, Block]()
        for name in entry.blocks:
            block = self.library.blocks[name]
            blocks[name] = block.but(keyframes=block.keyframes[:1])
            if block.keyframes:
                break
        return MotionLibrary(robot=self.library.robot, motions={motion: entry.but(blocks=tuple(blocks))}, blocks=blocks)

    def _named(self, motion: str) -> NDArray[np.bool_]:
        """The joints that a motion's keyframes name, (nj,)."""
        joints = {joint for keyframe in keyframes_of(self.library, motion) for joint in keyframe.joints}
        return np.array([joint in joints for joint in self.robot.joint_names])


def _in_common(ends: Sequence[tuple[PlayedMotion, NDArray[np.float64]]]) -> OwnPosture:
    """What ends of motions, (nj,) [rad], have in common: per joint the angle nearest to all, the first of equals."""
    position = np.array([posture for _, posture in ends])
    named = np.array([played.joints for played, _ in ends])
    angles = np.where(named, position, np.nan)
    chosen = [_nearest_to_all(column, shown) for column, shown in zip(angles.T, named.T, strict=True)]
    sources = tuple(ends[index][0].motion for index in chosen)
    return OwnPosture(angles[chosen, np.arange(angles.shape[1])], sources, named.sum(axis=0))


def _nearest_to_all(values: NDArray[np.float64], shown: NDArray[np.bool_]) -> int:
    """Index of the value, of those shown, with the smallest sum of distances to all of them; the first of equals."""
    if not shown.any():
        return 0
    rising, which, counts = np.unique(values[shown], return_inverse=True, return_counts=True)
    # Sums of the distances to smaller and to larger values, from running sums: pairs of thousands would be millions.
    below, weight = np.cumsum(counts * rising), np.cumsum(counts)
    total = rising * weight - below + (below[-1] - below) - rising * (weight[-1] - weight)
    return int(np.flatnonzero(shown)[np.argmin(total[which])])


def declared_ends(name: str, robot: Robot, reference: str) -> tuple[str, str]:
    """Postures that a motion's name tells (``<part>_<start>#<end>_<label>``, or words); else the reference.

    A word that is no posture of the robot, as in ``a_KickB``, tells nothing.
    """
    ends = ends_of_name(name)
    if ends.declared:
        return ends.start or reference, ends.end or reference
    known = {posture: posture for posture in robot.postures}
    return known.get(ends.start or "", reference), known.get(ends.end or "", reference)
