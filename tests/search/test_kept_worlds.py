"""Worlds of trials are kept for the next ones, while the process has the memory for it."""

from __future__ import annotations

import pytest

from andante.runs.scenario import Scenario
from andante.runs.scenario_files import validated
from andante.search.experiment import trial


def scenario(friction: float) -> Scenario:
    controller = {"type": "keyframes", "library": "nao-basics", "motions": ["stand"]}
    return validated({"name": "kept", "controller": controller, "world": {"friction": friction}})


@pytest.mark.parametrize(("most", "kept"), [(0.0, 2), (1e15, 4)])
def test_a_large_process_keeps_the_last_world_only(monkeypatch: pytest.MonkeyPatch, most: float, kept: int) -> None:
    monkeypatch.setattr(trial, "_MOST", most)
    monkeypatch.setattr(trial, "_MADE", {})
    worlds = [trial.parts_of(scenario(0.5 + 0.1 * number)).backend for number in range(4)]
    assert len(trial._MADE) == kept
    assert trial.parts_of(scenario(0.8)).backend is worlds[-1]
