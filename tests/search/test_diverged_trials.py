"""A trial whose physics diverges is no success, whatever its observers say of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from andante.backends.backend import DivergenceError
from andante.backends.mujoco_world import MujocoWorld
from andante.runs.build import build
from andante.runs.execute import session_of
from andante.runs.task import scenario_of
from andante.search.experiment.observing import TrialObserver
from andante.search.experiment.trial import looked_at


class Counting(TrialObserver):
    """An observer of a user's own that knows of no endings."""

    def __init__(self) -> None:
        self.ticks = 0

    def see(self, tick: Any) -> None:
        self.ticks += 1

    def values(self) -> Mapping[str, Any]:
        return {"ticks": self.ticks}


@pytest.mark.parametrize("watched", [True, False])
def test_it_is_told_as_diverged(watched: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    ticks = 0

    def advance(world: MujocoWorld, duration: float) -> None:
        nonlocal ticks
        ticks += 1
        if ticks == 5:
            raise DivergenceError("the physics diverged after 0.048 s at body 'torso'")

    monkeypatch.setattr(MujocoWorld, "advance", advance)
    scenario = scenario_of("nao/wave", report=False)
    observers: dict[str, TrialObserver] = {"mine": Counting()} if watched else {}
    found = looked_at(session_of(scenario, build(scenario), observers=[*observers.values()]), observers, {})
    assert found.passed is False
    assert found.reasons == ("the physics diverged after 0.048 s at body 'torso'",)
