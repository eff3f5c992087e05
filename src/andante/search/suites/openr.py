"""The suite `openr`: the joint stream of every motion at several frame counts, and a stop at every tick of it.

The stream is looked at without physics: the joints are where they were told to be one tick ago, so that the figures are
those of the player alone. Whether a robot that is stopped in the middle of a motion falls is asked in physics.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from andante.control.openr.dispatcher import Answer
from andante.control.openr.frames import FRAME
from andante.control.openr.player import OpenRPlayer
from andante.control.openr.settings import PlayerConfig
from andante.motions.errors import motion_of
from andante.motions.library import MotionLibrary
from andante.robots.records import Vector
from andante.robots.robot import Robot
from andante.runs.motion_libraries import load_motions
from andante.runs.physics_check import run_physics
from andante.search.bench import Row, share_row
from andante.search.executor import run_trials

FRAMES = (1, 4, 16)
"""Frame counts of a vector that are compared."""
_ROUNDING = 1.5e-6
"""A step between two whole microradians may be this much longer than the way between the angles [rad]."""
_REST = 40
"""Ticks after a stop for which the joints are watched, beyond the vector under way."""
STOP = 601
"""The command id that stops."""


@dataclass(frozen=True)
class Task:
    """One motion at one frame count."""

    library: str
    """Shipped name or path of the motions."""
    motion: str
    """The motion."""
    frames: int
    """Frames per command vector."""
    every: int = 1
    """Stop at every tick (1), every second (2), ..."""


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


class Followed:
    """A player whose joints are, at each tick, where it told them to be at the one before.

    Args:
        robot: The robot.
        player: The player.
        start: Where the joints begin, (nj,) [rad]; None: the posture ``walk``.
    """

    def __init__(self, robot: Robot, player: OpenRPlayer, start: Vector | None = None) -> None:
        self.robot, self.player = robot, player
        self._rows = [robot.posture("walk") if start is None else start]

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


def sweep(library: str, motions: Sequence[str], workers: int = 1, every: int = 1) -> list[Stops]:
    """Stop each motion at its ticks, for each count of `FRAMES`.

    Raises:
        AndanteError: The library, its robot or a motion cannot be used.
    """
    tasks = [
        Task(library, motion, frames, every) for motion in _names(load_motions(library), motions) for frames in FRAMES
    ]
    return list(run_trials(_sweep_one, tasks, workers))


def halts(library: str, motions: Sequence[str], every: int, workers: int = 1) -> list[Halt]:
    """Stop each motion at every ``every``-th tick in physics and watch for a second.

    Raises:
        AndanteError: The library, its robot or a motion cannot be used.
    """
    document = load_motions(library)
    robot, tasks = Robot.load(document.robot), []
    for motion in _names(document, motions):
        ticks = len(Followed(robot, _player(document, robot, motion, FRAMES[1])).finish()) - 1
        tasks += [(library, motion, tick) for tick in range(1, ticks + 1, every)]
    return list(run_trials(_halt, tasks, workers))


def unequal_streams(library: MotionLibrary, robot: Robot, motions: Sequence[str]) -> list[str]:
    """Motions whose joint stream depends on the frames per vector, beyond how long its last frame is held.

    Raises:
        AndanteError: A motion cannot be played.
    """
    found = []
    for motion in _names(library, motions):
        streams = [Followed(robot, _player(library, robot, motion, frames)).finish() for frames in FRAMES]
        shortest = min(len(stream) for stream in streams)
        for stream in streams[1:]:
            same = np.array_equal(stream[:shortest], streams[0][:shortest])
            if not same or not (stream[shortest:] == streams[0][-1]).all():
                found.append(motion)
                break
    return found


def stop_sweep(library: MotionLibrary, robot: Robot, task: Task) -> Stops:
    """Stop one motion at its ticks.

    Raises:
        AndanteError: The motion cannot be played.
    """
    whole = Followed(robot, _player(library, robot, task.motion, task.frames)).finish()
    ticks = len(whole) - 1
    speed, joint = _fastest(robot, whole)
    refused = late = unrest = stops = 0
    for tick in range(1, ticks + 1, task.every):
        bench = Followed(robot, _player(library, robot, task.motion, task.frames))
        bench.step(tick)
        refused += bench.player.command(STOP).answer is not Answer.ACCEPTED
        bench.step(task.frames + _REST)
        stream = bench.stream
        share, at = _fastest(robot, stream)
        if share > speed:
            speed, joint = share, at
        late = max(late, _unslowed(stream, whole, tick))
        unrest += bool(np.abs(np.diff(stream[-3:], axis=0)).max() > 0.0)
        stops += 1
    return Stops(task.motion, task.frames, ticks, stops, refused, late, speed, joint, unrest)


def rows(stops: Sequence[Stops], unequal: Sequence[str]) -> list[Row]:
    """The figures of all motions together."""
    tried, motions = sum(each.stops for each in stops), len({each.motion for each in stops})
    fastest = max(stops, key=lambda each: each.speed)
    found = [
        Row("stops not accepted", *_none(sum(each.refused for each in stops)), tried),
        Row("stops without rest", *_none(sum(each.unrest for each in stops)), tried),
    ]
    for frames in FRAMES:
        late = max((each.late for each in stops if each.frames == frames), default=0)
        n = sum(each.stops for each in stops if each.frames == frames)
        found.append(Row(f"begins after, {frames} frames", late, "ticks", f"<= {frames}", late <= frames, n))
    return [
        *found,
        Row(f"fastest step ({fastest.joint})", fastest.speed, "limit", "<= 1", fastest.speed <= 1.0, tried),
        Row("streams that differ", *_none(len(unequal)), motions),
    ]


def halt_rows(found: Sequence[Halt]) -> list[Row]:
    """The figure of the stops in physics."""
    return [share_row("on its feet after a stop", [not halt.fell for halt in found])]


def data_of(stops: Stops | Halt) -> dict[str, Any]:
    """Everything about one motion and frame count, or one stop in physics, as plain data."""
    return asdict(stops)


def _none(count: int) -> tuple[float, str, str, bool]:
    return float(count), "", "0", count == 0


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
    return OpenRPlayer(robot, library, [motion], settings=PlayerConfig(frames=frames))


def _names(library: MotionLibrary, motions: Sequence[str]) -> tuple[str, ...]:
    for motion in motions:
        motion_of(library, motion)
    return tuple(motions) or tuple(library.motions)


def _sweep_one(task: Task) -> Stops:
    library = load_motions(task.library)
    return stop_sweep(library, Robot.load(library.robot), task)


def _halt(task: tuple[str, str, int]) -> Halt:
    name, motion, tick = task
    library = load_motions(name)
    run = run_physics(library, Robot.load(library.robot), motion, tick, stop=tick * FRAME)
    return Halt(motion, tick, "" if run.fall_time is None else f"{run.fall_side} after {run.fall_time:.2f} s")
