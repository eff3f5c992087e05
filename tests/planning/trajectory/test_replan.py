"""Planning the rest of a walk anew: it goes on from what was measured and joins the old walk."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from hand_made import HandMade

from andante.planning.course import NoPlanError, PlanningError
from andante.planning.walk.rehearsal import rehearse
from andante.planning.walk.replan import replan
from andante.planning.walk_plan import WalkPlan

Rate = Callable[[WalkPlan], np.ndarray]


def test_without_a_difference_the_walk_stays_what_it_was(flat: HandMade) -> None:
    plan = flat.plan
    at = plan.swings[2].touchdown
    rest, _ = replan(flat.course, plan, at, plan.feet[at])
    assert abs(len(rest.com) - (len(plan.com) - at)) <= 3
    assert [step.leg for step in rest.footsteps.steps] == [step.leg for step in plan.footsteps.steps[3:]]
    assert rest.com[0] == pytest.approx(plan.com[at], abs=1e-9)
    assert rest.angles[0] == pytest.approx(plan.angles[at], abs=1e-5)
    assert np.abs(rest.com[:20] - plan.com[at : at + 20]).max() < 5e-3


def test_feet_that_landed_elsewhere_are_where_it_starts(flat: HandMade, rate: Rate) -> None:
    plan = flat.plan
    at = plan.swings[3].touchdown
    feet = plan.feet[at] + np.array(
        [[0.006, -0.004, 0.0], [-0.004, 0.005, 0.003], [0.0, 0.006, 0.0], [0.005, 0.0, -0.003]]
    )
    rest, _ = replan(flat.course, plan, at, feet)
    assert np.array_equal(rest.feet[0], feet)
    assert rehearse(flat.course, rest).passed
    assert rate(rest).max() <= 1.0
    velocity = (plan.com[at + 1] - plan.com[at - 1]) / (2.0 * plan.period)
    assert (rest.com[1] - rest.com[0]) / plan.period == pytest.approx(velocity, abs=0.02)


def test_the_old_walk_is_joined_in_place_and_speed(flat: HandMade) -> None:
    plan = flat.plan
    at = plan.swings[1].touchdown
    feet = plan.feet[at] + 0.003 * np.array([[1, 1, 0], [-1, 1, 0], [1, -1, 0], [-1, -1, 0]])
    rest, _ = replan(flat.course, plan, at, feet, window=6)
    later = len(plan.com) - at - len(rest.com)
    join = plan.swings[2 + 6 + 3].lift_off
    new = join - at - later
    assert rest.com[new:] == pytest.approx(plan.com[join:], abs=1e-9)
    speed = np.diff(rest.com, axis=0) / plan.period
    assert np.abs(np.diff(speed, axis=0)).max() / plan.period < 3.0
    assert rest.angles[new] == pytest.approx(plan.angles[join], abs=2e-3)
    assert [swing.step for swing in rest.swings] == list(range(len(rest.swings)))


def test_a_foot_in_the_air_goes_on_from_where_it_is(flat: HandMade, rate: Rate) -> None:
    plan = flat.plan
    swing = plan.swings[6]
    at = swing.lift_off + 6
    feet = plan.feet[at].copy()
    feet[swing.leg] += [0.0, 0.002, -0.001]
    rest, _ = replan(flat.course, plan, at, feet)
    first = rest.swings[0]
    assert (first.leg, first.lift_off) == (swing.leg, 0)
    assert rest.feet[0, swing.leg] == pytest.approx(feet[swing.leg])
    assert rest.feet[first.touchdown, swing.leg] == pytest.approx(plan.footsteps.steps[6].place)
    assert rate(rest).max() <= 1.0


def test_it_can_be_done_again_and_again_until_the_end(flat: HandMade) -> None:
    plan = flat.plan
    rng = np.random.default_rng(7)
    while len(plan.swings) > 1:
        at = plan.swings[0].touchdown
        plan, _ = replan(flat.course, plan, at, plan.feet[at] + rng.normal(0.0, 0.001, (4, 3)) * [1.0, 1.0, 0.3])
        assert rehearse(flat.course, plan).passed
    goal = [step.place for step in flat.plan.footsteps.steps[-4:]]
    assert np.abs(plan.feet[-1, 0] - goal[-1])[:2].max() < 0.01


def test_a_foothold_out_of_reach_is_chosen_anew(flat: HandMade) -> None:
    plan = flat.plan
    at = plan.swings[3].touchdown
    steps = list(plan.footsteps.steps)
    steps[4] = replace(steps[4], place=steps[4].place + np.array([0.05, 0.0, 0.0]))
    wrong = replace(plan, footsteps=replace(plan.footsteps, steps=tuple(steps)))
    rest, _ = replan(flat.course, wrong, at, plan.feet[at])
    assert rehearse(flat.course, rest).passed
    assert not np.array_equal(rest.footsteps.steps[0].place, steps[4].place)


def test_bad_questions_are_named(flat: HandMade) -> None:
    plan, course = flat.plan, flat.course
    with pytest.raises(PlanningError, match="no such sample"):
        replan(course, plan, len(plan.com), plan.feet[-1])
    with pytest.raises(PlanningError, match="does not know what it was made of"):
        replan(course, replace(plan, warm_start=None), 10, plan.feet[10])
    with pytest.raises(PlanningError, match="the start's feet must be finite"):
        replan(course, plan, 10, np.full((4, 3), np.nan))
    with pytest.raises(NoPlanError, match="no step is left"):
        replan(course, plan, plan.swings[-1].touchdown, plan.feet[-1])
    with pytest.raises(PlanningError, match="at least one step"):
        replan(course, plan, 10, plan.feet[10], window=0)
