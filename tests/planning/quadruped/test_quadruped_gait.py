"""Which feet stand when: patterns worked out by hand, overrides by leaps, changes of gait."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from andante.documents.settings import SettingsError
from andante.planning.quadruped.body_plan import Primitive
from andante.planning.quadruped.gait import GAITS, Gait, GaitError, contact_schedule, gait_of, of_size

STEP = 0.03


def lines(contact: np.ndarray) -> list[str]:
    """One line for each foot: # stands, . swings."""
    return ["".join("#" if each else "." for each in foot) for foot in contact.T]


@pytest.mark.parametrize(
    ("name", "feet"),
    [
        # Hind left, two steps later hind right, and half a period after these the front feet.
        ("gallop", ["......######", "##......####", "######......", "..######...."]),
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
        {"offsets": (0.0, -1e-9, 0.0, 0.0)},
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


@pytest.mark.parametrize("off", [-4e-8, 0.0, 4e-8])
def test_stances_that_miss_the_grid_by_rounding_are_on_it(off):
    # Twelve steps: half a millionth of a step is none.
    offsets, duty = (0.25 + off, 0.5 + off, 0.75 + off, 0.25), (0.5, 0.5 - off, 0.5 + off, 0.25 + off)
    pattern = Gait(offsets=offsets, duty=duty).pattern(STEP)
    assert lines(pattern) == ["...######...", "......######", "###......###", "...###......"]


@pytest.mark.parametrize("off", [-4e-7, 4e-7])
def test_stances_that_miss_the_grid_by_more_are_not(off):
    # What begins or ends five millionths of a step later does so a step later.
    pattern = Gait(offsets=(0.25 + off, 0.75 + off, 0.25, 0.75), duty=(0.5, 0.5, 0.5 + off, 0.5 + off)).pattern(STEP)
    late = ["....######..", "####......##", "...#######..", "####.....###"]
    assert lines(pattern) == (late if off > 0.0 else ["...######...", "###......###", "...######...", "###......###"])


@pytest.mark.parametrize(("lacks", "fits"), [(0.0, True), (0.7e-6, True), (1.5e-6, False)])
def test_a_stance_or_swing_that_lacks_a_millionth_of_a_step_is_a_step(lacks, fits):
    for duty in ((1.0 - lacks) / 3.0, (2.0 + lacks) / 3.0):
        gait = Gait(period=3 * STEP, duty=(duty, 0.5, 0.5, 0.5))
        if fits:
            assert gait.steps(STEP) == 3
        else:
            with pytest.raises(GaitError, match="at least one step"):
                gait.steps(STEP)


@pytest.mark.parametrize(("parts", "steps"), [(13, 13), (16, 16), (17, None), (18, None)])
def test_periods_up_to_twice_the_wanted_one_and_a_dozen_steps_are_looked_at(parts, steps):
    # Two steps are wanted, so sixteen are the most.
    odd = Gait(period=2 * STEP, offsets=(0.0, 1.0 / parts, 2.0 / parts, 3.0 / parts))
    found = of_size(odd, 1.0, STEP)
    if steps is None:
        assert found is odd
    else:
        assert found.period == pytest.approx(steps * STEP)


def test_offsets_that_miss_an_interval_by_rounding_begin_with_it():
    # Of 24 steps: twelve millionths of a step off, where 24 millionths are allowed.
    assert of_size(Gait(offsets=(0.0, 0.5000005, 0.5, 0.0)), 4.0, STEP).period == pytest.approx(0.72)
    # Of any number of steps they would be twice as much off as is allowed.
    odd = Gait(offsets=(0.0, 0.500002, 0.5, 0.0))
    assert of_size(odd, 4.0, STEP) is odd


def test_a_gait_is_read_as_it_is_made():
    assert Gait.model_validate({"period": 0.3}) == Gait(period=0.3)
