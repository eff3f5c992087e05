"""Wide gaps: feet know what lies before and behind them, and searches get all four across."""

import numpy as np
import pytest
from courses import stand

from andante.planning.footsteps.body_path import BodyPath
from andante.planning.footsteps.footholds import FootholdCosts
from andante.planning.footsteps.obstacles import Gaps
from andante.planning.footsteps.search import plan_footsteps
from andante.terrain.boards.make import make_board
from andante.terrain.height_map import HeightMap


def test_a_gap_is_passed_behind_it_and_its_brink_is_counted_down_to():
    ground = HeightMap(np.zeros((201, 41)), np.array([0.0, -0.1]), 0.005)
    cost = np.zeros((201, 41))
    # From 0.405 to 0.595 m there is no foothold: 0.2 m from the last to the first.
    cost[81:120] = np.inf
    points = np.stack([np.arange(0.0, 1.0, 0.01), np.zeros(100)], axis=-1)
    path = BodyPath.__new__(BodyPath)
    for name, value in {"points": points, "headings": np.zeros(100), "spacing": 0.01}.items():
        object.__setattr__(path, name, value)
    gaps = Gaps.of(path, ground, FootholdCosts(cost, cost), np.array([0.05, -0.05]), 0.01, 1.0)
    assert gaps.passed[:, [0, 40]].max() == 0
    assert gaps.passed[:, [60, 99]].min() == 1
    assert gaps.brink[0, [10, 40]] == pytest.approx([0.30, 0.0])
    assert gaps.brink[0, 99] < 0.0


def test_footsteps_lead_over_a_gap_of_fourteen_centimetres():
    course = stand(make_board("gaps", 0.5, 200, values={"width": 0.14, "holes": 0.0}))
    plan = plan_footsteps(course)
    assert plan.stances()[-1][:, 0].mean() > course.goal[0] - 0.05
    heights = np.array([step.place[2] for step in plan.steps])
    assert heights.min() > 0.0
