"""The suite `openr`: the joint stream of every motion at several frame counts, and a stop at every tick of it.

The stream is looked at without physics: the joints are where they were told to be one tick ago, so that the figures are
those of the player alone. Whether a robot that is stopped in the middle of a motion falls is asked in physics.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass

import numpy as np

from andante.control.openr.dispatcher import CommandFate
from andante.control.openr.frames import FRAME
from andante.control.openr.player import OpenRPlayer
from andante.control.openr.settings import PlayerSettings
from andante.motions.errors import motion_of
from andante.motions.library import MotionLibrary
from andante.robots.records import Vector
from andante.robots.robot import Robot
from andante.runs.checks.physics_check import run_physics
from andante.runs.motion_libraries import load_motions
from andante.search.rows import Row, count_row, figure, share_row
from andante.search.suite import BenchReport, Case, Count, Options, Suite

FRAMES = (1, 4, 16)
"""Frame counts of a vector that are compared."""
_ROUNDING = 1.5e-6
"""A step between two whole microradians may be this much longer than the way between the angles [rad]."""
_REST = 40
"""Ticks after a stop for which the joints are watched, beyond the vector under way."""
STOP = 601
"""The command id that stops."""
_STOPS, _STREAMS, _HALTS = "stops", "streams", "halts"


class OpenROptions(Options):
    """What the suite can be asked."""

    library: str = "ers7"
    """Motion library: a shipped name or a file."""
    motion: tuple[str, ...] = ()
    """Motion; repeat for several. Default: all."""
    every: Count = 1
    """Stop at every tick (1), every second (2), ..."""
    physics: bool = False
    """Stop in physics too: does it fall?"""


@dataclass(frozen=True)
class OpenRTask:
    """One motion at one frame count, or in physics."""

    library: str
    """Shipped name or path of the motions."""
    motion: str
    """The motion."""
    frames: int | None
    """Frames per command vector; None: all of `FRAMES` are compared."""
    every: int = 1
    """Stop at every tick (1), every second (2), ..."""
    physics: bool = False
    """Stop in physics, at the tick that the seed is."""


@dataclass(frozen=True)
class Stops:
    """What stops at the ticks of one motion did."""

    motion: str
    """The motion."""
    frames: int
    """Frames per command vector."""
    ticks: int
    """Length of the motion's stream [ticks]."""
    stops: int
    """Stops that were tried."""
    refused: int
    """Stops that were not accepted."""
    late: int
    """Most ticks from a stop until the joints begin to slow down; a vector's frames are allowed."""
    speed: float
    """Largest step of a joint over what its speed limit allows in a tick, stops included."""
    joint: str
    """The joint that it is at."""
    unrest: int
    """Stops after which a joint did not come to rest."""


@dataclass(frozen=True)
class Halt:
    """A stop in physics."""

    motion: str
    """The motion."""
    tick: int
    """Tick of the stop, which is also the seed of the run."""
    fell: str
    """To which side and when the robot fell; empty: it did not."""


@dataclass(frozen=True)
class MotionStreams:
    """The joint streams of one motion at all frame counts."""

    motion: str
    """The motion."""
    equal: bool
    """They are the same, beyond how long the last frame is held."""


Found = Stops | MotionStreams | Halt
"""What a trial of the suite gives."""


class Followed:
    """A player whose joints are, at each tick, where it told them to be at the one before.

    Args:
        robot: The robot.
        player: The player; the joints begin in the posture ``walk``.
    """

    def __init__(self, robot: Robot, player: OpenRPlayer) -> None:
        self.robot, self.player = robot, player
        self._rows = [robot.posture("walk")]

    @property
    def stream(self) -> Vector:
        """The start and all frames so far, (1 + ticks, nj) [rad]."""
        return np.array(self._rows)

    def step(self, count: int = 1) -> None:
        """Let ticks pass."""
        for _ in range(count):
            sensors = self.robot.sensors()
            sensors.vector[0] = (len(self._rows) - 1) * FRAME
            sensors.position[:] = self._rows[-1]
            self._rows.append(self.player.step(sensors).position.copy())

    def finish(self, limit: int = 100_000) -> Vector:
        """The stream up to the tick at which the player is done."""
        self.step()
        while not self.player.done and len(self._rows) <= limit:
            self.step()
        return self.stream


def run_trial(task: OpenRTask, seed: int) -> Found:
    """Stop one motion at all its ticks, or in physics at the tick ``seed``, or compare its streams.

    Raises:
        AndanteError: The library, its robot or the motion cannot be used.
    """
    library = load_motions(task.library)
    robot = Robot.load(library.robot)
    if task.physics:
        run = run_physics(library, robot, task.motion, seed, stop=seed * FRAME)
        fell = "" if run.fall_time is None else f"{run.fall_side} after {run.fall_time:.2f} s"
        return Halt(task.motion, seed, fell)
    if task.frames is None:
        return MotionStreams(task.motion, equal_streams(library, robot, task.motion))
    return stop_sweep(library, robot, task.motion, task.frames, task.every)


def equal_streams(library: MotionLibrary, robot: Robot, motion: str) -> bool:
    """Whether a motion's joint stream is the same at all `FRAMES`, beyond how long its last frame is held.

    Raises:
        AndanteError: The motion cannot be played.
    """
    streams = [Followed(robot, _player(library, robot, motion, frames)).finish() for frames in FRAMES]
    shortest = min(len(stream) for stream in streams)
    return all(
        np.array_equal(stream[:shortest], streams[0][:shortest]) and (stream[shortest:] == streams[0][-1]).all()
        for stream in streams[1:]
    )


def stop_sweep(library: MotionLibrary, robot: Robot, motion: str, frames: int, every: int = 1) -> Stops:
    """Stop one motion at every ``every``-th of its ticks.

    Raises:
        AndanteError: The motion cannot be played.
    """
    whole = Followed(robot, _player(library, robot, motion, frames)).finish()
    ticks = len(whole) - 1
    speed, joint = _fastest(robot, whole)
    refused = late = unrest = stops = 0
    for tick in range(1, ticks + 1, every):
        bench = Followed(robot, _player(library, robot, motion, frames))
        bench.step(tick)
        refused += bench.player.command(STOP).answer is not CommandFate.ACCEPTED
        bench.step(frames + _REST)
        stream = bench.stream
        share, at = _fastest(robot, stream)
        if share > speed:
            speed, joint = share, at
        late = max(late, _unslowed(stream, whole, tick))
        unrest += bool(np.abs(np.diff(stream[-3:], axis=0)).max() > 0.0)
        stops += 1
    return Stops(motion, frames, ticks, stops, refused, late, speed, joint, unrest)


def rows(stops: Sequence[Stops], unequal: Sequence[str]) -> list[Row]:
    """The figures of all motions together."""
    tried, motions = sum(each.stops for each in stops), len({each.motion for each in stops})
    fastest = max(stops, key=lambda each: each.speed)
    found = [
        count_row("stops not accepted", sum(each.refused for each in stops), tried),
        count_row("stops without rest", sum(each.unrest for each in stops), tried),
    ]
    for frames in FRAMES:
        late = max((each.late for each in stops if each.frames == frames), default=0)
        n = sum(each.stops for each in stops if each.frames == frames)
        found.append(figure(f"begins after, {frames} frames", late, "ticks", n, at_most=frames))
    return [
        *found,
        figure(f"fastest step ({fastest.joint})", fastest.speed, "limit", tried, at_most=1.0),
        count_row("streams that differ", len(unequal), motions),
    ]


def _cases(options: OpenROptions) -> list[Case[OpenRTask]]:
    library = load_motions(options.library)
    for motion in options.motion:
        motion_of(library, motion)
    motions, name, every = options.motion or tuple(library.motions), options.library, options.every
    cases = [Case(_STOPS, OpenRTask(name, motion, frames, every), 0) for motion in motions for frames in FRAMES]
    cases += [Case(_STREAMS, OpenRTask(name, motion, None), 0) for motion in motions]
    if options.physics:
        robot = Robot.load(library.robot)
        for motion in motions:
            ticks = len(Followed(robot, _player(library, robot, motion, FRAMES[1])).finish()) - 1
            task = OpenRTask(name, motion, FRAMES[1], physics=True)
            cases += [Case(_HALTS, task, tick) for tick in range(1, ticks + 1, every)]
    return cases


def _report(options: OpenROptions, results: Mapping[str, Sequence[Found]]) -> BenchReport:
    stops = [each for each in results[_STOPS] if isinstance(each, Stops)]
    unequal = [each.motion for each in results[_STREAMS] if isinstance(each, MotionStreams) and not each.equal]
    halts = [each for each in results.get(_HALTS, ()) if isinstance(each, Halt)]
    found = rows(stops, unequal)
    if halts:
        found.append(share_row("on its feet after a stop", [not halt.fell for halt in halts]))
    about = options.about("library", "every") | {"unequal": unequal}
    about |= {"falls": [asdict(halt) for halt in halts if halt.fell], "stops": [asdict(each) for each in stops]}
    return BenchReport("openr", found, about)


def _unslowed(stream: Vector, whole: Vector, tick: int) -> int:
    """Ticks after the stop up to the last one at which a joint still moves as the whole motion has it."""
    last = 0
    for ahead in range(1, min(len(stream), len(whole)) - tick):
        if not np.array_equal(stream[tick + ahead], whole[tick + ahead]):
            break
        if not np.array_equal(whole[tick + ahead], whole[tick + ahead - 1]):
            last = ahead
    return last


def _fastest(robot: Robot, stream: Vector) -> tuple[float, str]:
    steps = np.abs(np.diff(stream, axis=0)).max(axis=0)
    shares = np.maximum(steps - _ROUNDING, 0.0) / (robot.max_velocity * FRAME)
    joint = int(np.argmax(shares))
    return round(float(shares[joint]), 9), robot.joint_names[joint]


def _player(library: MotionLibrary, robot: Robot, motion: str, frames: int) -> OpenRPlayer:
    return OpenRPlayer(robot, library, [motion], settings=PlayerSettings(frames=frames))


SUITE = Suite("openr", OpenROptions, Found, _cases, run_trial, _report)
"""The suite."""
