"""Why measured torques fit no command: readings that are wrong in a known way are named, and nothing else is."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from andante.control.quadruped.drive_doubts import DriveDoubts
from andante.control.quadruped.drive_watch import DriveWatch
from andante.control.quadruped.drive_words import Explanation, explained
from andante.control.sensor_parts import SensorPart
from andante.robots.records import Sensors
from andante.robots.robot import Robot

ROBOT = Robot.load("spirit40")
NAMES = ROBOT.joint_names
LEGS = [list(range(leg * 3, leg * 3 + 3)) for leg in range(4)]
KNEE = 2
Spoil = Callable[[Sensors], None]


class Walk:
    """A robot whose joints swing by commands with gains, and whose drives give just what they are asked for.

    Args:
        lag: Ticks from a command to the reading that shows it.
        noise: Share of a usual noise of angles, speeds and torques.
    """

    def __init__(self, lag: int = 2, noise: float = 1.0, seed: int = 0) -> None:
        self.watch = DriveWatch(ROBOT, 0.2, 0.03, 0.1)
        self.doubts = DriveDoubts(self.watch, LEGS, NAMES)
        self.lag, self.noise, self.random = lag, noise, np.random.default_rng(seed)
        self.waves, self.phases = self.random.uniform(1.5, 3.5, 12), self.random.uniform(0.0, 6.0, 12)
        self.share, self.commands, self.told = np.ones(12), [], list[Explanation]()

    def ticks(self, count: int, spoil: Spoil = lambda sensors: None) -> None:
        """Go on for some ticks; every reading is spoiled."""
        limit, tick = ROBOT.max_effort, ROBOT.tick
        for _ in range(count):
            time = len(self.commands) * tick
            turn = 2.0 * np.pi * self.waves * time + self.phases
            angles = np.tile([0.1, 0.8, 1.6], 4) + 0.3 * np.sin(turn)
            speeds = 0.3 * 2.0 * np.pi * self.waves * np.cos(turn)
            sensors = ROBOT.sensors()
            sensors.vector[0] = time
            sensors.position[:] = angles + self.noise * 0.0003 * self.random.standard_normal(12)
            sensors.velocity[:] = speeds + self.noise * 0.02 * self.random.standard_normal(12)
            if len(self.commands) >= self.lag:
                shown = self.commands[-self.lag]
                for joint in range(12):
                    torque = shown.kp[joint] * (shown.position[joint] - angles[joint]) + shown.torque[joint]
                    torque += shown.kd[joint] * (shown.velocity[joint] - speeds[joint])
                    sensors.effort[joint] = self.share[joint] * min(max(torque, -limit[joint]), limit[joint])
            sensors.effort[:] += self.noise * 0.001 * limit * self.random.standard_normal(12)
            spoil(sensors)
            self.watch.lost(sensors)
            self.told += self.doubts.look(time)
            command = ROBOT.command()
            command.position[:] = angles + 0.02 * np.sin(3.0 * turn)
            command.velocity[:], command.kp[:], command.kd[:] = speeds, 0.6 * limit, 0.01 * limit
            command.torque[:] = 0.25 * limit * np.sin(turn + np.arange(12))
            self.watch.commanded(command)
            self.commands.append(command)

    def explained(self) -> Explanation | None:
        """What is found now."""
        return explained(self.watch.history(), LEGS, NAMES)


def exchanged(order: list[int], *fields: str) -> Spoil:
    """Readings of legs in another order."""
    joints = [joint for leg in order for joint in LEGS[leg]]

    def spoil(sensors: Sensors) -> None:
        for field in fields:
            sensors[field][:] = sensors[field][joints]

    return spoil


def times(factor: float, field: str, joints: slice | int = slice(None)) -> Spoil:
    def spoil(sensors: Sensors) -> None:
        sensors[field][joints] *= factor

    return spoil


def shifted(joint: int, offset: float) -> Spoil:
    def spoil(sensors: Sensors) -> None:
        sensors.position[joint] += offset

    return spoil


JOINTS = ("position", "velocity", "effort")
SIDES = "of FL and FR and of HL and HR are exchanged"
WRONG: dict[str, tuple[Spoil, SensorPart, str]] = {
    "sides": (exchanged([1, 0, 3, 2], *JOINTS), SensorPart.ENCODER, f"the angles, speeds and torques {SIDES}"),
    "angles": (exchanged([1, 0, 3, 2], "position"), SensorPart.ENCODER, f"the angles {SIDES}"),
    "ways": (exchanged([1, 0, 3, 2], *JOINTS[:2]), SensorPart.ENCODER, f"the angles and speeds {SIDES}"),
    "torques": (exchanged([1, 0, 3, 2], "effort"), SensorPart.EFFORT, f"the torques {SIDES}"),
    "speeds": (exchanged([1, 0, 3, 2], "velocity"), SensorPart.SPEED, f"the speeds {SIDES}"),
    "two legs": (exchanged([0, 3, 2, 1], *JOINTS), SensorPart.ENCODER, "torques of FR and HR are exchanged"),
    # Slot by slot: what is read at FL is of HL, and so on.
    "order": (
        exchanged([2, 0, 1, 3], *JOINTS),
        SensorPart.ENCODER,
        "speeds and torques of FL, FR, HL, HR stand in the order HL, FL, FR, HR",
    ),
    "sign": (times(-1.0, "effort"), SensorPart.EFFORT, "all measured torques have the other sign"),
    "one sign": (times(-1.0, "effort", KNEE), SensorPart.EFFORT, "the measured torque of FL_knee has the other sign"),
    "unit": (times(0.1, "effort"), SensorPart.EFFORT, "all measured torques are 0.1 times those that are asked for"),
    "speeds turned": (times(-1.0, "velocity"), SensorPart.SPEED, "the measured speeds are not those of the angles"),
    "zero": (shifted(4, 0.2), SensorPart.ENCODER, "the angle of FR_pitch reads 0.20 rad more than its drive goes by"),
    "other zero": (shifted(11, -0.1), SensorPart.ENCODER, "the angle of HR_knee reads 0.10 rad less than its drive"),
}


@pytest.mark.parametrize("lag", [1, 2, 6, 12])
@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_is_named_with_what_torques_miss(name: str, lag: int) -> None:
    spoil, part, text = WRONG[name]
    walk = Walk(lag)
    walk.ticks(300, spoil)
    found = walk.explained()
    assert found is not None
    assert found.part is part
    assert text in found.text
    assert "; put right, they miss what is asked by 0." in found.text
    assert " % of the limit in place of " in found.text


@pytest.mark.slow
@settings(max_examples=12, deadline=None)
@given(st.integers(1, 14), st.floats(0.0, 5.0), st.integers(0, 2**20))
def test_sound_readings_are_explained_by_nothing(lag: int, noise: float, seed: int) -> None:
    walk = Walk(lag, noise, seed)
    walk.ticks(300)
    assert walk.explained() is None
    assert walk.told == []


@pytest.mark.parametrize("share", [0.0, 0.1, 0.5])
@pytest.mark.parametrize("joints", [[KNEE], [4, 5], list(range(12))])
def test_a_drive_that_gives_too_little_is_no_wrong_angle(joints: list[int], share: float) -> None:
    walk = Walk()
    walk.share[joints] = share
    walk.ticks(300)
    found = walk.explained()
    # Whether all drives or all torques are too small nobody can tell by them alone.
    assert found is None or (len(joints) == 12 and found.part is SensorPart.EFFORT)


def test_readings_older_than_all_lags_are_explained_by_nothing() -> None:
    walk = Walk(lag=40)
    walk.ticks(400)
    assert walk.explained() is None


def test_the_lag_is_not_known_where_no_torque_is_shown() -> None:
    walk, dumb = Walk(lag=4), Walk(lag=4)
    walk.ticks(300)
    dumb.ticks(300, times(0.1, "effort"))
    assert walk.watch.lag == pytest.approx(4 * ROBOT.tick)
    assert np.isnan(dumb.watch.lag)


@pytest.mark.slow
def test_a_robot_that_walks_all_the_same_tells_each_once() -> None:
    walk = Walk()
    walk.ticks(1500, times(-1.0, "effort"))
    (found,) = walk.told
    assert "all measured torques have the other sign" in found.text
    walk.doubts.reset()
    walk.ticks(1500, times(-1.0, "effort"))
    assert len(walk.told) == 2


def test_readings_that_came_twice_are_no_part_of_the_history() -> None:
    walk = Walk()
    walk.ticks(300)
    count = len(walk.watch.history().position)
    for _ in range(10):
        # The same time again: commands go on, nothing was read.
        sensors = ROBOT.sensors()
        sensors.vector[0] = (len(walk.commands) - 1) * ROBOT.tick
        walk.watch.lost(sensors)
        walk.watch.commanded(walk.commands[-1])
    assert len(walk.watch.history().position) == count - 10
    assert walk.explained() is None
