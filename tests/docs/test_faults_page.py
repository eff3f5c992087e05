"""The page on failures names every part and failure, and its numbers are those of the settings."""

from __future__ import annotations

from pathlib import Path

import pytest

from andante.control.guard_settings import GuardSettings
from andante.control.sensor_parts import ACCELERATION_RANGE, GYRO_RANGE, Failure, SensorCheckSettings, SensorPart

PAGE = (Path(__file__).parents[2] / "docs" / "faults.md").read_text(encoding="utf-8")
TABLE = PAGE[PAGE.index("| component |") : PAGE.index("* **Told**")].replace(" 000", "000")
WORDS = {
    SensorPart.ENCODER: "angle of a joint",
    SensorPart.SPEED: "speed, torque of a joint",
    SensorPart.EFFORT: "speed, torque of a joint",
    SensorPart.IMU: "IMU",
    Failure.NOT_FINITE: "not a number, infinite",
    Failure.STALE: "stands still",
    Failure.BACK: "goes back",
    Failure.AHEAD: "or ahead by more than",
}


@pytest.mark.parametrize("each", [*SensorPart, *Failure])
def test_every_part_and_failure_is_on_the_page(each: SensorPart | Failure) -> None:
    assert WORDS.get(each, each.value) in TABLE


def test_its_numbers_are_those_that_hold() -> None:
    check, guard = SensorCheckSettings(), GuardSettings()
    assert f"{check.beyond_stops:g} rad beyond the joint's stops" in TABLE
    assert f"farther than {check.speed_share:g} times the speed limit and {check.jump:g} rad allow" in TABLE
    assert f"two windows of {check.window:g} s" in TABLE
    assert TABLE.count(f"stop after {check.ride_through:g} s") == 5
    assert f"({GYRO_RANGE:g} rad/s, {ACCELERATION_RANGE:.0f} m/s^2)" in TABLE
    assert f"after {guard.stale_hold:g} s the guard takes speed and torque away" in TABLE
    assert f"joints off and stop after {check.stale_limit:g} s" in TABLE
    assert check.stale_limit == guard.stale_limp
    assert f"ahead by more than {check.longest_gap:g} s" in TABLE
