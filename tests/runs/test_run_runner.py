"""The loop: order, counts, determinism, endings, and that the log is closed whatever happens."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

import numpy as np
import pytest
from run_fakes import FakeBackend, FakeController, TimePlanner

from andante.backends.backend import BackendError
from andante.control.controller import ControlError
from andante.control.events import EventKind
from andante.control.guard import Guard
from andante.robots.robot import Robot
from andante.runs.errors import ScenarioError
from andante.runs.logs.log import Log
from andante.runs.logs.recorder import LogRecorder
from andante.runs.loop import runner
from andante.runs.loop.clock import RealTimeClock
from andante.runs.loop.outcome import Ending, Outcome, RunLimits
from andante.runs.loop.runner import Runner
from andante.runs.loop.runner import run as run_session
from andante.runs.session import Session


def run(
    backend: FakeBackend, controller: FakeController, timeout: float = 0.5, path: Path | None = None, **options: object
) -> Outcome:
    recorder = LogRecorder(path) if path else None
    limits = RunLimits(timeout, float(options.pop("settle", 0.0)))  # type: ignore[arg-type]
    guard = Guard(backend.robot, controller.period)
    clock, progress = options.pop("clock", None), options.pop("progress", None)
    options["real_time"] = clock is not None
    session = Session(backend, controller, guard, limits=limits, recorder=recorder, **options)  # type: ignore[arg-type]
    outcome = Runner(session, clock, progress).run()  # type: ignore[arg-type]
    if outcome.error is not None:
        raise outcome.error
    return outcome


def test_counts_and_times(backend: FakeBackend, controller: FakeController, tmp_path: Path) -> None:
    outcome = run(backend, controller, 0.5, tmp_path / "log.mcap")
    assert (outcome.ending, outcome.ticks, outcome.time, outcome.done_at) == (Ending.TIMEOUT, 50, 0.5, None)
    assert len(backend.written) == len(backend.advanced) == controller.count == 50
    log = Log.open(tmp_path / "log.mcap")
    assert log.complete
    for name in ("sensors", "command", "telemetry", "truth"):
        assert log.rows(name).nanoseconds.tolist() == [10_000_000 * tick for tick in range(50)]
    assert [row.tobytes() for row in log.rows("command").rows] == backend.written
    assert log.rows("telemetry")["count"][:, 0].tolist() == list(range(1, 51))
    assert [event.data["count"] for event in log.events if event.kind is EventKind.NOTE] == [0, 10, 20, 30, 40]
    assert log.events[-1].text == "the run ended: timeout"


def test_a_run_goes_on_for_the_settling_time_after_done(backend: FakeBackend, robot: Robot) -> None:
    outcome = run(backend, FakeController(robot, done_after=6), 10.0, settle=0.2)
    assert (outcome.ending, outcome.done_at, outcome.ticks) == (Ending.DONE, 0.05, 26)


def test_settling_ends_with_the_time_limit(backend: FakeBackend, robot: Robot) -> None:
    outcome = run(backend, FakeController(robot, done_after=6), 0.1, settle=5.0)
    assert (outcome.ending, outcome.ticks) == (Ending.DONE, 10)


def test_same_seed_same_bytes(robot: Robot, tmp_path: Path) -> None:
    written = []
    for name, seed in (("a", 1), ("b", 1), ("c", 2)):
        backend = FakeBackend(robot, noise=0.01)
        run(backend, FakeController(robot), 1.0, tmp_path / name, seed=seed)
        written.append(backend.written)
    assert written[0] == written[1] != written[2]
    first, second = Log.open(tmp_path / "a"), Log.open(tmp_path / "b")
    assert first.rows("sensors").rows.tobytes() == second.rows("sensors").rows.tobytes()


def test_a_real_time_run_commands_the_same(robot: Robot) -> None:
    simulated, real = FakeBackend(robot, noise=0.01), FakeBackend(robot, noise=0.01)
    run(simulated, FakeController(robot), 0.1)
    outcome = run(real, FakeController(robot), 0.1, clock=RealTimeClock())
    assert simulated.written == real.written
    assert outcome.lateness.count == 10
    assert outcome.wall_time >= 0.09


def test_requests_are_kept_only_where_the_guard_changed_them(
    backend: FakeBackend, robot: Robot, tmp_path: Path
) -> None:
    run(backend, FakeController(robot, jump_at=20), 0.5, tmp_path / "log")
    log = Log.open(tmp_path / "log")
    request = log.rows("request")
    assert 20 in (request.nanoseconds // 10_000_000).tolist()
    assert len(request.rows) < 10
    assert np.isnan(request["position"][(request.nanoseconds == 200_000_000), 0]).all()
    assert np.isfinite(log.rows("command").rows).all()
    assert any(event.kind is not EventKind.NOTE for event in log.events)


@pytest.mark.parametrize("clock", [None, RealTimeClock()])
def test_plans_reach_the_controller(backend: FakeBackend, robot: Robot, clock: RealTimeClock | None) -> None:
    controller = FakeController(robot, ask_every=4)
    outcome = run(backend, controller, 0.12, planner=TimePlanner(0.02), clock=clock)
    assert controller.plans == [(2, "0.00"), (6, "0.04"), (10, "0.08")]
    assert [moment for moment, _ in outcome.plans] == [0.0, 0.04, 0.08]


def test_a_planner_needs_a_controller_that_listens(backend: FakeBackend, controller: FakeController) -> None:
    class Deaf:
        period, done, telemetry = 0.01, False, None
        reset = step = take_events = None

    with pytest.raises(ScenarioError, match="takes no plans"):
        run(backend, Deaf(), planner=TimePlanner(0.02))  # type: ignore[arg-type]


def test_ctrl_c_ends_after_the_tick_with_a_whole_log(robot: Robot, tmp_path: Path) -> None:
    class Interrupted(FakeBackend):
        def write(self, command: object) -> None:
            super().write(command)  # type: ignore[arg-type]
            if len(self.written) == 7:
                os.kill(os.getpid(), signal.SIGINT)

    backend = Interrupted(robot)
    before = signal.getsignal(signal.SIGINT)
    outcome = run(backend, FakeController(robot), 5.0, tmp_path / "log")
    assert (outcome.ending, outcome.ticks) == (Ending.INTERRUPTED, 7)
    assert signal.getsignal(signal.SIGINT) is before
    log = Log.open(tmp_path / "log")
    assert log.complete
    assert len(log.rows("truth").rows) == 7
    assert log.events[-1].text == "the run ended: interrupted"


@pytest.mark.parametrize("at", [7, 50])
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_who_judges_by_a_run_learns_that_somebody_asked_for_its_end(
    robot: Robot, number: signal.Signals, at: int
) -> None:
    """The rest of a motion was missing, and the motion was told not to come to its end."""

    class Interrupted(FakeBackend):
        def write(self, command: object) -> None:
            super().write(command)  # type: ignore[arg-type]
            if len(self.written) == at:
                os.kill(os.getpid(), number)

    controller = FakeController(robot)
    session = Session(Interrupted(robot), controller, Guard(robot, controller.period), limits=RunLimits(0.5))
    with pytest.raises(KeyboardInterrupt):
        run_session(session)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_tick_that_hangs_is_broken_off_some_time_after_one_request(
    robot: Robot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: signal.Signals
) -> None:
    class Hangs(FakeBackend):
        def write(self, command: object) -> None:
            super().write(command)  # type: ignore[arg-type]
            if len(self.written) == 7:
                os.kill(os.getpid(), number)
                time.sleep(60.0)

    monkeypatch.setattr(runner, "_LONGEST_TICK", 0.2)
    begin = time.monotonic()
    outcome = run(Hangs(robot), FakeController(robot), 5.0, tmp_path / "log")
    assert outcome.ending is Ending.INTERRUPTED
    assert time.monotonic() - begin < 20.0
    assert Log.open(tmp_path / "log").complete


def test_a_keyboard_interrupt_inside_a_tick_ends_the_run_too(
    backend: FakeBackend, robot: Robot, tmp_path: Path
) -> None:
    outcome = run(backend, FakeController(robot, interrupt_at=7), 5.0, tmp_path / "log")
    assert (outcome.ending, outcome.ticks) == (Ending.INTERRUPTED, 7)
    assert Log.open(tmp_path / "log").complete


def test_a_second_interrupt_while_a_robot_is_waited_for_leaves_as_many_ticks_as_the_log_has(
    robot: Robot, tmp_path: Path
) -> None:
    """The tick was in the log and was not counted: the log was then told as one that somebody else wrote into."""

    class Waits(FakeBackend):
        def advance(self, duration: float) -> None:
            super().advance(duration)
            if len(self.advanced) == 7:
                raise KeyboardInterrupt

    outcome = run(Waits(robot), FakeController(robot), 5.0, tmp_path / "log")
    assert (outcome.ending, outcome.ticks) == (Ending.INTERRUPTED, 7)
    assert len(Log.open(tmp_path / "log").rows("sensors").rows) == 7


@pytest.mark.parametrize("error", [ValueError("broken"), BackendError("the physics diverged"), MemoryError()])
def test_the_log_is_closed_before_an_error_is_passed_on(robot: Robot, tmp_path: Path, error: Exception) -> None:
    backend = FakeBackend(robot, fail_at=5, error=error)
    with pytest.raises(type(error)):
        run(backend, FakeController(robot), 1.0, tmp_path / "log")
    log = Log.open(tmp_path / "log")
    assert log.complete
    assert len(log.rows("command").rows) == 5
    assert any(event.text == "the physics diverged" for event in log.events) == isinstance(error, BackendError)


def test_progress_is_told(backend: FakeBackend, controller: FakeController) -> None:
    told: list[tuple[float, float]] = []
    run(backend, controller, 0.3, clock=RealTimeClock(), progress=lambda now, end: told.append((now, end)))
    assert 1 <= len(told) <= 3
    assert all(0.0 < now <= end == 0.3 for now, end in told)


class Ends(BaseException):
    """What Python lets through wherever an `Exception` is caught."""


def test_the_robot_is_stopped_whatever_a_planner_raises(backend: FakeBackend, controller: FakeController) -> None:
    class Raising(TimePlanner):
        def plan(self, request: float) -> str:
            raise Ends(f"at {request:g}")

    controller.ask_every = 4
    with pytest.raises(ControlError, match=r"FakeController\.accept .*wants to end the program by Ends: at 0"):
        run(backend, controller, 0.12, planner=Raising(0.02))
    assert controller.count == 0
    assert np.isfinite(np.frombuffer(backend.written[-1])).all()
