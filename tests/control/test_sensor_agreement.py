"""Sensors that contradict each other are found by their motion, and named; those that only have noise are not."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from andante.control.controller import ControlEvent
from andante.control.events import EventKind
from andante.control.plausibility import SensorCheck
from andante.control.sensor_parts import Failure
from andante.robots.records import Sensors, Vector
from andante.robots.robot import Robot

ROBOT = Robot.load("spirit40")
PART = ROBOT.sensors_layout.slices
GRAVITY = np.array([0.0, 0.0, 9.81])
Spoil = Callable[[Vector], None]


def motion(seconds: float, period: float, seed: int, *, noise: float = 1.0, calm: float = 1.0) -> list[Vector]:
    """Readings of a body that sways and turns and of joints that swing, by scipy: truth and noise of a small IMU."""
    rng = np.random.default_rng(seed)
    waves, phases = rng.uniform(1.0, 4.0, 15), rng.uniform(0.0, 2.0 * math.pi, 15)
    size = calm * np.array([*[0.06] * 3, *[0.4] * 12])
    times = np.arange(round(seconds / period)) * period
    angles = size * np.sin(2.0 * math.pi * waves * times[:, None] + phases)
    speeds = 2.0 * math.pi * waves * size * np.cos(2.0 * math.pi * waves * times[:, None] + phases)
    turns = Rotation.from_euler("xyz", angles[:, :3])
    small = 1e-5
    later = Rotation.from_euler("xyz", angles[:, :3] + small * speeds[:, :3])
    rates = (turns.inv() * later).as_rotvec() / small
    rows = []
    for at, time in enumerate(times):
        sensors = ROBOT.sensors()
        vector = sensors.vector
        vector[0] = time
        joints = angles[at, 3:] + noise * 0.0005 * rng.standard_normal(12)
        vector[PART["position"]] = ROBOT.posture("stand") + joints
        vector[PART["velocity"]] = speeds[at, 3:] + noise * 0.03 * rng.standard_normal(12)
        seen = turns[at] * Rotation.from_rotvec(noise * 0.003 * rng.standard_normal(3))
        vector[PART["orientation"]] = seen.as_quat()[[3, 0, 1, 2]]
        vector[PART["gyro"]] = rates[at] + noise * 0.01 * rng.standard_normal(3)
        vector[PART["accelerometer"]] = turns[at].inv().apply(GRAVITY) + noise * 0.1 * rng.standard_normal(3)
        vector[PART["health"]] = 1.0
        rows.append(vector)
    return rows


def told(rows: list[Vector], period: float, spoil: Spoil = lambda row: None) -> list[ControlEvent]:
    check = SensorCheck(ROBOT, period)
    found = []
    for row in rows:
        spoil(row)
        check.apply(Sensors(ROBOT.sensors_layout, row), None)
        found += [event for event in check.take_events() if event.data["failure"] == Failure.CONTRADICTED]
    return found


def at(field: str, number: int = 0) -> int:
    return PART[field].start + number


def flipped(column: int) -> Spoil:
    def spoil(row: Vector) -> None:
        row[column] = -row[column]

    return spoil


def reordered(field: str, *order: int, factor: float = 1.0) -> Spoil:
    def spoil(row: Vector) -> None:
        row[PART[field]] = factor * row[PART[field]][list(order)]

    return spoil


WRONG: dict[str, tuple[Spoil, str]] = {
    "gyro x": (flipped(at("gyro")), "the gyro has the other sign about x"),
    "gyro y": (flipped(at("gyro", 1)), "the gyro has the other sign about y"),
    "gyro z": (flipped(at("gyro", 2)), "the gyro has the other sign about z"),
    "gyro axes": (reordered("gyro", 1, 0, 2), "the gyro's axes are not x, y, z: y, x, z would fit"),
    "gyro in degrees": (reordered("gyro", 0, 1, 2, factor=math.degrees(1.0)), "times as far, as in degrees"),
    "gyro dead": (reordered("gyro", 0, 1, 2, factor=0.0), "they tell of different turns"),
    "x y z w": (reordered("orientation", 1, 2, 3, 0), "the quaternion fits the gyro when it is read as x y z w"),
    "in g": (reordered("accelerometer", 0, 1, 2, factor=1.0 / 9.81), "measures 1.00 m/s^2 on average in place of 9.81"),
    "upside down": (reordered("accelerometer", 0, 1, 2, factor=-1.0), "tell of ups that are 180 deg apart"),
    "accelerometer axes": (reordered("accelerometer", 2, 1, 0), "accelerometer and orientation tell of ups that are"),
    "speed of a joint": (flipped(at("velocity", 5)), f"speed {ROBOT.joint_names[5]} contradicted: has the other sign"),
    "speeds in degrees": (
        reordered("velocity", *range(12), factor=math.degrees(1.0)),
        "speed of 12 joints contradicted: is 57 times the changes of the angle, as in degrees",
    ),
    "no speeds": (
        reordered("velocity", *range(12), factor=0.0),
        "joints contradicted: tells of no motion while the angle moves",
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_is_named(name: str) -> None:
    spoil, text = WRONG[name]
    events = told(motion(2.5, 0.002, seed=3), 0.002, spoil)
    assert text in events[0].text
    # One thing is wrong, and one thing is told; joints that move little show it later than others.
    assert all(event.text.endswith(events[0].text.rpartition(": ")[2]) for event in events)
    assert len(events) == 1 or events[0].data["component"] == "speed"
    assert events[0].kind is EventKind.SENSOR
    assert events[0].time < 2.0


def test_an_orientation_that_is_the_turn_back_is_told() -> None:
    def spoil(row: Vector) -> None:
        row[PART["orientation"]] *= (1.0, -1.0, -1.0, -1.0)

    assert "all turns have the other sign" in told(motion(2.5, 0.002, seed=4), 0.002, spoil)[0].text


def test_a_stuck_encoder_is_told_by_its_speed() -> None:
    def spoil(row: Vector) -> None:
        row[at("position", 7)] = 0.3

    (event,) = told(motion(2.5, 0.002, seed=5), 0.002, spoil)
    assert event.text == f"encoder {ROBOT.joint_names[7]} contradicted: stands still while the speed tells of motion"


@pytest.mark.slow
@given(
    seed=st.integers(0, 10**6),
    noise=st.floats(0.0, 6.0),
    calm=st.floats(0.0, 3.0),
    period=st.sampled_from([0.001, 0.002, 0.008, 0.012, 0.02]),
)
@settings(max_examples=50)
def test_noise_alone_is_no_contradiction(seed: int, noise: float, calm: float, period: float) -> None:
    assert told(motion(1.5, period, seed, noise=noise, calm=calm), period) == []


def test_what_agrees_again_is_told() -> None:
    rows = motion(12.0, 0.004, seed=6)
    for row in rows[: len(rows) // 3]:
        flipped(at("gyro", 1))(row)
    kinds = [event.kind for event in told(rows, 0.004)]
    assert kinds == [EventKind.SENSOR, EventKind.SENSOR_OVER]


def without_heading(row: Vector) -> None:
    """As a robot that tells its roll and pitch only."""
    turn = Rotation.from_quat(row[PART["orientation"]][[1, 2, 3, 0]]).as_euler("ZYX")
    level = Rotation.from_euler("ZYX", [0.0, *turn[1:]])
    row[PART["orientation"]] = level.as_quat()[[3, 0, 1, 2]]


def get_up(seconds: float, period: float, seed: int) -> list[Vector]:
    """Readings of a body that gets up from its back: it pitches by 100 deg and more, and turns meanwhile."""
    rng = np.random.default_rng(seed)
    sizes, waves, phases = np.array([0.3, 0.5, 1.4]), rng.uniform(0.2, 0.6, 3), rng.uniform(0.0, 2.0 * math.pi, 3)
    rows, small = motion(seconds, period, seed), 1e-5

    def turned(time: float) -> Rotation:
        x, y, z = sizes * np.sin(2.0 * math.pi * waves * time + phases)
        return Rotation.from_euler("ZYX", [z, -1.5 + 2.0 * y, x])

    for row in rows:
        turn, later = turned(row[0]), turned(row[0] + small)
        row[PART["orientation"]] = turn.as_quat()[[3, 0, 1, 2]]
        row[PART["gyro"]] = (turn.inv() * later).as_rotvec() / small + 0.01 * rng.standard_normal(3)
        row[PART["accelerometer"]] = turn.inv().apply(GRAVITY)
    return rows


def test_an_orientation_without_heading_does_not_contradict_the_gyro() -> None:
    assert told(motion(3.0, 0.004, seed=7), 0.004, without_heading) == []


@pytest.mark.parametrize("seed", range(8))
def test_a_robot_without_heading_that_gets_up_contradicts_nothing(seed: int) -> None:
    assert told(get_up(6.0, 0.012, seed), 0.012, without_heading) == []


@pytest.mark.parametrize("axis", range(3))
def test_a_wrong_gyro_is_named_without_a_heading_too(axis: int) -> None:
    def spoil(row: Vector) -> None:
        without_heading(row)
        flipped(at("gyro", axis))(row)

    events = told(get_up(8.0, 0.012, seed=3), 0.012, spoil)
    assert f"the gyro has the other sign about {'xyz'[axis]}" in events[0].text


def test_steps_of_time_and_repeated_readings_are_no_contradiction() -> None:
    rows, rng = motion(6.0, 0.002, seed=8), np.random.default_rng(8)
    late = []
    for number, row in enumerate(rows):
        lost = number > 0 and rng.random() < 0.2
        late.append(late[-1].copy() if lost else row)
    assert told(late, 0.002) == []


@pytest.mark.parametrize("hertz", [26.0, 31.0, 38.0, 44.0])
@pytest.mark.parametrize("period", [0.02, 0.012])
def test_a_joint_that_shakes_faster_than_it_is_read_contradicts_nothing(hertz: float, period: float) -> None:
    """Sampled at 20 ms, 31 Hz look like 19 Hz, with speeds of the other sign."""
    rows, size, turn = motion(4.0, period, seed=9), 0.005, 2.0 * math.pi * hertz
    for row in rows:
        row[at("position", 4)] = 0.8 - 0.05 * row[0] + size * math.sin(turn * row[0])
        row[at("velocity", 4)] = -0.05 + size * turn * math.cos(turn * row[0])
    assert told(rows, period) == []


@pytest.mark.parametrize("name", ["gyro y", "x y z w", "speed of a joint"])
@pytest.mark.parametrize("period", [0.012, 0.02])
def test_what_is_wrong_is_named_by_slow_readings_too(name: str, period: float) -> None:
    spoil, text = WRONG[name]
    assert any(text in event.text for event in told(motion(4.0, period, seed=3), period, spoil))
