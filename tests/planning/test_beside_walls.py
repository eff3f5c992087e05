"""Feet keep off walls beside which they would come down, and stand there where no other way leads on."""

from __future__ import annotations

import math

import numpy as np
import pytest
from courses import RADIUS, stand

from andante.planning.course import NoPlanError
from andante.planning.footsteps.footholds import Features, FootholdLimits, walled
from andante.planning.footsteps.search import plan_footsteps
from andante.planning.footsteps.settings import FootstepSettings
from andante.planning.walk.trials import plan_course
from andante.terrain.height_map import HeightMap
from andante.terrain.terrain import Terrain

SPACING = 0.005
LIMITS = FootholdLimits()


def ground(height):
    """1.2 x 0.4 m of ground of these heights by x and y [m]."""
    x, y = np.meshgrid(np.arange(241) * SPACING, np.arange(-40, 41) * SPACING, indexing="ij")
    heights = np.broadcast_to(height(x, y), x.shape).astype(float)
    return Terrain.of_heights("made", HeightMap(heights, (0.0, -0.2), SPACING), start=(0.25, 0.0), goal=(0.95, 0.0))


def touching(x, edge, height):
    """Height of a ball's centre over ground that is ``height`` from an edge on, by Pythagoras [m]."""
    if x >= edge:
        return height + RADIUS
    away = edge - x
    return max(RADIUS, height + math.sqrt(RADIUS**2 - away**2)) if away < RADIUS else RADIUS


@pytest.mark.parametrize("height", [0.004, 0.008, 0.02, 0.05])
def test_nodes_below_a_wall_are_refused_as_far_as_a_foot_and_the_gap_reach(height):
    edge = 0.6
    course = stand(ground(lambda x, y: np.where(x > edge - 1e-9, height, 0.0)))
    refused = walled(course, LIMITS)
    assert (refused == refused[:, :1]).all()
    for i, x in enumerate(np.arange(241) * SPACING):
        highest = max(touching(x + shift, edge, height) for shift in (-0.01, -0.005, 0.0, 0.005, 0.01))
        assert refused[i, 0] == (highest - touching(x, edge, height) > LIMITS.wall), x
    # Who stands on top may be near the edge as before.
    assert not refused[round(edge / SPACING) :].any()
    assert refused.any() == (height > 0.006)
    allowed = Features.of(course).allowed
    assert not (allowed & refused).any()


@pytest.mark.slow
def test_a_robot_walks_between_ridges_where_there_is_no_other_place():
    """In grooves of 40 mm a foot stands at most 10 mm from the ridges; on ridges of 10 mm no foot stands at all."""
    terrain = ground(lambda x, y: np.where((x > 0.4) & (np.round(y / SPACING) % 10 < 2.5), 0.02, 0.0))
    course = stand(terrain)
    with pytest.raises(NoPlanError):
        plan_footsteps(course, FootstepSettings())
    walk = plan_course(course)
    assert walk.plan is not None
    assert walk.error is None
    near = walled(course, LIMITS)
    places = np.array([step.place for step in walk.plan.footsteps.steps])
    i, j = np.round((places[:, :2] - course.ground.origin) / course.ground.spacing).astype(int).T
    assert near[i, j].any()


def test_where_nothing_leads_on_the_refusal_is_told_as_ever():
    course = stand(ground(lambda x, y: np.where(x > 0.6, 0.4, 0.0)))
    walk = plan_course(course)
    assert walk.plan is None
    assert "no leg gets over a step of 40.0 cm" in str(walk.error)
