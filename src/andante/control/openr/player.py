"""OpenRPlayer: plays a library's motions the way an OPEN-R robot is driven, as a Controller.

A tick is one frame of 8 ms. The player fills free buffers with command vectors, as READY tells it to, and the pipe
gives out one frame per tick. The joints' way does not depend on how many frames a vector holds.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Sequence

import numpy as np

from andante.control.controller import ControlError, TunableBase
from andante.control.events import EventKind
from andante.control.openr.dispatcher import EAGLE_KNIGHTS, CommandFate, CommandTable, Dispatcher, Job, Reply
from andante.control.openr.frames import FRAME, Micro, VectorPipe, from_micro, to_micro
from andante.control.openr.playback import Playback, counted_playback, motion_playback, stop_playback
from andante.control.openr.settings import PlayerSettings, TimedCommand
from andante.control.sensor_parts import SensorPart
from andante.motions.library import MotionLibrary
from andante.robots.records import Command, Field, Layout, Record, Sensors, scalar
from andante.robots.robot import Robot

_TELEMETRY = Layout(
    "openr",
    (
        Field("playing", ("",)),
        scalar("generation"),
        scalar("frame"),
        scalar("waiting_frames"),
        scalar("ready"),
        scalar("queued"),
    ),
)


class OpenRPlayer(TunableBase[PlayerSettings]):
    """Controller that plays motions through OPEN-R command vectors.

    Args:
        robot: The robot; its motion cycle is 8 ms.
        library: Its motions.
        motions: Motions to play one after another from the start.
        script: Commands that are given during the run.
        table: What command ids stand for.
        settings: How it sends.
        posture: The posture in which the robot begins; before a motion that begins elsewhere by its name the motions
            are played that lead there, as MoNet does. None: unknown, and no way is looked for.

    Raises:
        ControlError: The robot's cycle is another, the library is for another robot or lacks a motion.
    """

    needs = frozenset((SensorPart.ENCODER,))
    """Angles only: it plays what is written and does not balance."""

    def __init__(
        self,
        robot: Robot,
        library: MotionLibrary,
        motions: Sequence[str] = (),
        script: Sequence[TimedCommand] = (),
        table: CommandTable = EAGLE_KNIGHTS,
        settings: PlayerSettings | None = None,
        posture: str | None = None,
    ) -> None:
        if not math.isclose(robot.tick, FRAME):
            raise ControlError("OPEN-R frames last 8 ms", place=f"robot {robot.name!r}: tick", value=robot.tick)
        if library.robot != robot.name:
            raise ControlError(f"the library is not for robot {robot.name!r}", place="robot", value=library.robot)
        for motion in motions:
            if motion not in library.motions:
                raise ControlError(
                    "the library has no such motion", place="motions", value=motion, legal=library.motions
                )
        self.robot, self.library = robot, library
        self._motions = tuple(motions)
        self._script = tuple(sorted(script, key=lambda entry: entry.time))
        self._dispatcher = Dispatcher(library, table, posture)
        self._pipe: VectorPipe | None = None
        self._stops = tuple(to_micro(bound) for bound in robot.stops)
        super().__init__(FRAME, settings or PlayerSettings())
        self.reset()

    def _use(self, settings: PlayerSettings) -> None:
        self._dispatcher.limit = settings.queue
        if self._pipe is not None:
            self._pipe.buffers = settings.buffers

    @property
    def busy(self) -> bool:
        """Whether a motion runs or waits in the buffers."""
        return self._playing is not None or (self._pipe is not None and not self._pipe.empty)

    @property
    def done(self) -> bool:
        """True when everything asked for is over and the last posture is held."""
        asked = self._motions_left or self._commands_left or self.busy or self._dispatcher.waiting
        return self._pipe is not None and not asked

    @property
    def playing(self) -> str:
        """Name of the motion under way; empty when idle."""
        return "" if self._playing is None else self._playing.name

    def reset(self) -> None:
        """Forget everything; the next step is the first."""
        super().reset()
        self._dispatcher.reset()
        self._pipe = None
        self._playing: Playback | None = None
        self._name = ""
        self._generation = 0
        self._motions_left, self._commands_left = deque(self._motions), deque(self._script)
        self._measured: Micro = np.zeros(len(self.robot.joints), dtype=np.int64)

    def command(self, command: int) -> Reply:
        """Give a command; it is answered at once, whatever is under way."""
        if self._dispatcher.is_stop(command):
            self.stop()
            return self._answer(Reply(command, CommandFate.ACCEPTED, "", "stop"))
        return self._answer(self._dispatcher.submit(command, self._running()))

    def request(self, motion: str) -> Reply:
        """Ask for a motion by name; it is answered like a command."""
        return self._answer(self._dispatcher.request(motion, self._running()))

    def stop(self) -> None:
        """Slow all joints down and hold, before everything else; begins with the next command vector at the latest."""
        self._dispatcher.stop()
        self._motions_left.clear()
        if self._pipe is None or not self.busy:
            self._playing = None
            return
        self._pipe.recall()
        before, last = self._pipe.tail()
        self._begin(stop_playback(self.robot, before, last, self._count(), self.settings.stop_time))

    def step(self, sensors: Sensors) -> Command:
        """The frame of this tick."""
        self._time = sensors.time
        self._measured = to_micro(sensors.position)
        if self._pipe is None:
            # The joints are commanded exactly where they are before anything moves.
            self._pipe = VectorPipe(self.settings.buffers, np.clip(self._measured, *self._stops))
        self._give_commands()
        pipe = self._pipe
        while pipe.free:
            vector = self._produce(pipe)
            if vector is None:
                break
            pipe.send(vector)
        command = self.robot.held(from_micro(pipe.output()), self.settings.stiffness)
        self._note(pipe)
        return command

    def _give_commands(self) -> None:
        while self._commands_left and self._commands_left[0].time <= self._time + 1e-9:
            self.command(self._commands_left.popleft().command)
        if self._motions_left and self._playing is None and not self._dispatcher.waiting:
            # The next motion follows without a gap while the last frames of the one before are still on their way.
            self._answer(self._dispatcher.request(self._motions_left.popleft(), running=""))

    def _produce(self, pipe: VectorPipe) -> Micro | None:
        """The next vector: frames of what runs, then of what waits; None when there is nothing to send."""
        rows: list[Micro] = []
        wanted = self.settings.frames
        while wanted:
            if self._playing is None:
                job = self._dispatcher.next()
                if job is None:
                    break
                self._start(job, rows[-1][-1:] if rows else self._way_to_start(pipe))
                continue
            frames = self._playing.take(wanted)
            if len(frames):
                rows.append(frames)
                wanted -= len(frames)
            if self._playing.over:
                self._tell(EventKind.PLAYBACK_END, f"{self._playing.name} is sent", generation=self._playing.generation)
                self._playing = None
        return np.concatenate(rows) if rows else None

    def _way_to_start(self, pipe: VectorPipe) -> Micro:
        """Frames up to where a motion starts, (n, nj), the start itself last.

        That is the last frame sent, or the measured posture where a joint is far from it (after a fall, or when others
        moved the robot); the way there obeys the speed limits.
        """
        last = pipe.tail()[1]
        if not pipe.empty or np.abs(last - self._measured).max() <= self.settings.resync * 1e6:
            return last[None]
        self._tell(EventKind.RESYNC, "starts from the measured posture")
        target = np.clip(self._measured, *self._stops)
        fastest = np.floor(self.robot.max_velocity * FRAME * 1e6)
        count = max(1, math.ceil(float(np.max(np.abs(target - last) / fastest))))
        shares = np.arange(count + 1)[:, None] / count
        return np.rint(last + shares * (target - last)).astype(np.int64)

    def _start(self, job: Job, way: Micro) -> None:
        """Begin a motion at the end of a way, which is sent first but for its first frame."""
        what, settings = (self.library, self.robot, job.motion, way[-1], self._count()), self.settings
        if job.counted is not None:
            playback = counted_playback(*what, job.counted, settings.frames)
        else:
            playback = motion_playback(*what, retime=settings.retime)
        playback.frames = np.concatenate([way[1:], playback.frames])
        self._begin(playback)
        for change in playback.stretched:
            self._tell(EventKind.STRETCHED, str(change), joint=change.joint)

    def _running(self) -> str:
        """What keeps the player busy; empty when it is idle."""
        return self._name if self.busy else ""

    def _begin(self, playback: Playback) -> None:
        self._playing, self._name = playback, playback.name
        self._tell(EventKind.PLAYBACK, f"{playback.name} begins", generation=playback.generation)

    def _count(self) -> int:
        self._generation += 1
        return self._generation

    def _answer(self, reply: Reply) -> Reply:
        what = f"command {reply.command}" if reply.command is not None else f"motion {reply.motion}"
        why = f": {reply.reason}" if reply.reason else ""
        self._tell(EventKind.COMMAND, f"{what} {reply.answer}{why}", answer=str(reply.answer))
        return reply

    def _note(self, pipe: VectorPipe) -> None:
        playing = self._playing
        values = (
            float(self.busy),
            float(self._generation),
            float(playing.taken if playing is not None else 0),
            float(pipe.waiting_frames),
            float(pipe.ready),
            float(self._dispatcher.waiting),
        )
        self._telemetry = Record(_TELEMETRY, np.array(values))
