"""A controller of a user's own that answers what it must not: its class, file and line are named, and the run ends."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from run_fakes import FakeBackend, FakeController, twin

from andante.control.actions.residual import Residual
from andante.control.answers import amiss
from andante.control.arming.armed import ArmedController
from andante.control.arming.settings import SafetySettings
from andante.control.controller import ControlError, ControlEvent
from andante.control.events import EventKind
from andante.control.guard import Guard
from andante.control.sequence.cues import Cues, CueSettings
from andante.control.sequence.sequence import SequenceController
from andante.plugins.raised import described
from andante.robots.records import Command, Field, Layout, Record, Sensors, command_layout
from andante.robots.robot import Robot
from andante.runs.logs.log import Log
from andante.runs.logs.recorder import LogRecorder
from andante.runs.loop.outcome import Ending, RunLimits
from andante.runs.loop.runner import Runner
from andante.runs.loop.tick import Observer, Tick
from andante.runs.session import Session


class Odd(FakeController):
    """Answers from its sixth step on what ``odd`` makes of its command."""

    odd: Any = staticmethod(lambda command, sensors: command)

    def step(self, sensors: Sensors) -> Command:
        command = super().step(sensors)
        answer: Command = self.odd(command, sensors) if self.count > 5 else command
        return answer


class Keep(Observer):
    """Keeps every tick, as a black box does."""

    def __init__(self) -> None:
        self.ticks: list[Tick] = []

    def see(self, tick: Tick) -> None:
        self.ticks.append(tick)


def session(controller: Any, keep: Observer) -> Session:
    robot = twin()
    limits = RunLimits(1.0)
    return Session(FakeBackend(robot), controller, Guard(robot, 0.01), limits=limits, observers=(keep,))


def changed(command: Command, vector: Any) -> Command:
    command.vector = vector
    return command


def emptied(command: Command, sensors: Sensors) -> Command:
    sensors.position[:] = 7.0
    return command


def ends(command: Command, sensors: Sensors) -> Command:
    sys.exit(3)


NONE = "gave no command; got {}; limit: a Command for robot 'twin', as robot.command() makes it, at each tick"
ODD = [
    (lambda command, sensors: None, NONE.format("'NoneType'")),
    (lambda command, sensors: command.vector, NONE.format("'ndarray'")),
    (lambda command, sensors: sensors, NONE.format("'Sensors'")),
    (lambda command, sensors: (command, 1.0), NONE.format("'tuple'")),
    (
        lambda command, sensors: Command(command_layout(["a", "b", "c"])),
        "gave a command of another robot; got '3 joints: a, b, c, ...'; limit: 2 joints of robot 'twin'",
    ),
    (
        lambda command, sensors: changed(command, command.vector.astype(complex)),
        "gave a command whose numbers cannot be used; got 'complex128, (10,)'; limit: float64, (10,)",
    ),
    (
        lambda command, sensors: changed(command, command.vector.reshape(5, 2)),
        "gave a command whose numbers cannot be used; got 'float64, (5, 2)'; limit: float64, (10,)",
    ),
    (emptied, "changed the sensors that it was shown; got 'position."),
    (ends, "wants to end the program by SystemExit(3)"),
]


@pytest.mark.parametrize(("odd", "says"), ODD, ids=[says.partition(";")[0] + str(n) for n, (_, says) in enumerate(ODD)])
def test_a_wrong_answer_stops_the_robot_and_names_class_and_file(odd, says):
    controller = Odd(twin())
    controller.odd = odd
    made = session(controller, Keep())
    outcome = Runner(made).run()
    assert outcome.ending is Ending.BROKEN
    assert outcome.reason.startswith("the controller broke off: Odd.step (test_controller_answers.py:")
    assert says in outcome.reason
    assert isinstance(outcome.error, ControlError)


class Hoarder(FakeController):
    """Keeps what it was shown, and writes into it a step later."""

    kept: Sensors | None = None

    def step(self, sensors: Sensors) -> Command:
        if self.kept is not None:
            self.kept.vector[:] = 7.0
        self.kept = sensors
        return super().step(sensors)


def test_readings_that_a_controller_keeps_and_overwrites_later_are_still_what_was_read():
    """The check of sensors looked at the overwritten ones, and blamed the IMU."""
    seen = []
    for kind in (FakeController, Hoarder):
        keep = Keep()
        Runner(session(kind(twin()), keep)).run()
        seen.append([(tick.sensors.vector.tobytes(), tick.command.vector.tobytes()) for tick in keep.ticks])
    assert seen[0] == seen[1]


def raises() -> None:
    raise ValueError("sensor map empty")


def event(*given: Any) -> list[ControlEvent]:
    return [ControlEvent(*given)]


DEPTH = Record(Layout("depth", (Field("depth", ("depth",)),)))
WIDE = Record(Layout("depth", (Field("depth", ("left", "right")),)))
SPACED = Record(Layout("depth", (Field("my depth", ("depth",)),)))
ASKED = [
    ("take_events", raises, "ValueError: sensor map empty (test_controller_answers.py:"),
    ("take_events", lambda: sys.exit(0), "wants to end the program by SystemExit(0)"),
    (
        "take_events",
        lambda: 3,
        "gave no events; got 'int'; limit: a list of ControlEvent, empty where nothing happened",
    ),
    ("take_events", lambda: ["late"], "gave no events; got 'str'; limit: a list of ControlEvent"),
    (
        "take_events",
        lambda: event(np.nan, EventKind.NOTE, "x"),
        "gave an event that cannot be recorded; got 'time nan'",
    ),
    ("take_events", lambda: event(0.0, "hop", "x"), "got \"kind 'hop'\"; limit: an EventKind, such as EventKind.NOTE"),
    ("take_events", lambda: event(0.0, EventKind.NOTE, 3), "got 'text 3'; limit: a text"),
    (
        "take_events",
        lambda: event(0.0, EventKind.NOTE, "x", {"a": np.zeros(2)}),
        "\"data 'a': ndarray\"; limit: numbers",
    ),
    ("telemetry", raises, "ValueError: sensor map empty (test_controller_answers.py:"),
    ("telemetry", lambda: {"depth": 1}, "gave no telemetry; got 'dict'; limit: a Record with a layout of its own, or"),
    ("telemetry", lambda: WIDE, "got '2 values, 1 fields'; limit: the layout that it had before: 1 values, 1 fields"),
    ("telemetry", lambda: SPACED, "cannot be recorded; got \"a field named 'my depth'\"; limit: names of letters"),
    ("done", raises, "ValueError: sensor map empty (test_controller_answers.py:"),
    ("done", lambda: np.nan, "is done, or is it not; got 'nan, float'; limit: True or False"),
    ("done", lambda: np.zeros(2, bool), "got 'array([False, False]), ndarray'; limit: True or False"),
    ("failed", raises, "ValueError: sensor map empty (test_controller_answers.py:"),
    ("failed", lambda: "no", "got \"'no', str\"; limit: True or False"),
]


class Asked(FakeController):
    """Answers from its sixth step on what ``odd`` gives when it is asked for ``asked``."""

    asked = ""
    odd: Any = None

    def said(self, name: str, usual: Any) -> Any:
        return self.odd() if name == self.asked and self.count > 5 else usual

    def take_events(self) -> Any:
        return self.said("take_events", super().take_events())

    @property
    def telemetry(self) -> Any:
        return self.said("telemetry", DEPTH)

    @property
    def done(self) -> Any:
        return self.said("done", np.bool_(False))

    @property
    def failed(self) -> Any:
        return self.said("failed", False)


@pytest.mark.parametrize(("asked", "odd", "says"), ASKED, ids=[f"{asked}{n}" for n, (asked, _, _) in enumerate(ASKED)])
@pytest.mark.parametrize("outer", [lambda inner, robot: inner, lambda inner, robot: Residual(inner, robot, 0.1)])
def test_whatever_it_is_asked_for_a_wrong_answer_stops_the_robot_and_the_log_tells(tmp_path, asked, odd, says, outer):
    robot, inner = twin(), Asked(twin())
    inner.asked, inner.odd = asked, odd
    recorder = LogRecorder(tmp_path / "log.mcap")
    made = Session(
        FakeBackend(robot), outer(inner, robot), Guard(robot, 0.01), limits=RunLimits(1.0), recorder=recorder
    )
    outcome = Runner(made).run()
    assert outcome.ending is Ending.BROKEN
    assert outcome.reason.startswith(f"the controller broke off when asked for {asked}: ")
    assert says in outcome.reason
    assert "test_controller_answers.py:" in outcome.reason or "Residual.telemetry" in outcome.reason
    log = Log.open(tmp_path / "log.mcap")
    assert len(log.channels["sensors"].rows) == outcome.ticks
    assert [event.text for event in log.events if event.kind is EventKind.STOP] == [
        f"the robot is stopped: {outcome.reason}"
    ]


def test_a_stop_after_the_last_tick_is_told_too(tmp_path):
    robot, controller = twin(), Asked(twin())
    controller.asked, controller.odd = "done", raises
    recorder = LogRecorder(tmp_path / "log.mcap")
    limits = RunLimits(0.06)
    made = Session(FakeBackend(robot), controller, Guard(robot, 0.01), limits=limits, recorder=recorder)
    outcome = Runner(made).run()
    assert (outcome.ending, outcome.ticks) == (Ending.BROKEN, 6)
    assert EventKind.STOP in [event.kind for event in Log.open(tmp_path / "log.mcap").events]


def test_numbers_of_numpy_and_names_of_kinds_may_stand_in_an_event(tmp_path):
    robot, controller = twin(), Asked(twin())
    controller.asked = "take_events"
    controller.odd = lambda: event(0.1, "note", "leg", {"leg": np.int64(3), "load": np.float32(0.5), "on": np.True_})
    recorder = LogRecorder(tmp_path / "log.mcap")
    made = Session(FakeBackend(robot), controller, Guard(robot, 0.01), limits=RunLimits(0.2), recorder=recorder)
    assert Runner(made).run().ending is Ending.TIMEOUT
    events = Log.open(tmp_path / "log.mcap").events
    assert next(each for each in events if each.text == "leg").data == {"leg": 3, "load": 0.5, "on": True}


def test_a_robot_is_let_go_of_where_its_controller_breaks_off_beside_its_steps(monkeypatch):
    for asked in ("take_events", "telemetry", "done", "failed"):
        robot, inner = twin(), Asked(twin())
        inner.asked, inner.odd = asked, raises
        settings = SafetySettings(held=1e3, tilt=None, measure=0.1, settle=0.1, rise=0.1)
        armed = ArmedController(inner, robot, settings)
        monkeypatch.setattr(ArmedController, "_judge", ArmedController._prepare)  # a fake proves nothing
        made = Session(FakeBackend(robot), armed, Guard(robot, 0.01), limits=RunLimits(30.0))
        outcome = Runner(made).run()
        assert outcome.ending is Ending.FAILED
        assert armed.released
        assert armed.failure.startswith(
            f"the controller broke off when asked for {asked}: ValueError: sensor map empty"
        )


def test_a_controller_may_use_one_command_again_and_what_was_seen_stays():
    controller, kept = Odd(twin()), Command(twin().command_layout)

    def same(command, sensors):
        kept.vector[:] = command.vector
        return kept

    controller.odd = same
    keep, plain = Keep(), Keep()
    Runner(session(controller, keep)).run()
    Runner(session(Odd(twin()), plain)).run()
    asked = [tick.request.vector for tick in keep.ticks]
    assert np.ptp(asked, axis=0).any()
    np.testing.assert_array_equal(asked, [tick.request.vector for tick in plain.ticks])


def test_one_inside_of_another_controller_is_named_itself():
    odd = Odd(twin())
    odd.odd = lambda command, sensors: None
    outer = Residual(odd, twin(), 0.1)
    outcome = Runner(session(outer, Keep())).run()
    assert outcome.reason.startswith("the controller broke off: Odd.step (test_controller_answers.py:")


def test_a_robot_is_let_go_of_where_its_controller_gives_no_command():
    robot = twin()
    odd = Odd(twin())
    odd.odd = lambda command, sensors: None
    armed = ArmedController(odd, robot)
    sensors = Sensors(robot.sensors_layout)
    armed.reset()
    sensors.orientation[0], sensors.accelerometer[2] = 1.0, 9.81
    for tick in range(20_000):
        sensors = sensors.copy()
        sensors.vector[0] = 0.01 * tick
        # An IMU that reads the same again and again is none.
        sensors.gyro[0] = 1e-4 * (tick % 3)
        armed.step(sensors)
        if armed.released:
            break
    assert "Odd.step (test_controller_answers.py:" in armed.failure
    assert "gave no command; got 'NoneType'" in armed.failure


def test_the_line_of_the_user_is_told_wherever_it_is_raised():
    def look_up():
        Robot.load("nao").index("RightKnee")

    def divide():
        np.linalg.inv(np.zeros((2, 3)))

    for function, says in ((look_up, "RightKnee"), (divide, "LinAlgError: ")):
        with pytest.raises(Exception) as caught:  # noqa: PT011 - any
            function()
        said = described(caught.value)
        assert says in said
        line = function.__code__.co_firstlineno + 1
        assert said.endswith(f"({Path(__file__).name}:{line})")


class Misread(FakeBackend):
    """Reads from its sixth tick on what ``wrong`` makes of the sensors."""

    wrong: Any = staticmethod(lambda sensors: sensors)
    known: Any = None

    def read(self) -> Sensors:
        sensors: Any = super().read()
        found: Sensors = self.wrong(sensors) if self.time > 0.05 else sensors
        return found

    def truth(self) -> Any:
        return self.known


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        (lambda sensors: None, "gave no sensors; got 'NoneType'; limit: Sensors of robot 'twin'"),
        (lambda sensors: sensors.vector, "gave no sensors; got 'ndarray'"),
        (lambda sensors: Robot.load("ers7").sensors(), "gave sensors of another robot; got '104 numbers, float64'"),
        (lambda sensors: changed(sensors, sensors.vector[:3]), "cannot be used; got '3 numbers, float64'"),
    ],
)
def test_a_backend_that_reads_no_sensors_is_named(wrong, says):
    robot = twin()
    backend = Misread(robot)
    backend.wrong = wrong
    made = Session(backend, FakeController(robot), Guard(robot, 0.01), limits=RunLimits(1.0))
    with pytest.raises(ControlError, match=r"^Misread.read \(test_controller_answers\.py:") as refused:
        Runner(made).run()
    assert says in str(refused.value)


def test_a_truth_that_is_no_record_is_named():
    robot = twin()
    backend = Misread(robot)
    backend.known = {"x": 1.0}
    made = Session(backend, FakeController(robot), Guard(robot, 0.01), limits=RunLimits(1.0))
    with pytest.raises(ControlError, match=r"Misread.truth \(test_controller_answers\.py:.*gave no truth; got 'dict'"):
        _ = made.step().truth


class Unready(FakeController):
    """What it says of itself is there from its first reset on only."""

    def __post_init__(self) -> None: ...

    def reset(self) -> None:
        super().reset()
        self.lost = True

    @property
    def failed(self) -> bool:
        return self.lost


def test_what_is_ready_from_reset_on_is_a_property_of_a_controller_too():
    controller = Unready(twin())
    assert amiss(controller) == ""
    assert Runner(session(controller, Keep())).run().ending is Ending.FAILED


class Forgot(FakeController):
    """Its author forgot that done is a property: a method counts as true."""

    def done(self) -> bool:  # type: ignore[override]
        return False


def test_a_part_of_a_sequence_whose_done_is_a_method_is_refused():
    robot = twin()
    parts = {"one": FakeController(robot), "two": Forgot(robot)}
    with pytest.raises(ControlError, match="its done is a method, no property"):
        SequenceController(robot, parts, {}, "one", Cues(robot, CueSettings(), None))
