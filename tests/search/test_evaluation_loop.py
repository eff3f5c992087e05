"""The evaluation loop: the session's verdicts, from starts that are put back and not made again."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from andante.backends.mujoco_world import MujocoWorld
from andante.runs.controls.motions import KeyframeControl
from andante.search.evaluation.loop import Candidate, EvaluationLoop
from andante.search.evaluation.settled import SettledWorld
from andante.search.experiment.cases import groups_of, with_options
from andante.search.experiment.registry import experiment_named
from andante.search.experiment.trial import TrialSetup, run_trial

OBSERVERS = {"get-up": {"tries": 1, "hold": 1.0, "idle_limit": 0.6}}


def setup(spread: str) -> TrialSetup:
    experiment = with_options(experiment_named("getup"), {"start": "front", "spread": spread})
    return replace(groups_of(experiment)[0].setup, observers=OBSERVERS, again={}, judged=False)


@pytest.mark.slow
@pytest.mark.parametrize("spread", ["noisy", "wide"])
def test_verdicts_are_those_of_sessions(spread):
    asked = setup(spread)
    loop = EvaluationLoop(replace(asked, observers={"rise": {}}))
    whole = EvaluationLoop(asked)
    candidate = Candidate()
    stood = []
    for seed in range(40, 44):
        session = run_trial(asked, seed)
        assert whole.trial(candidate, seed) == session
        quick = loop.trial(candidate, seed).metrics["rise"]
        told = session.metrics["get-up"]
        assert (quick["stood"], quick["time"], quick["tries"]) == (told["stood"], told["time"], told["tries"])
        stood.append(told["stood"])
    assert any(stood)


def test_a_start_that_is_put_back_is_the_one_that_was_made():
    scenario, _ = setup("noisy").scenario(7)
    from andante.runs.build import load_declared

    robot = load_declared(scenario)
    kept, fresh = SettledWorld(robot, scenario.world), MujocoWorld(robot, scenario.world)

    def run(world, seed):
        world.reset(seed)
        states = []
        for _ in range(20):
            world.write(robot.command())
            world.advance(robot.tick)
            states.append(np.concatenate([world.data.qpos, world.data.qvel, world.read().vector]))
        return np.array(states)

    for seed in (7, 8, 7, 9, 8):
        assert run(kept, seed).tobytes() == run(fresh, seed).tobytes()


def test_motions_from_memory_are_played_in_place_of_the_files():
    scenario, _ = setup("none").scenario(1)
    control = scenario.controller
    assert isinstance(control, KeyframeControl)
    from andante.runs.build import load_declared

    robot = load_declared(scenario)
    library = control.loaded(robot)
    held = control.holding(library.but(note="another"))
    assert held.loaded(robot).note == "another"
    assert control.loaded(robot).note == library.note
    assert held == control.holding(library.but(note="another"))
