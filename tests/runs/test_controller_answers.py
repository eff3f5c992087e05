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
from andante.control.controller import ControlError
from andante.control.guard import Guard
from andante.control.sequence.cues import Cues, CueSettings
from andante.control.sequence.sequence import SequenceController
from andante.plugins.raised import described
from andante.robots.records import Command, Sensors, command_layout
from andante.robots.robot import Robot
from andante.runs.loop.outcome import Ending, RunLimits
from andante.runs.loop.runner import Runner
from andante.runs.loop.tick import Observer, Tick
from andante.runs.session import Session


class Odd(FakeController):
    """Answers from its sixth step on what ``odd`` makes of its command."""

    odd: Any = staticmethod(lambda command, sensors: command)
    said: Any = None
    tells: Any = None

    def step(self, sensors: Sensors) -> Command:
        command = super().step(sensors)
        answer: Command = self.odd(command, sensors) if self.count > 5 else command
        return answer

    def take_events(self) -> Any:
        return super().take_events() if self.said is None else self.said

    @property
    def telemetry(self) -> Any:
        return self.tells


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
    (emptied, "changed the sensors, which others read too; got 'position."),
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


@pytest.mark.parametrize(
    ("attribute", "value", "says"),
    [
        ("said", 3, "): gave no events; got 'int'; limit: a list of ControlEvent, empty where nothing happened"),
        ("said", ["late"], "): gave no events; got 'str'; limit: a list of ControlEvent"),
        ("tells", {"depth": 1}, "): gave no telemetry; got 'dict'; limit: a Record with a layout of its own, or None"),
    ],
)
def test_wrong_events_and_telemetry_are_named_too(attribute, value, says):
    controller = Odd(twin())
    setattr(controller, attribute, value)
    with pytest.raises(ControlError, match=r"test_controller_answers\.py:") as refused:
        Runner(session(controller, Keep())).run()
    assert says in str(refused.value)


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
