"""Sessions: step by step, changes from outside, pauses, snapshots."""

from __future__ import annotations

import threading
import time
from pathlib import Path
from typing import Annotated

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as examples
from hypothesis import strategies as st
from pydantic import Field
from run_fakes import FakeBackend, FakeController, TimePlanner, twin

from andante.backends.fault import Fault
from andante.control.events import EventKind
from andante.control.guard import Guard
from andante.documents.settings import Settings
from andante.errors import AndanteError
from andante.runs.build import build
from andante.runs.errors import SessionError
from andante.runs.execute import log_metadata, session_of
from andante.runs.logs.log import Log
from andante.runs.logs.recorder import LogRecorder
from andante.runs.logs.replay import replay_log
from andante.runs.loop.clock import RealTimeClock
from andante.runs.loop.outcome import Ending, RunLimits
from andante.runs.loop.runner import Runner
from andante.runs.loop.snapshot import Memory, SnapshotError
from andante.runs.loop.tick import Observer, Tick
from andante.runs.scenario_files import Overrides, load_scenario, overridden
from andante.runs.session import Session
from andante.runs.tasks.walk.task import WalkTask


class Rows(Observer):
    """Keeps the bytes of everything in every tick."""

    def __init__(self) -> None:
        self.rows: list[tuple[object, ...]] = []

    def see(self, tick: Tick) -> None:
        records = (tick.sensors, tick.request, tick.command, tick.telemetry, tick.truth)
        vectors = tuple(None if each is None else each.vector.tobytes() for each in records)
        self.rows.append((tick.number, tick.moment, *vectors, tuple(map(repr, tick.events))))


class Swing(Settings):
    """Settings of the fake."""

    amplitude: Annotated[float, Field(gt=-1.0, lt=1.0)] = 0.2


class Swinging(FakeController):
    """A fake with a setting."""

    settings = Swing()

    def reset(self) -> None:
        super().reset()
        self.settings = Swing()

    def change(self, settings: Swing) -> None:
        self.settings = settings

    def step(self, sensors):
        command = super().step(sensors)
        command.position[:] += self.settings.amplitude - 0.2
        return command


def session(**options: object) -> tuple[Session, Rows]:
    robot = twin()
    rows = Rows()
    controller = options.pop("controller", None) or Swinging(robot)
    limits = RunLimits(float(options.pop("timeout", 1.0)))  # type: ignore[arg-type]
    backend = FakeBackend(robot, noise=0.01)
    guard = Guard(robot, controller.period)  # type: ignore[attr-defined]
    return Session(backend, controller, guard, limits=limits, observers=(rows,), name="fake", **options), rows  # type: ignore[arg-type]


def to_the_end(run: Session) -> None:
    while run.ending is None:
        run.step()


def test_steps_are_the_run() -> None:
    whole, rows = session()
    outcome = Runner(whole).run()
    single, again = session()
    tick = single.steps(30)
    assert tick is not None
    assert (tick.number, tick.time, single.number, single.time) == (29, pytest.approx(0.29), 30, pytest.approx(0.3))
    single.steps(1000)
    assert again.rows == rows.rows
    assert single.ending is outcome.ending is Ending.TIMEOUT
    assert single.outcome().ticks == 100
    with pytest.raises(SessionError, match="the run has ended; got 'timeout'"):
        single.step()


def test_an_unfinished_run_has_no_outcome() -> None:
    run, _ = session()
    run.steps(3)
    with pytest.raises(SessionError, match="the run goes on"):
        run.outcome()
    run.end()
    assert run.outcome().ending is Ending.INTERRUPTED


def test_a_change_is_an_event_of_the_next_tick_and_acts_from_there_on(tmp_path: Path) -> None:
    plain, before = session()
    to_the_end(plain)
    run, after = session(recorder=LogRecorder(tmp_path / "log"))
    run.steps(40)
    run.change("amplitude", 0.25)
    to_the_end(run)
    run.close()
    assert after.rows[:40] == before.rows[:40]
    assert after.rows[40][4] != before.rows[40][4]
    told = [event for event in Log.open(tmp_path / "log").events if event.kind is EventKind.PARAMETER]
    assert [(event.time, event.data) for event in told] == [(0.4, {"parameter": "amplitude", "value": 0.25})]


def test_a_change_that_is_not_legal_changes_nothing() -> None:
    run, rows = session()
    plain, before = session()
    to_the_end(plain)
    run.steps(40)
    for name, value in (("amplitude", 2.0), ("nonsense", 0.1)):
        with pytest.raises(AndanteError, match=name):
            run.change(name, value)
    to_the_end(run)
    assert rows.rows == before.rows
    with pytest.raises(SessionError, match="no settings to change; got 'FakeController'"):
        session(controller=FakeController(twin()))[0].change("amplitude", 0.1)
    with pytest.raises(SessionError, match="nothing can fail in this backend; got 'FakeBackend'"):
        session()[0].trigger("cut")


@examples(max_examples=25, deadline=None)
@given(st.integers(0, 99), st.integers(0, 99), st.booleans())
def test_what_follows_a_snapshot_is_what_followed_it(at: int, back: int, plans: bool) -> None:
    robot = twin()
    controller = Swinging(robot, ask_every=7)
    run, rows = session(controller=controller, planner=TimePlanner(0.05) if plans else None)
    run.steps(at)
    snapshot = run.snapshot()
    run.steps(back)
    run.change("amplitude", 0.1)
    run.steps(5)
    run.restore(snapshot)
    assert (run.number, run.ending) == (at, None)
    to_the_end(run)
    plain, expected = session(controller=Swinging(robot, ask_every=7), planner=TimePlanner(0.05) if plans else None)
    to_the_end(plain)
    assert rows.rows == expected.rows
    assert controller.plans == plain.controller.plans  # type: ignore[attr-defined]


def test_the_log_goes_back_with_the_run(tmp_path: Path) -> None:
    plain, _ = session(recorder=LogRecorder(tmp_path / "plain"), timeout=8.0)
    Runner(plain).run()
    run, _ = session(recorder=LogRecorder(tmp_path / "log"), timeout=8.0)
    run.steps(300)
    snapshot = run.snapshot()
    Runner(run).run()
    assert (tmp_path / "log").read_bytes() == (tmp_path / "plain").read_bytes()
    run.restore(snapshot)
    Runner(run).run()
    assert (tmp_path / "log").read_bytes() == (tmp_path / "plain").read_bytes()


def test_a_snapshot_of_another_session_is_refused() -> None:
    run, _ = session()
    other, _ = session()
    run.steps(10)
    other.steps(3)
    with pytest.raises(SnapshotError, match="only in the session that it was taken of"):
        run.restore(other.snapshot())
    assert run.number == 10


def test_what_cannot_be_kept_is_named() -> None:
    class Lazy:
        def __init__(self) -> None:
            self.parts = [1, (i for i in range(3))]

    with pytest.raises(SnapshotError, match=r"controller\.parts\[1\]: .*got 'generator'"):
        Memory((("controller", Lazy()),))


def test_views_closures_slots_and_generators_are_put_back() -> None:
    class Slotted:
        __slots__ = ("left", "right")

    class State:
        def __init__(self) -> None:
            self.array = np.arange(6.0)
            self.view = self.array[2:4]
            self.random = np.random.default_rng(3)
            self.table, self.items, self.members = {"a": [1]}, [1, 2], {1, 2}
            self.slotted = Slotted()
            self.slotted.left = [1]
            count = 0

            def counts() -> int:
                nonlocal count
                count += 1
                return count

            self.counts, self.method = counts, self.items.append

    state = State()
    draws = np.random.default_rng(3).random(5)
    memory = Memory((("state", state),))
    for _ in range(2):
        assert state.counts() == 1
        assert state.random.random() == draws[0]
        state.view += 10.0
        state.items.append(3)
        state.table["b"], state.table["a"][0] = [2], 5
        state.members.add(9)
        state.slotted.left.append(2)
        state.slotted.right = 1
        state.new = 1
        memory.restore()
        assert state.array.tolist() == [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]
        assert np.shares_memory(state.array, state.view)
        assert (state.table, state.items, state.members, state.slotted.left) == ({"a": [1]}, [1, 2], {1, 2}, [1])
        assert not hasattr(state.slotted, "right")
        assert not hasattr(state, "new")


SCENARIOS = ("get-up", "nao-kick", "ers7-walk", "littledog-blind", "littledog-rocks")


@pytest.mark.slow
@pytest.mark.parametrize("name", SCENARIOS)
def test_every_controller_goes_on_from_a_snapshot(name: str) -> None:
    scenario = overridden(load_scenario(name), Overrides(seed=7))
    rows = Rows()
    run = session_of(scenario, build(scenario), observers=(rows,))
    run.steps(120)
    snapshot = run.snapshot()
    run.steps(150)
    first = list(rows.rows)
    for _ in range(2):
        run.restore(snapshot)
        run.steps(150)
        assert rows.rows == first
    plain = Rows()
    session_of(scenario, build(scenario), observers=(plain,)).steps(270)
    assert plain.rows == first


def test_faults_come_and_go_while_a_robot_moves() -> None:
    scenario = overridden(load_scenario("sit-and-stand"), Overrides(seed=7))
    rows, plain = Rows(), Rows()
    session_of(scenario, build(scenario), observers=(plain,)).steps(200)
    run = session_of(scenario, build(scenario), observers=(rows,))
    run.steps(100)
    snapshot = run.snapshot()
    run.fault(Fault(type="offset", name="bent", joints=("HeadYaw",), angle=0.3))
    bent = run.step()
    assert any("HeadYaw: offset" in event.text for event in bent.events)
    run.steps(20)
    run.mend("bent")
    mended = run.step()
    assert any("offset no more" in event.text for event in mended.events)
    with pytest.raises(AndanteError, match=r"no fault has this name; got 'bend'.*legal: bent"):
        run.mend("bend")
    with pytest.raises(AndanteError, match="HeadYam"):
        run.fault(Fault(type="dead", name="x", joints=("HeadYam",)))
    run.restore(snapshot)
    run.steps(100)
    assert rows.rows == plain.rows
    with pytest.raises(AndanteError, match="no fault has this name"):
        run.trigger("bent")


class ByHand:
    """Time that passes while somebody sleeps, and a microsecond at each look, whatever the load of the machine."""

    def __init__(self) -> None:
        self.time = 0

    def now(self) -> int:
        self.time += 1000
        return self.time

    def sleep(self, seconds: float) -> None:
        self.time += round(seconds * 1e9)


def test_a_paused_run_stands_still_and_is_not_late() -> None:
    run, rows = session(timeout=0.4)
    hand = ByHand()
    runner = Runner(run, RealTimeClock(now=hand.now, sleep=hand.sleep))
    seen: list[int] = []

    class Pauses(Observer):
        def see(self, tick: Tick) -> None:
            if tick.number == 10:
                runner.pause()

    run.observe(Pauses())

    def resume() -> None:
        while not runner.paused:
            time.sleep(0.005)
        for _ in range(2):
            # A run that went on would be over by then.
            time.sleep(0.1)
            seen.append(run.number)
        hand.sleep(0.25)
        runner.between(lambda session: session.change("amplitude", 0.1))
        runner.resume()

    thread = threading.Thread(target=resume, daemon=True)
    thread.start()
    outcome = runner.run()
    thread.join()
    assert seen[0] == seen[1] < 40
    assert outcome.ticks == 40
    # Without taking the pause out some 25 ticks would begin late by more than ten periods.
    assert outcome.lateness.slips == 0
    changed = [number for number, *_, events in rows.rows if "amplitude = 0.1" in str(events)]
    assert changed == [seen[0]]


def test_a_session_that_was_closed_does_not_begin() -> None:
    run, _ = session()
    run.close()
    with pytest.raises(SessionError, match=r"the session was closed; .*open another one"):
        run.step()
    assert not run.started


def test_a_run_can_be_stopped_from_outside() -> None:
    run, _ = session(timeout=30.0)
    runner = Runner(run, RealTimeClock())
    threading.Timer(0.1, runner.stop).start()
    assert runner.run().ending is Ending.INTERRUPTED
    assert 1 < run.number < 1000


@pytest.mark.slow
def test_a_replay_repeats_what_was_changed(tmp_path: Path) -> None:
    scenario = WalkTask(board="flat", controller="trot", seed=4).scenario()
    parts = build(scenario)
    recorder = LogRecorder(tmp_path / "log.mcap", log_metadata(scenario, parts.robot))
    with session_of(scenario, parts, recorder=recorder) as run:
        run.steps(150)
        run.change("lift", 0.035)
        run.steps(100)
        run.change("acceleration", 0.1)
        run.steps(100)
        run.end()
    replayed = replay_log(tmp_path / "log.mcap")
    assert (replayed.ticks, replayed.mismatch_count) == (350, 0)
