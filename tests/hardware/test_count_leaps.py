"""A robot's count of cycles that leaps by an hour: a clock that was set, not lost states, nor another rate."""

from __future__ import annotations

import numpy as np
import pytest
from hardware_plants import looped
from test_arming import DOG, ride
from test_strange_peers import told

from andante.backends.backend import LinkLostError
from andante.backends.hardware.strays import StrayWatch
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
    assert found["rate"].remedy == "look at how it counts, whether its clock was set, or two robots answer"
    assert made.watch.rate == pytest.approx(1.0, abs=1e-3)
    assert made.watch.lost <= 2
    assert made.pace.missed <= 2
    assert abs(made.pace.drift) < 0.01
    # Another look begins anew.
    made.reset(0)
    readings = made.looked_at(1.0)
    found = {each.what: each for each in findings_of(DOG, readings, SafetySettings(), vitals_of(made), made.absent)}
    assert "leapt" not in found["rate"].text


@pytest.mark.parametrize(("factor", "by"), [(10, 10), (2, 2)])
def test_a_count_that_goes_on_by_more_than_one_with_each_state_is_no_count(factor: int, by: int) -> None:
    made, plant = looped(robot="littledog")
    told(plant, lambda data: data.update(seq=factor * data["seq"]))
    made.reset(0)
    readings = made.looked_at(1.0)
    found = {each.what: each for each in findings_of(DOG, readings, SafetySettings(), vitals_of(made), made.absent)}
    assert not found["rate"].good
    assert found["rate"].text.startswith(f"its count goes on by {by} with each state: is it a time stamp")
    assert [event.text for event in made.take_events()] == [found["rate"].text]


def test_a_count_of_nanoseconds_is_told_where_the_link_is_lost_by_it() -> None:
    made, plant = looped(robot="littledog")
    told(plant, lambda data: data.update(seq=1_764_360_000_000_000_000 + 10_000_000 * data["seq"]))
    made.reset(0)
    with pytest.raises(LinkLostError, match=r"states came whose count leaps, the last by 10000000 from the one before"):
        made.looked_at(1.0)


def test_states_that_are_lost_or_come_in_bunches_are_counted_rightly() -> None:
    # Two of three are lost, later ones come in threes.
    made, _ = looped(robot="littledog", arrives=lambda tick: tick % 3 == 0)
    made.reset(0)
    made.looked_at(1.5)
    assert not made.leapt
    watch = StrayWatch(0.01)
    bunches = [(tick, 0.03 if tick % 3 == 0 else 0.0) for tick in range(1, 90)]
    assert not any(watch.strides(tick, tick - 1, passed) for tick, passed in bunches)
    assert not any(watch.strides(3 * tick, 3 * tick - 3, 0.03) for tick in range(30))


def test_a_robot_that_reads_as_lying_on_its_side_is_told_of_an_imu_that_is_turned() -> None:
    going = ride()
    for _ in range(30):
        going.step(orientation=np.array([1.0, 1.0, 0.0, 0.0]) / np.sqrt(2.0), accelerometer=(0.0, 9.81, 0.0))
    assert "upright: tilted by 90 deg (limit 60)" in going.controller.failure
    assert "where it is, its IMU is turned: backend.imu_turned" in going.controller.failure
