"""Footsteps over noisy maps: draws of the noise agree, maps without noise are planned as ever."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from courses import stand

from andante.planning.feasibility.clearance import height_at
from andante.planning.footsteps import search
from andante.planning.footsteps.footholds import FootholdLimits
from andante.planning.footsteps.price_basins import find_basins
from andante.planning.footsteps.regular_gait import regular_steps
from andante.planning.footsteps.regular_plan import regular_plan
from andante.planning.footsteps.search import SearchedCourse, plan_footsteps, usual_sides
from andante.planning.footsteps.settings import FootstepSettings
from andante.planning.footsteps.soundness import unsoundness
from andante.planning.stances.choose import choose_stances
from andante.planning.stances.settings import StanceSettings
from andante.terrain.boards.make import make_board
from andante.terrain.elevation_map import ElevationMap

CELL = 0.01
SETTINGS = FootstepSettings()


def noisy(board: str, difficulty: float, seed: int, noise: float = 1e-3, holes: int | None = None, drawn: int = 1):
    """A course over a board of which every second node is measured, with so much noise either way, and with holes."""
    terrain = make_board(board, difficulty, drawn)
    heights = terrain.heights.heights[::2, ::2]
    heights = heights + np.random.default_rng(seed).uniform(-noise, noise, heights.shape)
    heights[60:62, 20:22] = np.nan
    if holes is not None:
        for i, j in np.random.default_rng(holes).integers(0, np.array(heights.shape) - 2, (60, 2)):
            heights[i : i + 2, j : j + 2] = np.nan
    seen = ElevationMap(heights, terrain.heights.origin, 2.0 * terrain.heights.spacing)
    return replace(stand(terrain), map=seen, reserve=0.0)


@pytest.mark.parametrize(("board", "difficulty"), [("blocks", 0.3), ("rolling", 0.5), ("stepping-stones", 0.3)])
def test_draws_of_a_millimetre_of_noise_give_one_plan_within_a_cell(board, difficulty):
    plans = [plan_footsteps(noisy(board, difficulty, seed)) for seed in range(4)]
    for other in plans[1:]:
        assert [step.leg for step in other.steps] == [step.leg for step in plans[0].steps]
        places = [np.array([step.place for step in plan.steps]) for plan in (plans[0], other)]
        assert np.abs(places[0] - places[1]).max() < CELL


def test_a_place_that_is_only_looked_at_where_no_basin_does_comes_after_the_cheapest_basin():
    # Step 23 has such a place, of about the price of its basin: in the second draw it would be cheaper.
    first, second = (plan_footsteps(noisy("blocks", 0.6, seed, drawn=2)) for seed in (900000, 900005))
    places = [np.array([step.place for step in plan.steps]) for plan in (first, second)]
    assert np.abs(places[0] - places[1]).max() < 0.5 * CELL


@pytest.mark.slow
@pytest.mark.parametrize(("board", "count"), [("stepping-stones", 48), ("steps", 58)])
def test_small_stones_and_many_strides_keep_the_regular_gait_on_ground_that_bears_feet(board, count):
    """Stones of so few cells look unsound everywhere on them; on these steps only the eighth stride leads on."""
    plans = [plan_footsteps(noisy(board, 0.5, seed, drawn=2)) for seed in range(2)]
    assert [len(plan.steps) for plan in plans] == [count, count]
    places = [np.array([step.place for step in plan.steps]) for plan in plans]
    assert np.abs(places[0] - places[1]).max() < CELL
    clean = stand(make_board(board, 0.5, 2))
    costs = SearchedCourse.of(clean, SETTINGS).costs
    for plan in plans:
        for step in plan.steps:
            i, j = np.rint((step.place[:2] - clean.ground.origin) / clean.ground.spacing).astype(int)
            assert np.isfinite(costs.of_leg(clean.body, step.leg)[i, j])


def test_draws_with_small_holes_of_their_own_give_one_plan_within_a_cell():
    plans = [plan_footsteps(noisy("rolling", 0.5, seed, holes=seed)) for seed in range(3)]
    for other in plans[1:]:
        places = [np.array([step.place for step in plan.steps]) for plan in (plans[0], other)]
        assert np.abs(places[0] - places[1]).max() < CELL


def test_small_holes_are_filled_and_large_ones_stay_unknown():
    course = noisy("rolling", 0.5, 1, holes=1)
    assert (~course.map.known & ~course.layers.unknown).sum() > 100
    true = make_board("rolling", 0.5, 1).heights.heights[::2, ::2]
    small = ~course.map.known & ~course.layers.unknown
    assert np.abs(course.ground.heights - true)[small].max() < 2e-3
    seen = course.map.heights.copy()
    seen[80:86, 10:16] = np.nan
    hidden = replace(course, map=ElevationMap(seen, course.map.origin, course.map.spacing), reserve=0.0)
    assert hidden.layers.unknown[80:86, 10:16].sum() > 25


@pytest.mark.slow
@pytest.mark.parametrize(("board", "difficulty"), [("rolling", 0.5), ("stepping-stones", 0.3)])
def test_draws_of_noise_give_one_way_of_the_body_within_a_cell_with_room_and_margin(board, difficulty):
    chosen = []
    for seed in range(3):
        course = noisy(board, difficulty, seed)
        chosen.append(choose_stances(course, plan_footsteps(course)))
        leg = course.body.leg_length
        assert chosen[-1].slack.min() > 0.5 * StanceSettings().least * leg
        assert chosen[-1].margin.min() > 0.5 * StanceSettings().margin * leg
    for other in chosen[1:]:
        assert np.abs(other.com - chosen[0].com).max() < CELL
        assert np.abs(other.rpy - chosen[0].rpy).max() < 0.1


@pytest.mark.parametrize(("board", "difficulty"), [("blocks", 0.3), ("rocks", 0.3)])
def test_feet_stand_on_sound_ground_at_heights_that_are_less_off_than_the_map(board, difficulty):
    course = noisy(board, difficulty, 11)
    plan = plan_footsteps(course)
    clean = stand(make_board(board, difficulty, 1))
    # Ground that bears feet, be there a wall beside it or not: by noisy maps feet keep no gap to walls.
    ground = SearchedCourse.of(clean, SETTINGS.changed(limits=FootholdLimits(gap=0.0)))
    off, refused = [], 0
    for step in plan.steps:
        x, y, z = step.place.tolist()
        i, j = np.rint((np.array([x, y]) - clean.ground.origin) / clean.ground.spacing).astype(int)
        refused += not np.isfinite(ground.costs.of_leg(clean.body, step.leg)[i, j])
        off.append(z - height_at(ground.scene, ground.scene.foot, x, y))
    assert refused <= 2
    assert np.sqrt(np.mean(np.square(off))) < 0.85e-3


def test_a_map_without_noise_never_asks_for_a_regular_gait(monkeypatch):
    def never(*_: object) -> None:
        raise AssertionError("asked")

    monkeypatch.setattr(search, "regular_plan", never)
    for board in ("blocks", "rolling"):
        course = stand(make_board(board, 0.3, 1))
        assert course.noise == 0.0
        assert course.ground.heights is course.layers.ground.heights
        assert (course.ground.heights == make_board(board, 0.3, 1).heights.heights).all()
        plan_footsteps(course)
    with pytest.raises(AssertionError, match="asked"):
        plan_footsteps(noisy("flat", 0.3, 1))


def test_noise_counts_between_its_limits_and_on_fine_maps_only():
    assert noisy("flat", 0.3, 1).noise == pytest.approx(0.64e-3, abs=0.05e-3)
    assert noisy("flat", 0.3, 1, noise=0.2e-3).noise == 0.0
    assert noisy("flat", 0.3, 1, noise=5e-3).noise == 0.0
    course = noisy("flat", 0.3, 1)
    coarse = ElevationMap(course.map.heights, (-0.2, -0.6), 0.02)
    assert replace(course, map=coarse, reserve=0.0).noise == 0.0


def test_regular_steps_are_of_one_length_and_end_before_the_goal():
    course = noisy("flat", 0.3, 1)
    ways = regular_steps(course, SETTINGS, usual_sides(course, SETTINGS))
    strides = [way.stride for way in ways]
    assert strides == sorted(strides, reverse=True)
    assert strides[0] <= SETTINGS.longest * course.scale
    for way in ways:
        feet = course.feet[:, :2].copy()
        lengths: dict[int, list[float]] = {leg: [] for leg in range(4)}
        for leg, place in zip(way.legs.tolist(), way.places, strict=True):
            lengths[leg].append(float((place - feet[leg]) @ way.ahead))
            feet[leg] = place
        names = [course.body.legs[leg].name for leg in way.legs[:4]]
        assert names == ["FL", "HR", "FR", "HL"]
        assert all(a != b for a, b in pairwise(way.legs.tolist()))
        for each in lengths.values():
            assert np.allclose(each[1:], way.stride)
            assert each[0] <= way.stride + 1e-9
        left = course.goal[0] - feet[:, 0].mean()
        assert left == pytest.approx(0.9 * SETTINGS.tolerance * course.scale, abs=1e-9)


def test_another_order_of_feet_has_no_regular_gait():
    course = noisy("flat", 0.3, 1)
    other = SETTINGS.changed(order=("FL", "FR", "HL", "HR"))
    assert regular_steps(course, other, usual_sides(course, other)) == []


def test_unsoundness_is_one_where_no_foot_stands_and_changes_little_with_the_ground():
    clean = stand(make_board("blocks", 0.6, 1))
    sound = unsoundness(clean, FootholdLimits())
    refused = ~np.isfinite(SearchedCourse.of(clean, SETTINGS).costs.front)
    assert sound.min() == 0.0
    assert sound.max() == 1.0
    assert sound[refused].mean() > 4.0 * sound[~refused].mean()
    lifted = clean.map.heights + 1e-5 * np.random.default_rng(2).uniform(-1.0, 1.0, clean.map.heights.shape)
    moved = replace(clean, map=ElevationMap(lifted, clean.map.origin, clean.map.spacing), reserve=0.0)
    assert np.abs(unsoundness(moved, FootholdLimits()) - sound).max() < 0.02


def test_feet_keep_off_steps_that_proved_impossible():
    course = noisy("rolling", 0.5, 3)
    first = plan_footsteps(course)
    wrong = first.steps[10]
    again = plan_footsteps(course, avoid=[wrong])
    front = [
        leg for leg in range(4) if (course.body.table.hip[leg, 0] > 0) == (course.body.table.hip[wrong.leg, 0] > 0)
    ]
    near = [np.hypot(*(step.place - wrong.place)[:2]) for step in again.steps if step.leg in front]
    assert min(near) > 0.008
    # No later step moves with it.
    changed = sum(bool(np.abs(a.place - b.place).max() > CELL) for a, b in zip(first.steps, again.steps, strict=True))
    assert changed <= 3


def basins(sound: np.ndarray, width: float = 0.02) -> tuple[np.ndarray, np.ndarray]:
    """Spots (n, 2) and prices (n,) of the basins around the middle of a grid of 2.5 mm whose other ground is dear."""
    course = noisy("flat", 0.3, 1)
    scene = SearchedCourse.of(course, SETTINGS).scene._replace(x=0.0, y=0.0, spacing=0.0025)
    lattice = np.arange(-0.07, 0.07 + 1e-9, 0.0025)
    spots, prices, ground = np.empty((12, 2)), np.empty(12), np.empty(12)
    grid, middle = np.where(sound, 0.0, 20.0), np.array([0.1, 0.1])
    count = find_basins(scene, grid, middle, lattice, width, 0.008, spots, prices, ground)
    return spots[:count] - middle, prices[:count]


def test_level_ground_is_one_basin_without_a_price_where_the_step_should_go():
    spots, prices = basins(np.ones((81, 81), dtype=bool))
    assert spots.shape == (1, 2)
    assert np.abs(spots).max() < 1e-6
    assert abs(prices[0]) < 0.01


def test_a_basin_with_more_sound_places_comes_before_a_small_one_that_begins_as_near():
    x, y = np.meshgrid(np.arange(81) * 0.0025 - 0.1, np.arange(81) * 0.0025 - 0.1, indexing="ij")
    wide = (np.abs(x - 0.04) < 0.012) & (np.abs(y) < 0.012)
    small = (np.abs(x + 0.0325) < 0.0026) & (np.abs(y) < 0.0026)
    spots, prices = basins(wide | small)
    assert spots[0, 0] > 0.028
    assert spots[1, 0] == pytest.approx(-0.0325, abs=3e-3)
    assert prices[0] < prices[1] - 0.05
    assert np.abs(spots[:, 1]).max() < 1e-3


def test_noise_changes_an_edge_of_some_millimetres_by_less_than_single_differences_do():
    course = noisy("flat", 0.3, 1, noise=0.0)
    heights = course.map.heights.copy()
    heights[60:] += 0.008
    drawn = []
    for seed in range(6):
        seen = heights + np.random.default_rng(seed).uniform(-1e-3, 1e-3, heights.shape)
        other = replace(course, map=ElevationMap(seen, course.map.origin, course.map.spacing), reserve=0.0)
        drawn.append(unsoundness(other, FootholdLimits())[59, 5:-5])
    assert np.mean(drawn) == pytest.approx((0.008 / 0.0147 - 0.2) / 0.55, abs=0.1)
    assert np.std(drawn, axis=0).mean() < 0.06


@pytest.mark.slow
def test_where_no_regular_gait_leads_on_the_search_does():
    course = noisy("barrier", 0.6, 1)
    ground = SearchedCourse.of(course, SETTINGS)
    sides = usual_sides(course, SETTINGS)
    assert regular_plan(ground, SETTINGS, sides) is None
    plan = plan_footsteps(course)
    assert plan.stances()[-1][:, 0].mean() > course.goal[0] - SETTINGS.tolerance - 1e-9
