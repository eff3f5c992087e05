"""Replaying a log: the same controller, fed with the recorded sensors, must command the same bytes.

What was changed from outside during the run is changed again, at the same ticks.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path

import numpy as np

from andante.backends.model_builder import held
from andante.backends.replay import Frame, LogReplay, Mismatch
from andante.control.events import EventKind
from andante.control.guard import Guard
from andante.robots.digest import robot_digest
from andante.runs.build import load_declared, tell_absent
from andante.runs.errors import LogError
from andante.runs.logs.log import ChannelRows, Log
from andante.runs.logs.record import ROBOT_TABLE, RunRecord, logged_scenario
from andante.runs.loop.outcome import Ending, RunLimits
from andante.runs.session import Session

_FROM_OUTSIDE = (EventKind.PARAMETER, EventKind.STEER)
NO_TICKS = "its run ended before the first tick, as where no robot answers"
"""Why a log that is complete may hold nothing."""


@dataclass(frozen=True)
class ReplayResult:
    """How a replay compares with its log."""

    ticks: int
    """Number of ticks compared."""
    mismatch_count: int
    """Number of ticks whose command differs."""
    mismatches: tuple[Mismatch, ...]
    """The first of them."""
    problem: str = ""
    """Why the log is not complete; empty for a complete one."""
    changed: str = ""
    """What is not as it was in the run, although the commands may be; empty: nothing, or the log does not tell."""

    @property
    def identical(self) -> bool:
        """True when every command is the same, byte for byte."""
        return self.mismatch_count == 0


def _first_difference(columns: Sequence[str], others: Sequence[str]) -> str:
    """The first column that the others have not at its place."""
    pairs = zip_longest(columns, others, fillvalue="nothing more")
    return next((one for one, other in pairs if one != other), "other units or fields")


def _whole(sensors: ChannelRows, command: ChannelRows, ticks: int, period: float, path: Path) -> None:
    """Refuse a log from which ticks were cut out: no fresh controller can say what it said there.

    Raises:
        LogError: It begins in the midst of its run, or a tick lacks its sensors or its command.
    """
    if sensors.nanoseconds[0] > 0:
        raise LogError(
            "the log begins in the midst of its run, where no fresh controller can",
            place=str(path),
            value=f"{sensors.times[0]:.3f} s",
            limit="0 s",
        )
    apart = np.flatnonzero(sensors.nanoseconds[:ticks] != command.nanoseconds[:ticks])
    if len(apart):
        tick = int(apart[0])
        raise LogError(
            "rows are missing from the log: sensors and command are not of the same ticks",
            place=f"{path}: row {tick}",
            value=f"sensors at {sensors.times[tick]:.3f} s, command at {command.times[tick]:.3f} s",
        )
    gaps = np.flatnonzero(np.abs(np.diff(sensors.times[:ticks]) - period) > 0.5 * period)
    if len(gaps):
        tick = int(gaps[0])
        raise LogError(
            "rows are missing from the log, or are of several runs",
            place=f"{path}: row {tick + 1}",
            value=f"{sensors.times[tick + 1]:.3f} s after {sensors.times[tick]:.3f} s",
            limit=f"one row each {period:g} s",
        )


def replay_log(path: Path | str, opened: Log | None = None) -> ReplayResult:
    """Run the controller and the guard of a log's scenario on its recorded sensors and compare the commands.

    Args:
        path: The log, or the folder of a run.
        opened: The same log, by whom has read it already.

    Raises:
        LogError: The log cannot be read, holds no ticks, begins in the midst of its run, lacks rows or does not say
            its scenario.
        AndanteError: The scenario's robot or motions cannot be loaded any more or do not fit the log.
    """
    path = RunRecord.file_of(Path(path))
    log = opened or Log.open(path)
    scenario = logged_scenario(log, path)
    robot = load_declared(scenario)
    controller = scenario.controller.controller(robot, scenario.world)
    # One that is cut off early, or whose run did not come to its first tick, may not even have the channels.
    none = not log.channels or (bool(log.problem) and not {"sensors", "command"} <= log.channels.keys())
    if none or not (ticks := min(len(log.rows("sensors").rows), len(log.rows("command").rows))):
        raise LogError("the log holds no ticks", place=str(path), remedy=log.problem or NO_TICKS)
    sensors, command = log.rows("sensors"), log.rows("command")
    _whole(sensors, command, ticks, controller.period, path)
    for rows, layout in ((sensors, robot.sensors_layout), (command, robot.command_layout)):
        if rows.layout != layout:
            raise LogError(
                f"the recorded {layout.name} are not those of robot {robot.name!r}",
                place=str(path),
                value=_first_difference(rows.layout.columns, layout.columns),
                limit=f"{_first_difference(layout.columns, rows.layout.columns)} (of {layout.size} values)",
                remedy="the robot has changed since, or the log is another robot's",
            )
    digest = log.metadata.get(ROBOT_TABLE, {}).get("digest", "")
    changed = f"the file of robot {robot.name!r} has changed since" if digest not in ("", robot_digest(robot)) else ""
    frames = [Frame(sensors.rows[tick], command.rows[tick]) for tick in range(ticks)]
    moved = scenario.moved
    simulated = moved.source == "simulation"
    absent = [] if simulated else _absent(sensors)
    backend = LogReplay(robot, frames, absent=absent, held=simulated and held(robot, scenario.world))
    guard = Guard(robot, controller.period, moved.guarded(scenario.guard))
    limits = RunLimits(ticks * controller.period, until_timeout=True)
    planner = scenario.controller.planner(controller, scenario.world)
    asked = scenario.controller.asked(robot)
    tell_absent(controller, backend)
    above = moved.above(controller, backend, lies=scenario.starts_lying or "*" in asked.may_touch)
    session = Session(backend, above, guard, limits=limits, planner=planner, seed=scenario.seed)
    changes = deque(event for event in log.events if event.kind in _FROM_OUTSIDE or "asked" in event.data)
    with session:
        session.start()
        while session.ending is None and session.number < ticks:
            while changes and round(changes[0].time / controller.period) <= session.number:
                event = changes.popleft()
                if event.kind is EventKind.ARM:
                    session.end(Ending(str(event.data["asked"])))
                else:
                    session.repeat(event)
            session.step()
        session.end(at_once=True)
    error = session.outcome().error
    if error is not None and not any(event.kind is EventKind.STOP for event in log.events):
        # What the run's controller did not raise, this one does: there is nothing to compare.
        raise error
    return ReplayResult(ticks, backend.mismatch_count, tuple(backend.mismatches), log.problem, changed)


def _absent(sensors: ChannelRows) -> list[str]:
    """Fields that a robot does not measure: they read NaN all the time."""
    return [field.name for field in sensors.layout.fields if field.size and bool(np.isnan(sensors[field.name]).all())]
