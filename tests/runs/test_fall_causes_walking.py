"""Causes of falls of robots that walk: their capture point leaves the feet that stand in each step, and is no cause."""

from __future__ import annotations

import re

import pytest

import andante
from andante.runs.tasks.quadruped.task import QuadrupedTask


@pytest.mark.slow
@pytest.mark.parametrize(("speed", "impulse"), [(0.3, 90.0), (1.5, 60.0)])
def test_a_trot_loses_balance_by_the_push_and_to_its_side(tmp_path, speed, impulse):
    """It "lost balance to the front" in its first step, and walked on for a second."""
    seconds = 1.0 if speed < 1.0 else 2.2
    push = 0.5 + seconds - 0.3
    task = QuadrupedTask("spirit40", twist=(speed, 0.0, 0.0), seconds=seconds, push=(push, 0.0, impulse, 0.0))
    run = andante.run(task.scenario(), out=tmp_path / "out", report=False)
    assert run.metrics.fell
    lost = [moment for moment in run.story if "balance is lost" in moment.text]
    assert len(lost) == 1
    assert push < lost[0].time < run.metrics.fall_time
    assert re.search(r"to the (front |back )?left", lost[0].text), lost
    assert re.fullmatch(r"balance lost to the (front |back )?left", run.fall_cause)
    texts = [moment.text.partition(" (")[0] for moment in run.story if "touches the ground" in moment.text]
    assert len(texts) == len(set(texts))


@pytest.mark.slow
def test_a_policy_that_is_always_off_its_targets_names_no_joint(tmp_path):
    scenario = {
        "format": "andante.scenario",
        "version": 1,
        "name": "pushed",
        "robot": "nao",
        "controller": {"type": "policy", "policy": "nao-walk", "steering": [{"time": 0.5, "forward": 0.1}]},
        "timeout": 4.0,
        "world": {"pushes": [{"time": 3.0, "duration": 0.1, "impulse": [0, 12, 0]}]},
        "success": {"finishes": False},
    }
    run = andante.run(andante.Scenario.model_validate(scenario), out=tmp_path / "out", report=False)
    assert run.metrics.fell
    assert run.fall_cause == "balance lost to the left"
