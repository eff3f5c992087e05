"""However a run ends, what stays in force is a command at rest, and the reason is told."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from run_fakes import FakeBackend, FakeController, twin

from andante.control.events import EventKind
from andante.control.guard import Guard
from andante.robots.records import Command, Sensors
from andante.runs.execute import run_scenario
from andante.runs.logs.log import Log
from andante.runs.logs.recorder import LogRecorder
from andante.runs.logs.replay import replay_log
from andante.runs.loop.outcome import Ending, RunLimits
from andante.runs.loop.runner import Runner, run
from andante.runs.loop.tick import Observer, Tick
from andante.runs.scenario_files import Overrides, load_scenario, overridden
from andante.runs.session import Session


class Pushing(FakeController):
    """Asks for speed and torque too, and breaks off at a step."""

    break_at = -1
    error: Exception = ZeroDivisionError("float division by zero")

    def step(self, sensors: Sensors) -> Command:
        if self.count == self.break_at:
            raise self.error
        command = super().step(sensors)
        command.velocity[:], command.torque[:] = 0.5, 1.0
        return command


class Falsifying(FakeBackend):
    """Reads what ``wrong`` makes of the sensors."""

    wrong: Callable[[Sensors], None] | None = None

    def read(self) -> Sensors:
        sensors = super().read()
        if self.wrong is not None:
            self.wrong(sensors)
        return sensors


class Keep(Observer):
    def __init__(self) -> None:
        self.ticks: list[Tick] = []

    def see(self, tick: Tick) -> None:
        self.ticks.append(tick)


def session(**options: object) -> tuple[Session, Falsifying, Pushing, Keep]:
    robot = twin()
    backend, controller, keep = Falsifying(robot), Pushing(robot), Keep()
    made = Session(
        backend,
        controller,
        Guard(robot, 0.01),
        limits=RunLimits(2.0),
        observers=(keep,),
        **options,  # type: ignore[arg-type]
    )
    return made, backend, controller, keep


def last(backend: FakeBackend) -> Command:
    return Command(backend.robot.command_layout, np.frombuffer(backend.written[-1]))


def at_rest(command: Command) -> bool:
    return not command.velocity.any() and not command.torque.any()


def test_what_a_controller_raises_stops_the_robot_softly_and_ends_the_run(tmp_path: Path) -> None:
    made, backend, controller, keep = session(recorder=LogRecorder(tmp_path / "log"))
    controller.break_at = 30
    outcome = Runner(made).run()
    assert outcome.ending is Ending.BROKEN
    assert outcome.reason.startswith(
        "the controller broke off: ZeroDivisionError: float division by zero (test_safe_end.py:"
    )
    assert outcome.error is controller.error
    # half a second of holding, in which the torque of 1 N m fades
    stop = keep.ticks[30:]
    assert len(stop) == 50
    assert [tick.request.torque[0] for tick in stop[:3]] == pytest.approx([0.98, 0.96, 0.94])
    assert stop[-1].request.torque[0] == 0.0
    assert {float(tick.command.kp[0]) for tick in stop} == {10.0}
    assert np.ptp([tick.command.position[0] for tick in stop[5:]]) < 1e-3
    assert at_rest(last(backend))
    told = [event.text for event in Log.open(tmp_path / "log").events if event.kind is EventKind.STOP]
    assert told == [f"the robot is stopped: {outcome.reason}"]


def test_a_controller_that_gives_no_command_is_stopped_too() -> None:
    made, backend, controller, _ = session()
    controller.step = lambda sensors: None  # type: ignore[assignment, return-value, method-assign]
    outcome = Runner(made).run()
    assert outcome.ending is Ending.BROKEN
    assert outcome.reason.startswith("the controller broke off: Pushing.step (test_safe_end.py:")
    assert "gave no command; got 'NoneType'; limit: a Command for robot 'twin'" in outcome.reason
    assert not last(backend).kp.any()


def test_who_judges_motions_gets_the_error_itself() -> None:
    robot = twin()
    controller = Pushing(robot)
    controller.break_at = 3
    with pytest.raises(ZeroDivisionError):
        run(Session(FakeBackend(robot), controller, Guard(robot, 0.01), limits=RunLimits(1.0)))


@pytest.mark.parametrize("how", ["timeout", "ended", "backend", "observer"])
def test_on_every_way_out_the_last_command_is_at_rest(how: str) -> None:
    made, backend, _, keep = session()
    if how == "ended":
        made.steps(20)
        made.end()
        made.close()
    elif how == "timeout":
        Runner(made).run()
    else:
        made.steps(20)
        if how == "backend":
            backend.fail_at = len(backend.written)
        else:
            keep.see = lambda tick: 1 / 0  # type: ignore[assignment, return-value, method-assign]
        with pytest.raises((ValueError, ZeroDivisionError)):
            made.step()
    assert not at_rest(keep.ticks[-1].command)
    assert at_rest(last(backend))
    assert last(backend).kp[0] == 10.0
    assert last(backend).position == pytest.approx(keep.ticks[-1].command.position, abs=0.02)


def test_nothing_moves_and_no_controller_looks_before_a_posture_was_measured() -> None:
    made, backend, controller, keep = session()
    backend.wrong = lambda sensors: sensors.position.__setitem__(1, math.nan)
    made.steps(10)
    assert controller.count == 0
    assert not any(tick.command.vector.any() for tick in keep.ticks)
    backend.wrong = None
    made.steps(2)
    assert controller.count == 2
    assert keep.ticks[-1].command.kp.all()


def test_a_posture_that_is_never_measured_ends_the_run() -> None:
    made, backend, controller, _ = session()
    backend.wrong = lambda sensors: sensors.position.__setitem__(slice(None), math.nan)
    outcome = Runner(made).run()
    assert (outcome.ending, outcome.reason) == (
        Ending.BROKEN,
        "encoder JointA JointB: not finite since 0.00 s",
    )
    assert controller.count == 0
    assert not last(backend).kp.any()


def test_what_the_controller_saw_instead_is_in_the_log_and_a_replay_sees_it_again(tmp_path: Path) -> None:
    made, backend, _, keep = session(recorder=LogRecorder(tmp_path / "log"))
    made.steps(50)
    backend.wrong = lambda sensors: sensors.position.__setitem__(0, math.nan)
    made.steps(5)
    backend.wrong = None
    made.steps(5)
    made.end()
    made.close()
    log = Log.open(tmp_path / "log")
    assert np.isnan(log.rows("sensors")["position"][50:55, 0]).all()
    assert np.isfinite(log.rows("checked").rows).all()
    assert len(log.rows("checked").rows) == 5
    assert keep.ticks[52].checked.position[0] == keep.ticks[49].sensors.position[0]


def test_a_run_with_a_lost_encoder_says_so_in_its_verdict_and_replays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from andante.backends.mujoco_world import MujocoWorld

    read = MujocoWorld.read

    def wrong(self: MujocoWorld) -> Sensors:
        sensors = read(self)
        if sensors.time > 1.5:
            sensors.position[3] = 1e300
        return sensors

    monkeypatch.setattr(MujocoWorld, "read", wrong)
    scenario = overridden(load_scenario("sit-and-stand"), Overrides(video=False))
    result = run_scenario(scenario, tmp_path / "run")
    assert not result.passed
    assert result.reasons[0].startswith("the robot was stopped: encoder LShoulderRoll: out of range since 1.5")
    assert result.reasons[1].startswith("broken off after 2.2")
    assert any("the robot is stopped" in str(moment) for moment in result.story)
    assert result.metrics.worst_tracking_error is not None
    assert result.metrics.worst_tracking_error < 1.0
    replay = replay_log(tmp_path / "run")
    assert replay.identical
    assert replay.ticks > 150


class LetGoOf(FakeController):
    """A motion after which the robot has to be let go of, which never ends."""

    running, released, failure = True, False, ""

    @property
    def inner(self) -> FakeController:
        return self

    def release(self, why: str) -> None:
        self.running = False

    def give_up(self, why: str) -> None:
        self.release(why)

    def doubt(self, why: str) -> None:
        """Nothing is doubted."""

    def off(self) -> Command:
        return self.robot.command()


def test_a_motion_that_was_done_has_not_ended_well_where_its_release_is_broken_off() -> None:
    """A second Ctrl-C drops a robot on its way to the posture in which it is let go of; the run passed."""
    robot = twin()
    controller = LetGoOf(robot, done_after=5)
    session = Session(FakeBackend(robot), controller, Guard(robot, 0.01), limits=RunLimits(10.0))
    session.steps(40)
    assert (controller.running, session.ending) == (False, None)
    session.end(at_once=True)
    assert session.ending is Ending.INTERRUPTED
    session.close()
