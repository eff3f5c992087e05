"""A scenario on a robot behind a wire, in this process by a clock of its own: log, report, verdict, replay, endings."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hardware_plants import SITTING, looped
from typer.testing import CliRunner

from andante.backends.backend import BackendError, LinkLostError
from andante.backends.hardware.backend import HardwareBackend
from andante.backends.hardware.health import HealthLimits, HealthWatch
from andante.backends.hardware.packets import RobotState
from andante.backends.hardware.plant import FakePlant
from andante.backends.world import WorldConfig
from andante.cli.app import app
from andante.control.arming.armed import ArmedController
from andante.control.arming.phase import Phase
from andante.control.events import EventKind
from andante.control.guard import Guard
from andante.control.guard_settings import GuardSettings
from andante.errors import AndanteError
from andante.robots.robot import Robot
from andante.runs.backends.hardware import undisturbed
from andante.runs.backends.udp import UdpBackend
from andante.runs.errors import RunError
from andante.runs.execute import RunResult, run_scenario
from andante.runs.hardware.fakes import hardware_kind
from andante.runs.hardware.guided import Resting
from andante.runs.logs.log import Log
from andante.runs.logs.replay import replay_log
from andante.runs.loop.clock import RealTimeClock
from andante.runs.loop.outcome import Ending, RunLimits
from andante.runs.loop.runner import Runner
from andante.runs.session import Session
from andante.runs.task import scenario_of

FAST = ["backend.safety.measure=0.8", "backend.safety.rise=0.3", "backend.safety.fade=0.3", "backend.safety.settle=0.1"]


def ran(
    monkeypatch: pytest.MonkeyPatch, out: Path, settings: Any = (), link: Any = None, **more: Any
) -> tuple[RunResult, Any]:
    """Wave on a NAO behind a loop."""
    made, plant = looped(start=SITTING, link=link, **more)
    monkeypatch.setattr(UdpBackend, "backend", lambda kind, robot, world: made)
    scenario = scenario_of("nao/wave", backend="udp", settings=[*FAST, *settings], report=False)
    return run_scenario(scenario, out), plant


def steps(result: RunResult) -> list[str]:
    return [
        str(event.data["step"]) for event in result.log.events if event.kind is EventKind.ARM and "step" in event.data
    ]


@pytest.mark.slow
def test_a_motion_on_a_robot_is_armed_run_released_logged_and_judged_by_what_was_observed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    result, plant = ran(monkeypatch, tmp_path)
    assert steps(result) == ["hold", "approach", "settle", "run", "release", "fade", "off"]
    assert result.verdict == "pass", result.reasons
    assert any("as observed by its own IMU" in reason for reason in result.reasons)
    assert result.metrics.observed is True
    assert result.evidence == result.log.metadata["run"]["kind"] == "fake of the protocol"
    assert "truth" not in result.log.channels
    link = result.log.channels["link"]
    assert len(link.rows) == len(result.log.channels["sensors"].rows)
    assert (np.diff(link["robot_tick"][:, 0]) == 1.0).all()
    # What a robot does not measure is not told as a failure.
    assert not [event for event in result.log.events if event.kind is EventKind.SENSOR]
    assert np.isnan(result.log.channels["sensors"]["force"]).all()
    assert plant.stiffness[-1][1] == 0.0
    again = replay_log(tmp_path)
    assert (again.mismatch_count, again.ticks) == (0, len(link.rows))


@pytest.mark.slow
def test_a_lost_link_ends_the_run_with_its_name_and_everything_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    result, _ = ran(monkeypatch, tmp_path, arrives=lambda tick: tick < 220)
    assert result.verdict == "fail"
    assert result.reasons[0].startswith("the link was lost: udp at this process: no state has come for 0.6")
    assert any(event.text == "the run ended: lost" for event in result.log.events)
    commands = result.log.channels["command"]
    # Held, damped, off: by the times of the sequence.
    assert not commands["kp"][-1].any()
    assert not commands["kd"][-1].any()
    assert steps(result)[-2:] == ["damp", "off"]
    assert (tmp_path / "metrics.json").is_file()


@pytest.mark.slow
def test_the_last_seconds_of_a_lost_run_are_in_a_black_box_that_replay_opens(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "blackbox-7.mcap").write_bytes(b"of an earlier run")
    ran(monkeypatch, tmp_path, arrives=lambda tick: tick < 220)
    boxes = sorted(tmp_path.glob("blackbox-*.mcap"))
    assert boxes
    assert "blackbox-7.mcap" not in [box.name for box in boxes]
    done = CliRunner().invoke(app, ["replay", str(boxes[-1])])
    assert done.exit_code == 0, done.output
    assert "the run ended: lost" in done.output
    assert "no state for 3 periods" in done.output
    # The log of the run has the same rows.
    kept, whole = Log.open(boxes[-1]), Log.open(tmp_path / "log.mcap")
    count = len(kept.channels["command"].rows)
    assert 100 < count <= 418
    np.testing.assert_array_equal(kept.channels["command"].rows, whole.channels["command"].rows[-count:])


@pytest.mark.slow
def test_a_link_that_breaks_while_it_is_written_to_ends_the_run_by_that_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    send = HardwareBackend.write

    def hung_up(backend: HardwareBackend, command: Any) -> None:
        if backend.time > 1.0:
            backend._broken = LinkLostError("the robot has hung up", place="here")
            return
        send(backend, command)

    monkeypatch.setattr(HardwareBackend, "write", hung_up)
    result, _ = ran(monkeypatch, tmp_path)
    assert result.reasons[0] == "the link was lost: here: the robot has hung up"
    assert result.log.problem == ""


@pytest.mark.slow
@pytest.mark.parametrize("asked", ["", pytest.param("interrupted", marks=pytest.mark.slow)])
def test_a_robot_that_refuses_its_mode_while_it_is_let_go_of_does_not_end_as_done(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, asked: str
) -> None:
    let_go, step = ArmedController._let_go, Session.step

    def refusing(controller: ArmedController, why: str) -> None:
        let_go(controller, why)
        plants[0].refuses = True

    def interrupted(session: Session) -> Any:
        if session.controller.phase is Phase.RUN:  # type: ignore[attr-defined]
            session.end(Ending.INTERRUPTED)
        return step(session)

    plants: list[Any] = []
    reset = HardwareBackend.reset

    def known(backend: HardwareBackend, seed: int) -> None:
        plants.append(backend.link._plant)  # type: ignore[attr-defined]
        reset(backend, seed)

    monkeypatch.setattr(HardwareBackend, "reset", known)
    monkeypatch.setattr(ArmedController, "_let_go", refusing)
    if asked:
        monkeypatch.setattr(Session, "step", interrupted)
    result, plant = ran(monkeypatch, tmp_path)
    assert steps(result)[-3:] == ["release", "damp", "off"]
    assert any(event.text == f"the run ended: {asked or 'failed'}" for event in result.log.events)
    assert result.verdict == "fail"
    assert "the robot takes no commands any more: refused, while it was let go of" in result.reasons[0]
    assert result.interrupted == bool(asked)
    # Its motion was done, which is not denied.
    assert result.metrics.finished
    assert plant.stiffness[-1][1] == 0.0


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"gravity": "sign"}, "vertical"),
        pytest.param({"gravity": "unit"}, "gravity", marks=pytest.mark.slow),
        pytest.param({"wrong_unit": True}, "beyond their stops", marks=pytest.mark.slow),
        ({"second_commander": True}, "commands of somebody else"),
        pytest.param({"temperature": 90.0}, "90 deg C", marks=pytest.mark.slow),
        ({"battery": 0.05}, "battery at 5 %"),
        pytest.param({"refuses": True}, "takes no commands", marks=pytest.mark.slow),
    ],
)
def test_a_robot_with_a_planted_error_is_not_armed_and_nothing_is_sent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, wrong: Mapping[str, Any], words: str
) -> None:
    result, plant = ran(monkeypatch, tmp_path, **wrong)
    assert result.verdict == "fail"
    assert words in " ".join(result.reasons)
    assert plant.commands == 0


@pytest.mark.slow
@pytest.mark.parametrize(
    ("plant", "words"),
    [
        (["fake.warms=20", "fake.warm=[LKneePitch]", "fake.temperature=40"], "LKneePitch has 8[4-6] deg C"),
        pytest.param(["fake.drains=0.1", "fake.battery=0.4"], "battery at [4-6] %", marks=pytest.mark.slow),
    ],
)
def test_a_motor_that_gets_hot_or_a_battery_that_gets_low_ends_a_run_slowly(
    tmp_path: Path, plant: list[str], words: str
) -> None:
    more = [*FAST, *(f"backend.{each}" for each in plant)]
    result = run_scenario(
        scenario_of("nao/wave", backend="loop=lola", start="sit", settings=more, report=False), tmp_path
    )
    assert result.verdict == "fail"
    assert re.search(words, result.reasons[0]), result.reasons
    # It is told before, and the robot is brought to its sitting posture.
    told = [event.text for event in result.log.events if event.kind is EventKind.LINK]
    assert len([text for text in told if "beyond it the robot is let go of" in text]) == 1, told
    assert steps(result)[-3:] == ["release", "fade", "off"]
    assert replay_log(tmp_path).mismatch_count == 0


def test_one_wrong_reading_ends_nothing_and_no_limit_is_invented() -> None:
    watch = HealthWatch(("hip", "knee"), HealthLimits(hot=75.0, empty=0.1))
    hot, cool = np.array([30.0, 255.0]), np.array([30.0, np.nan])
    for tick in range(100):
        assert watch.see(0.01 * tick, hot if tick % 10 == 0 else cool, 0.0 if tick % 10 == 5 else 0.8) == []
    assert watch.why == ""
    assert hardware_kind({"type": "udp"}).health.hot is None
    assert hardware_kind({"type": "booster"}).health.hot is None


def test_a_hot_motor_is_told_where_no_limit_ends_a_run() -> None:
    watch = HealthWatch(("hip", "knee"), hardware_kind({"type": "udp"}).health)
    told = [text for tick in range(200) for text in watch.see(0.01 * tick, np.array([np.nan, 80.0]), None)]
    assert told == ["knee has 80 deg C: none ends this run, as no limit of this robot is known; safety.hot sets one"]
    assert watch.why == ""


@pytest.mark.slow
@pytest.mark.parametrize("spoken", ["udp", pytest.param("lola", marks=pytest.mark.slow)])
def test_a_loop_speaks_any_protocol_without_another_process(spoken: str, tmp_path: Path) -> None:
    more = [*FAST, "backend.fake.clock=-0.03", "backend.fake.loss=0.01"]
    scenario = scenario_of("nao/wave", backend=f"loop={spoken}", start="sit", settings=more, report=False)
    result = run_scenario(scenario, tmp_path)
    assert result.verdict == "pass", result.reasons
    assert steps(result)[-1] == "off"
    assert replay_log(tmp_path).mismatch_count == 0


@pytest.mark.slow
def test_a_joint_that_sticks_on_a_robot_fails_by_its_measured_angle(tmp_path: Path) -> None:
    stuck = "world.faults=[{type: stuck, joints: [LShoulderPitch], start: 3.0}]"
    scenario = scenario_of("nao/wave", backend="loop=udp", start="sit", settings=[*FAST, stuck], report=False)
    result = run_scenario(scenario, tmp_path)
    assert "truth" not in result.log.channels
    assert result.metrics.astray_joint == "LShoulderPitch"
    assert result.verdict == "fail"
    assert any("LShoulderPitch stayed" in reason for reason in result.reasons), result.reasons


def test_a_loop_of_a_loop_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BackendError, match="speaks another backend's bytes"):
        run_scenario(scenario_of("nao/wave", backend="loop=loop"), tmp_path)


def test_a_real_time_clock_has_no_place_where_a_robot_paces(tmp_path: Path) -> None:
    scenario = scenario_of("nao/wave", backend="udp")
    with pytest.raises(RunError, match="the robot paces this run"):
        run_scenario(scenario, tmp_path, clock=RealTimeClock())


def test_a_controller_that_needs_what_is_absent_is_refused_before_anything_moves() -> None:
    from andante.control.controller import ControlError
    from andante.control.plausibility import SensorCheck

    robot = Robot.load("nao")
    with pytest.raises(ControlError, match="does not measure: imu"):
        SensorCheck(robot, 0.012, absent={"orientation"})


def sitting_session() -> tuple[Session, HardwareBackend]:
    made, _ = looped(start=SITTING)
    robot, kind = made.robot, hardware_kind({"type": "udp"})
    controller = kind.above(Resting(robot, robot.tick), made)
    guard = Guard(robot, robot.tick, kind.guarded(GuardSettings()))
    return Session(made, controller, guard, limits=RunLimits(30.0)), made


def test_a_session_closes_its_backend_and_a_robot_cannot_be_paused() -> None:
    session, made = sitting_session()
    with pytest.raises(RunError, match="a robot cannot be paused"):
        Runner(session).pause()
    with session:
        session.steps(5)
        session.end()
        assert session.ending is None  # it is let go of first
        session.steps(50)
    assert session.ending is Ending.INTERRUPTED
    assert made.link.closed  # type: ignore[attr-defined]


def test_an_end_at_once_damps_what_is_stiff() -> None:
    session, made = sitting_session()
    session.steps(150)
    assert session.controller.phase is Phase.HOLD  # type: ignore[attr-defined]
    session.end(at_once=True)
    session.close()
    plant = made.link._plant  # type: ignore[attr-defined]
    assert not plant._command.kp.any()
    assert plant._command.kd.all()


def test_a_run_on_a_robot_is_not_disturbed_by_the_collector() -> None:
    import gc

    assert gc.isenabled()
    gc.freeze()
    frozen = gc.get_freeze_count()
    with undisturbed(None, None):
        assert not gc.isenabled()
    assert gc.isenabled()
    # What a program has frozen stays so: a look for garbage would go through all of it again.
    assert gc.get_freeze_count() > 0.9 * frozen
    gc.disable()
    with undisturbed(None, None):
        pass
    assert not gc.isenabled()
    gc.enable()


def test_a_priority_that_the_system_refuses_is_one_message_and_the_processor_is_given_back(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    import gc
    import os

    def refused(*_: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "sched_setscheduler", refused)
    before = os.sched_getaffinity(0)
    with (
        pytest.raises(BackendError, match=r"fake\.priority: the system refuses: .*not permitted"),
        undisturbed(min(before), 50, "fake"),
    ):
        pass
    assert os.sched_getaffinity(0) == before
    assert gc.isenabled()


def test_a_loops_fake_has_no_process_whose_priority_could_be_set() -> None:
    kind = hardware_kind({"type": "loop", "address": "udp", "fake": {"priority": 50}})
    with pytest.raises(BackendError, match=r"backend\.fake\.priority.*no process of its own"):
        kind.backend(Robot.load("littledog"), WorldConfig())


@pytest.mark.slow
def test_the_last_seconds_before_a_fall_are_in_a_black_box_that_replay_opens(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read = HardwareBackend.read

    def tipped(backend: HardwareBackend) -> Any:
        sensors = read(backend)
        if backend.time > 2.5:
            turn = min(backend.time - 2.5, 0.4) * np.pi
            sensors.orientation[:] = np.cos(0.5 * turn), np.sin(0.5 * turn), 0.0, 0.0
        return sensors

    monkeypatch.setattr(HardwareBackend, "read", tipped)
    result, _ = ran(monkeypatch, tmp_path)
    assert result.verdict == "fail"
    boxes = sorted(tmp_path.glob("blackbox-*.mcap"))
    done = CliRunner().invoke(app, ["replay", str(boxes[0])])
    assert done.exit_code == 0, done.output
    assert "black box: falls to the right" in done.output
    assert "posture is held" in done.output


def test_a_processor_that_is_not_there_is_refused_with_a_word() -> None:
    with pytest.raises(BackendError, match=r"backend\.processor: the system refuses"), undisturbed(4000, None):
        pass


def test_a_replay_of_another_robots_log_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ran(monkeypatch, tmp_path, arrives=lambda tick: tick < 100)
    text = (tmp_path / "log.mcap").read_bytes()
    assert b"nao" in text
    other = Robot.load("littledog")
    monkeypatch.setattr("andante.runs.logs.replay.load_declared", lambda scenario: other)
    with pytest.raises(AndanteError):
        replay_log(tmp_path)


def test_what_building_a_run_has_left_is_given_back_before_it_begins() -> None:
    import mujoco

    corners = " ".join(f"{x} {y} {z}" for x in (0, 1) for y in (0, 1) for z in (0, 1))
    mesh = f'<asset><mesh name="m" vertex="{corners}"/></asset><worldbody><geom type="mesh" mesh="m"/></worldbody>'
    mujoco.MjModel.from_xml_string(f"<mujoco>{mesh}</mujoco>")
    with undisturbed(None, None):
        assert mujoco.mj_getCacheSize(mujoco.mj_getCache()) == 0


def test_a_standing_height_keeps_no_robot() -> None:
    import gc
    import weakref

    from andante.runs.evaluation.standing import standing_height

    robot = Robot.load("littledog")
    height = standing_height(robot)
    assert standing_height(robot) == height
    kept = weakref.ref(robot)
    del robot
    gc.collect()
    assert kept() is None


@pytest.mark.slow
def test_a_quaternion_that_is_none_is_told_by_its_number_and_as_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = FakePlant.state

    def doubled(plant: FakePlant) -> RobotState:
        state = whole(plant)
        state.orientation = np.array([2.0, 0.0, 0.0, 0.0])
        return state

    monkeypatch.setattr(FakePlant, "state", doubled)
    result, plant = ran(monkeypatch, tmp_path)
    assert plant.commands == 0
    told = next(reason for reason in result.reasons if "not armed" in reason)
    assert "imu: out of range since 0.00 s (orientation.w reads 2, limits" in told
    assert "accelerometer" not in told
