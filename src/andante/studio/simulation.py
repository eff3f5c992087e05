"""The simulation process: one session at a time, stepped in real time, told about over a pipe.

It gets plain commands and gives plain answers, so that nothing of a run can hold up the pages, and a run that breaks
leaves them alone. Every run is what `andante run --library FILE --motion NAME` makes of the same text, and its folder
holds the same log, which `andante replay` repeats.
"""

from __future__ import annotations

import os
import signal
import time
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import numpy as np

from andante.backends.fault import Fault
from andante.control.events import EventKind
from andante.documents.files import write_text
from andante.errors import AndanteError
from andante.runs.build import Parts, build
from andante.runs.clock import WATCHED, RealTimeClock
from andante.runs.execute import LOG, SCENARIO, judged, log_metadata, session_of
from andante.runs.log import Log
from andante.runs.recorder import LogRecorder
from andante.runs.scenario import Scenario
from andante.runs.scenario_files import Overrides, motion_scenario, overridden, scenario_text
from andante.runs.session import Session
from andante.runs.snapshot import Snapshot
from andante.runs.tick import Tick
from andante.studio.drawn_pose import DrawnPose
from andante.studio.errors import StudioError
from andante.studio.foxglove_stream import FoxgloveStream
from andante.studio.recorded import Plotted, channels, parameters

RATE = 36.0
"""Poses per second of real time; the page draws each at most once, and some come too late for a frame."""
_AHEAD = 400
"""Ticks that are done at once on the way to a keyframe, before commands are looked at again."""
_KEPT = 40
"""Snapshots of one run; with more, every second goes and the next lie twice as far apart."""
_APART = 4.0
"""Time between two of them at first [s]: one takes as long as a tick or two, and 4 s are simulated in 0.4 s."""


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
    allow_fall: bool = False
    """The motion may leave the feet."""
    start: str = ""
    """How the robot begins, see `andante.runs.starts`; empty: as the motion does."""


@dataclass(frozen=True)
class Begin:
    """Where a run is shown from, and how."""

    block: str = ""
    """Block of the keyframe; empty: from the beginning."""
    keyframe: int = 0
    """The keyframe."""
    occurrence: int = 0
    """How often the keyframe has begun before."""
    speed: float = 1.0
    """Time of the run per real time."""
    paused: bool = False
    """Stand still there."""


Mark = tuple[str, int, int]
"""Block, keyframe and how often it has begun before."""
Marks = dict[str, dict[int, int]]
"""How often the keyframes of each block have begun."""


class _Run:
    """One session with what is shown of it."""

    def __init__(self, order: Order) -> None:
        self.order = order
        order.folder.mkdir(parents=True, exist_ok=True)
        library = order.folder / "motions.yaml"
        write_text(library, order.text)
        scenario = motion_scenario(order.robot, str(library), (order.motion,))
        overrides = Overrides(seed=order.seed, allow_fall=order.allow_fall, start=order.start or None)
        self.scenario: Scenario = overridden(scenario, overrides).to_its_feet()
        write_text(order.folder / SCENARIO, scenario_text(self.scenario))
        self.parts: Parts = build(self.scenario)
        recorder = LogRecorder(order.folder / LOG, log_metadata(self.scenario, self.parts.robot))
        self.session: Session = session_of(self.scenario, self.parts, recorder=recorder)
        self.session.start()
        self.marks: Marks = {}
        self.touched = False
        self.snapshots: list[tuple[Snapshot, Marks]] = [(self.session.snapshot(), {})]
        self.begun: dict[Mark, float] = {}
        self._apart = _APART
        self._drawn = DrawnPose(self.parts)

    def go_to(self, begin: Begin) -> None:
        """Go back to the last snapshot before a keyframe's begin; the rest of the way is stepped."""
        mark = (begin.block, begin.keyframe, begin.occurrence)
        latest = self.begun.get(mark, np.inf) if begin.block else 0.0
        snapshot, marks = next(kept for kept in reversed(self.snapshots) if kept[0].time <= latest)
        self.session.restore(snapshot)
        self.marks = {block: dict(counts) for block, counts in marks.items()}
        self.touched = False

    def reached(self, begin: Begin) -> bool:
        """Whether a keyframe has begun."""
        return not begin.block or self.marks.get(begin.block, {}).get(begin.keyframe, 0) > begin.occurrence

    def step(self) -> Tick:
        """One tick; a snapshot before it when the last one is long past."""
        session = self.session
        if not self.touched and session.time - self.snapshots[-1][0].time >= self._apart:
            self._keep()
        before = session.time
        tick = session.step()
        for event in tick.events:
            if event.kind is EventKind.KEYFRAME and "block" in event.data:
                block, keyframe = str(event.data["block"]), int(event.data["keyframe"])
                counts = self.marks.setdefault(block, {})
                if not self.touched:
                    self.begun.setdefault((block, keyframe, counts.get(keyframe, 0)), before)
                counts[keyframe] = counts.get(keyframe, 0) + 1
        return tick

    def _keep(self) -> None:
        if len(self.snapshots) >= _KEPT:
            self._apart *= 2.0
            del self.snapshots[1::2]
        self.snapshots.append((self.session.snapshot(), {block: dict(counts) for block, counts in self.marks.items()}))

    def pose(self) -> np.ndarray[Any, np.dtype[np.float64]]:
        """Base position and orientation and the joints, (7 + nj,)."""
        return self._drawn.now()


class Simulation:
    """What runs in the process.

    Args:
        pipe: Commands come and answers go here.
        foxglove: Port of a stream to Foxglove; None: there is none.
    """

    def __init__(self, pipe: Connection, foxglove: int | None = None) -> None:
        self._pipe, self._foxglove = pipe, foxglove
        self._stream: FoxgloveStream | None = None
        self._run: _Run | None = None
        self._begin = Begin()
        self._number = 0
        self._going = self._seeking = self._told = False
        self._clock = RealTimeClock(late=WATCHED)
        self._plotted = Plotted()
        self._due = 0.0

    def serve(self) -> None:
        """Do what comes until the pipe closes."""
        while True:
            try:
                while self._pipe.poll(None if not self._going else 0.0):
                    self._obey(self._pipe.recv())
            except (EOFError, OSError):
                return
            if self._going:
                try:
                    self._advance()
                except AndanteError as error:
                    self._break_off(str(error))

    def _obey(self, command: tuple[str, Any]) -> None:
        name, data = command
        try:
            getattr(self, f"_do_{name}")(data)
        except AndanteError as error:
            self._tell("refused", text=str(error), of=name)

    # Commands ----------------------------------------------------------------------------------------------------

    def _do_play(self, data: tuple[Order, Begin]) -> None:
        order, begin = data
        self._going = False
        self._number += 1
        run = self._run
        began = time.perf_counter()
        if run is None or run.order != order:
            self._drop()
            run = self._run = _Run(order)
        else:
            run.go_to(begin)
        self._stream_anew()
        self._begin, self._told = begin, False
        self._clock = RealTimeClock(begin.speed, late=WATCHED)
        self._plotted.clear()
        self._seeking = not run.reached(begin)
        self._tell(
            "started",
            run=self._number,
            motion=order.motion,
            seed=order.seed,
            channels=channels(run.session, run.parts),
            parameters=parameters(run.session.controller),
            folder=str(order.folder),
        )
        while self._seeking:
            for _ in range(_AHEAD):
                if run.reached(begin) or run.session.ending is not None:
                    self._seeking = False
                    break
                run.step()
        self._tell("there", run=self._number, time=run.session.time, seconds=time.perf_counter() - began)
        self._going = not begin.paused
        self._clock.start(run.session.schedule.period)
        self._clock.rebase(run.session.moment)
        self._show(run)
        if run.session.ending is not None:
            self._finish(run)

    def _do_pause(self, _: None) -> None:
        self._going = False
        if self._run is not None and self._run.session.ending is None:
            self._show(self._run)
            self._tell("paused", run=self._number, time=self._run.session.time)

    def _do_resume(self, _: None) -> None:
        run = self._running()
        self._clock.rebase(run.session.moment)
        self._going = True
        self._tell("resumed", run=self._number)

    def _do_step(self, ticks: int) -> None:
        run = self._running()
        self._going = False
        for _ in range(ticks):
            if run.session.ending is None:
                self._note(run, run.step())
        self._show(run)
        self._tell("paused", run=self._number, time=run.session.time)
        if run.session.ending is not None:
            self._finish(run)

    def _do_stop(self, _: None) -> None:
        run = self._running()
        run.session.end()
        run.touched = True
        self._finish(run)

    def _do_speed(self, speed: float) -> None:
        self._clock = RealTimeClock(speed, late=WATCHED)
        if self._run is not None:
            self._clock.start(self._run.session.schedule.period)
            self._clock.rebase(self._run.session.moment)

    def _do_fault(self, fault: Fault) -> None:
        run = self._running()
        run.session.fault(fault)
        run.touched = True
        self._tell("faulty", run=self._number, name=fault.name, on=True)

    def _do_mend(self, name: str) -> None:
        run = self._running()
        run.session.mend(name)
        run.touched = True
        self._tell("faulty", run=self._number, name=name, on=False)

    def _do_change(self, data: tuple[str, float | bool | str]) -> None:
        run = self._running()
        run.session.change(*data)
        run.touched = True
        self._tell("changed", run=self._number, parameter=data[0], value=data[1], time=run.session.time)

    def _do_plots(self, columns: tuple[str, ...]) -> None:
        self._plotted.choose(columns)
        self._tell("plots", columns=list(columns))

    # Running -----------------------------------------------------------------------------------------------------

    def _running(self) -> _Run:
        if self._run is None or self._run.session.ending is not None:
            raise StudioError("nothing runs")
        return self._run

    def _advance(self) -> None:
        run = self._run
        if run is None or run.session.ending is not None:
            self._going = False
            return
        self._clock.wait_until(run.session.moment)
        self._note(run, run.step())
        now = time.perf_counter()
        if now >= self._due:
            # From the last due moment on, not from now: a tick longer than half a frame would lower the rate.
            self._due = max(self._due + 1.0 / RATE, now)
            self._show(run)
        if run.session.ending is not None:
            self._show(run)
            self._finish(run)

    def _note(self, run: _Run, tick: Tick) -> None:
        """Keep the values of the plotted variables, and tell what happened."""
        self._plotted.note(tick)
        if self._stream is not None:
            self._stream.tick(tick)
        for event in tick.events:
            self._tell("event", run=self._number, time=event.time, kind=str(event.kind), text=event.text)

    def _show(self, run: _Run) -> None:
        self._pipe.send(("pose", (self._number, run.session.time, run.pose(), self._plotted.take())))

    def _finish(self, run: _Run) -> None:
        """Close the log and judge the run."""
        self._going = False
        if self._told:
            return
        self._told = True
        session = run.session
        wall = self._clock.lateness
        session.close()
        outcome = session.outcome()
        log = Log.open(run.order.folder / LOG)
        metrics, verdict, _ = judged(run.scenario, run.parts, log, outcome)
        self._tell(
            "verdict",
            run=self._number,
            verdict=verdict.verdict,
            reasons=list(verdict.reasons),
            time=outcome.time,
            late=wall.mean,
            metrics={
                "done_at": metrics.done_at,
                "max_tilt": metrics.max_tilt,
                "peak_effort_ratio": metrics.peak_effort_ratio,
                "peak_effort_joint": metrics.peak_effort_joint,
                "tracking_error": metrics.tracking_error,
                "guard_ticks": metrics.guard_ticks,
                "slip": metrics.slip,
            },
        )

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

    def _break_off(self, text: str) -> None:
        self._going = False
        self._tell("broken", run=self._number, text=text)
        self._drop()

    def _drop(self) -> None:
        run, self._run = self._run, None
        if run is not None:
            run.session.end()
            run.session.close()
            run.parts.backend.close()

    def _tell(self, what: str, **data: Any) -> None:
        self._pipe.send(("tell", {"type": what, **data}))


def serve(pipe: Connection, foxglove: int | None = None) -> None:
    """Entry of the process."""
    # Ctrl-C in the terminal ends the server, which then closes the pipe.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    Simulation(pipe, foxglove).serve()
