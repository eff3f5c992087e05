"""Runner: the loop read - decide - guard - write - advance, on any backend, at several rates.

Everything that a run depends on is handed in, so that the same loop serves physics, a replay and hardware. Each tick
is recorded before time goes on; whatever ends the run, the log is closed first.
"""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from types import FrameType
from typing import Any, Protocol

from andante.backends.backend import Backend, Teller
from andante.control.controller import ControlEvent, Controller, Fallible, Planned
from andante.errors import AndanteError
from andante.planning.planner import Planner
from andante.robots.records import Command, Record, Sensors
from andante.runs.clock import NANOSECONDS, Clock, Lateness, SimulatedClock
from andante.runs.errors import ScenarioError
from andante.runs.recorder import Recorder
from andante.runs.schedule import PlanQueue, Schedule

Progress = Callable[[float, float], None]
"""Called some ten times per second with the time reached and the time limit of the run, both [s]."""
_PROGRESS_INTERVAL = 0.1


class Ending(StrEnum):
    """Why a run ended."""

    DONE = "done"
    """The controller was done and the settling time had passed."""
    FAILED = "failed"
    """The controller gave up."""
    TIMEOUT = "timeout"
    """The time limit was reached first."""
    INTERRUPTED = "interrupted"
    """Someone pressed Ctrl-C."""
    STOPPED = "stopped"
    """Whoever watches the ground truth had seen enough."""


class Gate(Protocol):
    """What the runner needs of a `Guard`."""

    def reset(self) -> None:
        """Forget everything."""
        ...

    def apply(self, command: Command, sensors: Sensors) -> Command:
        """The command that may be written."""
        ...

    def take_events(self) -> list[ControlEvent]:
        """Interventions since the last call."""
        ...

    def summary(self) -> list[ControlEvent]:
        """All interventions with their counts."""
        ...


class Watch(Protocol):
    """Looks at the ground truth, which no controller sees, and may end the run."""

    def reset(self) -> None:
        """Forget everything."""
        ...

    def over(self, truth: Record) -> bool:
        """Whether the run is over; asked once a tick."""
        ...


@dataclass(frozen=True)
class Limits:
    """When a run ends."""

    timeout: float
    """Longest time [s]."""
    settle: float = 0.0
    """Time that goes on after the controller is done [s]."""
    until_timeout: bool = False
    """Go on to the time limit even if the controller is done or gives up."""


@dataclass(frozen=True)
class Outcome:
    """What the loop knows at its end; judging it is for the verdict."""

    ending: Ending
    """Why it ended."""
    ticks: int
    """Number of ticks."""
    time: float
    """Time of the run [s]."""
    done_at: float | None
    """Time at which the controller was done first; None: never [s]."""
    wall_time: float
    """Real time that the loop took [s]."""
    lateness: Lateness
    """How late the ticks began."""
    interventions: tuple[ControlEvent, ...]
    """Summary of the guard's interventions."""


class Runner:
    """One run.

    Args:
        backend: What is moved.
        controller: What decides.
        guard: Stands between the two.
        limits: When the run ends.
        planner: Thinks beside the controller, which must then be `Planned`.
        recorder: Takes every tick; None records nothing. The runner closes it.
        clock: When ticks begin; as fast as possible where None.
        seed: Decides everything random in the backend.
        physics_period: Step of the backend's physics, if it has one; the control period must be a multiple [s].
        progress: Told about the progress some ten times per second.
        listener: Told every event of the controller in its tick, before time goes on.
        watch: May end the run by what the ground truth shows.

    Raises:
        ScenarioError: The periods do not divide, or a planner has nobody to talk to.
    """

    def __init__(
        self,
        backend: Backend,
        controller: Controller,
        guard: Gate,
        *,
        limits: Limits,
        planner: Planner[Any, Any] | None = None,
        recorder: Recorder | None = None,
        clock: Clock | None = None,
        seed: int = 0,
        physics_period: float | None = None,
        progress: Progress | None = None,
        listener: Callable[[ControlEvent], None] | None = None,
        watch: Watch | None = None,
    ) -> None:
        self.schedule = Schedule.of(controller.period, physics_period, planner)
        if planner is not None and not isinstance(controller, Planned):
            raise ScenarioError("this controller takes no plans", value=type(controller).__name__)
        self.backend = backend
        self.controller = controller
        self.guard = guard
        self.planner = planner
        self.recorder = recorder
        self.clock: Clock = clock if clock is not None else SimulatedClock()
        self.limits = limits
        self.seed = seed
        self.progress = progress
        self.listener = listener
        self.watch = watch
        self.fallible = controller if isinstance(controller, Fallible) else None
        self.teller = backend if isinstance(backend, Teller) else None
        self._interrupted = False

    def run(self) -> Outcome:
        """Run to the end.

        Ctrl-C ends the run after the current tick; a second one breaks it off. Whatever controller, planner, backend or
        recorder raise is passed on after the log has been closed.

        Raises:
            RecordingError: A record of the run does not fit its channel, or the log cannot be written.
        """
        self._interrupted = False
        plans = None
        try:
            self._reset()
            if self.planner is not None:
                plans = PlanQueue(self.planner, self.schedule, background=self.clock.real_time)
            with self._catching_interrupts():
                outcome = self._loop(plans)
            self._note_end(outcome)
            return outcome
        except AndanteError as error:
            self._note(ControlEvent(self.backend.time, "error", str(error)))
            raise
        finally:
            if plans is not None:
                plans.close()
            if self.recorder is not None:
                self.recorder.close()

    def _reset(self) -> None:
        self.backend.reset(self.seed)
        self.controller.reset()
        self.guard.reset()
        if self.planner is not None:
            self.planner.reset()
        if self.watch is not None:
            self.watch.reset()

    def _loop(self, plans: PlanQueue | None) -> Outcome:
        limits, schedule, clock = self.limits, self.schedule, self.clock
        last = schedule.ticks(limits.timeout)
        end = last
        tick = 0
        done_at: float | None = None
        ending = Ending.TIMEOUT
        began = reported = time.perf_counter()
        clock.start(schedule.period)
        try:
            while tick < end:
                if self._interrupted:
                    ending = Ending.INTERRUPTED
                    break
                clock.wait_until(tick * schedule.period)
                self._tick(tick, plans)
                if done_at is None and self.controller.done:
                    done_at = tick * schedule.period / NANOSECONDS
                    if not limits.until_timeout:
                        end = min(last, tick + 1 + schedule.ticks(limits.settle))
                        ending = Ending.DONE
                tick += 1
                if self.fallible is not None and self.fallible.failed and not limits.until_timeout:
                    ending = Ending.FAILED
                    break
                if self.watch is not None:
                    truth = self.backend.truth()
                    if truth is not None and self.watch.over(truth):
                        ending = Ending.STOPPED
                        break
                if self.progress is not None:
                    now = time.perf_counter()
                    if now - reported > _PROGRESS_INTERVAL:
                        reported = now
                        self.progress(tick * schedule.period / NANOSECONDS, limits.timeout)
        except KeyboardInterrupt:
            ending = Ending.INTERRUPTED
        wall_time = time.perf_counter() - began
        if ending is Ending.TIMEOUT and limits.until_timeout and done_at is not None:
            ending = Ending.DONE
        return Outcome(
            ending,
            tick,
            tick * schedule.period / NANOSECONDS,
            done_at,
            wall_time,
            clock.lateness,
            tuple(self.guard.summary()),
        )

    def _tick(self, tick: int, plans: PlanQueue | None) -> None:
        sensors = self.backend.read()
        controller = self.controller
        if plans is not None and isinstance(controller, Planned):
            wanted = controller.take_request()
            if wanted is not None:
                plans.ask(tick, wanted)
            for plan in plans.arrivals(tick):
                controller.accept(plan)
        request = controller.step(sensors)
        command = self.guard.apply(request, sensors)
        self.backend.write(command)
        events = controller.take_events()
        if self.listener is not None:
            for event in events:
                self.listener(event)
        if self.recorder is not None:
            events += self.guard.take_events()
            if self.teller is not None:
                events += self.teller.take_events()
            self._record(self.recorder, tick * self.schedule.period, sensors, request, command, events)
        self.backend.advance(controller.period)

    def _record(
        self,
        recorder: Recorder,
        moment: int,
        sensors: Sensors,
        request: Command,
        command: Command,
        events: list[ControlEvent],
    ) -> None:
        recorder.add("sensors", moment, sensors)
        recorder.add("command", moment, command)
        # A request is worth a row only where the guard changed it.
        if request is not command and request.vector.tobytes() != command.vector.tobytes():
            recorder.add("request", moment, request)
        telemetry = self.controller.telemetry
        if telemetry is not None:
            recorder.add("telemetry", moment, telemetry)
        truth = self.backend.truth()
        if truth is not None:
            recorder.add("truth", moment, truth)
        for event in events:
            recorder.event(event)
        recorder.end_tick()

    def _note_end(self, outcome: Outcome) -> None:
        for event in outcome.interventions:
            self._note(event)
        self._note(ControlEvent(outcome.time, "end", f"the run ended: {outcome.ending}"))

    def _note(self, event: ControlEvent) -> None:
        if self.recorder is not None:
            self.recorder.event(event)

    @contextmanager
    def _catching_interrupts(self) -> Iterator[None]:
        """Turn the first Ctrl-C into a request, so that no record is cut in half (main thread only)."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return

        def interrupt(number: int, frame: FrameType | None) -> None:
            if self._interrupted:
                raise KeyboardInterrupt
            self._interrupted = True

        before = signal.signal(signal.SIGINT, interrupt)
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, before if before is not None else signal.SIG_DFL)
