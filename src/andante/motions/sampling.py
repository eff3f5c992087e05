"""The nominal trajectory of a motion: every tick's posture, without branches, waits, balance or compensation."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from andante.motions.errors import MotionError, block_of, group_of, motion_of
from andante.motions.interpolation import curve_array, effective_interpolation, keyframe_ratios, keyframe_ticks
from andante.motions.keyframe import Block, Interpolation, Keyframe
from andante.motions.library import MotionLibrary
from andante.robots.robot import Robot
from andante.spatial.arrays import Array, Flags

if TYPE_CHECKING:
    from andante.motions.limbs import LimbSolver


class BlockAngles:
    """Joint angles that the keyframes of one block ask for, one keyframe after another, limb poses included.

    Args:
        robot: The robot.
    """

    def __init__(self, robot: Robot) -> None:
        self._robot = robot
        self._solver: LimbSolver | None = None
        self._before: dict[int, float] = {}

    def begin(self) -> None:
        """A block begins: nothing is known of the keyframes before it."""
        self._before = {}

    def of(self, keyframe: Keyframe, angles: Mapping[int, float], place: str) -> dict[int, float]:
        """Angles by joint index [rad] of the block's next keyframe; limb poses win over angles of their joints.

        Args:
            keyframe: The keyframe.
            angles: Its own angles by joint index [rad].
            place: Path to it in the document.

        Raises:
            MotionError: As `LimbSolver.solve`.
        """
        asked = dict(angles)
        if keyframe.limbs:
            if self._solver is None:
                # Imported here because it brings in the physics engine, which most libraries do without.
                from andante.motions.limbs import LimbSolver

                self._solver = LimbSolver(self._robot)
            nj = len(self._robot.joints)
            posture, known = np.zeros(nj), np.zeros(nj, dtype=bool)
            for joint, value in {**self._before, **angles}.items():
                posture[joint], known[joint] = value, True
            asked |= self._solver.solve(keyframe.limbs, posture, known, f"{place}.limbs")
        self._before |= asked
        return asked


MAX_SAMPLES = 600_000
"""Most samples of one trajectory (two hours at 12 ms): a guard against absurd durations."""


@dataclass(frozen=True)
class Segment:
    """The samples of one keyframe."""

    block: str
    """Name of the block."""
    occurrence: int
    """Place of the block in the motion's list."""
    keyframe: int
    """Index of the keyframe in the block."""
    first: int
    """First sample."""
    last: int
    """Last sample, where the target is reached."""
    duration: float = 0.0
    """Duration as written, which need not be whole ticks [s]."""
    interpolation: Interpolation = Interpolation.LINEAR
    """How its way is travelled; never default."""
    number: int = 0
    """Place among the segments of its trajectory."""

    @property
    def place(self) -> str:
        """Place in the document."""
        return f"blocks.{self.block}.keyframes[{self.keyframe}]"


@dataclass(frozen=True, eq=False)
class Trajectory:
    """Postures over time. Sample 0 is the start posture; sample k is given out at the k-th tick."""

    time: Array
    """Time since the start, (n,) [s]."""
    position: Array
    """Joint positions in the robot's order, (n, nj) [rad]."""
    segments: tuple[Segment, ...]
    """One per keyframe, in order, without gaps from sample 1 on."""
    segment_stiffness: Array
    """Joint stiffness in each segment, (ns, nj), 0 (off) to 1."""
    segment_told: Flags
    """Joints whose position at a segment's end a keyframe told, (ns, nj); of others it is that of the start posture, or
    of before they were off."""

    @property
    def stiffness(self) -> Array:
        """Joint stiffness at each sample, (n, nj), 0 (off) to 1; the start posture is stiff."""
        counts = [segment.last - segment.first + 1 for segment in self.segments]
        return np.vstack([np.ones((1, self.position.shape[1])), np.repeat(self.segment_stiffness, counts, axis=0)])

    def segment(self, sample: int) -> Segment | None:
        """The segment of a sample; the start posture belongs to the first. None for a motion without keyframes."""
        if not self.segments:
            return None
        firsts = [segment.first for segment in self.segments]
        at = int(np.searchsorted(firsts, sample, side="right")) - 1
        return self.segments[max(at, 0)]

    @property
    def targets(self) -> Array:
        """The start posture and what each segment leads to, (ns + 1, nj) [rad]."""
        return self.position[[0, *(segment.last for segment in self.segments)]]

    def at(self, times: ArrayLike) -> Array:
        """Postures at any moments of the way, (n, nj) [rad]: between the ticks, too, as the engine's curves have it.

        Durations count as they are written; moments before the begin or after the end give the first or last posture.

        Args:
            times: Time since the start, (n,) [s].
        """
        moments = np.asarray(times, dtype=np.float64)
        targets = self.targets
        found = np.repeat(targets[:1], len(moments), axis=0)
        begin = 0.0
        for number, segment in enumerate(self.segments):
            end = begin + segment.duration
            inside = moments > begin
            if segment.duration > 0.0:
                shares = curve_array(
                    segment.interpolation, np.minimum((moments[inside] - begin) / segment.duration, 1.0)
                )
            else:
                shares = np.ones(int(inside.sum()))
            found[inside] = targets[number] + shares[:, None] * (targets[number + 1] - targets[number])
            begin = end
        return found

    @property
    def labels(self) -> tuple[tuple[str, int], ...]:
        """Block and keyframe index per sample, (n,); the start posture is labelled ("", -1)."""
        marks: list[tuple[str, int]] = [("", -1)]
        for segment in self.segments:
            marks += [(segment.block, segment.keyframe)] * (segment.last - segment.first + 1)
        return tuple(marks)


def start_posture(robot: Robot) -> Array:
    """The posture before a motion of which nobody says more, (nj,) [rad]: "stand", else the nearest legal to zero."""
    if "stand" in robot.postures:
        return robot.posture("stand")
    return np.clip(np.zeros(len(robot.joints)), robot.lower, robot.upper)


def sample_motion(
    library: MotionLibrary, robot: Robot, motion: str, start: Array, tick: float | None = None
) -> Trajectory:
    """Sample a motion's blocks one after another as the engine runs them when nothing interferes.

    A joint that is off, has stiffness 0, is ignored or not named keeps its position; a joint that is off has stiffness
    0. A joint that follows another one takes its leader's position.

    Args:
        library: The motions.
        robot: The robot that the joints belong to.
        motion: Name of the motion.
        start: Posture before the motion, (nj,) [rad].
        tick: Period of the samples [s]; the robot's where None.

    Raises:
        MotionError: Unknown motion, block or group, a start of the wrong shape or not finite, a limb pose out of
            reach, or more than MAX_SAMPLES samples.
        UnknownJointError: A keyframe names a joint that the robot does not have.
    """
    names = motion_of(library, motion).blocks
    blocks = [(name, block_of(library, name, f"motions.{motion}.blocks")) for name in names]
    return _sample(blocks, robot, start, robot.tick if tick is None else tick, f"motions.{motion}")


def sample_block(
    library: MotionLibrary, robot: Robot, block: str, start: Array, tick: float | None = None
) -> Trajectory:
    """Sample one block; see `sample_motion`.

    Raises:
        MotionError: As `sample_motion`.
        UnknownJointError: As `sample_motion`.
    """
    entry = [(block, block_of(library, block))]
    return _sample(entry, robot, start, robot.tick if tick is None else tick, f"blocks.{block}")


def samples_of(library: MotionLibrary, blocks: Iterable[str], tick: float) -> int:
    """Number of samples that `sample_motion` makes of some blocks; those that the library lacks count nothing."""
    return _count((library.blocks[name] for name in blocks if name in library.blocks), tick)


def _count(blocks: Iterable[Block], tick: float) -> int:
    return 1 + sum(keyframe_ticks(keyframe.duration, tick) for block in blocks for keyframe in block.keyframes)


def _sample(blocks: list[tuple[str, Block]], robot: Robot, start: Array, tick: float, place: str) -> Trajectory:
    posture = np.array(start, dtype=np.float64)
    if posture.shape != (len(robot.joints),) or not np.isfinite(posture).all():
        raise MotionError(
            "the start posture does not fit the robot",
            value=posture.tolist(),
            limit=f"{len(robot.joints)} finite angles",
        )
    if not tick >= 1e-4:
        raise MotionError("the tick is too short", value=tick, limit="at least 0.0001 s")
    count = _count((block for _, block in blocks), tick)
    if count > MAX_SAMPLES:
        raise MotionError("the motion is too long to sample", place=place, value=count, limit=f"{MAX_SAMPLES} samples")
    posture = posture[robot.leaders]
    position = np.empty((count, len(robot.joints)))
    stiffness = np.empty((sum(len(block.keyframes) for _, block in blocks), len(robot.joints)))
    told = np.zeros(stiffness.shape, dtype=bool)
    position[0] = posture
    base = np.ones(len(robot.joints))
    angles_of = BlockAngles(robot)
    segments: list[Segment] = []
    row = 1
    for occurrence, (name, block) in enumerate(blocks):
        angles_of.begin()
        _apply_base_stiffness(base, block, robot, f"blocks.{name}.base_stiffness")
        for index, keyframe in enumerate(block.keyframes):
            for change in keyframe.stiffness:
                base[robot.index(change.joint)] = change.stiffness
            target, off, given = _target(posture, base, keyframe, robot, angles_of, f"blocks.{name}.keyframes[{index}]")
            target = target[robot.leaders]
            ratios = keyframe_ratios(keyframe.duration, tick)
            interpolation = effective_interpolation(keyframe.interpolation, block.interpolation)
            way = curve_array(interpolation, ratios)
            rows = slice(row, row + len(way))
            position[rows] = posture + way[:, None] * (target - posture)
            position[rows.stop - 1] = target
            at = len(segments)
            stiffness[at] = np.where(off, 0.0, base)
            told[at] = (given | (told[at - 1] if at else False)) & ~off
            told[at] = told[at][robot.leaders]
            last = rows.stop - 1
            segments.append(Segment(name, occurrence, index, row, last, keyframe.duration, interpolation, at))
            row, posture = rows.stop, target
    return Trajectory(np.arange(count, dtype=np.float64) * tick, position, tuple(segments), stiffness, told)


def _apply_base_stiffness(base: Array, block: Block, robot: Robot, place: str) -> None:
    for group, value in block.base_stiffness.items():
        joints = group_of(robot, group, place)
        if value is not None:
            base[[robot.index(joint) for joint in joints]] = value


def _target(
    posture: Array, base: Array, keyframe: Keyframe, robot: Robot, angles_of: BlockAngles, place: str
) -> tuple[Array, Flags, Flags]:
    """The keyframe's posture, (nj,) [rad], and the joints that are off and that are told in it, (nj,) each."""
    target, off, given = posture.copy(), base == 0.0, np.zeros(len(base), dtype=bool)
    angles: dict[int, float] = {}
    for joint, value in keyframe.joints.items():
        index = robot.index(joint)
        if value == "off":
            off[index] = True
        elif not isinstance(value, str):
            angles[index] = float(value)
    for index, angle in angles_of.of(keyframe, angles, place).items():
        if not off[index]:
            target[index], given[index] = angle, True
    return target, off, given
