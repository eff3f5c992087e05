"""Runner: drives a session to its end, each tick when its clock says so."""

from __future__ import annotations

import _thread
import signal
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import partial
from types import FrameType

from andante.backends.backend import Paced
from andante.plugins.surroundings import undisturbed
from andante.runs.errors import RunError
from andante.runs.loop.clock import NANOSECONDS, Clock, lateness_of
from andante.runs.loop.outcome import Ending, Outcome
from andante.runs.session import Session

Progress = Callable[[float, float], None]
"""Called some ten times per second with the time reached and the time limit of the run, both [s]."""
_PROGRESS_INTERVAL = 0.1
_LONGEST_TICK = 5.0
"""How long a simulated run that is asked to end may be at its tick [s]."""
_PAUSED = 0.01
"""How often a paused run looks for something to do [s]."""
_HANG_UP: tuple[signal.Signals, ...] = (signal.SIGHUP,) if hasattr(signal, "SIGHUP") else ()
"""Told to a process whose terminal is closed; Windows has no such signal."""


def ends_of(backend: object) -> tuple[signal.Signals, ...]:
    """Signals by which a process is asked to end: a terminal that is closed asks, too, where a robot is moved."""
    return (signal.SIGTERM, *_HANG_UP) if isinstance(backend, Paced) else (signal.SIGTERM,)


class Runner:
    """Runs a session to its end. `pause`, `resume`, `stop` and `between` may be called from other threads.

    Args:
        session: The run; its ``real_time`` is that of the clock.
        clock: When ticks begin; as fast as possible where None.
        progress: Told about the progress some ten times per second.
        pilot: Asked before every tick, when its time has come; it may steer the robot.

    Raises:
        RunError: A real-time clock is given, and the robot paces the run.
    """

    def __init__(
        self,
        session: Session,
        clock: Clock | None = None,
        progress: Progress | None = None,
        pilot: Callable[[Session], object] | None = None,
    ) -> None:
        self.session = session
        self.clock = clock if clock is not None else Clock()
        self._paced = session.backend if isinstance(session.backend, Paced) else None
        if self._paced is not None and self.clock.real_time:
            raise RunError("the robot paces this run, and no other clock may", remedy="leave out --real-time")
        self._ends = ends_of(session.backend)
        self._progress, self._pilot = progress, pilot
        self._interrupted = False
        self._breaking: threading.Timer | None = None
        self.terminated = False
        """Whether SIGTERM asked the process to end, or its terminal was closed."""
        self.asked = False
        """Whether any signal asked for the end, also in the last tick, where the run came to its own end all the same.

        Who runs more than this one ends then.
        """
        self._going = threading.Event()
        self._going.set()
        self._between: deque[Callable[[Session], object]] = deque()

    @property
    def paused(self) -> bool:
        """Whether the run stands still."""
        return not self._going.is_set()

    def pause(self) -> None:
        """Stand still before the next tick; time that passes meanwhile does not count as lateness.

        Raises:
            RunError: A robot is moved, which goes on, and would let go of its joints without commands.
        """
        if self._paced is not None:
            raise RunError(
                "a robot cannot be paused: it goes on by itself", remedy="end the run; it lets go of the robot"
            )
        self._going.clear()

    def resume(self) -> None:
        """Go on."""
        self._going.set()

    def stop(self) -> None:
        """End the run before the next tick."""
        self._interrupted = True
        self._going.set()

    def between(self, do: Callable[[Session], object]) -> None:
        """Let something be done with the session between two ticks, also in a pause: a change, a fault, a snapshot."""
        self._between.append(do)

    def run(self) -> Outcome:
        """Run to the end and close the log.

        Ctrl-C, a request to terminate and, of a robot, a closed terminal end the run after the current tick; a second
        Ctrl-C breaks it off, and so does a tick in simulation that does not end within 5 s. What the controller raises
        ends the run, and the outcome says so. Whatever planner, backend, observers or recorder raise is passed on after
        the log has been closed.

        What the code that runs changes for all of the process, the folder it is in among it, is put back.

        Raises:
            RecordingError: A record of the run does not fit its channel, or the log cannot be written.
            ReplacedError: Functions of a library were replaced; see `andante.plugins.surroundings`.
        """
        with undisturbed():
            return self._run()

    def _run(self) -> Outcome:
        session, clock = self.session, self.clock
        self._interrupted = False
        try:
            with handling({signal.SIGINT: self._interrupt, **dict.fromkeys(self._ends, self._terminate)}):
                if not session.started:
                    session.start()
                began = time.perf_counter()
                try:
                    self._loop()
                except KeyboardInterrupt:
                    session.end(Ending.INTERRUPTED, at_once=True)
                wall_time = time.perf_counter() - began
            try:
                session.close()
            except Exception as error:
                # All is known and written of a run that is over; its `Session.unclosed` tells.
                if error is not session.unclosed:
                    raise
            late = clock.lateness if self._paced is None else lateness_of(self._paced.pace)
            return session.outcome(wall_time, late)
        finally:
            if self._breaking is not None:
                self._breaking.cancel()
            session.close()

    def _loop(self) -> None:
        session, clock = self.session, self.clock
        limit, reported = session.limits.timeout, time.perf_counter()
        clock.start(session.schedule.period)
        while session.ending is None:
            self._wait()
            if session.ending is not None:
                break
            if self._interrupted:
                session.end(Ending.INTERRUPTED)
                if session.ending is not None:
                    break
            clock.wait_until(session.moment)
            if self._pilot is not None:
                self._pilot(session)
            session.step()
            if self._progress is not None:
                now = time.perf_counter()
                if now - reported > _PROGRESS_INTERVAL:
                    reported = now
                    # A terminal that was closed is no reason to drop a robot.
                    with suppress(OSError):
                        self._progress(session.moment / NANOSECONDS, limit)

    def _wait(self) -> None:
        """Do what was asked for between two ticks; stand still in a pause."""
        if self._going.is_set() and not self._between:
            return
        moment, paused = self.session.moment, self.paused
        while not self._going.wait(_PAUSED):
            self._catch_up()
        self._catch_up()
        if paused or self.session.moment != moment:
            self.clock.rebase(self.session.moment)

    def _catch_up(self) -> None:
        while self._between:
            self._between.popleft()(self.session)

    def _interrupt(self, *_: object) -> None:
        """The first Ctrl-C is a request, so that no record is cut in half."""
        self._asked(signal.SIGINT)

    def _terminate(self, *_: object) -> None:
        self.terminated = self.asked = True
        # A robot is let go of in good order however often somebody asks.
        if self._paced is not None:
            self.stop()
        else:
            self._asked(signal.SIGTERM)

    def _asked(self, number: signal.Signals) -> None:
        """The first request ends the run after the tick, the second one at once.

        In simulation a tick that does not end, as code of others may hang, is a second one by itself.
        """
        self.asked = True
        if self._interrupted:
            raise KeyboardInterrupt
        self.stop()
        if self._paced is None:
            self._breaking = threading.Timer(_LONGEST_TICK, _ask_again(number))
            self._breaking.daemon = True
            self._breaking.start()


def _ask_again(number: signal.Signals) -> Callable[[], object]:
    """Sends a signal once more to this thread, which may be asleep in a tick: it is the one that is woken."""
    if hasattr(signal, "pthread_kill"):
        return partial(signal.pthread_kill, threading.get_ident(), number)
    # Windows cannot wake a thread; its handler is called when the main thread is back from what it is at.
    return partial(_thread.interrupt_main, number)


@contextmanager
def handling(handlers: Mapping[signal.Signals, Callable[[int, FrameType | None], object]]) -> Iterator[None]:
    """Answer signals in another way for a while; in the main thread only, as others get none."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    # A hang-up that is ignored, as `nohup` asks, stays so.
    deaf = [number for number in _HANG_UP if signal.getsignal(number) is signal.SIG_IGN]
    taken = {number: handler for number, handler in handlers.items() if number not in deaf}
    before = {number: signal.signal(number, handler) for number, handler in taken.items()}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler if handler is not None else signal.SIG_DFL)


def run(session: Session, clock: Clock | None = None, progress: Progress | None = None) -> Outcome:
    """Run a session to its end; see `Runner` for what the arguments are and what is raised.

    What the controller raises is raised here, after the robot was stopped: who calls this judges motions, and a defect
    of the code is none. Nor is what is left of a run when somebody ends it.

    Raises:
        KeyboardInterrupt: A signal asked for the end, and the run was ended in good order.
    """
    runner = Runner(session, clock, progress)
    outcome = runner.run()
    if runner.asked:
        raise KeyboardInterrupt
    if outcome.error is not None:
        raise outcome.error
    return outcome
