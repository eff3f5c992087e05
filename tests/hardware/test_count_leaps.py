"""A robot's count of cycles that leaps by an hour: a clock that was set, not lost states, nor another rate."""

from __future__ import annotations

import numpy as np
import pytest
from hardware_plants import looped
from test_arming import DOG, ride

from andante.control.arming.measured import findings_of
from andante.control.arming.settings import SafetySettings
from andante.runs.backends.hardware import vitals_of


def test_a_count_that_leaps_by_an_hour_is_told_as_that_and_counts_no_lost_states() -> None:
    made, plant = looped(robot="littledog")
    made.reset(0)
    made.looked_at(1.0)
    plant.tick += 360_000
    readings = made.looked_at(1.0)
    found = {each.what: each for each in findings_of(DOG, readings, SafetySettings(), vitals_of(made), made.absent)}
    assert not found["rate"].good
    assert found["rate"].text.startswith("the robot's count of cycles leapt by 3600.")
    assert found["rate"].remedy == "its clock was set, or two robots answer here: look again"
    assert made.watch.rate == pytest.approx(1.0, abs=1e-3)
    assert made.watch.lost <= 2
    assert made.pace.missed <= 2
    assert abs(made.pace.drift) < 0.01
    # Another look begins anew.
    made.reset(0)
    readings = made.looked_at(1.0)
    found = {each.what: each for each in findings_of(DOG, readings, SafetySettings(), vitals_of(made), made.absent)}
    assert "leapt" not in found["rate"].text


def test_a_robot_that_reads_as_lying_on_its_side_is_told_of_an_imu_that_is_turned() -> None:
    going = ride()
    for _ in range(30):
        going.step(orientation=np.array([1.0, 1.0, 0.0, 0.0]) / np.sqrt(2.0), accelerometer=(0.0, 9.81, 0.0))
    assert "upright: tilted by 90 deg (limit 60)" in going.controller.failure
    assert "where it is, its IMU is turned: backend.imu_turned" in going.controller.failure
