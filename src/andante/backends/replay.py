"""LogReplay: a recorded run as Backend, to check a controller against it byte for byte."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np

from andante.backends.backend import BackendError, check_joints
from andante.robots.records import Command, Sensors, Vector
from andante.robots.robot import Robot


@dataclass(frozen=True, eq=False)
class Frame:
    """One recorded tick."""

    sensors: Vector
    """What the controller saw, as vector of the robot's sensors layout."""
    command: Vector | None = None
    """What it commanded, as vector of the robot's command layout; None where nothing was recorded."""


@dataclass(frozen=True)
class Mismatch:
    """A command that differs from the recorded one."""

    tick: int
    """Index of the frame."""
    time: float
    """Recorded time of its sensors [s]."""
    column: str
    """First differing value, as ``field.joint``."""
    recorded: float
    """What the log holds."""
    written: float
    """What the controller said now."""


class LogReplay:
    """Gives recorded sensors in order and compares each written command with the recorded one.

    Time moves with `advance` from one frame to the next, whatever duration is asked.

    Args:
        robot: The robot of the log.
        frames: The ticks in order.
        keep: How many mismatches to keep; all are counted in ``mismatch_count``.
        absent: Fields of `Sensors` that the recorded robot does not measure.
        held: Whether that robot was held by its base.

    Raises:
        BackendError: No frames, or a vector that does not fit the robot.
    """

    def __init__(
        self,
        robot: Robot,
        frames: Sequence[Frame],
        *,
        keep: int = 100,
        absent: Collection[str] = (),
        held: bool = False,
    ) -> None:
        if not frames:
            raise BackendError("a log without frames cannot be replayed")
        for i, frame in enumerate(frames):
            _check_size(i, "sensors", frame.sensors, robot.sensors_layout.size)
            if frame.command is not None:
                _check_size(i, "command", frame.command, robot.command_layout.size)
        self.robot = robot
        """The robot of the log."""
        self._frames = tuple(frames)
        self._keep = keep
        self.absent = frozenset(absent)
        """Fields of `Sensors` that the recorded robot does not measure."""
        self.held = held
        """Whether that robot was held by its base: its IMU need not move."""
        self.reset(0)

    @property
    def time(self) -> float:
        """Recorded time of the current frame [s]."""
        return float(self._frames[min(self._tick, len(self._frames) - 1)].sensors[0])

    @property
    def finished(self) -> bool:
        """True when all frames have passed."""
        return self._tick >= len(self._frames)

    def reset(self, seed: int) -> None:
        """Go back to the first frame and forget all mismatches; a log has nothing random, ``seed`` is not used."""
        self._tick = 0
        self.mismatches: list[Mismatch] = []
        self.mismatch_count = 0

    def read(self) -> Sensors:
        """The recorded sensors of this tick.

        Raises:
            BackendError: The log has ended.
        """
        return Sensors(self.robot.sensors_layout, self._frame().sensors.copy())

    def write(self, command: Command) -> None:
        """Compare the command with the recorded one, bit by bit.

        Raises:
            BackendError: The log has ended, or the command is for another robot.
        """
        frame = self._frame()
        check_joints(command, self.robot.command_layout)
        if frame.command is None or command.vector.tobytes() == frame.command.tobytes():
            return
        self.mismatch_count += 1
        if len(self.mismatches) < self._keep:
            # Comparing bits tells -0.0 from 0.0 and finds equal NaNs equal.
            differs = command.vector.view(np.uint64) != frame.command.view(np.uint64)
            column = int(np.argmax(differs))
            self.mismatches.append(
                Mismatch(
                    self._tick,
                    float(frame.sensors[0]),
                    self.robot.command_layout.columns[column],
                    float(frame.command[column]),
                    float(command.vector[column]),
                )
            )

    def advance(self, duration: float) -> None:
        """Go to the next frame."""
        self._tick += 1

    def truth(self) -> None:
        """A log of sensors has no ground truth."""

    def close(self) -> None:
        """Nothing to let go of."""

    def _frame(self) -> Frame:
        if self.finished:
            raise BackendError("the log has ended", value=self._tick, limit=f"{len(self._frames)} frames")
        return self._frames[self._tick]


def _check_size(tick: int, what: str, vector: Vector, size: int) -> None:
    if vector.shape != (size,) or vector.dtype != np.float64:
        raise BackendError(
            f"the recorded {what} do not fit the robot",
            place=f"frame {tick}",
            value=f"{vector.dtype} {vector.shape}",
            limit=f"float64 ({size},)",
        )
