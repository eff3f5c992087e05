"""Which feet stand when: patterns worked out by hand, overrides by leaps, changes of gait."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from andante.documents.settings import SettingsError
from andante.planning.quadruped.body_plan import Primitive
from andante.planning.quadruped.gait import GAITS, Gait, GaitError, contact_schedule, gait_of

STEP = 0.03


def lines(contact: np.ndarray) -> list[str]:
    """One line for each foot: # stands, . swings."""
    return ["".join("#" if each else "." for each in foot) for foot in contact.T]


@pytest.mark.parametrize(
    ("name", "feet"),
    [
        ("trot", ["######......", "......######", "......######", "######......"]),
        ("pace", ["#####.....", ".....#####", "#####.....", ".....#####"]),
        ("bound", ["#####.....", "#####.....", ".....#####", ".....#####"]),
        ("pronk", ["######......"] * 4),
        # Four tenths of ten steps, and a moment of flight after each pair.
        ("running-trot", ["####......", ".....####.", ".....####.", "####......"]),
        # Three feet down at any time; each swings a quarter: hind left, front left, hind right, front right.
        (
            "walk",
            [
                "######......".replace("######......", "......") + "##################",
                "############......######",
                "##################......",
                "######......############",
            ],
        ),
    ],
)
def test_patterns_are_those_worked_out_by_hand(name, feet):
    assert lines(gait_of(name).pattern(STEP)) == feet


@pytest.mark.parametrize("name", GAITS)
def test_every_foot_of_a_shipped_gait_stands_for_its_duty_factor(name):
    gait = GAITS[name]
    pattern = gait.pattern(STEP)
    assert pattern.mean(axis=0) == pytest.approx(gait.duty, abs=0.5 / len(pattern))


@given(
    offsets=st.tuples(*[st.floats(0.0, 0.99)] * 4),
    duty=st.tuples(*[st.floats(0.2, 0.9)] * 4),
    steps=st.integers(10, 30),
    phase=st.integers(0, 100),
)
def test_a_schedule_repeats_after_a_period_wherever_it_begins(offsets, duty, steps, phase):
    pattern = Gait(period=steps * STEP, duty=duty, offsets=offsets).pattern(STEP)
    assert len(pattern) == steps
    schedule = contact_schedule(pattern, phase, 3 * steps)
    np.testing.assert_array_equal(schedule[steps:], schedule[:-steps])
    np.testing.assert_array_equal(schedule[0], pattern[phase % steps])
    # A foot's stance is in one piece, so it is lifted once in a period.
    for foot in schedule.T:
        lifts = np.count_nonzero(foot[:-1] & ~foot[1:])
        assert lifts <= 3


def test_leaps_put_all_feet_down_and_flight_lifts_them():
    primitives = np.array(
        [Primitive.CONNECT, Primitive.LEAP_STANCE, Primitive.FLIGHT, Primitive.FLIGHT, Primitive.LAND_STANCE]
    )
    landed = np.zeros((5, 4), dtype=np.bool_)
    landed[3] = True
    contact = contact_schedule(GAITS["trot"].pattern(STEP), 7, 5, primitives, landed)
    assert contact.tolist() == [[False, True, True, False], [True] * 4, [False] * 4, [True] * 4, [True] * 4]
    # A foot that comes down alone stands alone.
    landed[2:4] = [False, True, False, False]
    contact = contact_schedule(GAITS["trot"].pattern(STEP), 7, 5, primitives, landed)
    assert contact[2:].tolist() == [[False, True, False, False], [False, True, False, False], [True] * 4]


def test_a_gait_that_nobody_knows_is_named_with_those_that_are():
    with pytest.raises(GaitError) as error:
        gait_of("canter")
    assert "canter" in str(error.value)
    assert "running-trot" in str(error.value)


@pytest.mark.parametrize(
    "values",
    [
        {"duty": (1.0, 1.0, 1.0, 1.0)},
        {"duty": (0.5, 0.5, 0.5)},
        {"duty": (0.0, 0.5, 0.5, 0.5)},
        {"offsets": (1.0, 0.0, 0.0, 0.0)},
        {"period": 0.0},
        {"period": 1e9},
    ],
)
def test_patterns_that_cannot_be_walked_are_refused(values):
    with pytest.raises(SettingsError, match=next(iter(values))):
        Gait(**values)


def test_a_foot_needs_a_whole_step_of_the_grid():
    with pytest.raises(GaitError, match="at least one step"):
        Gait(period=0.06, duty=(0.1, 0.5, 0.5, 0.5)).pattern(STEP)
