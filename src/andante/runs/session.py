"""Session: one run, step by step: read - decide - guard - write - advance, on any backend, at several rates.

Everything that a run depends on is handed in, so that the same steps serve physics, a replay and hardware. Each tick is
shown to the recorder and to all observers before time goes on. Between two ticks anything may happen: a pause, a
changed parameter, a fault, a snapshot, a step back. What is changed from outside is an event of the next tick, so that
a replay can do it again. `andante.runs.runner.Runner` drives a session to its end.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Protocol, Self

from andante.backends.backend import Backend, EventSource, Faulty, Listener
from andante.backends.fault import Fault
from andante.control.controller import ControlEvent, Controller, Fallible, Planned, Tunable
from andante.control.events import EventKind
from andante.errors import AndanteError
from andante.planning.planner import Planner
from andante.robots.records import Command, Sensors
from andante.runs.clock import NANOSECONDS, Lateness
from andante.runs.errors import RunError, ScenarioError
from andante.runs.recorder import Recorder
from andante.runs.schedule import PlanQueue, Schedule
from andante.runs.snapshot import Snapshot
from andante.runs.tick import Observer, Tick


class SessionError(RunError):
    """A session cannot do what was asked."""


class Ending(StrEnum):
    """Why a run ended."""

    DONE = "done"
    """The controller was done and the settling time had passed."""
    FAILED = "failed"
    """The controller gave up."""
    TIMEOUT = "timeout"
    """The time limit was reached first."""
    INTERRUPTED = "interrupted"
    """Someone pressed Ctrl-C, or ended the session."""
    STOPPED = "stopped"
    """An observer had seen enough."""


class Gate(Protocol):
    """What a session needs of a `Guard`."""

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
    """What is known at the end of a run; judging it is for the verdict."""

    ending: Ending
    """Why it ended."""
    ticks: int
    """Number of ticks."""
    time: float
    """Time of the run [s]."""
    done_at: float | None
    """Time at which the controller was done first; None: never [s]."""
    wall_time: float
    """Real time that the ticks took [s]."""
    lateness: Lateness
    """How late the ticks began."""
    interventions: tuple[ControlEvent, ...]
    """Summary of the guard's interventions."""
    plans: tuple[tuple[float, float], ...] = ()
    """Time of the run at each request to the planner, and processor time of its plan [s]."""


class Session:
    """One run.

    Args:
        backend: What is moved.
        controller: What decides.
        guard: Stands between the two.
        limits: When the run ends.
        planner: Plans beside the controller, which must then be `Planned`.
        recorder: Takes every tick; None records nothing. The session closes it.
        observers: Look at every tick, in this order.
        seed: Decides everything random in the backend.
        physics_period: Step of the backend's physics, if it has one; the control period must be a multiple [s].
        real_time: Plans are made in the background while ticks go on.
        name: Name of the run, for messages.

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
        observers: Sequence[Observer] = (),
        seed: int = 0,
        physics_period: float | None = None,
        real_time: bool = False,
        name: str = "",
    ) -> None:
        self.schedule = Schedule.of(controller.period, physics_period)
        if planner is not None and not isinstance(controller, Planned):
            raise ScenarioError("this controller takes no plans", value=type(controller).__name__)
        self.backend, self.controller, self.guard = backend, controller, guard
        self.limits, self.seed, self.name = limits, seed, name
        self._planner, self._recorder = planner, recorder
        self._observers = list(observers)
        self._plans = None if planner is None else PlanQueue(planner, self.schedule.period, background=real_time)
        self._planned = controller if isinstance(controller, Planned) else None
        self._fallible = controller if isinstance(controller, Fallible) else None
        self._listener = backend if isinstance(backend, Listener) else None
        self._source = backend if isinstance(backend, EventSource) else None
        self._pending: list[ControlEvent] = []
        self._last = self._end = self.schedule.ticks(limits.timeout)
        self._number = 0
        self._done_at: float | None = None
        self._ending: Ending | None = None
        self._started = self._closed = False

    @property
    def number(self) -> int:
        """Number of the tick that comes next."""
        return self._number

    @property
    def time(self) -> float:
        """Time of the run [s]."""
        return self.moment / NANOSECONDS

    @property
    def moment(self) -> int:
        """Time of the run [ns]."""
        return self._number * self.schedule.period

    @property
    def started(self) -> bool:
        """Whether backend, controller and guard have been put at their start."""
        return self._started

    @property
    def ending(self) -> Ending | None:
        """Why the run ended; None while it goes on."""
        return self._ending

    def start(self) -> None:
        """Put backend, controller and guard at their start; the first `step` does it where nobody did.

        Raises:
            SessionError: The session has been started.
            AndanteError: The start is impossible.
        """
        if self._started:
            raise SessionError("the session has been started", value=self.name)
        self._started = True
        try:
            self.backend.reset(self.seed)
            self.controller.reset()
            self.guard.reset()
            if self._planner is not None:
                self._planner.reset()
            for observer in self._observers:
                observer.begin(self.backend)
        except Exception as error:
            self._break_off(error)
            raise
        if self._end == 0:
            self._ending = Ending.TIMEOUT

    def step(self) -> Tick:
        """Do one tick.

        Whatever controller, planner, backend, observers or recorder raise is passed on after the log has been closed.

        Raises:
            SessionError: The run has ended.
            RecordingError: A record of the run does not fit its channel, or the log cannot be written.
        """
        if not self._started:
            self.start()
        if self._ending is not None:
            raise SessionError("the run has ended", value=str(self._ending), place=f"{self.time:.3f} s")
        try:
            tick = self._tick()
            self.backend.advance(self.controller.period)
            self._number += 1
            self._look_for_end()
        except Exception as error:
            self._break_off(error)
            raise
        return tick

    def steps(self, count: int) -> Tick | None:
        """Do up to ``count`` ticks, fewer where the run ends before; gives the last one."""
        tick = None
        for _ in range(count):
            if self._ending is not None:
                break
            tick = self.step()
        return tick

    def end(self, ending: Ending = Ending.INTERRUPTED) -> None:
        """End the run here, if it goes on."""
        if self._ending is None:
            self._ending = ending

    def change(self, parameter: str, value: float | bool | str) -> None:
        """Change one of the controller's settings from the next tick on; the log tells it, and a replay repeats it.

        Args:
            parameter: Its name; that of a setting within settings follows a dot: ``trot.lift``.
            value: Its value, in SI units.

        Raises:
            SessionError: The controller has no such setting.
            AndanteError: The value is not legal; nothing has been changed.
        """
        controller = self.controller
        if not isinstance(controller, Tunable):
            raise SessionError("this controller has no settings to change", value=type(controller).__name__)
        controller.change(controller.settings.with_value(parameter, value))
        data = {"parameter": parameter, "value": value}
        self._pending.append(ControlEvent(self.time, EventKind.PARAMETER, f"{parameter} = {value}", data))

    def fault(self, fault: Fault) -> None:
        """Add a fault; one without ``start`` and ``when`` begins now.

        Raises:
            SessionError: Nothing can fail in this backend.
            AndanteError: The fault does not fit the robot.
        """
        self._faulty().add_fault(fault)

    def trigger(self, name: str) -> None:
        """Let the faults of this name begin now.

        Raises:
            SessionError: Nothing can fail in this backend.
            BackendError: No fault has this name.
        """
        self._faulty().trigger(name)

    def mend(self, name: str) -> None:
        """End the faults of this name now.

        Raises:
            SessionError: Nothing can fail in this backend.
            BackendError: No fault has this name.
        """
        self._faulty().mend(name)

    def observe(self, observer: Observer) -> Callable[[], None]:
        """Show all further ticks to one more observer; gives what takes it away again."""
        self._observers.append(observer)
        if self._started:
            observer.begin(self.backend)
        return lambda: self._observers.remove(observer)

    def snapshot(self) -> Snapshot:
        """Keep everything between two ticks; see `andante.runs.snapshot`.

        Raises:
            SnapshotError: Something in this run cannot be kept.
        """
        if not self._started:
            self.start()
        if self._plans is not None:
            self._plans.finish()
        return Snapshot(self, self.name, self._number, self.time, (("session", self),))

    def restore(self, snapshot: Snapshot) -> None:
        """Go back (or forth) to a snapshot of this session: what follows is what followed then, byte for byte.

        The log goes back, too.

        Raises:
            SnapshotError: The snapshot was taken of another session; nothing has been changed.
        """
        if self._plans is not None:
            self._plans.finish()
        snapshot.restore(self, self.name)

    def outcome(self, wall_time: float = 0.0, lateness: Lateness | None = None) -> Outcome:
        """What is known of the run so far.

        Raises:
            SessionError: It goes on.
        """
        if self._ending is None:
            raise SessionError("the run goes on", value=f"{self.time:.3f} s")
        return Outcome(
            self._ending,
            self._number,
            self.time,
            self._done_at,
            wall_time,
            lateness or Lateness(),
            tuple(self.guard.summary()),
            () if self._plans is None else tuple(self._plans.spent),
        )

    def close(self) -> None:
        """End the run, write its last events and close the log; a second call does nothing."""
        if self._closed:
            return
        self._closed = True
        try:
            if self._started and self._ending is not None:
                for event in self.guard.summary():
                    self._note(event)
                self._note(ControlEvent(self.time, EventKind.END, f"the run ended: {self._ending}"))
        finally:
            self._let_go()

    def after_restore(self) -> None:
        """A restored session goes on, whether it was closed meanwhile or not."""
        if self._plans is not None:
            self._plans.reopen()

    def __repr__(self) -> str:
        state = "goes on" if self._ending is None else f"ended: {self._ending}"
        return f"Session({self.name!r}, tick {self._number}, {self.time:.3f} s, {state})"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _tick(self) -> Tick:
        number, moment, controller = self._number, self.moment, self.controller
        events, self._pending = self._pending, []
        sensors = self.backend.read()
        if self._plans is not None and self._planned is not None:
            wanted = self._planned.take_request()
            if wanted is not None:
                self._plans.request(number, wanted)
            for plan in self._plans.arrivals(number):
                self._planned.accept(plan)
        request = controller.step(sensors)
        command = self.guard.apply(request, sensors)
        self.backend.write(command)
        said = controller.take_events()
        if self._listener is not None:
            for event in said:
                self._listener.notify(event)
        events += said
        events += self.guard.take_events()
        if self._source is not None:
            events += self._source.take_events()
        tick = Tick(number, moment, sensors, request, command, events, controller.telemetry, self.backend.truth)
        if self._recorder is not None:
            self._recorder.tick(tick)
        for observer in self._observers:
            observer.see(tick)
        return tick

    def _look_for_end(self) -> None:
        limits, schedule = self.limits, self.schedule
        number, ending = self._number - 1, None
        if self._done_at is None and self.controller.done:
            self._done_at = number * schedule.period / NANOSECONDS
            if not limits.until_timeout:
                self._end = min(self._last, number + 1 + schedule.ticks(limits.settle))
        if self._number >= self._end:
            ending = Ending.TIMEOUT if self._done_at is None else Ending.DONE
        # Every observer is asked: each may keep count of what it sees.
        over = [observer.over(self.backend) for observer in self._observers]
        if self._fallible is not None and self._fallible.failed and not limits.until_timeout:
            ending = Ending.FAILED
        elif any(over):
            ending = Ending.STOPPED
        self._ending = ending

    def _faulty(self) -> Faulty:
        if not self._started:
            self.start()
        if not isinstance(self.backend, Faulty):
            raise SessionError("nothing can fail in this backend", value=type(self.backend).__name__)
        return self.backend

    def _note(self, event: ControlEvent) -> None:
        if self._recorder is not None:
            self._recorder.event(event)

    def _break_off(self, error: Exception) -> None:
        """Close the log; what Andante raises is told there."""
        self._closed = True
        try:
            if isinstance(error, AndanteError):
                self._note(ControlEvent(self.backend.time, EventKind.ERROR, str(error)))
        finally:
            self._let_go()

    def _let_go(self) -> None:
        if self._plans is not None:
            self._plans.close()
        if self._recorder is not None:
            self._recorder.close()
