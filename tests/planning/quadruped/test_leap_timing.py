"""Which feet stand before, in and after a leap: worked out by hand for a trot, and what holds for every gait."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from andante.planning.quadruped.body_plan import Primitive
from andante.planning.quadruped.gait import GAITS
from andante.planning.quadruped.leap_timing import LeapTiming

STEP = 0.03
FEET = 4


def kinds(*counts: int) -> np.ndarray:
    """A plan of so many steps of walk, push-off, flight and landing, again and again."""
    motions = (Primitive.CONNECT, Primitive.LEAP_STANCE, Primitive.FLIGHT, Primitive.LAND_STANCE)
    return np.concatenate([np.full(count, motions[n % 4], dtype=np.int64) for n, count in enumerate(counts)])


def followed(gait: str, plan: np.ndarray, count: int) -> np.ndarray:
    """What the first interval of every plan has when it is followed row by row."""
    timing = LeapTiming(GAITS[gait].pattern(STEP), plan)
    return np.array([timing.contact(row, row, 25)[0] for row in range(count)])


def lines(contact: np.ndarray) -> list[str]:
    """One line for each foot: # stands, . swings."""
    return ["".join("#" if each else "." for each in foot) for foot in contact.T]


def test_a_trot_comes_to_its_leap_with_one_pair_about_to_land():
    # Without stretching, 20 steps of a trot of 12 end 8 steps into the pattern. The next moment a step before a
    # touch-down is 11 of the second period, so 23 steps are made in 20: front left and hind right have swung five.
    # The others have stood for six by then, and leave the ground two steps before the take-off.
    contact = followed("trot", kinds(20, 5, 4, 5, 12), 46)
    walk, push, flight, land = contact[:20], contact[20:25], contact[25:29], contact[29:34]
    phases = np.floor(1.15 * np.arange(20) + 1e-6).astype(int)
    np.testing.assert_array_equal(walk, GAITS["trot"].pattern(STEP)[phases % 12])
    assert lines(push) == ["#####", "###..", "###..", "#####"]
    assert not flight.any()
    # Front right and hind left swing first: they are lifted two steps before the landing ends, as if three had passed.
    assert lines(land) == ["#####", "###..", "###..", "#####"]
    assert lines(contact[34:46]) == ["###......###", "...######...", "...######...", "###......###"]


def test_the_horizon_tells_what_will_be_done():
    plan = kinds(20, 5, 4, 5, 12)
    timing = LeapTiming(GAITS["trot"].pattern(STEP), plan)
    done = followed("trot", plan, 46)
    for row in range(46 - 25):
        np.testing.assert_array_equal(timing.contact(row, row, 25), done[row : row + 25])


@pytest.mark.slow
@settings(deadline=None, max_examples=25, phases=(Phase.explicit, Phase.generate))
@given(
    gait=st.sampled_from(sorted(GAITS)),
    walk=st.integers(30, 120),
    push=st.integers(4, 6),
    flight=st.integers(5, 12),
    between=st.integers(30, 60),
)
def test_feet_are_down_for_push_and_landing_and_up_in_flight(gait, walk, push, flight, between):
    plan = kinds(walk, push, flight, push, between, push, flight, push, 20)
    contact = followed(gait, plan, len(plan))
    assert not contact[plan == Primitive.FLIGHT].any()
    for kind in (Primitive.LEAP_STANCE, Primitive.LAND_STANCE):
        rows = np.flatnonzero(plan == kind).reshape(-1, push)
        # All feet push in the first half of a push-off, and bear in the first half of a landing.
        for each in rows:
            assert contact[each[: push // 2]].all()


@pytest.mark.slow
@settings(deadline=None, max_examples=25, phases=(Phase.explicit, Phase.generate))
@given(gait=st.sampled_from(["trot", "running-trot", "pace", "bound", "pronk"]), walk=st.integers(36, 150))
def test_no_swing_of_the_run_up_is_cut_short(gait, walk):
    plan = kinds(walk, 5, 8, 5, 20)
    contact = followed(gait, plan, walk + 5)
    swing = int((~GAITS[gait].pattern(STEP)[:, 0]).sum())
    for foot in range(FEET):
        edges = np.flatnonzero(np.diff(np.concatenate([[True], contact[:, foot]]).astype(int)))
        # Swings that begin after the first period; from here on the pace differs little from 1.
        swings = [up - down for down, up in zip(edges[::2], edges[1::2], strict=False) if down > 12]
        assert min(swings) >= swing - 2, swings


def test_rows_before_and_after_the_plan_are_walked():
    timing = LeapTiming(GAITS["trot"].pattern(STEP), kinds(12, 4, 5, 4, 2))
    assert timing.contact(7, -3, 6).tolist() == GAITS["trot"].pattern(STEP)[:6].tolist()
    late = [timing.contact(40 + k, 30 + k, 1)[0] for k in range(24)]
    assert np.mean(late, axis=0) == pytest.approx([0.5] * FEET)


@pytest.mark.parametrize(
    ("walk", "pace"),
    # A trot of twelve steps is about to land after 5, 11, 17, 23: the nearest of these is made in the walk's steps, as
    # far as three quarters to four thirds of its pace allow.
    [(16, 17 / 16), (17, 1.0), (19, 17 / 19), (22, 23 / 22), (9, 11 / 9), (15, 17 / 15), (14, 11 / 14), (7, 0.75),
     (3, 1.33), (5, 1.0), (40, 41 / 40)],
)  # fmt: skip
def test_the_pace_before_a_leap_is_that_of_the_nearest_touch_down(walk, pace):
    timing = LeapTiming(GAITS["trot"].pattern(STEP), kinds(walk, 4, 5, 4, 8))
    timing.contact(0, 0, 25)
    assert timing.phase(1, 1) == pytest.approx(pace)
    assert timing.phase(2, 2) == pytest.approx(2.0 * pace)
    assert LeapTiming(GAITS["trot"].pattern(STEP), kinds(walk, 4, 5, 4, 8)).phase(9, 9) == 0.0


@pytest.mark.parametrize(("gait", "resumed"), [("trot", 3), ("bound", 3), ("pace", 3), ("pronk", 9)])
def test_after_a_landing_the_first_feet_have_swung_three_steps(gait, resumed):
    pattern = GAITS[gait].pattern(STEP)
    contact = followed(gait, kinds(24, 5, 6, 5, 12), 52)
    after = contact[40:52]
    wanted = [pattern[(resumed + k) % len(pattern)].tolist() for k in range(12)]
    assert after.tolist() == wanted
    # They are lifted two steps before the landing's end, as the gait then has them.
    assert contact[38:40].tolist() == [pattern[resumed].tolist()] * 2
    assert contact[35:38].all()


def timing(*counts: int, gait: str = "trot") -> LeapTiming:
    return LeapTiming(GAITS[gait].pattern(STEP), kinds(*counts))


@pytest.mark.parametrize("jumps", [(0, 3, 5, 9, 14, 18, 21, 24, 26, 28), (0, 17, 29), (2, 8, 19, 23), (0, 27)])
def test_intervals_without_a_plan_pass_as_others_do(jumps):
    # Up to the landing: rows of the walk at its pace, then push and flight row by row.
    each, few = timing(20, 5, 4, 5, 12), timing(20, 5, 4, 5, 12)
    for row in range(jumps[0], 30):
        contact = each.contact(100 + row, row, 25)
        if row in jumps:
            np.testing.assert_array_equal(few.contact(100 + row, row, 25), contact)
            assert few.phase(101 + row, row + 1) == pytest.approx(each.phase(101 + row, row + 1))


def test_the_first_interval_counts_though_it_is_the_grid_s_first():
    own = timing(20, 5, 4, 5, 12)
    assert own.phase(0, 0) == own.phase(9, 9) == 0.0
    own.contact(0, 0, 1)
    assert own.phase(0, 0) == 0.0
    assert own.phase(1, 1) == pytest.approx(1.15)


def test_before_its_first_row_a_plan_is_come_to_at_the_pace_of_that():
    own = timing(20, 5, 4, 5, 12)
    own.contact(5, -3, 1)
    assert own.phase(6, -2) == pytest.approx(1.15)
    # After its last row, the first behind it included, the gait goes on as it is.
    for row in (45, 46, 47, 60):
        last = timing(20, 5, 4, 5, 12)
        assert last.contact(5, row, 3).tolist() == GAITS["trot"].pattern(STEP)[:3].tolist()
        assert last.phase(6, row + 1) == 1.0


def test_landings_of_a_row_or_two_have_all_feet_down_in_their_first():
    pattern = GAITS["trot"].pattern(STEP)
    for count, last in ((1, True), (2, False), (3, False)):
        contact = followed("trot", kinds(20, 5, 4, count, 12), 29 + count + 6)
        assert contact[29].all()
        assert contact[28 + count].all() == last
        assert contact[29 + count :].tolist() == pattern[3:9].tolist()


def test_a_flight_that_nobody_lands_from_is_left_in_the_step_in_which_the_push_off_was():
    # 23 steps in the walk's 20, five in the push, none in the flight: the 28th is the fourth of the third period.
    told = timing(20, 5, 4, 0, 12).contact(0, 0, 40)
    pattern = GAITS["trot"].pattern(STEP)
    assert told[29:40].tolist() == [pattern[(28 + k) % 12].tolist() for k in range(11)]


def test_a_step_that_is_reached_but_for_rounding_is_reached():
    own = timing(20, 5, 4, 5, 12)
    for phase, row in ((6.0 - 0.9e-6, 6), (6.0 - 1.5e-6, 5), (6.0, 6), (12.0 - 0.5e-6, 0)):
        assert own._standing(phase).tolist() == GAITS["trot"].pattern(STEP)[row].tolist()


@pytest.mark.parametrize(("walk", "pace"), [(1, 1.33), (3, 1.33), (5, 1.33), (10, 1.1), (14, 11 / 14), (18, 23 / 18)])
def test_a_gait_whose_feet_land_together_hastens_to_its_next_landing_and_to_none_behind_it(walk, pace):
    # A pronk of twelve steps is about to land after 11, 23, ...
    own = timing(walk, 4, 5, 4, 8, gait="pronk")
    own.contact(0, 0, 1)
    assert own.phase(1, 1) == pytest.approx(pace)


def test_before_a_plan_that_ends_in_a_landing_the_gait_is_walked():
    own = timing(20, 5, 4, 5)
    pattern = GAITS["trot"].pattern(STEP)
    for row in (-1, -2, 34, 35):
        assert LeapTiming(pattern, own._kinds).contact(0, row, 1).tolist() == pattern[:1].tolist()
