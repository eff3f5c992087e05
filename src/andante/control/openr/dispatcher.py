"""The command dispatcher: from a command id to a motion, with an answer for every command.

The seed's component dropped commands while busy, could not be stopped, and an unknown id left it stuck. Here every
command is answered, unknown ones change nothing, and the stop goes before everything else.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType

from andante.control.controller import ControlError
from andante.control.openr.settings import FixedTiming
from andante.motions.errors import MotionError
from andante.motions.library import MotionLibrary
from andante.motions.posture_ways import posture_after, way_to


class CommandFate(StrEnum):
    """What becomes of a command."""

    ACCEPTED = "accepted"
    """It begins with the next command vector."""
    QUEUED = "queued"
    """It begins when what runs is over."""
    REJECTED = "rejected"
    """Nothing happens; the reason is told."""


@dataclass(frozen=True)
class Reply:
    """The answer to one command."""

    command: int | None
    """The command's id; None for a motion asked for by name."""
    answer: CommandFate
    """What becomes of it."""
    reason: str = ""
    """Why it is rejected."""
    motion: str = ""
    """The motion that it stands for."""


@dataclass(frozen=True)
class CommandTable:
    """What command ids stand for: data, not code."""

    motions: Mapping[int, str]
    """Motion by command id."""
    stops: frozenset[int] = frozenset()
    """Ids that stop whatever runs."""
    reserved: Mapping[int, str] = field(default_factory=dict)
    """Ids that other parts of a robot's program answer, and what they are for."""
    counted: Mapping[int, FixedTiming] = field(default_factory=dict)
    """Ids that are played with the seed's counted timing."""

    def __post_init__(self) -> None:
        for what, ids in (("a stop", self.stops), ("reserved", frozenset(self.reserved))):
            twice = ids & set(self.motions)
            if twice:
                number = min(twice)
                raise ControlError(
                    f"a command id means both a motion and {what}", place=f"ids.{number}", value=self.motions[number]
                )
        for number in self.counted:
            if number not in self.motions:
                legal = [str(known) for known in self.motions]
                raise ControlError("counted timing for an id without a motion", value=str(number), legal=legal)


EAGLE_KNIGHTS = CommandTable(
    motions=MappingProxyType(
        {
            101: "kick_a",
            102: "kick_b",
            103: "release",
            105: "kick",
            110: "kick_c",
            201: "kick_left",
            301: "kick_right",
            401: "block",
            402: "block_left",
            403: "block_right",
            501: "celebrate",
            701: "receive",
            702: "receive_ball",
            901: "shot_right",
        }
    ),
    stops=frozenset({601}),
    reserved=MappingProxyType({0: "walking", 998: "walking", 999: "walking", 1000: "walking"}),
)
"""The command ids of the seed (Kicka, Kickb, Suelta, Kick, Kickc, KickIzq, KickDer, Bloqueo, ...)."""


@dataclass(frozen=True)
class Job:
    """A motion that waits or runs."""

    motion: str
    """Name of the motion."""
    command: int | None = None
    """The command that asked for it."""
    counted: FixedTiming | None = None
    """The seed's timing, where it is asked for."""
    leads: bool = False
    """Whether nobody asked for it: it leads to the posture in which the next one begins."""


class Dispatcher:
    """Answers commands and keeps the queue.

    Args:
        library: The motions there are.
        table: What ids stand for.
        posture: The posture in which the robot is at first, so that ways to other postures are played; None: unknown.
    """

    def __init__(self, library: MotionLibrary, table: CommandTable, posture: str | None = None) -> None:
        self._library, self._table = library, table
        self._first = self._posture = posture
        self.limit = 1
        """How many motions may wait while one runs; 0 rejects commands while busy."""
        self._waiting: deque[Job] = deque()

    def reset(self) -> None:
        """Forget all commands."""
        self._waiting.clear()
        self._posture = self._first

    def stop(self) -> None:
        """Forget all commands in the middle of a motion: nobody knows in which posture that leaves the robot."""
        self._waiting.clear()
        self._posture = None

    @property
    def waiting(self) -> int:
        """Motions that wait."""
        return len(self._waiting)

    def is_stop(self, command: int) -> bool:
        """Whether an id means stop."""
        return command in self._table.stops

    def submit(self, command: int, running: str) -> Reply:
        """Answer a command id that is no stop; a good one waits for `next`.

        Args:
            command: The id.
            running: Name of what runs; empty: nothing.
        """
        table = self._table
        if command in table.reserved:
            return Reply(command, CommandFate.REJECTED, f"id {command} is reserved for {table.reserved[command]}")
        motion = table.motions.get(command)
        if motion is None:
            legal = ", ".join(str(known) for known in sorted({*table.motions, *table.stops}))
            return Reply(command, CommandFate.REJECTED, f"unknown id {command}; known: {legal}")
        return self._enqueue(Job(motion, command, table.counted.get(command)), running)

    def request(self, motion: str, running: str) -> Reply:
        """Answer a motion asked for by name."""
        return self._enqueue(Job(motion), running)

    def next(self) -> Job | None:
        """The motion that begins now, if any waits."""
        return self._waiting.popleft() if self._waiting else None

    def _enqueue(self, job: Job, running: str) -> Reply:
        if job.motion not in self._library.motions:
            legal = ", ".join(self._library.motions)
            reason = f"the library has no motion {job.motion!r}; it has: {legal}"
            return Reply(job.command, CommandFate.REJECTED, reason, job.motion)
        # What waits to begin at once takes no place in the queue.
        if sum(not waits.leads for waits in self._waiting) >= self.limit + (0 if running else 1):
            what = f"busy with {running!r}" if running else "busy"
            reason = what if self.limit == 0 else f"{what}, and the queue of {self.limit} is full"
            return Reply(job.command, CommandFate.REJECTED, reason, job.motion)
        try:
            way = way_to(self._library, job.motion, self._posture)
        except MotionError as error:
            return Reply(job.command, CommandFate.REJECTED, f"{error.what}; {error.limit}", job.motion)
        behind = bool(running) or bool(self._waiting)
        self._waiting += [Job(name, leads=True) for name in way]
        self._waiting.append(job)
        self._posture = posture_after(self._library, job.motion, self._posture)
        return Reply(job.command, CommandFate.QUEUED if behind else CommandFate.ACCEPTED, "", job.motion)
