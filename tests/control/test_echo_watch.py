"""Readings that are those of some time before with new stamps are found; those that only look alike are not."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest

from andante.control.controller import ControlEvent
from andante.control.events import EventKind
from andante.control.plausibility import SensorCheck
from andante.control.sensor_parts import Failure
from andante.robots.records import Sensors, Vector
from andante.robots.robot import Robot

ROBOT = Robot.load("spirit40")
PART = ROBOT.sensors_layout.slices
JOINTS, IMU = ("position", "velocity"), ("orientation", "gyro", "accelerometer")


def reading(time: float, noise: float, random: np.random.Generator, waves: float = 1.0) -> Vector:
    """A robot that sways with the same period again and again."""
    sensors, turn = ROBOT.sensors(), 2.0 * math.pi * time / 0.4
    phases = np.arange(12)
    sensors.vector[0] = time
    sensors.position[:] = ROBOT.posture("stand") + 0.1 * waves * np.sin(turn + phases)
    sensors.velocity[:] = 0.1 * waves * 2.0 * math.pi / 0.4 * np.cos(turn + phases)
    half = 0.02 * waves * math.sin(turn)
    sensors.orientation[:] = (math.cos(half), math.sin(half), 0.0, 0.0)
    sensors.gyro[:] = (0.04 * waves * 2.0 * math.pi / 0.4 * math.cos(turn), 0.0, 0.0)
    sensors.accelerometer[:] = (0.0, 9.81 * math.sin(2.0 * half), 9.81 * math.cos(2.0 * half))
    sensors.health[:] = 1.0
    for name in (*JOINTS, "gyro", "accelerometer"):
        sensors[name][:] += noise * random.standard_normal(len(sensors[name]))
    return sensors.vector


def rows_of(seconds: float, period: float, noise: float = 1e-3, waves: float = 1.0) -> list[Vector]:
    random = np.random.default_rng(5)
    return [reading(tick * period, noise, random, waves) for tick in range(round(seconds / period))]


def echoed(rows: list[Vector], begin: float, length: float, fields: tuple[str, ...], period: float) -> None:
    """From a moment on the last readings go round, with new stamps [s]."""
    first, count = round(begin / period), round(length / period)
    for tick in range(first, len(rows)):
        old = rows[first - count + (tick - first) % count]
        for name in fields:
            rows[tick][PART[name]] = old[PART[name]]


def told(rows: list[Vector], period: float) -> tuple[list[ControlEvent], list[str], SensorCheck]:
    check, found, lost = SensorCheck(ROBOT, period), [], []
    for row in rows:
        check.apply(Sensors(ROBOT.sensors_layout, row), None)
        found += [event for event in check.take_events() if event.data["failure"] == Failure.REPEATED]
        lost += [check.lost] if check.lost and check.lost not in lost else []
    return found, lost, check


@pytest.mark.parametrize("period", [0.002, 0.012, 0.02])
@pytest.mark.parametrize("length", [0.24, 1.2, 3.0])
def test_a_recording_with_new_stamps_is_found_and_its_age_told(period: float, length: float) -> None:
    rows = rows_of(6.0, period)
    begin = round(4.2 / period) * period
    echoed(rows, begin, length, (*JOINTS, *IMU), period)
    events, lost, _ = told(rows, period)
    assert [event.text for event in events] == [
        "encoder of 12 joints: repeats itself bit for bit",
        "imu: repeats itself bit for bit",
    ]
    ago = round(length / period) * period
    words = r"encoder of 12 joints: repeats itself bit for bit since (\S+) s \(each reading is that of (\S+) s before\)"
    found = re.fullmatch(words, lost[0])
    assert found is not None
    assert float(found[1]) == pytest.approx(begin, abs=period + 0.005)
    assert float(found[2]) == pytest.approx(ago, abs=0.005)
    assert events[0].time - begin < max(0.25, 20 * period) + max(0.3, 76 * period)


@pytest.mark.parametrize(("fields", "words"), [(JOINTS, "encoder of 12 joints"), (IMU, "imu")])
def test_one_part_alone_is_named(fields: tuple[str, ...], words: str) -> None:
    rows = rows_of(5.0, 0.004)
    echoed(rows, 3.0, 0.8, fields, 0.004)
    events, lost, _ = told(rows, 0.004)
    assert [event.text for event in events] == [f"{words}: repeats itself bit for bit"]
    assert lost[0].startswith(f"{words}: repeats itself bit for bit since 3.0")


def test_new_readings_are_told_when_they_come_again() -> None:
    rows = rows_of(8.0, 0.004)
    fresh = [row.copy() for row in rows]
    echoed(rows, 3.0, 0.8, (*JOINTS, *IMU), 0.004)
    rows[1000:] = fresh[1000:]
    events, _, check = told(rows, 0.004)
    assert [event.kind for event in events] == [EventKind.SENSOR] * 2 + [EventKind.SENSOR_OVER] * 2
    assert check.lost == ""


def test_what_sways_in_the_same_way_again_and_again_is_no_recording() -> None:
    assert told(rows_of(6.0, 0.004), 0.004)[0] == []


@pytest.mark.parametrize("digits", [7, 3])
def test_a_robot_without_noise_comes_to_the_same_bits_slowly(digits: int) -> None:
    """Its readings of few digits are the same in each period once what was different at the start has faded."""
    rows = rows_of(9.0, 0.004, noise=0.0)
    for row in rows:
        for name in (*JOINTS, *IMU):
            row[PART[name]] = np.round(row[PART[name]] * (1.0 + 0.3 * math.exp(-4.0 * row[0])), digits)
        row[PART["orientation"]] /= np.linalg.norm(row[PART["orientation"]])
    if digits == 7:
        assert told(rows, 0.004)[0] == []
    else:
        # Coarser than what a leap is: such sensors have noise.
        random = np.random.default_rng(2)
        for row in rows:
            row[PART["gyro"]] += np.round(0.002 * random.standard_normal(3), 3)
            row[PART["velocity"]] += np.round(0.002 * random.standard_normal(12), 3)
        assert told(rows, 0.004)[0] == []


def test_a_robot_at_rest_whose_last_digits_flicker_repeats_nothing() -> None:
    rows, random = rows_of(6.0, 0.004, noise=0.0, waves=0.0), np.random.default_rng(3)
    for row in rows:
        row[PART["position"].start] += 0.0015 * random.integers(2)
        row[PART["gyro"].start] += 0.001 * random.integers(2)
    assert told(rows, 0.004)[0] == []


def test_readings_that_come_late_or_twice_are_no_recording() -> None:
    rows, random = rows_of(6.0, 0.004), np.random.default_rng(4)
    late = [rows[max(number - int(random.integers(6)), 0)] for number in range(len(rows))]
    for number, row in enumerate(late):
        late[number] = row.copy()
        late[number][0] = rows[number][0]
    assert told(late, 0.004)[0] == []
