"""Where steps of a regular gait fail by little, places are moved by little; feet keep apart and poses have room."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from courses import stand

from andante.planning.feasibility.pose_room import PoseRules
from andante.planning.feasibility.scene import Scene
from andante.planning.feasibility.steps import step_room, swing_apex
from andante.planning.footsteps.footholds import FootholdCosts
from andante.planning.footsteps.regular_gait import regular_steps
from andante.planning.footsteps.regular_search import RegularSearch, StepPlaces
from andante.planning.footsteps.search import plan_footsteps, usual_sides
from andante.planning.footsteps.settings import FootstepSettings
from andante.terrain.boards.make import make_board
from andante.terrain.elevation_map import ElevationMap

SETTINGS = FootstepSettings()
COURSE = stand(make_board("flat", 0.3, 1))
SCENE = Scene.of(COURSE.body, COURSE.ground, COURSE.scale)
STEPS = regular_steps(COURSE, SETTINGS, usual_sides(COURSE, SETTINGS))[0]
RADIUS = float(COURSE.body.table.radius.max())
NUMBER = 9
SOUND = np.zeros(COURSE.ground.heights.shape)


def rules(share: float) -> PoseRules:
    leg = COURSE.body.leg_length
    lengths = SETTINGS.grown(COURSE.scale, "length")
    return PoseRules.of(
        leg,
        margin=share * lengths.margin / leg,
        least=0.25 * lengths.slack / leg,
        enough=lengths.comfort / leg,
        lift=lengths.lift / leg,
    )


def found(moved: np.ndarray, grid: np.ndarray = SOUND) -> list[np.ndarray] | None:
    """Places of all steps on level ground, each at its usual place only, one of them moved so far, (2,) [m]."""
    places = STEPS.places.copy()
    places[NUMBER] += moved
    choices = [StepPlaces(np.array([[*place, RADIUS]]), np.zeros(1)) for place in places]
    grids = FootholdCosts(grid, grid)
    return RegularSearch(COURSE, SCENE, (rules(2.0), rules(1.0)), STEPS, choices, grids, 7.0).run(300)


def beside(places: np.ndarray) -> np.ndarray:
    """Where the other foot of its side stands when the step lands, (3,)."""
    hip, leg = COURSE.body.table.hip, STEPS.legs[NUMBER]
    other = next(k for k in range(4) if k != leg and (hip[k, 1] > 0.0) == (hip[leg, 1] > 0.0))
    before = [n for n in range(NUMBER) if STEPS.legs[n] == other]
    return places[before[-1]]


def near_by(distance: float) -> np.ndarray:
    """How far the step is moved that lands so far [m] from the other foot of its side, on the line to it."""
    off = STEPS.places[NUMBER] - beside(STEPS.places)
    return off * (distance / np.hypot(*off) - 1.0)


def test_steps_stay_where_they_are_possible():
    places = np.array(found(np.zeros(2)))
    assert (places[:, :2] == STEPS.places).all()
    assert (places[:, 2] == RADIUS).all()


@pytest.mark.parametrize("lacks", [0.0001, 0.001, 0.005, 0.010])
def test_a_foot_too_near_to_the_one_of_its_side_lands_at_the_least_distance_beside_its_place(lacks):
    moved = near_by(0.03 * COURSE.scale - lacks)
    places = np.array(found(moved))
    landed = places[NUMBER, :2]
    assert np.hypot(*(landed - beside(places)[:2])) == pytest.approx(0.03 * COURSE.scale, abs=1e-6)
    assert np.hypot(*(landed - STEPS.places[NUMBER] - moved)) == pytest.approx(lacks, abs=1e-6)
    others = np.arange(len(places)) != NUMBER
    assert (places[others, :2] == STEPS.places[others]).all()


def test_a_foot_that_would_have_to_be_moved_far_or_to_unsound_ground_takes_another_place():
    assert found(near_by(0.03 * COURSE.scale - 0.013 * COURSE.scale)) is None
    moved = near_by(0.03 * COURSE.scale - 0.005)
    x, y = np.meshgrid(COURSE.ground.x, COURSE.ground.y, indexing="ij")
    landing = STEPS.places[NUMBER] + near_by(0.03 * COURSE.scale)
    assert found(moved, np.where(np.hypot(x - landing[0], y - landing[1]) < 0.004, 20.0, 0.0)) is None


def test_a_step_just_out_of_reach_lands_within_three_millimetres_with_room():
    firm, changed = rules(2.0), 0
    for far in np.arange(0.0, 0.12, 0.0015):
        moved = far * np.array([0.0, np.sign(STEPS.places[NUMBER, 1])])
        got = found(moved)
        if got is None:
            break
        places = np.array(got)
        off = float(np.hypot(*(places[NUMBER, :2] - STEPS.places[NUMBER] - moved)))
        assert off <= 0.003 * COURSE.scale + 1e-9
        if off > 0.0:
            changed += 1
            feet = COURSE.feet.copy()
            for n in range(NUMBER):
                feet[STEPS.legs[n]] = places[n]
            leg = int(STEPS.legs[NUMBER])
            apex = float(swing_apex(SCENE, feet[leg], places[NUMBER], firm.lift))
            assert float(step_room(SCENE, rules(1.0), feet, leg, places[NUMBER], apex)) >= firm.least
    assert changed


@pytest.mark.parametrize("draw", [950007, 950008])
def test_draws_of_tilted_rocks_on_either_side_of_a_limit_give_one_plan_within_a_cell(draw):
    # One has a step at the limit of room, the other two feet of a side half a millimetre too near to each other.
    terrain = make_board("tilted-rocks", 0.3, 1)
    plans = []
    for seed in (950000, draw):
        rng, heights = np.random.default_rng(7), terrain.heights.heights[::2, ::2]
        heights = heights + np.random.default_rng(seed).uniform(-1e-3, 1e-3, heights.shape)
        for i, j in rng.integers(0, np.array(heights.shape) - 2, (60, 2)):
            heights[i : i + 2, j : j + 2] = np.nan
        heights[90:96, 3:9] = np.nan
        seen = ElevationMap(heights, terrain.heights.origin, 2.0 * terrain.heights.spacing)
        plans.append(plan_footsteps(replace(stand(terrain), map=seen, reserve=0.0)))
    first, second = (np.array([step.place for step in plan.steps]) for plan in plans)
    assert np.abs(first - second).max() < 0.01
