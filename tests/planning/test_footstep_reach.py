"""How far the searches for footsteps reach together, and what that means for ground that none of them crosses."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from courses import stand

from andante.planning.course import KnownCourse
from andante.planning.footsteps import search as module
from andante.planning.footsteps.footholds import FootholdCosts
from andante.planning.footsteps.search import SearchedCourse, plan_footsteps, run, usual_sides
from andante.planning.footsteps.settings import FootstepSettings, search_schedule
from andante.terrain.boards.make import make_board

SETTINGS = FootstepSettings()


class Asked(Exception):  # noqa: N818
    """The ground was about to be judged."""


@pytest.fixture(scope="module")
def flat():
    return stand(make_board("flat", 0.5, 0), goal=(1.0, 0.0))


def all_stages(settings):
    """The searches of all schedules."""
    obstacles = ({}, {"wide": True}, {"highest": 0.07}, {"wall": 0.07}, {"highest": 0.1})
    return [stage for obstacle in obstacles for stage in search_schedule(settings, **obstacle)]


def judged(course, settings, monkeypatch, factor):
    """How far aside feet may go, their longest way and how near the goal is enough, for a robot of some size [m]."""

    class Sized(KnownCourse):
        scale = factor

    names = ("body", "map", "feet", "position", "rotation", "goal")
    sized, seen = Sized(**{name: getattr(course, name) for name in names}), {}

    def lines(course, costs, path, sides, aside):
        seen["aside"] = aside

    def check(course, lines, path, farthest, tolerance):
        seen.update(farthest=farthest, tolerance=tolerance)
        raise Asked

    monkeypatch.setattr(module.FootLines, "of", lines)
    monkeypatch.setattr(module, "check_footholds", check)
    with pytest.raises(Asked):
        plan_footsteps(sized, settings, ground=SearchedCourse.of(sized, settings))
    return seen


@pytest.mark.parametrize("factor", [1.0, 2.0, 3.0])
def test_ground_is_judged_by_the_farthest_that_any_search_goes(flat, monkeypatch, factor):
    stages = all_stages(SETTINGS)
    seen = judged(flat, SETTINGS, monkeypatch, factor)
    # A leap of 22 cm is longer than every step, and feet find places a pitch beyond it. They go aside as far as any
    # search lets them, twice as far where there is little ground, and off places that proved impossible.
    assert max(stage.longest for stage in stages) < 0.22
    assert seen["farthest"] == pytest.approx((0.22 + max(stage.pitch for stage in stages)) * factor)
    assert seen["aside"] == pytest.approx((2.0 * max(stage.aside for stage in stages) + 0.0125) * factor)
    assert seen["tolerance"] == pytest.approx(SETTINGS.tolerance * factor)


def test_steps_longer_than_a_leap_count_too(flat, monkeypatch):
    settings = SETTINGS.changed(longest=0.3)
    stages = all_stages(settings)
    longest, pitch = max(stage.longest for stage in stages), max(stage.pitch for stage in stages)
    assert longest >= 0.3
    assert judged(flat, settings, monkeypatch, 2.0)["farthest"] == pytest.approx(2.0 * (longest + pitch))


def test_within_the_tolerance_of_its_goal_a_robot_has_the_bound_one():
    course = stand(make_board("flat", 0.5, 0), goal=(0.16, 0.0))
    plan = plan_footsteps(course, SETTINGS.changed(tolerance=0.03))
    assert (plan.steps, plan.cost, plan.bound) == ((), 0.0, 1.0)
    np.testing.assert_array_equal(plan.feet, course.feet)


@pytest.mark.parametrize(("off", "wide"), [(0.044, False), (0.056, True)])
def test_a_gap_is_wide_unless_feet_find_places_within_twice_their_usual_way_aside(flat, monkeypatch, off, wide):
    course, ground, seen = flat, SearchedCourse.of(flat, SETTINGS), []
    x, y = np.meshgrid(course.ground.x, course.ground.y, indexing="ij")
    # Over 18 cm there is only a strip beside the line of each foot, farther out.
    line = np.abs(usual_sides(course, SETTINGS)).mean()
    closed = (np.abs(x - 0.6) < 0.09) & (np.abs(np.abs(y) - line - off * course.scale) > 0.004)
    costs = (np.where(closed, np.inf, grid) for grid in (ground.costs.front, ground.costs.hind))
    ground = replace(ground, costs=FootholdCosts(*costs))

    def search(scene, rules, field, *others):
        seen.append(bool(field.passed.any()))
        raise Asked

    monkeypatch.setattr(module, "search", search)
    with pytest.raises(Asked):
        run(ground, SETTINGS)
    assert seen == [wide]

    def schedule(settings, *, wide=False, **heights):
        seen.append(wide)
        return search_schedule(settings, wide=wide, **heights)

    monkeypatch.setattr(module, "search_schedule", schedule)
    monkeypatch.setattr(module, "_check_footholds", lambda *_: None)
    with pytest.raises(Asked):
        plan_footsteps(course, SETTINGS, ground=ground)
    assert seen == [wide, wide, wide]
