"""Cells of the matrix of sensor failures and controllers: none raises, and each ends as `docs/faults.md` says."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).resolve().parents[2] / "benchmarks" / "fault_matrix.py"
_spec = importlib.util.spec_from_file_location("fault_matrix", SCRIPT)
assert _spec is not None
assert _spec.loader is not None
matrix = importlib.util.module_from_spec(_spec)
sys.modules["fault_matrix"] = matrix
_spec.loader.exec_module(matrix)


@pytest.mark.slow
@pytest.mark.parametrize("controller", matrix.SCENARIOS)
def test_a_joint_that_is_lost_for_a_second_stops_every_controller(controller: str) -> None:
    cell = matrix.run(controller, "nan one joint", 1.0)
    assert cell.good, cell
    assert cell.ending == "broken"
    begin = matrix.BEGIN[controller]
    assert cell.reason.endswith(f"not finite since {begin:.2f} s")
    assert any("the robot is stopped: encoder" in line for line in cell.told)


@pytest.mark.slow
@pytest.mark.parametrize("controller", ["keyframes", "openr", "reactive-crawl", "trot"])
@pytest.mark.parametrize("failure", ["nan everything", "1e300 all joints", "stale", "dropped ticks"])
def test_a_tenth_of_a_second_is_ridden_through(controller: str, failure: str) -> None:
    cell = matrix.run(controller, failure, 0.1)
    assert cell.good, cell
    assert cell.ending in ("done", "timeout")
    assert cell.told
    assert not cell.reason


@pytest.mark.parametrize(
    ("controller", "failure", "reason"),
    [
        ("keyframes", "frozen", "encoder of 26 joints: frozen"),
        ("trot", "frozen imu", "imu: frozen"),
        ("reactive-crawl", "dead imu", "imu: dead"),
        ("openr", "dead imu", ""),
        ("openr", "stale", "clock: stale"),
        ("keyframes", "nan clock", "clock: not finite"),
        ("trot", "clock back", ""),
        ("trot", "switch open", ""),
    ],
)
def test_each_failure_has_its_own_reaction(controller: str, failure: str, reason: str) -> None:
    cell = matrix.run(controller, failure, 1.0)
    assert cell.good, cell
    assert cell.reason.startswith(reason)
    assert bool(cell.reason) == bool(reason)
    assert cell.told


@pytest.mark.slow
@pytest.mark.parametrize(
    ("failure", "duration", "ending", "told"),
    [
        (
            "nan one joint",
            0.1,
            "failed",
            "2.04 s cannot walk on: joint FL_pitch gives the same reading",
        ),
        ("1e300 all joints", 0.1, "failed", "cannot walk on: the readings of the joints stand still"),
        ("jump", 0.1, "timeout", "encoder FL_pitch: jump no more"),
        ("frozen imu", 0.1, "failed", "2.08 s cannot walk on: the estimate cannot be walked by"),
        ("clock back", 1.0, "timeout", "clock: goes on"),
        ("dropped ticks", 0.1, "failed", "cannot walk on: no plan for 0.12 s"),
        ("stale", 1.0, "broken", "the robot is stopped: clock: stale"),
        ("dead imu", 1.0, "broken", "the robot is stopped: imu: dead"),
    ],
)
def test_a_dynamic_quadruped_lies_down_or_walks_on(failure: str, duration: float, ending: str, told: str) -> None:
    cell = matrix.run("quadruped", failure, duration)
    assert cell.good, cell
    assert cell.ending == ending
    assert any(told in line for line in cell.told)
