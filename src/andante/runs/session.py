"""Session: one run, step by step: read - decide - guard - write - advance, on any backend, at several rates.

Everything that a run depends on is handed in, so that the same steps serve physics, a replay and hardware. Each tick is
shown to the recorder and to all observers before time goes on. Between two ticks anything may happen: a pause, a
changed parameter, a fault, a snapshot, a step back. What is changed from outside is an event of the next tick, so that
a replay can do it again. `andante.runs.loop.runner.Runner` drives a session to its end.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Self

from numpy.typing import ArrayLike

from andante.backends.backend import Backend, EventSource, LinkLostError, Listener, Paced, Tiring
from andante.control.actions.acting import Acting
from andante.control.answers import believed, sensed, true_record
from andante.control.controller import ControlEvent, Controller, Planned, Releasing, Sparing, TruthReader
from andante.control.events import EventKind
from andante.control.guard import Guard
from andante.control.plausibility import SensorCheck
from andante.control.sensor_parts import NEEDED, SensorCheckSettings
from andante.planning.planner import Planner
from andante.robots.records import Command, Record, Sensors
from andante.runs.errors import ScenarioError, SessionError
from andante.runs.logs.recorder import LogRecorder
from andante.runs.loop.actions import live_steering
from andante.runs.loop.clock import NANOSECONDS, ClockLateness
from andante.runs.loop.closing import Closing
from andante.runs.loop.decider import Decider
from andante.runs.loop.interventions import Interventions
from andante.runs.loop.outcome import Ending, Outcome, RunLimits
from andante.runs.loop.schedule import PlanQueue, Schedule
from andante.runs.loop.tick import Observer, Tick

if TYPE_CHECKING:
    from andante.runs.loop.snapshot import Snapshot

_ASKED_WELL = (Ending.DONE, Ending.TIMEOUT, Ending.INTERRUPTED)
"""Ends that were asked for while nothing was wrong."""


class Session(Interventions, Closing):
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
        check: What readings are believed, and for how long lost ones are replaced.

    Raises:
        ScenarioError: The periods do not divide, or a planner has nobody to talk to.
    """

    def __init__(
        self,
        backend: Backend,
        controller: Controller,
        guard: Guard,
        *,
        limits: RunLimits,
        planner: Planner[Any, Any] | None = None,
        recorder: LogRecorder | None = None,
        observers: Sequence[Observer] = (),
        seed: int = 0,
        physics_period: float | None = None,
        real_time: bool = False,
        name: str = "",
        check: SensorCheckSettings | None = None,
    ) -> None:
        self.schedule = Schedule.of(controller.period, physics_period)
        told = controller.inner if isinstance(controller, Releasing) else controller
        if planner is not None and not isinstance(told, Planned):
            raise ScenarioError("this controller takes no plans", value=type(controller).__name__)
        self.backend, self.controller, self.guard = backend, controller, guard
        self.limits, self.seed, self.name = limits, seed, name
        self._planner, self._recorder = planner, recorder
        self._observers = list(observers)
        self._plans = None if planner is None else PlanQueue(planner, self.schedule.period, background=real_time)
        self._listener = backend if isinstance(backend, Listener) else None
        self._source = backend if isinstance(backend, EventSource) else None
        # One that is not Andante's may change what it is given, which is recorded and limits the next command.
        self._believed = believed(backend)
        self._paced = backend if isinstance(backend, Paced) else None
        self._tiring = backend if isinstance(backend, Tiring) else None
        self._releasing = controller if isinstance(controller, Releasing) else None
        needs = told.needs if isinstance(told, Sparing) else NEEDED
        self._absent: frozenset[str] = getattr(backend, "absent", frozenset())
        self._held: bool = getattr(backend, "held", False)
        self.check = SensorCheck(backend.robot, controller.period, check, needs, self._absent, held=self._held)
        self._needs = needs
        # One that is not Andante's may change what it says.
        self._period = controller.period
        self._decider = Decider(backend.robot, controller, guard, self.check, self._plans)
        self._told = told
        self._reader = told if isinstance(told, TruthReader) and told.sees_truth else None
        self._live = live_steering(told)
        self._acting = told if isinstance(told, Acting) else None
        self._last = self.schedule.ticks(limits.timeout)
        self._at_begin()

    def _at_begin(self) -> None:
        """Nothing has happened yet."""
        self._command: Command | None = None
        self._sensed: tuple[Sensors, Sensors] | None = None
        self._pending: list[ControlEvent] = []
        self._pushing: tuple[str, float, float] | None = None
        self._end = self._last
        self._number = 0
        self._done_at: float | None = None
        self._ending: Ending | None = None
        self._lost = self._unreleased = ""
        self._withheld: Exception | None = None
        self._asked: Ending | None = None
        self._started = self._closed = False

    @property
    def number(self) -> int:
        """Number of the tick that comes next."""
        return self._number

    @property
    def time(self) -> float:
        """Time of the run [s]."""
        return self._number * self.schedule.period / NANOSECONDS

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

    @property
    def stopped(self) -> str:
        """Why the robot is stopped; empty while the controller decides."""
        return (self._lost or self._unreleased) if self._decider.stop is None else self._decider.stop.reason

    @property
    def error(self) -> Exception | None:
        """What the controller raised; None: nothing."""
        return self._decider.error

    def start(self) -> None:
        """Put backend, controller and guard at their start; the first `step` does it where nobody did.

        Raises:
            SessionError: The session has been started, or was closed.
            AndanteError: The start is impossible.
        """
        if self._closed:
            # Whatever is moved has been let go of.
            raise SessionError("the session was closed", value=self.name, remedy="open another one")
        if self._started:
            raise SessionError("the session has been started", value=self.name)
        self._started = True
        try:
            self.backend.reset(self.seed)
            self._look_at_absent()
            if self._reader is not None and self.backend.truth() is None:
                raise ScenarioError("the controller sees ground truth, and here is none", value=self.name)
            self.controller.reset()
            self.guard.reset()
            self.check.reset()
            if self._planner is not None:
                self._planner.reset()
            for observer in self._observers:
                observer.begin(self.backend)
        except Exception as error:
            self._break_off(error)
            raise
        if self._end == 0:
            self._ending = Ending.TIMEOUT

    def _look_at_absent(self) -> None:
        """What a robot does not measure may show only when it has been met."""
        absent: frozenset[str] = getattr(self.backend, "absent", frozenset())
        if absent == self._absent:
            return
        self._absent, robot = absent, self.backend.robot
        settings = self.check.settings
        self.check = SensorCheck(robot, self._period, settings, self._needs, absent, held=self._held)
        self._decider = Decider(robot, self.controller, self.guard, self.check, self._plans)

    def restart(self, seed: int) -> None:
        """Begin anew with another seed; changed settings stay, and so do snapshots that were taken before.

        Raises:
            SessionError: The session is recorded, and a log tells of one run.
            AndanteError: The start is impossible.
        """
        if self._recorder is not None:
            raise SessionError("a session that is recorded cannot begin anew", value=self.name)
        self.seed = seed
        if self._plans is not None:
            self._plans.close()
            self._plans = self._plans.anew()
        self._decider = Decider(self.backend.robot, self.controller, self.guard, self.check, self._plans)
        self._at_begin()
        self.start()

    def sense(self) -> Sensors:
        """What the controller will see at the next tick; looking changes nothing."""
        if not self._started:
            self.start()
        return self._look()[1]

    def step(self, action: ArrayLike | None = None) -> Tick:
        """Do one tick.

        An action is told to the controller first: of the kind that `open_session` was asked for, or a twist, (3,),
        where the robot is steered live. What the controller, or the planner that it asks, raises ends the run: the
        robot is stopped, and the outcome says why. What backend, observers or recorder raise is passed on after the
        robot was told to hold still and the log closed; a robot that has to be let go of is let go of first where
        observers or recorder fail, in further steps.

        Args:
            action: What the controller shall do, (na,); None: as it thinks fit, or as it was told before.

        Raises:
            SessionError: The run has ended, or the controller takes no actions.
            ControlError: It is no action of this controller; nothing has been changed.
            RecordingError: A record of the run does not fit its channel, or the log cannot be written.
        """
        if not self._started:
            self.start()
        if self._ending is not None:
            raise SessionError("the run has ended", value=str(self._ending), place=f"{self.time:.3f} s")
        if action is not None:
            self._act(action)
        try:
            tick, now = self._tick(), self.time
            # One of the run, also where a second Ctrl-C breaks off the wait for the next: it is in the log.
            self._number += 1
            try:
                self.backend.advance(self._period)
            except LinkLostError as error:
                self._lost, self._ending = str(error), Ending.LOST
                self._note(ControlEvent(now, EventKind.LINK, f"the link is lost: {error}"))
            if self._ending is None:
                self._look_for_end()
            if self._ending is not None and self._withheld is not None:
                raise self._withheld
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

    def end(self, ending: Ending = Ending.INTERRUPTED, *, at_once: bool = False) -> None:
        """End the run here, if it goes on; a robot that has to be let go of is let go of first, in further steps.

        Args:
            ending: Why.
            at_once: Without further steps: the robot is only told to let its joints go.
        """
        if self._ending is None:
            self._end_by(ending)
            if at_once:
                # Who is not let go of to the end has not ended well, though the motion was done.
                self._ending = ending if self._asked in _ASKED_WELL else self._asked

    def record(self, recorder: LogRecorder) -> None:
        """Record the run in a log, which the session closes: one made once the session is leaves none where that fails.

        Raises:
            SessionError: The session has been started, or is recorded already.
        """
        if self._started or self._recorder is not None:
            raise SessionError("a session is recorded from its start, in one log", value=self.name)
        self._recorder = recorder

    def observe(self, observer: Observer) -> Callable[[], None]:
        """Show all further ticks to one more observer; gives what takes it away again."""
        self._observers.append(observer)
        if self._started:
            observer.begin(self.backend)
        return lambda: self._observers.remove(observer)

    def snapshot(self) -> Snapshot:
        """Keep everything between two ticks; see `andante.runs.loop.snapshot`.

        Raises:
            SnapshotError: Something in this run cannot be kept; the message names it by the way that leads to it.
        """
        # Few runs are kept; what looks through all kinds of objects takes 10 ms to import.
        from andante.runs.loop.snapshot import Snapshot

        if not self._started:
            self.start()
        if self._plans is not None:
            self._plans.finish()
        # What users write comes first: its place is then told as they know it.
        roots = (("controller", self.controller), ("planner", self._planner), ("session", self))
        return Snapshot(self, self.name, self._number, self.time, roots)

    def restore(self, snapshot: Snapshot) -> None:
        """Go back (or forth) to a snapshot of this session: what follows is what followed then, byte for byte.

        The log goes back, too.

        Raises:
            SnapshotError: The snapshot was taken of another session; nothing has been changed.
        """
        if self._plans is not None:
            self._plans.finish()
        snapshot.restore(self, self.name)

    def outcome(self, wall_time: float = 0.0, lateness: ClockLateness | None = None) -> Outcome:
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
            lateness or ClockLateness(),
            tuple(self.guard.summary()),
            () if self._plans is None else tuple(self._plans.spent),
            self.stopped,
            self._decider.error,
        )

    def close(self) -> None:
        """End the run, write its last events and close the log; a second call does nothing."""
        if self._closed:
            return
        self._closed = True
        try:
            self._leave_at_rest()
            if self._started and self._ending is not None:
                # What happened after the last tick has none in which it could be told.
                for event in [*self._decider.untold(), *self.guard.summary(), *self.check.summary(self.time)]:
                    self._note(event)
                self._note(ControlEvent(self.time, EventKind.END, f"the run ended: {self._ending}"))
        finally:
            self._let_go()
        if self.unclosed is not None:
            raise self.unclosed

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
        number, moment, decider = self._number, self.moment, self._decider
        time, backend = moment / NANOSECONDS, self.backend
        events, self._pending = self._pending, []
        (sensors, checked), self._sensed = self._sensed or self._look(), None
        if self._reader is not None and (truth := backend.truth()) is not None:
            decider.see_truth(self._reader, truth, time, self._command)
        request, command = decider.decide(number, time, checked, self._command)
        backend.write(command if self._believed else command.copy())
        self._command = command
        if self._live is not None and self._live.take_expiry():
            # What was asked has ended for its age; a replay finds it out by itself.
            text = f"stands: no command for {self._live.timeout:g} s"
            events.append(ControlEvent(time, EventKind.STEER, text, {"timeout": self._live.timeout}))
        events += self.check.take_events()
        if said := decider.take_events(time, command):
            events += said
            if self._listener is not None:
                for event in said:
                    self._listener.notify(event)
        events += self.guard.take_events()
        if self._source is not None:
            events += self._source.take_events()
        told = decider.telemetry(time, command)
        tick = Tick(number, moment, sensors, checked, request, command, events, told, self._truth)
        self._show(tick)
        return tick

    def _show(self, tick: Tick) -> None:
        """Record a tick, then show it."""
        try:
            if self._recorder is not None:
                if self._paced is not None:
                    self._recorder.add("link", tick.moment, self._paced.link_record())
                self._recorder.tick(tick)
        except Exception as error:  # noqa: BLE001 - whatever it is, a robot must be let go of first
            self._withhold(error)
            self._recorder = None
        for observer in list(self._observers) if self._observers else ():
            try:
                observer.see(tick)
            except Exception as error:  # noqa: BLE001 - whatever it is, a robot must be let go of first
                self._withhold(error)
                self._observers.remove(observer)

    def _withhold(self, error: Exception) -> None:
        """Let go of a robot because its run cannot be recorded or looked at any more; passed on when that is done.

        A full disk is no reason to drop a robot that stands.
        """
        if self._releasing is None:
            raise error
        if self._withheld is None:
            self._withheld = error
            self._releasing.give_up(f"the run cannot go on: {error}")

    def _look(self) -> tuple[Sensors, Sensors]:
        """What is read for the next tick, and what is believed of it."""
        if self._sensed is None:
            given = self.backend.read()
            sensors = given if self._believed else sensed(self.backend, given, self.backend.robot)
            self._sensed = sensors, self.check.apply(sensors, self._command)
        return self._sensed

    def _truth(self) -> Record | None:
        return true_record(self.backend, self.backend.truth())

    def _look_for_end(self) -> None:
        limits, decider, number, ending = self.limits, self._decider, self._number - 1, None
        done = failed = False
        if decider.stop is None:
            done, failed = decider.ended(self.time, self._command, self._done_at is None, not limits.until_timeout)
        if (stop := decider.stop) is not None:
            for observer in self._observers:
                observer.over(self.backend)
            if stop.over or self._number >= self._last:
                self._ending = Ending.BROKEN
            return
        if done:
            self._done_at = number * self.schedule.period / NANOSECONDS
            if not limits.until_timeout:
                self._end = min(self._last, number + 1 + self.schedule.ticks(limits.settle))
        if self._number >= self._end:
            ending = Ending.TIMEOUT if self._done_at is None else Ending.DONE
        # Every observer is asked: each may keep count of what it sees.
        over = [observer.over(self.backend) for observer in self._observers] if self._observers else ()
        if failed:
            ending = Ending.FAILED
        elif any(over):
            ending = Ending.STOPPED
        if ending is None and self._asked is None and self._tiring is not None and self._tiring.exhausted:
            # As where the log's disk is full: the robot is let go of slowly, and the run says why.
            self._unreleased, ending = self._tiring.exhausted, Ending.FAILED
        if ending is not None or self._asked is not None:
            self._end_by(ending)

    def _end_by(self, ending: Ending | None) -> None:
        """End the run for the first reason there was, once the robot has been let go of."""
        first, self._asked = self._asked is None, self._asked or ending
        if (
            ending is Ending.FAILED
            and self._releasing is not None
            and self._asked in _ASKED_WELL
            and not self._unreleased
        ):
            # A motion that was done, or an end that somebody asked for, does not hide what went wrong afterwards.
            self._unreleased = f"{self._releasing.failure}, while it was let go of"
            self._asked = self._asked if self._asked is Ending.INTERRUPTED else ending
        if self._releasing is None or not self._started or self._releasing.released:
            self._ending = self._asked
        elif self._asked is not None and first:
            self._tell(EventKind.ARM, f"the run shall end: {self._asked}", asked=self._asked.value)
            self._releasing.release(str(self._asked))
