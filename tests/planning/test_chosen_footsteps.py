"""Footsteps that a person chose: which are possible, why not, and what is nearest."""

from __future__ import annotations

import numpy as np
import pytest
from courses import stand

from andante.planning.course import NoPlanError
from andante.planning.footsteps.chosen import ChosenStep, StepCheck, chosen_plan, short_of_goal
from andante.planning.footsteps.search import plan_footsteps
from andante.planning.walk.trials import plan_chosen
from andante.terrain.boards.make import make_board


def test_what_the_search_found_is_possible() -> None:
    course = stand(make_board("rocks", 0.3, 2))
    found = plan_footsteps(course)
    names = [leg.name for leg in course.body.legs]
    chosen = [ChosenStep(names[step.leg], *step.place[:2].tolist()) for step in found.steps]
    again = chosen_plan(course, chosen)
    for mine, theirs in zip(again.steps, found.steps, strict=True):
        assert mine.leg == theirs.leg
        np.testing.assert_allclose(mine.place, theirs.place, atol=1e-12)
    assert short_of_goal(course, again) == 0.0


def test_a_part_is_walked_and_says_how_far_the_goal_is() -> None:
    course = stand(make_board("flat"))
    found = plan_footsteps(course).steps[:6]
    names = [leg.name for leg in course.body.legs]
    walk = plan_chosen(course, [ChosenStep(names[step.leg], *step.place[:2].tolist()) for step in found])
    assert walk.plan is not None
    assert len(walk.plan.swings) == 6
    assert "before the goal" in str(walk.error)


def test_refusals_name_the_step_and_the_reason() -> None:
    course = stand(make_board("flat"))
    feet = {leg.name: foot for leg, foot in zip(course.body.legs, course.feet, strict=True)}
    x, y, _ = feet["FL"]
    with pytest.raises(NoPlanError, match=r"footstep 1 \(FL\) is not possible: out of reach"):
        chosen_plan(course, [ChosenStep("FL", x + 0.5, y)])
    with pytest.raises(NoPlanError, match="off the map"):
        chosen_plan(course, [ChosenStep("FL", 50.0, y)])
    with pytest.raises(NoPlanError, match="no such foot"):
        chosen_plan(course, [ChosenStep("nose", x, y)])
    other = feet["FR"]
    with pytest.raises(NoPlanError, match="too near to the foot FR"):
        chosen_plan(course, [ChosenStep("FL", other[0], other[1] + 0.02)])


def test_twice_in_a_row_is_refused() -> None:
    course = stand(make_board("flat"))
    first = plan_footsteps(course).steps[0]
    name = course.body.legs[first.leg].name
    x, y = first.place[:2].tolist()
    with pytest.raises(NoPlanError, match=r"footstep 2 .* twice in a row"):
        chosen_plan(course, [ChosenStep(name, x, y), ChosenStep(name, x + 0.01, y)])


@pytest.mark.slow
def test_the_nearest_place_is_possible_and_no_node_nearer_is() -> None:
    """Against every node of the map within the reach that is looked at."""
    course = stand(make_board("rocks", 0.3, 2))
    found = plan_footsteps(course)
    check, steps = StepCheck(course), list(found.steps)
    number = 6
    x, y = (steps[number].place[:2] + np.array([0.2, 0.0])).tolist()
    near = check.nearest(course.feet, steps, number, x, y)
    assert near is not None
    changed = list(steps)
    changed[number] = near
    assert check.trouble(course.feet, changed, number) == ""
    before = found.stances()[number]
    far = float(np.hypot(near.place[0] - x, near.place[1] - y))
    scene = check.ground.scene
    nearest = far
    for i in range(scene.foot.shape[0]):
        for j in range(scene.foot.shape[1]):
            place = scene.x + i * scene.spacing, scene.y + j * scene.spacing
            away = float(np.hypot(place[0] - x, place[1] - y))
            if away >= nearest:
                continue
            changed[number] = check.step(before, steps[number].leg, *place)
            if not check.trouble(course.feet, changed, number):
                nearest = away
    # Every fourth node is looked at first, so a lonely possible node between them may be missed.
    assert far <= nearest + 4.0 * np.sqrt(2.0) * scene.spacing
