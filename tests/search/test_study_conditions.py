"""Conditions of trials: how ranges grow, what a slower motion is; and the ball as logs tell it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from andante.runs.motion_libraries import load_motions
from andante.search.evaluation.loop import Candidate, EvaluationLoop
from andante.search.experiment.cases import groups_of, with_changes, with_options
from andante.search.experiment.document import Draw, Experiment
from andante.search.experiment.registry import experiment_named
from andante.search.experiment.trial import run_trial
from andante.search.studies.conditions import Conditions
from andante.search.studies.document import Study
from andante.search.studies.problem import Evaluation
from andante.search.studies.verdict import StudyVerdict


def setup(spread):
    return groups_of(with_options(experiment_named("getup"), {"start": "front", "spread": spread}))[0].setup


def test_ranges_grow_about_their_middles_and_noise_by_the_factor():
    before = setup("noisy")
    after = Conditions(harder=1.5).setup(before)
    world, harder = before.base.world, after.base.world
    assert world.friction == (0.4, 1.0)
    assert harder.friction == pytest.approx((0.25, 1.15))
    assert (world.command_delay, harder.command_delay) == ((2, 4), (2, 4))
    assert harder.backlash == pytest.approx((0.0, 1.5 * world.backlash[1]))
    assert harder.noise.position == pytest.approx(1.5 * world.noise.position)
    assert harder.noise.gyro_offset == pytest.approx(1.5 * world.noise.gyro_offset)
    assert harder.start.noise_scale == 1.5
    (draw,) = [each for each in after.spread if each.path == "world.servo_strength"]
    assert draw.uniform == pytest.approx((0.775, 1.225))


@pytest.mark.parametrize("factor", [0.0, 0.25, 0.5, 2.0])
@pytest.mark.parametrize("ends", [(-1.0, -0.9), (-0.2, 0.1), (-0.1, 0.3), (-0.3, 0.0)])
def test_ranges_below_zero_keep_their_middle_and_their_order(ends, factor):
    base = setup("none")
    drawn = replace(base, spread=(Draw(path="world.slope_direction", uniform=ends),))
    (draw,) = Conditions(harder=factor).setup(drawn).spread
    middle, half = 0.5 * sum(ends), 0.5 * (ends[1] - ends[0]) * factor
    assert draw.uniform == pytest.approx((middle - half, middle + half))


def test_a_harder_draw_ends_where_the_stated_does_if_no_farther_value_is_legal():
    base = setup("none")
    drawn = replace(base, spread=(Draw(path="world.sensor_loss", uniform=(0.0, 0.6)),))
    (draw,) = Conditions(harder=2.0).setup(drawn).spread
    assert draw.uniform == (0.0, 0.6)
    (draw,) = Conditions(harder=1.5).setup(drawn).spread
    assert draw.uniform == pytest.approx((0.0, 0.9))


def test_a_walk_in_a_few_words_is_tried_under_the_conditions_too():
    asked = {
        "name": "trot",
        "quadruped": {"robot": "spirit40", "seconds": 1.0, "twist": [0.3, 0, 0]},
        "figures": {"passed": {"metric": "passed"}},
    }
    walk = groups_of(with_changes(Experiment.model_validate(asked), {"world.friction": [0.4, 0.8]}))[0].setup
    stated, _ = walk.scenario(3)
    changes = (("world.max_speed", 500.0),)
    made, _ = Conditions(steps=0.5, harder=2.0, changes=changes).setup(walk).scenario(3)
    assert made.world.timestep == pytest.approx(0.5 * stated.world.timestep)
    assert made.world.friction == pytest.approx((0.2, 1.0))
    assert made.world.max_speed == 500.0
    assert made.seed == 3
    assert Conditions().setup(walk) == walk


def test_ranges_stay_what_physics_can_have():
    harder = Conditions(harder=3.0).setup(setup("wide")).base.world
    assert harder.friction[0] >= 0.05
    assert harder.command_delay[0] >= 0
    assert harder.slope[1] <= 0.5


def test_as_stated_changes_nothing():
    before = setup("standard")
    assert Conditions().setup(before) == before


def test_the_step_is_halved_and_durations_are_stretched():
    before = setup("none")
    assert Conditions(steps=0.5).setup(before).base.world.timestep == pytest.approx(0.0015)
    assert Conditions(timestep=0.004).setup(before).base.world.timestep == 0.004
    library = load_motions("nao")
    slower = Conditions(durations=1.25).motion(library)
    for name, block in library.blocks.items():
        for one, two in zip(block.keyframes, slower.blocks[name].keyframes, strict=True):
            assert two.duration == pytest.approx(1.25 * one.duration)
            assert two.joints == one.joints


@pytest.mark.slow
def test_a_ball_goes_where_the_log_says_that_it_went():
    experiment = with_changes(experiment_named("kick"), {"settle": 0.5}, overruling=True)
    judged = groups_of(experiment)[0].setup
    watched = replace(judged, judged=False, observers={"ball": {}})
    told = run_trial(judged, 3).metrics
    seen = EvaluationLoop(watched).trial(Candidate(), 3).metrics["ball"]
    assert seen["fell"] == told["fell"]
    assert seen["done"] == pytest.approx(told["done_at"], abs=0.02)
    for name in ("reach", "speed", "direction"):
        assert seen[name] == pytest.approx(told[f"ball_{name}"], rel=0.02, abs=0.02)


def test_a_verdict_is_better_where_more_trials_succeed_afterwards():
    def trials(good):
        return [Evaluation(float(each), bool(each), {"rise.tail": float(each)}) for each in good]

    verdict = StudyVerdict(trials([0, 0, 1, 0]), trials([1, 1, 1, 0]), {})
    asked = Study.model_validate({"objectives": [{"metric": "rise.tail", "weight": 1.0}]})
    rows = {row.name: row for row in verdict.rows(asked)}
    assert (rows["success before"].value, rows["success after"].value) == (0.25, 0.75)
    assert rows["success, difference"].value == 0.5
    assert rows["rise.tail, difference"].value >= 0.0
    assert verdict.share == 0.75
