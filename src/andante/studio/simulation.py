"""The simulation process: motions of one document, each shown from any keyframe on.

Every run is what `andante run --library FILE --motion NAME` makes of the same text, and its folder holds the same log,
which `andante replay` repeats.
"""

from __future__ import annotations

import time
from collections import Counter
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import numpy as np

from andante.control.events import EventKind
from andante.runs.evaluation.metrics import Metrics
from andante.runs.execute import SCENARIO
from andante.runs.loop.clock import NANOSECONDS
from andante.runs.loop.snapshot import Snapshot
from andante.runs.loop.tick import Tick
from andante.runs.scenario_files import Overrides, motion_scenario, overridden, scenario_text
from andante.studio.disk import Disk
from andante.studio.errors import StudioError
from andante.studio.foxglove_stream import FoxgloveStream
from andante.studio.hand import Grip, Hand, Thrust
from andante.studio.lanes import lane_row
from andante.studio.live_process import LiveProcess
from andante.studio.message import Message
from andante.studio.messages import Play, Push, Shove, Speed, Steer
from andante.studio.recorded_run import RecordedRun

_KEPT = 40
"""Snapshots of one run; with more, every second goes and the next lie twice as far apart."""
_APART = 8.0
"""Time between two of them at first [s]: one takes as long as 25 ticks (8 ms), and 8 s are simulated in 0.3 s."""
_SHOWN = (
    *("done_at", "max_tilt", "peak_effort_ratio", "peak_effort_joint", "tracking_error", "guard_ticks", "slip"),
    *("peak_torque_ratio", "peak_torque_joint", "fall_time"),
)
"""Metrics that the page shows."""


@dataclass(frozen=True)
class Order:
    """What is to be run."""

    text: str
    """The library, Andante's own document."""
    robot: str
    """Its robot."""
    motion: str
    """The motion."""
    seed: int
    """The seed."""
    folder: Path
    """Where log and scenario go."""
    disk: Disk
    """Where they are written."""
    allow_fall: bool = False
    """The motion may leave the feet."""
    start: str = ""
    """How the robot begins, see `andante.runs.scenario_files.start_data`; empty: as the motion does."""
    revision: int = field(default=0, compare=False)
    """The document's revision that says this text."""


Mark = tuple[str, int, int]
"""Block, keyframe and how often it has begun before."""
Marks = Counter[tuple[str, int]]
"""How often the keyframes, each by its block and number, have begun."""


class MotionRun(RecordedRun):
    """A motion's run with what is needed to begin it at a keyframe."""

    def __init__(self, order: Order) -> None:
        self.order = order
        disk, library = order.disk, order.folder / "motions.yaml"
        disk.folders(order.folder)
        disk.write(library, order.text.encode())
        scenario = motion_scenario(order.robot, str(library), (order.motion,))
        overrides = Overrides(seed=order.seed, allow_fall=order.allow_fall, start=order.start or None)
        super().__init__(overridden(scenario, overrides).to_its_feet(), order.folder, disk)
        self.marks = Marks()
        self.snapshots: list[tuple[Snapshot, Marks]] = [(self.session.snapshot(), Marks())]
        self.begun: dict[Mark, float] = {}
        self._apart = _APART
        self.hand = Hand(self.parts.model, self.parts.robot.base_body)
        """Somebody who pulls at the robot."""

    def go_to(self, begin: Play) -> None:
        """Go back to the last snapshot before a keyframe's begin; the rest of the way is stepped."""
        mark = (begin.block, begin.keyframe, begin.occurrence)
        latest = self.begun.get(mark, np.inf) if begin.block else 0.0
        snapshot, marks = next(kept for kept in reversed(self.snapshots) if kept[0].time <= latest)
        self.session.restore(snapshot)
        self.marks = marks.copy()
        self.touched = False
        self.unjudged()
        self.hand.take(None)
        self.hand.pushes.clear()

    def reached(self, begin: Play) -> bool:
        """Whether a keyframe has begun."""
        return not begin.block or self.marks[begin.block, begin.keyframe] > begin.occurrence

    def step(self) -> Tick:
        """One tick; a snapshot before it when the last one is long past."""
        session = self.session
        if not self.touched and session.time - self.snapshots[-1][0].time >= self._apart:
            self._keep()
        before = session.time
        self._pull()
        tick = super().step()
        for event in tick.events:
            if event.kind is EventKind.KEYFRAME and "block" in event.data:
                begun = str(event.data["block"]), int(event.data["keyframe"])
                if not self.touched:
                    self.begun.setdefault((*begun, self.marks[begun]), before)
                self.marks[begun] += 1
        return tick

    def verdict(self) -> dict[str, Any]:
        """How the run is judged. The pushes go into its scenario, so that `andante run` does the same again."""
        if self.hand.pushes:
            world = self.scenario.world.model_copy(update={"pushes": (*self.scenario.world.pushes, *self.hand.pushes)})
            pushed = self.scenario.model_copy(update={"world": world})
            self.order.disk.write(self.folder / SCENARIO, scenario_text(pushed).encode())
        return super().verdict() | {"pushed": len(self.hand.pushes)}

    def _pull(self) -> None:
        """What somebody's hand does in the next tick."""
        session, truth = self.session, self.parts.backend.truth() if self.hand.busy else None
        pulled = None if truth is None else self.hand.pull(truth, session.time, session.schedule.period / NANOSECONDS)
        if pulled is None:
            session.let_go()
        else:
            session.push(*pulled)

    def _keep(self) -> None:
        if len(self.snapshots) >= _KEPT:
            self._apart *= 2.0
            del self.snapshots[1::2]
        self.snapshots.append((self.session.snapshot(), self.marks.copy()))

    def figures(self, metrics: Metrics) -> dict[str, Any]:
        """How late ticks were in the mean [s], and metrics."""
        return {"late": self.clock.lateness.mean, "metrics": {name: getattr(metrics, name) for name in _SHOWN}}


class Simulation(LiveProcess[MotionRun]):
    """What runs in the process.

    Args:
        pipe: Messages come and answers go here.
        foxglove: Port of a stream to Foxglove; None: there is none.
    """

    def __init__(self, pipe: Connection, foxglove: int | None = None) -> None:
        super().__init__(pipe)
        self._foxglove = foxglove
        self._stream: FoxgloveStream | None = None
        self._pushed = False

    def _do_play(self, begin: Play, order: Order) -> None:
        self._going = False
        began = time.perf_counter()
        run = self._run
        if run is None or run.order != order:
            self._drop()
            run = self._run = MotionRun(order)
        else:
            run.go_to(begin)
        self._stream_anew()
        about = {"motion": order.motion, "seed": order.seed, "start": order.start, "revision": order.revision}
        self._started(run, **about, weight=run.hand.weight)
        while not run.reached(begin) and run.session.ending is None:
            self._rows.append(lane_row(run.step(), run.base))
        self._tell("there", time=run.session.time, seconds=time.perf_counter() - began)
        self._going = not begin.paused
        run.pace(begin.speed)
        self._show(run)
        if run.session.ending is not None:
            self._finish(run)

    def _do_pause(self, _: Message) -> None:
        self._going = False
        if self._run is not None and self._run.session.ending is None:
            self._show(self._run)
            self._tell("paused", time=self._run.session.time)

    def _do_resume(self, _: Message) -> None:
        run = self._running()
        run.clock.rebase(run.session.moment)
        self._going = True
        self._tell("resumed")

    def _do_step(self, message: Steer) -> None:
        run = self._running()
        self._going = False
        for _ in range(message.ticks):
            if run.session.ending is None:
                self._note(run, run.step())
        self._show(run)
        self._tell("paused", time=run.session.time)
        if run.session.ending is not None:
            self._finish(run)

    def _do_push(self, message: Push) -> None:
        if not message.body:
            if self._run is not None and self._run.session.ending is None:
                self._run.hand.take(None)
            self._tell("pushing", at=None, force=None)
            return
        run = self._running()
        run.touched = True
        run.hand.take(Grip(message.body, message.point, message.target))

    def _do_shove(self, message: Shove) -> None:
        run = self._running()
        run.hand.push(Thrust(message.body, message.force, message.duration))
        run.touched = True
        self._tell("shoved", body=message.body, time=run.session.time)

    def _do_speed(self, message: Speed) -> None:
        if self._run is not None:
            self._run.pace(message.speed)

    def _note(self, run: MotionRun, tick: Tick) -> None:
        if self._stream is not None:
            self._stream.tick(tick)
        super()._note(run, tick)

    def _show(self, run: MotionRun) -> None:
        if run.hand.told is not None:
            self._tell("pushing", **run.hand.told)
        elif self._pushed:
            self._tell("pushing", at=None, force=None)
        self._pushed = run.hand.told is not None
        super()._show(run)

    def _about(self, what: str) -> dict[str, Any]:
        if what == "refused":
            return {"of": self._asked.do}
        return {} if what in ("plots", "notice") else {"run": self._number}

    def _stream_anew(self) -> None:
        """Begin the stream to Foxglove, or tell who looks that another run begins."""
        if self._stream is not None:
            self._stream.begin()
        elif self._foxglove is not None:
            try:
                self._stream = FoxgloveStream(self._foxglove)
            except StudioError as error:
                # The run goes on without it, and says so once.
                self._foxglove = None
                self._tell("notice", text=str(error))
