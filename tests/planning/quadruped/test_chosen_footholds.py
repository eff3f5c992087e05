"""Footholds by a rule: what it is asked for each touch-down, and what becomes of its answers."""

from __future__ import annotations

import math
from typing import ClassVar

import numpy as np
import pytest

from andante.planning.quadruped.foothold_rule import FootholdRule, FootholdStep, choose_footholds
from andante.planning.quadruped.footholds import LegsNow, PlannedFeet, StepRules
from andante.planning.quadruped.ground import Ground
from andante.plugins.errors import PluginError

REACH, THRESHOLD = 0.25, 0.6
RULES = StepRules(
    **{name: 0.0 for name in StepRules._fields if name not in ("reach", "threshold")},
    reach=REACH,
    threshold=THRESHOLD,
)
COUNTS = (2, 1, 0, 3)


class Answers(FootholdRule):
    """Gives what it is told to, the wanted place where it is told nothing, and keeps what it was asked."""

    asked: ClassVar[list[FootholdStep]] = []
    given: ClassVar[dict[tuple[int, int], object]] = {}

    def choose(self, step: FootholdStep) -> tuple[float, float] | None:
        self.asked.append(step)
        return self.given.get((step.leg, step.number), step.wanted)  # type: ignore[return-value]


@pytest.fixture
def rule():
    Answers.asked.clear()
    Answers.given.clear()
    return Answers()


def asked(rule: FootholdRule):
    """Four legs with 2, 1, 0 and 3 coming touch-downs; where legs 1 and 2 came down last is not known."""
    flat = np.zeros((41, 41))
    ground = Ground(0.0, 0.0, 0.1, flat, flat, flat, flat, np.ones((41, 41)))
    planned = PlannedFeet.empty(4)
    planned.counts[:] = COUNTS
    for leg in range(4):
        for number in range(6):
            planned.wanted[leg, number] = leg + 0.1 * number, 2.0, leg + 0.1 * number - 0.05, 2.01, 0.3 + 0.01 * number
            planned.swings[leg, number, :2] = -1.0, leg + 0.25 * number
    before = np.full((4, 3), np.nan)
    before[0], before[3] = (0.02, 2.03, 0.0), (3.04, 2.05, 0.0)
    zeros = np.zeros(4)
    legs = LegsNow(np.zeros((4, 3)), zeros, zeros, np.zeros((4, 3)), zeros, before)
    return ground, *choose_footholds(rule, ground, RULES, legs, planned)


def test_a_rule_is_asked_once_for_each_touch_down_with_all_that_is_known_of_it(rule):
    ground, chosen, lost = asked(rule)
    steps = Answers.asked
    assert [(step.leg, step.number) for step in steps] == [(0, 0), (0, 1), (1, 0), (3, 0), (3, 1), (3, 2)]
    for step in steps:
        x = step.leg + 0.1 * step.number
        assert step.wanted == (x, 2.0)
        assert step.hip == (x - 0.05, 2.01, 0.3 + 0.01 * step.number)
        assert step.time == step.leg + 0.25 * step.number
        assert (step.reach, step.threshold) == (REACH, THRESHOLD)
        # The planner's own grids, which a rule cannot write.
        for shown, known in zip(step.ground, ground, strict=True):
            np.testing.assert_array_equal(shown, known)
        assert np.shares_memory(step.ground.height, ground.height)
        with pytest.raises(ValueError, match="read-only"):
            step.ground.height[0, 0] = 1.0
        assert chosen[step.leg, step.number].tolist() == [x, 2.0]
    # Only the next touch-down was planned for 10 ms ago.
    assert [step.before for step in steps] == [(0.02, 2.03), None, None, (3.04, 2.05), None, None]
    assert np.isnan(chosen).sum() == 2 * (4 * 6 - sum(COUNTS))
    assert not lost.any()


def test_a_leg_is_lost_where_its_next_touch_down_has_no_place_not_a_later_one(rule):
    Answers.given.update({(0, 1): None, (1, 0): None, (3, 0): None, (3, 2): None})
    _, chosen, lost = asked(rule)
    assert lost.tolist() == [False, True, False, True]
    # The wanted place is taken in its stead.
    assert chosen[0, 1].tolist() == [0.1, 2.0]
    assert chosen[1, 0].tolist() == [1.0, 2.0]


def test_places_beyond_the_reach_are_drawn_in_towards_the_hip(rule):
    hip = np.array([0.0 - 0.05, 2.01])
    way = np.array([math.cos(2.0), math.sin(2.0)])
    Answers.given.update({(0, 0): tuple(hip + 0.7 * way), (1, 0): (1.0 - 0.05 + 0.2, 2.01)})
    _, chosen, lost = asked(rule)
    assert chosen[0, 0] == pytest.approx(hip + REACH * way)
    assert chosen[1, 0].tolist() == [1.0 - 0.05 + 0.2, 2.01]
    assert not lost.any()


@pytest.mark.parametrize("place", [(math.nan, 0.0), (1.0,), "here", (1.0, 2.0, 3.0)])
def test_an_answer_that_is_no_place_is_told_with_the_rule(rule, place):
    Answers.given[1, 0] = place
    with pytest.raises(PluginError, match="foothold rule 'Answers'"):
        asked(rule)
