"""Controllers that follow each other: by which cues, from what, and how the command goes over."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from andante.control.controller import ControlError, ControllerBase
from andante.control.events import EventKind
from andante.control.sequence.cues import Cue, Cues, CueSettings
from andante.control.sequence.sequence import Way, sequence_of
from andante.control.steering import Heading, LiveSteering, SteeringScript, Turn
from andante.robots.robot import Robot


class Holds(ControllerBase):
    """Asks one angle of all joints; is done, or has failed, after a time."""

    def __init__(self, robot: Robot, angle: float, done_after: float = math.inf, fails_after: float = math.inf) -> None:
        super().__init__(robot.tick)
        self.robot, self.angle, self.done_after, self.fails_after = robot, angle, done_after, fails_after
        self.reset()

    @property
    def done(self) -> bool:
        return self.age > self.done_after

    @property
    def failed(self) -> bool:
        return self.age > self.fails_after

    def reset(self) -> None:
        super().reset()
        self.age, self.last = 0.0, None

    def step(self, sensors):
        self._time = sensors.time
        self.age += self.period
        command = self.robot.command()
        command.position[:], command.kp[:] = self.angle, 10.0
        return command


class Follows(Holds):
    """Takes over from what was commanded last."""

    def take_over(self, sensors, last) -> None:
        self.reset()
        self.last = float(last.position[0])


class Tells(Holds):
    def step(self, sensors):
        command = super().step(sensors)
        self._tell(EventKind.HAND_OVER, "stands")
        return command


class Steers(Holds):
    def __init__(self, robot: Robot, angle: float) -> None:
        self.steering = LiveSteering(timeout=math.inf)
        super().__init__(robot, angle)


@pytest.fixture(scope="module")
def nao() -> Robot:
    return Robot.load("nao").at(0.1)


def made(robot: Robot, parts: dict[str, Any], ways: dict[str, list[Way]], steering: Any = None, **cues: float):
    return sequence_of(robot, parts, ways, next(iter(parts)), Cues(robot, CueSettings(**cues), steering), steering)


def play(sequence, ticks: int, **sensed: Any) -> list[str]:
    """Names of the part in force, tick by tick; values are functions of the tick."""
    robot, names = sequence.robot, []
    for tick in range(ticks):
        sensors = robot.sensors()
        sensors.vector[0] = tick * robot.tick
        sensors.orientation[0] = 1.0
        for name, value in sensed.items():
            sensors[name][:] = value(tick)
        sequence.step(sensors)
        names.append(sequence.part)
    return names


def lean(angle: float) -> tuple[float, float, float, float]:
    return math.cos(angle / 2), 0.0, math.sin(angle / 2), 0.0


def test_the_next_takes_over_when_the_first_is_done(nao: Robot) -> None:
    sequence = made(nao, {"a": Holds(nao, 0.0, 0.25), "b": Holds(nao, 1.0)}, {"a": [Way("b", (Cue.DONE,))]})
    assert play(sequence, 6) == ["a", "a", "a", "b", "b", "b"]
    (event,) = sequence.take_events()
    assert (event.kind, event.data["part"], event.data["why"]) == (EventKind.PART, "b", "done")


def test_a_cue_has_to_hold_for_its_time(nao: Robot) -> None:
    ways = {"a": [Way("b", (Cue.LIES,), held=0.2)]}
    sequence = made(nao, {"a": Holds(nao, 0.0), "b": Holds(nao, 1.0)}, ways)
    tilts = [0.0, 1.5, 0.0, 1.5, 1.5, 1.5, 1.5]
    assert play(sequence, 7, orientation=lambda tick: lean(tilts[tick])) == ["a"] * 5 + ["b"] * 2


def test_a_way_waits_for_its_part_s_time(nao: Robot) -> None:
    sequence = made(nao, {"a": Holds(nao, 0.0), "b": Holds(nao, 1.0)}, {"a": [Way("b", (), after=0.3)]})
    assert play(sequence, 5) == ["a", "a", "a", "b", "b"]


def test_the_command_goes_over_within_the_blend(nao: Robot) -> None:
    ways = {"a": [Way("b", (), after=0.2, blend=0.4)]}
    sequence = made(nao, {"a": Holds(nao, 0.0), "b": Holds(nao, 1.0)}, ways)
    rows = []
    for tick in range(7):
        sensors = nao.sensors()
        sensors.vector[0], sensors.orientation[0] = 0.1 * tick, 1.0
        rows.append(float(sequence.step(sensors).position[0]))
    np.testing.assert_allclose(rows, [0.0, 0.0, 0.25, 0.5, 0.75, 1.0, 1.0])


def test_who_can_goes_on_from_the_last_command_and_others_are_reset(nao: Robot) -> None:
    parts = {"a": Holds(nao, 0.3), "b": Follows(nao, 1.0), "c": Holds(nao, 2.0)}
    ways = {"a": [Way("b", (), after=0.1)], "b": [Way("c", (), after=0.1)]}
    sequence = made(nao, parts, ways)
    play(sequence, 2)
    assert parts["b"].last == 0.3
    parts["c"].age = 9.0
    play(sequence, 1)
    assert parts["c"].age == pytest.approx(0.1)


def test_a_fall_is_seen_once_until_the_robot_stood_again(nao: Robot) -> None:
    ways = {"walk": [Way("up", (Cue.FALLS,))], "up": [Way("walk", (Cue.UPRIGHT,), after=0.3)]}
    sequence = made(nao, {"walk": Holds(nao, 0.0), "up": Holds(nao, 1.0)}, ways)
    tilts = [0.0, 0.0, 0.5, 0.5, 1.4, 1.4, 0.0, 0.0, 0.5, 0.5]
    names = play(sequence, 10, orientation=lambda tick: lean(tilts[tick]))
    assert names == ["walk"] * 3 + ["up"] * 3 + ["walk"] * 3 + ["up"]


@pytest.mark.parametrize(
    ("cue", "sensed"),
    [
        (Cue.UPRIGHT, {"orientation": lambda tick: lean(0.0 if tick > 2 else 1.0)}),
        (Cue.CALM, {"gyro": lambda tick: (0.0 if tick > 2 else 2.0, 0.0, 0.0)}),
        (Cue.FEET_CARRY, {"force": lambda tick: 5.0 if tick > 2 else 0.0}),
        (Cue.HEAD_TOUCHED, {"buttons": lambda tick: float(tick > 2)}),
        (Cue.CHEST_PRESSED, {"buttons": lambda tick: float(tick == 3)}),
    ],
)
def test_each_cue_reads_the_robot_s_own_sensors(nao: Robot, cue: Cue, sensed: dict[str, Any]) -> None:
    sequence = made(nao, {"a": Holds(nao, 0.0), "b": Holds(nao, 1.0)}, {"a": [Way("b", (cue,))]})
    assert play(sequence, 5, **sensed) == ["a"] * 3 + ["b"] * 2


def test_the_steering_starts_and_stops_a_walk(nao: Robot) -> None:
    steering = SteeringScript((Turn(0.15, Heading(0.2)), Turn(0.35, Heading())))
    ways = {"stand": [Way("walk", (Cue.WALK_ASKED,))], "walk": [Way("stand", (Cue.STOP_ASKED,))]}
    sequence = made(nao, {"stand": Holds(nao, 0.0), "walk": Holds(nao, 1.0)}, ways, steering)
    assert play(sequence, 6) == ["stand"] * 2 + ["walk"] * 2 + ["stand"] * 2


def test_what_is_asked_live_reaches_each_controller(nao: Robot) -> None:
    steering, walk = LiveSteering(timeout=0.25), Steers(nao, 1.0)
    sequence = made(nao, {"walk": walk}, {}, steering)
    steering.set(Heading(0.2))
    play(sequence, 1)
    assert walk.steering.asked == Heading(0.2)
    play(sequence, 5)
    assert walk.steering.asked.still
    steering.end()
    play(sequence, 1)
    assert walk.steering.over(0.0)


def test_a_get_up_that_stands_may_be_relieved_before_it_is_done(nao: Robot) -> None:
    sequence = made(nao, {"up": Tells(nao, 0.0), "walk": Holds(nao, 1.0)}, {"up": [Way("walk", (Cue.HANDED_OVER,))]})
    assert play(sequence, 3) == ["up", "walk", "walk"]


def test_it_is_done_or_has_failed_as_its_last_part(nao: Robot) -> None:
    parts = {"a": Holds(nao, 0.0, 0.15, 0.15), "b": Holds(nao, 1.0, 0.15, 0.35)}
    sequence = made(nao, parts, {"a": [Way("b", (Cue.FAILED,))]})
    play(sequence, 2)
    assert (sequence.part, sequence.failed) == ("a", False)
    play(sequence, 3)
    assert (sequence.part, sequence.done, sequence.failed) == ("b", True, False)
    play(sequence, 2)
    assert sequence.failed


def test_it_is_not_done_while_something_will_be_asked(nao: Robot) -> None:
    steering = SteeringScript((Turn(0.55, Heading(0.2)), Turn(0.85, Heading())))
    sequence = made(nao, {"a": Holds(nao, 0.0, 0.15)}, {}, steering)
    play(sequence, 5)
    assert not sequence.done
    play(sequence, 10)
    assert sequence.done


def test_a_reset_begins_with_the_first(nao: Robot) -> None:
    sequence = made(nao, {"a": Holds(nao, 0.0, 0.15), "b": Holds(nao, 1.0)}, {"a": [Way("b", (Cue.DONE,), blend=1.0)]})
    first = play(sequence, 5)
    sequence.reset()
    assert play(sequence, 5) == first


@pytest.mark.parametrize(
    ("robot", "ways", "what"),
    [
        ("nao", {"a": [Way("c", ())]}, "a way leads to another part"),
        ("nao", {"a": [Way("a", ())]}, "a way leads to another part"),
        ("nao", {"c": []}, "there is no such part"),
        ("nao", {"a": [Way("b", (Cue.WALK_ASKED,))]}, "is not steered"),
        ("littledog", {"a": [Way("b", (Cue.HEAD_TOUCHED,))]}, "has no two buttons on its head"),
        ("littledog", {"a": [Way("b", (Cue.FEET_CARRY,))]}, "has no pressure cells"),
    ],
)
def test_what_does_not_fit_together_is_refused(robot: str, ways: dict[str, list[Way]], what: str) -> None:
    loaded = Robot.load(robot)
    with pytest.raises(ControlError, match=what):
        made(loaded, {"a": Holds(loaded, 0.0), "b": Holds(loaded, 1.0)}, ways)


def test_controllers_of_two_periods_are_refused(nao: Robot) -> None:
    with pytest.raises(ControlError, match="need one period"):
        made(nao, {"a": Holds(nao, 0.0), "b": Holds(nao.at(0.02), 1.0)}, {})
