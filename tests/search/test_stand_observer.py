"""The observer `stand`: the verdict and the time of `get-up`, sooner, and nothing else."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import pytest

from andante.runs.loop.tick import Observer
from andante.search.evaluation.loop import Candidate, EvaluationLoop
from andante.search.experiment.cases import groups_of, with_options
from andante.search.experiment.registry import experiment_named
from andante.search.experiment.trial import TrialSetup, run_trial
from andante.search.observers.get_up import GetUpKind
from andante.search.observers.stand import StandKind, StandObserver

PERIOD = 0.012


def setup(spread: str, **observers: dict) -> TrialSetup:
    experiment = with_options(experiment_named("getup"), {"start": "front", "spread": spread})
    return replace(groups_of(experiment)[0].setup, observers=observers, again={}, judged=False)


@pytest.mark.slow
@pytest.mark.parametrize("spread", ["noisy", "wide"])
def test_verdict_and_time_are_those_of_the_session_and_the_trial_is_shorter(spread):
    asked = setup(spread, **{"get-up": {"tries": 1, "hold": 1.0, "idle_limit": 0.6}})
    quick = EvaluationLoop(setup(spread, stand={}))
    for seed in range(60, 63):
        watching = Last()
        told = run_trial(asked, seed).metrics["get-up"]
        found = quick.trial(Candidate(), seed, [watching])
        assert found.metrics["stand"] == {name: told[name] for name in StandKind.tells}
        assert told["stood"]
        # The session waits for a second where this is sure within a tenth of one.
        assert watching.time < told["time"] + 0.1


@pytest.mark.slow
def test_a_robot_that_cannot_stand_is_given_up_as_by_get_up():
    changed = setup("none", stand={})
    weak = changed.other({"world.servo_strength": [0.05, 0.05]})
    stand = replace(weak, spread=())
    session = replace(stand, observers={"get-up": {"tries": 1, "hold": 1.0, "idle_limit": 0.6}})
    found = EvaluationLoop(stand).trial(Candidate(), 5)
    assert found.metrics["stand"]["stood"] is False
    assert run_trial(session, 5).metrics["get-up"]["stood"] is False
    assert found.reasons


class Last(Observer):
    """Remembers the time of the last tick."""

    time = 0.0

    def see(self, tick):
        self.time = tick.time


class Engine:
    """An engine that does as it is told."""

    period = PERIOD

    def __init__(self):
        self.done, self.failed = False, False


def observer(monkeypatch, **settings):
    """An observer of a robot whose stance the test says tick by tick."""
    seen = SimpleNamespace(stands=True, supported=True, still=0, ticks=0, begin=lambda: None, see=lambda: None)
    monkeypatch.setattr("andante.search.observers.stand._Stance", lambda world: seen)
    world = SimpleNamespace(time=0.0)
    engine = Engine()
    return StandObserver(StandKind(**settings), world, engine), engine, world, seen


def tick(watching, world) -> bool:
    world.time += PERIOD
    return watching.over(world)


def test_one_that_stands_well_within_its_soles_has_stood_after_a_few_ticks_since_the_engine_was_done(monkeypatch):
    watching, engine, world, _ = observer(monkeypatch, sure=0.05)
    assert not any(tick(watching, world) for _ in range(50))
    engine.done = True
    assert [tick(watching, world) for _ in range(5)] == [False, False, False, False, True]
    assert watching.stood


def test_one_that_sways_out_of_its_soles_is_counted_anew_and_must_stand_for_all_of_the_hold(monkeypatch):
    watching, engine, world, seen = observer(monkeypatch, sure=0.05, hold=0.24)
    engine.done = True
    ends = []
    for number in range(30):
        seen.supported = number % 4 != 3
        ends.append(tick(watching, world))
        if ends[-1]:
            break
    assert watching.stood
    # It stands since the first tick, and the hold is twenty ticks from there.
    assert len(ends) == 21


def test_one_that_falls_again_has_not_stood(monkeypatch):
    watching, engine, world, seen = observer(monkeypatch, sure=0.05)
    engine.done = True
    assert not any(tick(watching, world) for _ in range(4))
    seen.stands = False
    assert not tick(watching, world)
    seen.still = 100
    assert tick(watching, world)
    assert not watching.stood


def test_settings_are_those_of_get_up_but_for_one_try():
    assert set(StandKind.model_fields) - set(GetUpKind.model_fields) == {"sure"}
    assert StandKind().tries == 1
