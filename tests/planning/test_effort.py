"""What a walk asks of the joints that carry it, and walks of robots whose joints are weak."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from andante.control.crawl.load import load_torques
from andante.kinematics.leg_table import LeggedBody
from andante.planning.course import KnownCourse
from andante.planning.feasibility.carrying import efforts
from andante.planning.walk.rehearsal import RehearsalLimits, rehearse
from andante.planning.walk.settings import PlanSettings
from andante.planning.walk.trials import plan_course
from andante.planning.walk_plan import WalkPlan
from andante.robots.declared import with_limits
from andante.robots.robot import Robot
from andante.spatial.rotation_kernels import from_rpy, to_matrix
from andante.terrain.boards.make import make_board

WEAK = 1.2
"""Torque of weak joints [N m]."""


def _course(torque: float, seed: int) -> KnownCourse:
    body = LeggedBody.of(with_limits(Robot.load("littledog"), torque=torque))
    board = make_board("blocks", 0.5, seed, values={"height": 0.035})
    x, y = board.start[:2]
    places = np.array([[x + a, y + b] for a, b in ((0.08, 0.08), (0.08, -0.08), (-0.08, 0.08), (-0.08, -0.08))])
    feet = np.column_stack([places, board.heights.at(places) + body.table.radius])
    return KnownCourse(body, board.map, feet, np.array([x, y, feet[:, 2].mean() + 0.115]), np.eye(3), board.goal)


@cache
def _walk(torque: float, seed: int, effort: float) -> WalkPlan:
    plan = plan_course(_course(torque, seed), PlanSettings(rehearsal=RehearsalLimits(effort=effort))).plan
    assert plan is not None
    return plan


@pytest.mark.slow
def test_shares_are_those_of_the_torques_that_the_controller_feeds_forward() -> None:
    course, plan = _course(WEAK, 0), _walk(WEAK, 0, 9.0)
    shares, legs = efforts(course.body, plan)
    assert ((shares > 0.0) == (plan.swinging >= 0)).all()
    assert ((legs >= 0) == (plan.swinging >= 0)).all()
    # Ticks on which the zero moment point is inside, so that both ways to share the load are exact.
    inside = np.flatnonzero((plan.swinging >= 0) & (plan.margin > 1e-4))
    assert len(inside) > 0.5 * len(plan.com)
    for k in inside[::7]:
        weights = (np.arange(4) != plan.swinging[k]).astype(float)
        rotation = to_matrix(from_rpy(plan.rpy[k]))
        torques = load_torques(
            course.body.table, plan.angles[k], rotation, plan.feet[k], weights, plan.com[k], plan.zmp[k]
        )
        asked = np.abs(torques).max(axis=1) * weights / WEAK
        assert shares[k] == pytest.approx(asked.max(), rel=1e-6)
        assert legs[k] == np.argmax(asked)


def test_a_load_beyond_a_leg_is_found_in_its_step_with_the_leg_that_bears_it() -> None:
    plan = _walk(WEAK, 0, 9.0)
    checks = rehearse(_course(WEAK, 0), plan, RehearsalLimits(effort=9.0)).checks
    worst = max(checks, key=lambda check: check.effort)
    swing = plan.swings[worst.step]
    assert worst.bearer not in (-1, swing.leg)
    second = sorted(check.effort for check in checks)[-2]
    limits = RehearsalLimits(effort=0.5 * (worst.effort + second))
    found = rehearse(_course(WEAK, 0), plan, limits)
    assert found.too_strained() == (worst.step,)
    assert not found.passed
    assert found.too_strained(2.0 * (worst.effort - limits.effort)) == ()
    assert found.too_strained(0.5 * (worst.effort - limits.effort)) == (worst.step,)


@pytest.mark.slow
def test_weak_robots_walk_otherwise() -> None:
    over = []
    for effort in (9.0, RehearsalLimits().effort):
        # Boards on which a weak joint is strained where nothing is asked: two of the four among the first eight, one
        # on which asking helps wholly and one on which it helps in part.
        shares = [efforts(_course(WEAK, seed).body, _walk(WEAK, seed, effort))[0] for seed in (1, 6)]
        over.append(0.01 * sum((each > 1.0).sum() for each in shares))
    # Seconds in which a joint would need more than it has.
    assert over[0] > 0.3
    assert over[1] < 0.5 * over[0]


@pytest.mark.slow
def test_strong_robots_walk_as_if_nothing_was_asked() -> None:
    strong = [_walk(25.0, 1, effort).angles.tobytes() for effort in (9.0, RehearsalLimits().effort)]
    assert strong[0] == strong[1]


def test_what_is_missing_counts_by_what_is_much() -> None:
    course, plan = _course(WEAK, 0), _walk(WEAK, 0, 9.0)
    found = rehearse(course, plan, RehearsalLimits(effort=0.5, foot=-1.0, body=-1.0, trunk=-1.0))
    excess = sum(max(check.effort - 0.5, 0.0) for check in found.checks)
    assert found.missing(0.008, 0.1) == pytest.approx(excess / 0.1)
    hard = replace(found, limits=found.limits.changed(effort=9.0, foot=0.1))
    short = sum(max(0.1 - check.foot, 0.0) for check in hard.checks)
    assert hard.missing(0.008, 0.1) == pytest.approx(short / 0.008)
