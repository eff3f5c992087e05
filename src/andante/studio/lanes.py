"""What the lanes of the time axis show of a run: each tick's commanded and measured joints, their torques, the feet."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from andante.runs.logs.log import ChannelRows, Log
from andante.runs.loop.tick import Tick

Rows = NDArray[np.float32]
BASE = 7
"""Values of the base's pose in a row."""
_NOWHERE = np.array([0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0])


def lane_row(tick: Tick, base: int | None, origin: NDArray[np.float64] | None = None) -> Rows:
    """One tick, (1 + 7 + 3 nj + nf,).

    Time [s]; position [m] and orientation (wxyz) of the base; positions asked and measured, (nj,) each [rad]; measured
    torques, (nj,) [N m]; 1 for each foot that touches the ground, else 0, in the order of the robot's feet.

    Args:
        tick: The tick, while it is shown.
        base: Where the base's pose begins in the truth's ``qpos``; None: it cannot move.
        origin: From where its position counts, (3,) [m]; None: from the world's origin.
    """
    command, sensors, truth = tick.command, tick.sensors, tick.truth
    pose = _NOWHERE if base is None or truth is None else truth["qpos"][base : base + BASE]
    if origin is not None:
        # Before it goes into single precision.
        pose = np.append(pose[:3] - origin, pose[3:])
    parts = ([tick.time], pose, command.position, sensors.position, sensors.effort, sensors.contact > 0.5)
    return np.concatenate([np.asarray(part, dtype=np.float32) for part in parts])


def rows_of_log(log: Log) -> Rows:
    """The rows of a recorded run, (n, columns); see `lane_row`.

    Raises:
        LogError: The log lacks commands, sensors or ground truth.
    """
    truth, command, sensors = (log.rows(channel) for channel in ("truth", "command", "sensors"))
    moments = np.intersect1d(np.intersect1d(truth.nanoseconds, command.nanoseconds), sensors.nanoseconds)

    def part(channel: ChannelRows, name: str) -> NDArray[np.float64]:
        kept: NDArray[np.float64] = channel[name][np.searchsorted(channel.nanoseconds, moments)]
        return kept

    labels = next(field.labels for field in truth.layout.fields if field.name == "qpos")
    first = next((at for at, label in enumerate(labels) if label.endswith(".qw")), None)
    base = np.tile(_NOWHERE, (len(moments), 1)) if first is None else part(truth, "qpos")[:, first - 3 : first + 4]
    named = [part(command, "position"), part(sensors, "position"), part(sensors, "effort")]
    touching = part(sensors, "contact") > 0.5
    return np.hstack([moments[:, None] / 1e9, base, *named, touching]).astype(np.float32)


class KeptLanes:
    """The rows of one run, for pages that come later.

    Args:
        most: How much is kept [bytes]; the rest is only shown to those who look on.
    """

    def __init__(self, most: int = 64_000_000) -> None:
        self._most, self._size = most, 0
        self._rows: list[Rows] = []

    def begin(self) -> None:
        """Another run begins."""
        self._rows, self._size = [], 0

    def keep(self, rows: Rows) -> None:
        """Keep some more rows, where there is room."""
        if self._size + rows.nbytes <= self._most:
            self._rows.append(rows)
            self._size += rows.nbytes

    @property
    def rows(self) -> Rows | None:
        """What was kept, (n, columns); None: nothing."""
        return np.concatenate(self._rows) if self._rows else None
