"""Joint states as rows of a trajectory: what recordings of ROS and what ROS prints have in common."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from andante.formats.report import FormatError, ReadReport
from andante.formats.shared.numbers import LARGEST, LONGEST
from andante.formats.shared.text_file import TextFile
from andante.formats.trajectories.affixes import joint_columns
from andante.formats.trajectories.table import MAX_CELLS, TrajectoryTable, library_of
from andante.motions.library import MotionLibrary

Row = tuple[float, dict[str, float]]
"""Time [s] and angles [rad] by joint."""
SHORTER = "record a shorter time, or at a lower rate"
"""What to do about a recording of too many angles."""
BACK = 0.5
"""A header's time may be so far before another's that was recorded earlier, as where several publish [s]."""
_RUSH = 10.0
"""A header's time leaps where it goes on so many times as fast as it usually does against the times of recording."""
_LONG, _MUCH = 1.0, 20.0
"""A time without messages is told from so long on [s], if it is so many times the usual one."""
_SOON = 1.0
"""Simulated time begins at 0 where the next header that is set comes so soon [s]."""


class JointRows(TextFile):
    """The base of readers of one file of joint states.

    Args:
        path: The file.
        report: Takes the remarks.
    """

    def __init__(self, path: Path, report: ReadReport) -> None:
        super().__init__(path, report)
        self._silent: dict[str, dict[str, None]] = {}
        """Joints without an angle in some message, by topic."""

    def timed(self, states: list[tuple[float, float, dict[str, float]]], topic: str) -> list[Row]:
        """Joint states with the times of their headers, or of their recording where those say no time.

        Args:
            states: Time of the header, time of recording [s], angles [rad].
            topic: Where they stand, for messages; empty: the file says it.
        """
        states = sorted(states, key=lambda state: state[1])
        stamps = [stamp for stamp, _, _ in states]
        unset = next((index for index, stamp in enumerate(stamps) if stamp > 0.0), len(stamps))
        stamped = all(stamp > 0.0 for stamp in stamps[unset:])
        stamped = stamped and (unset == 0 or (unset < len(stamps) and stamps[unset] <= _SOON))
        back = max(np.maximum.accumulate(stamps) - stamps)
        if stamped and back > BACK:
            self.warn(
                f"the headers' times go back by up to {back:.6g} s, as where a simulation begins anew; the times of"
                " recording are taken",
                inside=topic,
            )
            stamped = False
        elif stamped and (leap := _leap(stamps, [moment for _, moment, _ in states])) is not None:
            self.warn(
                f"the headers' times leap by {leap[0]:.6g} s between messages that came {leap[1]:.3g} s after each"
                " other, as where a clock is set; the times of recording are taken",
                inside=topic,
            )
            stamped = False
        return [(stamp if stamped else moment, angles) for stamp, moment, angles in states]

    def by_headers(self, rows: list[Row], motion: str) -> MotionLibrary:
        """The motion of messages that came in this order, of which only the headers tell times [s].

        Raises:
            FormatError: There is no angle, some times are not set, or they go back as where a simulation begins anew.
        """
        if not any(angles for _, angles in rows):
            raise self.error("no message has an angle")
        stamps = [stamp for stamp, _ in rows]
        remedy = "record with 'ros2 bag record', which knows when each message came"
        if len(stamps) > 1 and not all(stamp > 0.0 for stamp in stamps[1:]):
            raise self.error("the messages' headers have no time", value="0 s", remedy=remedy)
        last = -math.inf
        for stamp in stamps:
            if stamp < last - BACK:
                raise self.error("the headers' times go back", value=f"{stamp:.6f} s", limit=f"{last:.6f} s")
            last = max(last, stamp)
        table = self.filled(table_of_rows(rows, min(stamps)), "")
        return library_of(table, motion, self.robot(table.joints))

    def filled(self, table: TrajectoryTable, topic: str) -> TrajectoryTable:
        """A table of joint states without gaps between a joint's first and last angle; how many there were is told.

        So are joints that never have an angle, and a time without messages. What stands beside all joints' names, as
        in ``robot1/HeadYaw``, is taken off, see `named`.

        Raises:
            FormatError: It has too many angles.
        """
        if len(table.times) * len(table.joints) > MAX_CELLS:
            raise self.error("the recording has too many angles", limit=f"{MAX_CELLS}", remedy=SHORTER)
        whole, count = without_gaps(table)
        if count:
            self.warn(f"{count} angles that messages leave out are on the straight way between others", inside=topic)
        if silent := [name for name in self._silent.get(topic, ()) if name not in table.joints]:
            more, have = (f" and {len(silent) - 1} more", "have") if len(silent) > 1 else ("", "has")
            self.warn(f"{silent[0]}{more} {have} an angle in no message (NaN)", inside=topic)
        steps = np.diff(table.times)
        if len(steps) > 1 and (longest := float(steps.max())) > max(_LONG, _MUCH * float(np.median(steps))):
            begin = table.times[int(steps.argmax())]
            self.warn(f"no message for {longest:.3g} s from {begin:.3f} s on; the way there is straight", inside=topic)
        return self.named(whole, topic)

    def named(self, table: TrajectoryTable, topic: str) -> TrajectoryTable:
        """A table whose joints go by the robot's names where more stands beside all of them, which is told."""
        found = joint_columns(table.joints, self.report.robot)
        if found is None or found.others:
            return table
        self.warn(found.told, inside=topic)
        return replace(table, joints=[found.joints[name] for name in table.joints])

    def angles(
        self, names: Sequence[str], values: Sequence[float], topic: str, line: int | None = None
    ) -> dict[str, float]:
        """Angles of a message by joint; those that are NaN, or of no joint, are left out.

        Raises:
            FormatError: There are other numbers of names and angles, two angles of one joint, or one out of range.
        """
        if values and len(values) != len(names):
            what, both = "a message has other numbers of names and angles", f"{len(names)} and {len(values)}"
            raise self.error(what, line, inside=topic, value=both)
        found: dict[str, float] = {}
        before = f"{topic}: " if topic else ""
        for name, value in zip(names, values, strict=False):
            if not name or math.isnan(value):
                if name:
                    self._silent.setdefault(topic, {})[name] = None
                continue
            if found.setdefault(name, value) != value:
                what, both = "a message has two angles of one joint", f"{found[name]:.6g} and {value:.6g} rad"
                raise self.error(what, line, inside=f"{before}{name}", value=both)
        for name, value in found.items():
            if not abs(value) <= LARGEST:
                raise self.error("the angle is out of range", line, inside=f"{before}{name}", value=value)
        return found


def _leap(stamps: Sequence[float], moments: Sequence[float]) -> tuple[float, float] | None:
    """The first leap of headers' times ahead of those of recording, as where a clock is set.

    Where messages were late, headers catch up, which is no leap; nor is simulated time that is quick.

    Returns:
        By how much, and how long it took by the times of recording [s]; None: there is none.
    """
    if len(stamps) < 3:
        return None
    steps, waits = np.diff(stamps), np.diff(moments)
    usual = float(np.median(waits))
    if usual <= 0.0:
        # Messages that came at once, as out of a store, tell nothing of clocks.
        return None
    pace = float(np.median(steps)) / usual
    ahead = np.asarray(stamps) - pace * np.asarray(moments)
    leaps = (steps > BACK) & (steps > _RUSH * pace * waits) & (ahead[1:] > np.maximum.accumulate(ahead)[:-1] + BACK)
    if not leaps.any():
        return None
    first = int(np.argmax(leaps))
    return float(steps[first]), float(waits[first])


def without_gaps(table: TrajectoryTable) -> tuple[TrajectoryTable, int]:
    """A table in which angles that rows leave out between a joint's first and last are on the straight way.

    Returns:
        The table, without stiffness and notes, and how many there were.
    """
    rows, count = [list(row) for row in table.rows], 0
    for column in range(len(table.joints)):
        angles = ((index, row[column]) for index, row in enumerate(rows))
        known = [(index, angle) for index, angle in angles if isinstance(angle, float)]
        gaps = [index for index in range(known[0][0], known[-1][0]) if rows[index][column] is None] if known else []
        if gaps:
            times = [table.times[index] for index, _ in known]
            ways = np.interp([table.times[index] for index in gaps], times, [angle for _, angle in known])
            for index, angle in zip(gaps, ways.tolist(), strict=True):
                rows[index][column] = angle
            count += len(gaps)
    return TrajectoryTable(table.times, table.joints, rows), count


def table_of_rows(rows: list[Row], begin: float) -> TrajectoryTable:
    """Rows in the order of their times, which are counted from ``begin`` on [s]; those of one time are one.

    Raises:
        FormatError: They last too long, or begin before.
    """
    merged: dict[float, dict[str, float]] = {}
    for time, angles in sorted(rows, key=lambda row: row[0]):
        merged[time] = merged.get(time, {}) | angles
    times = [round(time - begin, 9) for time in merged]
    if times and not 0.0 <= times[0] <= times[-1] <= LONGEST:
        wrong, remedy = (times[-1], SHORTER) if times[0] >= 0.0 else (times[0], "")
        raise FormatError("times are out of range", value=wrong, limit=f"0 to {LONGEST:g} s", remedy=remedy)
    joints = list(dict.fromkeys(joint for angles in merged.values() for joint in angles))
    return TrajectoryTable(times, joints, [[angles.get(joint) for joint in joints] for angles in merged.values()])
