"""Ctrl-C in the last tick of a trial ends the search, too: the trial was over, and the search went on for hours."""

from __future__ import annotations

import os
import signal
from dataclasses import replace

import pytest

from andante.runs.loop.tick import Observer
from andante.search.evaluation.loop import Candidate, EvaluationLoop
from andante.search.experiment.cases import groups_of, with_options
from andante.search.experiment.registry import experiment_named
from andante.search.experiment.trial import run_forgotten

QUICK = Candidate((("timeout", 5.0), ("world.start.settle.duration", 0.02)))


class Asks(Observer):
    """Ends the run after a few ticks, and asks the process to end in the last of them."""

    def __init__(self, number: signal.Signals) -> None:
        self._number, self._ticks = number, 0

    def over(self, backend: object) -> bool:
        self._ticks += 1
        if self._ticks == 3:
            os.kill(os.getpid(), self._number)
        return self._ticks == 3


@pytest.fixture(autouse=True)
def heard():
    """What is begun in the background is deaf to Ctrl-C."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture(scope="module")
def loop():
    experiment = with_options(experiment_named("getup"), {"start": "front"})
    setup = groups_of(experiment)[0].setup
    return EvaluationLoop(replace(setup, observers={"rise": {}}, again={}, judged=False))


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_in_the_last_tick_of_a_trial_is_one(loop, number):
    with pytest.raises(KeyboardInterrupt):
        loop.trial(QUICK, 1, [Asks(number)])


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_in_the_last_tick_of_a_judged_trial_is_one(loop, number):
    scenario, _ = loop._asked(QUICK, 1)
    with pytest.raises(KeyboardInterrupt):
        run_forgotten(scenario, lambda parts: [Asks(number)])
