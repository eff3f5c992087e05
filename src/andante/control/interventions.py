"""What the guard changed: counted per kind and joint, told once per kind and joint, for many joints at once."""

from __future__ import annotations

import math
from collections.abc import Sequence
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from andante.control.controller import ControlEvent
from andante.control.events import EventKind


class Intervention(StrEnum):
    """Why the guard changed a command."""

    NOT_FINITE = "not_finite"
    """A value was NaN or infinite: the previous command's value is held."""
    POSITION = "position"
    """A position outside the joint's limits."""
    RATE = "rate"
    """A position farther from the previous command than the speed limit allows."""
    ACCELERATION = "acceleration"
    """A change of the commanded speed beyond the limit, braking before a position limit included."""
    VELOCITY = "velocity"
    """A velocity request beyond the speed limit."""
    GAIN = "gain"
    """A gain below zero or above its cap; told is kp, or kd where only that was."""
    TORQUE = "torque"
    """A feed-forward torque beyond the limit."""
    COUPLING = "coupling"
    """A coupled joint that was not commanded like its leader."""
    STALE = "stale"
    """Sensor time stood still: posture held."""
    LIMP = "limp"
    """Sensor time stood still for long: all joints off."""
    FALL = "fall"
    """The robot is falling: gains lowered."""
    UNMEASURED = "unmeasured"
    """No finite posture has been measured yet: all joints off; or a joint that was off has no angle: it stays off."""


MOST_NAMED = 6
"""Of so many joints a kind is told one by one; of all others together, so that nonsense does not fill the log."""
KINDS = tuple(Intervention)
_ROW = {kind: row for row, kind in enumerate(KINDS)}


class InterventionLog:
    """Counts interventions and turns them into few events.

    Args:
        joints: Joint names, nj of them.
    """

    def __init__(self, joints: Sequence[str]) -> None:
        self.joints = tuple(joints)
        self.counts: NDArray[np.int64] = np.zeros((len(KINDS), len(self.joints)), dtype=np.int64)
        """Ticks with an intervention, (kinds in the order of `KINDS`, nj)."""
        self.reset()

    def reset(self) -> None:
        """Forget all counts and events."""
        self.counts[:] = 0
        self._whole = [0] * len(KINDS)
        self._first: list[ControlEvent] = []

    def joints_hit(
        self, kind: Intervention, hit: NDArray[np.bool_], time: float, asked: NDArray[np.float64] | None = None
    ) -> None:
        """Count an intervention on the joints where ``hit`` (nj,) is true; ``asked`` (nj,) is shown in the event."""
        row = self.counts[_ROW[kind]]
        data: dict[str, float | int | str]
        # Lists: of so few joints numpy takes longer.
        before, hits = row.tolist(), hit.tolist()
        fresh = [joint for joint, (now, count) in enumerate(zip(hits, before, strict=True)) if now and not count]
        named = len(before) - before.count(0) if fresh else 0
        if named <= MOST_NAMED < named + len(fresh):
            data = {"limit": kind.value, "joints": "more"}
            self._first.append(ControlEvent(time, EventKind.GUARD, f"{kind.value} limit on more joints", data))
        for joint in fresh[: max(MOST_NAMED - named, 0)]:
            name = self.joints[joint]
            data = {"joint": name, "limit": kind.value}
            if asked is not None and math.isfinite(value := asked.item(joint)):
                data["asked"] = value
            self._first.append(ControlEvent(time, EventKind.GUARD, f"{kind.value} limit on {name}", data))
        row += hit

    def robot_hit(self, kind: Intervention, time: float) -> None:
        """Count an intervention on the whole robot."""
        row = _ROW[kind]
        if self._whole[row] == 0:
            self._first.append(ControlEvent(time, EventKind.GUARD, f"{kind.value}: all joints", {"limit": kind.value}))
        self._whole[row] += 1

    def take_events(self) -> list[ControlEvent]:
        """First occurrences since the last call."""
        taken, self._first = self._first, []
        return taken

    def summary(self, time: float) -> list[ControlEvent]:
        """One event per kind and joint with its count, for the end of a run.

        Of a kind that hit many joints those are told that it hit most, and all others in one event.
        """
        events = []
        for row, kind in enumerate(KINDS):
            counts = self.counts[row]
            most = np.sort(np.argsort(-counts, kind="stable")[:MOST_NAMED])
            rest = int(counts.sum() - counts[most].sum())
            if rest:
                others = int(np.count_nonzero(counts)) - MOST_NAMED
                text = f"{kind.value} limit on {others} more joints: {rest} ticks"
                more: dict[str, float | int | str] = {"limit": kind.value, "joints": others, "ticks": rest}
                events.append(ControlEvent(time, EventKind.GUARD_SUMMARY, text, more))
            for name, ticks in (("", self._whole[row]), *((self.joints[j], int(counts[j])) for j in most.tolist())):
                if ticks:
                    where = {"joint": name} if name else {}
                    text = f"{kind.value}{f' limit on {name}' if name else ''}: {ticks} ticks"
                    data: dict[str, float | int | str] = {"limit": kind.value, **where, "ticks": ticks}
                    events.append(ControlEvent(time, EventKind.GUARD_SUMMARY, text, data))
        return events
