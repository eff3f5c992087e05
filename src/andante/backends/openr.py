"""OpenRBackend: any backend behind OPEN-R command vectors, as the joints of an AIBO are reached.

On the robot joints take vectors of 1 to 16 frames of 8 ms from two or more buffers, in whole microradians; a vector
that has been output tells READY and frees its buffer. Facts: docs/sources/aibo.md, section 3.

A program may `send` vectors itself, as OPEN-R programs do. A Controller says one posture per tick; here its ticks fill
one buffer while the others are output, so the joints move ``(buffers - 1) x frames`` ticks after it. Before that the
joints are commanded exactly where they are, as the robot's start needs. Gains are no part of a vector and act at once.
"""

from __future__ import annotations

import math

import numpy as np

from andante.backends.backend import Backend, BackendError, EventSource, Faulty, Listener, Pushable, check_joints
from andante.backends.fault import Fault
from andante.control.controller import ControlError, ControlEvent
from andante.control.openr.frames import FRAME, MAX_FRAMES, Micro, VectorPipe, from_micro, to_micro
from andante.robots.records import Command, Record, Sensors, Vector


class OpenRBackend:
    """A backend that takes command vectors.

    Args:
        inner: What is moved; its robot's motion cycle is 8 ms. It is owned: closing this closes it.
        frames: Frames of the vectors that a controller's ticks are gathered in, 1 to 16.
        buffers: Buffers of the sender, at least 2.

    Raises:
        BackendError: The robot's cycle is another.
        ControlError: Too few or too many frames or buffers.
    """

    def __init__(self, inner: Backend, frames: int = 4, buffers: int = 2) -> None:
        self.robot = robot = inner.robot
        """The robot that is moved."""
        if not math.isclose(robot.tick, FRAME):
            raise BackendError("OPEN-R frames last 8 ms", place=f"robot {robot.name!r}: tick", value=robot.tick)
        if not 1 <= frames <= MAX_FRAMES:
            raise ControlError(
                "a command vector has too few or too many frames", value=frames, limit=f"1 to {MAX_FRAMES}"
            )
        self._inner, self._frames, self._buffers = inner, frames, buffers
        # Refuses too few buffers before anything moves.
        VectorPipe(buffers, np.zeros(len(robot.joints), dtype=np.int64))
        self._layout = robot.command_layout
        self._pipe: VectorPipe | None = None
        self._wanted: Micro | None = None
        self._forget()

    @property
    def time(self) -> float:
        """Time since the start of the run [s]."""
        return self._inner.time

    @property
    def held(self) -> bool:
        """Whether the robot is held by its base."""
        return bool(getattr(self._inner, "held", False))

    @property
    def ready(self) -> int:
        """READY events so far: vectors that have been output."""
        return 0 if self._pipe is None else self._pipe.ready

    @property
    def free(self) -> bool:
        """Whether a buffer is free for `send`."""
        return self._pipe is None or self._pipe.free

    def reset(self, seed: int) -> None:
        """Go to the start; all buffers are free."""
        self._inner.reset(seed)
        self._forget()

    def read(self) -> Sensors:
        """The sensors now."""
        return self._inner.read()

    def set_gains(self, kp: Vector, kd: Vector) -> None:
        """Gains of all joints from the next frame on, (nj,) each; before the first call those of the servos."""
        self._kp, self._kd = kp.copy(), kd.copy()

    def send(self, vector: Micro) -> None:
        """Fill a free buffer with 1 to 16 frames, (n, nj) [microrad]; their number may differ from vector to vector.

        Raises:
            BackendError: The vector is for another number of joints.
            ControlError: It has too few or too many frames, or no buffer is free.
        """
        if vector.shape[1:] != (len(self.robot.joints),):
            raise BackendError(
                "the vector is for other joints", value=vector.shape[-1], limit=f"{len(self.robot.joints)} joints"
            )
        self._opened().send(vector)

    def write(self, command: Command) -> None:
        """Take a controller's posture for this tick; it holds until the next one.

        Raises:
            BackendError: The command is for another robot, or asks for what no vector holds: a velocity or a torque.
            ControlError: An angle is not finite or does not fit.
        """
        check_joints(command, self._layout)
        for name in ("velocity", "torque"):
            extra = np.flatnonzero(command[name])
            if len(extra):
                raise BackendError(
                    f"OPEN-R vectors hold angles only, no {name}",
                    place=self.robot.joint_names[int(extra[0])],
                    value=float(command[name][extra[0]]),
                    limit="0",
                )
        self._wanted = to_micro(command.position)
        self.set_gains(command.kp, command.kd)

    def advance(self, duration: float) -> None:
        """Output frames for ``duration`` seconds.

        Raises:
            BackendError: The duration is no whole number of frames.
        """
        count = round(duration / FRAME)
        if count < 1 or abs(count * FRAME - duration) > 1e-9:
            raise BackendError("OPEN-R moves in whole frames", value=duration, limit=f"multiples of {FRAME:g} s")
        for _ in range(count):
            self._gather()
            if self._pipe is not None:
                self._inner.write(self._command(self._pipe.output()))
            self._inner.advance(FRAME)

    def truth(self) -> Record | None:
        """Ground truth of what is moved."""
        return self._inner.truth()

    def notify(self, event: ControlEvent) -> None:
        """Pass on what the controller does."""
        if isinstance(self._inner, Listener):
            self._inner.notify(event)

    def take_events(self) -> list[ControlEvent]:
        """What befell the inner backend since the last call."""
        return self._inner.take_events() if isinstance(self._inner, EventSource) else []

    def add_fault(self, fault: Fault) -> None:
        """Add a fault to what is moved; see `Faulty`."""
        self._faulty().add_fault(fault)

    def trigger(self, fault: str) -> None:
        """Begin the faults of this name now."""
        self._faulty().trigger(fault)

    def mend(self, fault: str) -> None:
        """End the faults of this name now."""
        self._faulty().mend(fault)

    def push(self, body: str, force: Vector, point: Vector | None = None) -> None:
        """Push what is moved; see `Pushable`."""
        self._pushable().push(body, force, point)

    def let_go(self) -> None:
        """End the push."""
        self._pushable().let_go()

    def close(self) -> None:
        """Let go of what is moved."""
        self._inner.close()

    def _faulty(self) -> Faulty:
        if not isinstance(self._inner, Faulty):
            raise BackendError("nothing can fail in this backend", value=type(self._inner).__name__)
        return self._inner

    def _pushable(self) -> Pushable:
        if not isinstance(self._inner, Pushable):
            raise BackendError("nothing can be pushed in this backend", value=type(self._inner).__name__)
        return self._inner

    def _forget(self) -> None:
        self._pipe, self._wanted = None, None
        self._gathered: list[Micro] = []
        self._begun = False
        self._kp, self._kd = self.robot.servo_kp.copy(), self.robot.servo_kd.copy()

    def _opened(self) -> VectorPipe:
        """The pipe; it begins where the joints are."""
        if self._pipe is None:
            low, high = (to_micro(bound) for bound in self.robot.stops)
            self._pipe = VectorPipe(self._buffers, np.clip(to_micro(self.read().position), low, high))
        return self._pipe

    def _gather(self) -> None:
        """Add the controller's posture to the vector that is being filled, and send it when it is full."""
        if self._wanted is None:
            return
        if not self._begun:
            self._begun = True
            hold = np.repeat(self._opened().last[None], self._frames, axis=0)
            for _ in range(self._buffers - 1):
                self._pass(hold)
        self._gathered.append(self._wanted)
        if len(self._gathered) == self._frames:
            self._pass(np.array(self._gathered))
            self._gathered = []

    def _pass(self, frames: Micro) -> None:
        pipe = self._opened()
        if not pipe.free:
            raise ControlError(
                "no buffer is free for the controller's ticks",
                value=self._buffers,
                limit=f"{self._buffers} buffers",
                remedy="either write commands or send vectors, not both",
            )
        pipe.send(frames)

    def _command(self, frame: Micro) -> Command:
        command = self.robot.command()
        command.position[:] = from_micro(frame)
        command.kp[:], command.kd[:] = self._kp, self._kd
        return command
