"""Verdicts against the truth: a few short runs of `benchmarks/verdicts.py`, whose judge shares no code with ours."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

from andante.control.steering import Heading
from andante.runs.execute import run_scenario
from andante.runs.scenario_files import motion_scenario
from andante.runs.tasks.steered.goal import SteeringGoal
from andante.runs.tasks.steered.spans import Span

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "benchmarks"))
import verdicts


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "fault", "verdict", "told"),
    [
        ("trot", "none", "pass", "asked +"),
        ("trot", "wall", "fail", "m/s off, limit"),
        ("trot", "no friction", "fail", "m/s off, limit"),
        ("trot", "upside down", "fail", "touched the ground"),
        ("crawl-or-trot", "wall", "fail", "m ahead"),
        ("quadruped", "pit", "fail", "dropped 0."),
        ("keyframes", "none", "pass", "finished"),
        ("sitting", "none", "", ""),
        ("openr", "upside down", "fail", "fell after"),
    ],
)
def test_a_verdict_says_what_the_truth_says(tmp_path: Path, kind: str, fault: str, verdict: str, told: str) -> None:
    cell = verdicts.run_one(3, 5, tmp_path, kind, fault)
    assert not cell.wrong, cell
    assert not verdict or cell.verdict == verdict, cell
    assert any(told in reason for reason in cell.reasons), cell.reasons


@pytest.mark.slow
@pytest.mark.parametrize("motion", ["stand", "sit_down"])
def test_a_robot_that_slides_down_a_slope_neither_stands_nor_sits(tmp_path: Path, motion: str) -> None:
    scenario = motion_scenario("nao", "nao", (motion,))
    for number, (friction, slides) in enumerate(((0.7, False), (0.02, True))):
        world = scenario.world.but(slope=0.12, friction=friction)
        result = run_scenario(scenario.model_copy(update={"world": world}), tmp_path / str(number))
        places, times = result.log.channels["truth"]["qpos"][:, :2], result.log.channels["truth"].times
        first = int(np.searchsorted(times, times[-1] - 0.5))
        speed = float(np.linalg.norm(places[-1] - places[first]) / (times[-1] - times[first]))
        # Without friction it comes down at g sin(slope) a second faster each second.
        assert (speed > 0.5) is slides
        assert (result.verdict == "fail") is slides, result.reasons
        assert any("at the end: it moved at" in reason for reason in result.reasons) is slides, result.reasons


@pytest.mark.parametrize(
    ("asked", "did", "good"),
    [
        ((0.5, 0.0, 0.0), (0.46, 0.0, 0.0), True),
        ((0.5, 0.0, 0.0), (0.44, 0.0, 0.0), False),
        ((0.5, 0.0, 0.0), (0.0, 0.5, 0.0), False),
        ((0.05, 0.0, 0.0), (0.0, 0.0, 0.0), False),
        ((0.05, 0.0, 0.0), (0.04, 0.0, 0.0), True),
        ((1.5, 0.0, 0.0), (1.36, 0.0, 0.0), True),
        ((0.0, 0.0, 0.5), (0.0, 0.0, 0.2), False),
        ((0.3, 0.0, 0.0), (0.3, 0.0, 0.3), False),
    ],
)
def test_a_robot_that_stands_still_does_not_walk_slowly(
    asked: tuple[float, float, float], did: tuple[float, float, float], good: bool
) -> None:
    span = Span(1.0, 3.0, Heading(*asked), Heading(*did), True)
    assert (not span.off(SteeringGoal())) is good
