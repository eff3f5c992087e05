"""Footholds at their borders: what lies exactly at a limit, which of two equal places is taken, room for results.

Numbers here are sums of powers of two where something is exactly at a limit, so that nothing is rounded.
"""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest

from andante.planning.nmpc import dynamics
from andante.planning.quadruped import footholds, ground, swing_timing
from andante.planning.quadruped.footholds import (
    FREE,
    MOST_SWINGS,
    Horizon,
    LegsNow,
    PlannedFeet,
    StepRules,
    enclosing_circle,
    hips_at,
    nominal_foothold,
    plan_feet,
)
from andante.planning.quadruped.ground import Ground
from andante.terrain import lookup

NODE = 0.125
RULES = StepRules(
    height=0.25, capture=1.0, catch=0.25, clearance=0.0625, search=0.25, threshold=0.5, constancy=0.5, reach=0.5,
    apart=0.0, beside=0.0, hip_room=0.0625, tuck=0.5, landing=0.0625,
)  # fmt: skip
STANDS = np.array([[0.25, 0.125, 0.0], [0.25, -0.125, 0.0], [-0.25, 0.125, 0.0], [-0.25, -0.125, 0.0]])


@pytest.fixture
def plain(monkeypatch):
    """Kernels as Python, so that none is compiled for its test alone."""
    for module in (footholds, ground, swing_timing, dynamics, lookup):
        for name, thing in list(vars(module).items()):
            if hasattr(thing, "py_func"):
                monkeypatch.setattr(module, name, thing.py_func)


def made(good: Any = None, height: np.ndarray | None = None) -> Ground:
    """Ground from -2 m on with nodes every eighth of a metre; feet stand only at the nodes (i, j) from the origin."""
    level = np.zeros((33, 33))
    share = np.ones((33, 33)) if good is None else level.copy()
    for i, j in good or ():
        share[16 + i, 16 + j] = 1.0
    return Ground(-2.0, -2.0, NODE, level if height is None else height, level, level, level, share)


def placed(
    where: Ground,
    hip: tuple[float, float] = (0.25, -0.125),
    before: tuple[float, float] | None = None,
    times: tuple[float, float] = (0.0, 0.25),
    lifted: float = 0.0,
    **changes: float,
) -> tuple[list[float], bool]:
    """Where FR, the only foot in the air, comes down below a body that stays, and whether no foot can stand there."""
    contact = np.ones((2, 4))
    contact[0, 1] = 0.0
    reference = np.zeros((3, 12))
    reference[:, 2] = 0.25
    hips, last = STANDS.copy(), np.full((4, 3), np.nan)
    hips[1, :2] = hip
    if before is not None:
        last[1] = *before, 0.0
    asked = Horizon(
        np.array([*times, times[1] + 0.25]), contact, np.full(2, -np.inf), reference, np.zeros(2), np.zeros(2)
    )
    legs = LegsNow(hips, np.zeros(4), np.full(4, 0.25), STANDS, np.full(4, lifted), last)
    planned = PlannedFeet.empty(2)
    plan_feet(where, RULES._replace(**changes), asked, legs, FREE, planned)
    assert planned.counts.tolist() == [0, 1, 0, 0]
    return planned.swings[1, 0, 5:8].tolist(), bool(planned.unsafe[1])


def test_room_for_the_feet_has_a_row_for_each_interval_leg_and_swing():
    feet, swings, counts, unsafe, wanted = PlannedFeet.empty(7)
    assert (feet.shape, swings.shape, wanted.shape) == ((7, 4, 3), (4, 6, 12), (4, 6, 5))
    assert counts.tolist() == [0] * 4
    assert unsafe.tolist() == [False] * 4
    assert not swings.any()
    assert FREE.shape == (4, 6, 2)
    assert np.isnan(FREE).all()
    assert MOST_SWINGS == 6


@pytest.mark.parametrize("turned", [False, True])
def test_the_circle_around_three_points_of_a_line_is_around_the_outer_two_in_any_order(turned):
    ends = [(-3.0, 1.0), (1.0, -0.5), (9.0, -3.5)]
    for a, b, c in itertools.permutations(np.array(ends)[:, ::-1] if turned else np.array(ends)):
        x, y, radius = footholds._circle.py_func(a, b, c)
        assert (x, y) == pytest.approx((-1.25, 3.0) if turned else (3.0, -1.25))
        assert radius == pytest.approx(0.5 * math.hypot(12.0, 4.5))


def test_a_point_less_than_a_nanometre_outside_of_a_circle_is_in_it():
    inside = footholds._inside.py_func
    assert inside(1.0, 2.0, 0.5, 1.0 + 0.5 + 0.9e-9, 2.0)
    assert not inside(1.0, 2.0, 0.5, 1.0 + 0.5 + 1.1e-9, 2.0)
    assert inside(0.0, 0.0, 0.0, 0.0, 1e-9)


@pytest.mark.usefixtures("plain")
def test_a_hip_goes_on_with_the_body_in_all_three_axes():
    states = np.zeros((2, 12))
    states[1, :3], states[1, 5], states[1, 6:9] = (1.0, 2.0, 0.5), 0.5 * math.pi, (3.0, -4.0, 5.0)
    hip, shift = np.array([0.25, 0.125, -0.0625]), np.array([0.5, -0.25])
    # Facing y: what is ahead of the body is along y, what is to its left along -x.
    at = np.array([1.0 + 0.5 - 0.125, 2.0 - 0.25 + 0.25, 0.5 - 0.0625])
    assert footholds._hip(states, 1, shift, hip, 0.0) == pytest.approx(at)
    assert footholds._hip(states, 1, shift, hip, 0.5) == pytest.approx(at + 0.5 * np.array([3.0, -4.0, 5.0]))


def nominal(times: list[float], places: list[float], until: float, speed: float = 0.0) -> float:
    """x of a foot below a hip that is at these places, after its stance from the first row on."""
    rows = np.zeros((len(times), 12))
    rows[:, 0], rows[:, 6] = places, speed
    still = np.zeros(2)
    return nominal_foothold(RULES, np.array(times), rows, still, still, np.zeros(3), 0, until)[0]


def test_a_row_at_the_end_of_a_stance_belongs_to_it_but_for_a_nanosecond():
    for late, counts in ((0.0, True), (1e-9, True), (1.5e-9, False), (3e-9, False)):
        assert nominal([0.0 - 1.0, late, 1.0], [0.0, 4.0, 16.0], 0.0) == (2.0 if counts else 0.0), late
    # A stance that ends so little behind the horizon ends with it: at 10^8 m/s the body would go 10 or 15 cm more.
    for late, way in ((0.0, 0.0), (1e-9, 0.0), (1.5e-9, 0.15)):
        assert nominal([-1.0, 0.0], [0.0, 0.0], late, speed=1e8) == pytest.approx(0.5 * way), late


def test_of_a_stance_of_more_rows_than_there_is_room_for_the_first_count():
    times, places = [float(k) for k in range(70)], [2.0 * k for k in range(70)]
    assert nominal(times, places, 69.0) == 62.0
    assert nominal(times, places, 61.0) == 61.0
    # What lies behind the horizon always counts.
    assert nominal(times, places, 70.0, speed=2.0) == 70.0


def test_of_places_that_are_equally_near_the_one_behind_and_to_the_right_is_taken():
    at = (2, -1)
    around = [(-1, 0), (0, -1), (0, 1), (1, 0)]
    for count in range(1, 5):
        for given in itertools.combinations(around, count):
            found, unsafe = placed(made([(at[0] + i, at[1] + j) for i, j in given]))
            assert not unsafe
            assert found[:2] == [NODE * (at[0] + given[0][0]), NODE * (at[1] + given[0][1])], given


def test_the_nearest_place_counts_with_its_way_to_the_one_before():
    # One node ahead, or two behind where it was going to.
    ahead, behind = (3, -1), (0, -1)
    for weight, wanted in ((0.0, ahead), (0.3, ahead), (0.4, behind), (4.0, behind)):
        # One node and three times the weight against two: equal at a third.
        found, _ = placed(made([ahead, behind]), before=(0.0, -0.125), constancy=weight)
        assert found[:2] == [NODE * wanted[0], NODE * wanted[1]], weight
    # Sideways as well.
    left, right = (2, 0), (2, -3)
    for weight, wanted in ((0.3, left), (0.4, right)):
        found, _ = placed(made([left, right]), before=(0.25, -0.375), constancy=weight)
        assert found[:2] == [NODE * wanted[0], NODE * wanted[1]], weight


@pytest.mark.parametrize("way", [(2, 0), (-2, 0), (0, 2), (0, -2)])
def test_a_place_as_far_as_the_search_goes_is_found(way):
    where = made([(2 + way[0], -1 + way[1])])
    for search, found in ((0.25, True), (0.2499, False), (0.375, True)):
        assert placed(where, search=search)[1] != found, search


@pytest.mark.parametrize("way", [(2, 0), (-2, 0), (0, 2), (0, -2)])
def test_a_place_as_far_as_the_leg_reaches_is_found(way):
    where = made([(2 + way[0], -1 + way[1])])
    for reach, found in ((0.25, True), (0.2499, False)):
        assert placed(where, search=1.0, reach=reach)[1] != found, reach


def test_ground_of_just_the_least_traversability_is_not_looked_at_either():
    where = made([(3, -1)])
    where.traversability[16 + 3, 16 - 1] = 0.5
    assert placed(where)[1]
    where.traversability[16 + 3, 16 - 1] = 0.5625
    assert not placed(where)[1]


def stepped(rise: float) -> Ground:
    """Higher by a rise from x = 0.25 m on, within one node."""
    height = np.zeros((33, 33))
    height[18:] = rise
    return made(height=height)


def test_a_foot_under_way_changes_its_step_only_where_that_is_no_higher_than_the_clearance():
    for rise, stays in ((0.0625, False), (0.0703125, True), (-0.0625, False), (-0.0703125, True)):
        found, _ = placed(stepped(rise), before=(0.125, -0.125), lifted=-1.0)
        assert found == ([0.125, -0.125, 0.0] if stays else [0.25, -0.125, rise]), rise


def test_a_swing_is_under_way_after_more_than_three_tenths_of_its_time():
    for lifted, stays in ((-0.3, False), (-0.3000001, True)):
        found, _ = placed(stepped(0.5), before=(0.125, -0.125), lifted=lifted, times=(0.0, 0.7))
        assert (found[0] == 0.125) == stays, lifted
    # Of its own time, not of the time since the run began.
    for lifted, stays in ((1.0, False), (0.5, True)):
        found, _ = placed(stepped(0.5), before=(0.125, -0.125), lifted=lifted, times=(1.125, 1.5))
        assert (found[0] == 0.125) == stays, lifted


@pytest.mark.parametrize("away", [(-0.25, 0.0), (0.0, 0.25), (0.0, -0.25)])
def test_a_foot_under_way_keeps_its_step_as_far_as_the_leg_reaches(away):
    height = np.zeros((33, 33))
    height[18, 15] = 0.5
    for reach, stays in ((0.25, True), (0.2499, False)):
        before = 0.25 + away[0], -0.125 + away[1]
        found, _ = placed(made(height=height), before=before, lifted=-1.0, reach=reach)
        assert found[:2] == list(before if stays else (0.25, -0.125)), reach


@pytest.mark.parametrize("leg", [2, 3])
def test_a_hind_foot_stays_as_far_behind_its_front_foot_as_one_beside_another(leg):
    rules, behind = RULES._replace(beside=0.0625), footholds._behind_front.py_func
    contact = np.zeros((4, 4))
    contact[1:3, leg - 2] = 1.0
    standing = np.zeros((4, 3))
    standing[leg - 2] = 1.0, 2.0, 5.0
    yaw = math.atan2(3.0, 4.0)
    ahead, left = np.array([0.8, 0.6]), np.array([-0.6, 0.8])
    for along, kept in ((-0.5, -0.5), (-0.0625, -0.0625), (-0.03, -0.0625), (0.4, -0.0625)):
        place = standing[leg - 2, :2] + along * ahead + 0.3 * left
        wanted = standing[leg - 2, :2] + kept * ahead + 0.3 * left
        assert behind(rules, leg, yaw, standing, contact, 1, 3, *place) == pytest.approx(wanted)
        # Only where that one stands for all of the swing, and only a hind foot.
        for rows in ((0, 3), (1, 4)):
            assert behind(rules, leg, yaw, standing, contact, *rows, *place) == tuple(place)
        assert behind(rules, leg - 2, yaw, standing, contact, 1, 3, *place) == tuple(place)


@pytest.mark.parametrize("leg", range(4))
def test_a_foot_stays_on_its_own_side_of_its_neighbours_that_stand(leg):
    rules, apart = RULES._replace(apart=0.2, beside=0.1), footholds._kept_apart.py_func
    yaw = math.atan2(3.0, 4.0)
    ahead, left = np.array([0.8, 0.6]), np.array([-0.6, 0.8])
    side, front = (1.0 if leg % 2 == 0 else -1.0), (1.0 if leg < 2 else -1.0)
    standing = np.zeros((4, 3))
    for other, way, least in ((leg ^ 1, side * left, 0.1), (leg ^ 2, front * ahead, 0.2)):
        standing[:, :2] = 7.0
        standing[other, :2] = 1.0, 2.0
        across = np.array([-way[1], way[0]])
        stands = np.zeros(4)
        for along, own, kept in (
            (0.3, 0.5, 0.3),  # far enough
            (0.05, 0.5, least),  # too near
            (-0.4, 0.5, least),  # on the other side
            (-0.4, 0.12, 0.07),  # the gait itself asks for little more than nothing
            (-0.4, -0.2, -0.25),
            (-0.22, -0.2, -0.22),
        ):
            place, wanted = (np.array([1.0, 2.0]) + each * way + 0.3 * across for each in (along, kept))
            alone = np.array([1.0, 2.0]) + own * way - 0.1 * across
            stands[:] = 0.0
            assert apart(rules, leg, yaw, standing, stands, *place, *alone) == tuple(place)
            stands[other] = 1.0
            assert apart(rules, leg, yaw, standing, stands, *place, *alone) == pytest.approx(wanted), (other, along)


def apex(ridge: tuple[int, int] | None, start: Any, end: Any, hip: float = 9.0, flown: float = -math.inf) -> float:
    """Height of a swing's apex over ground with one high node, 25 cm."""
    height = np.zeros((33, 33))
    if ridge is not None:
        height[16 + ridge[0], 16 + ridge[1]] = 0.25
    return footholds._apex(made(height=height), RULES, np.array(start), np.array(end), hip, flown, 0.03125)


@pytest.mark.usefixtures("plain")
@pytest.mark.parametrize("way", [(1, 0), (0, 1), (-1, 1), (0, -1)])
def test_a_swing_rises_over_what_lies_at_the_eighths_of_its_way_and_over_nothing_else(way):
    start, end = (0.0, 0.0, 0.03125), (NODE * 8 * way[0], NODE * 8 * way[1], 0.03125)
    low = 0.03125 + 0.0625
    for k in range(1, 8):
        assert apex((k * way[0], k * way[1]), start, end) == 0.25 + low, k
    # Ends have heights of their own; what is beside or beyond them is not passed.
    for k in (0, 8, 9, -1, 10):
        assert apex((k * way[0], k * way[1]), start, end) == low, k
    # Between two points that are looked at a ridge is not seen.
    long = (2.0 * end[0], 2.0 * end[1], end[2])
    for k in (1, 3, 15):
        assert apex((k * way[0], k * way[1]), start, long) == low, k


@pytest.mark.usefixtures("plain")
def test_a_swing_is_as_high_as_its_ends_its_hip_and_its_flight_ask():
    start, end = (0.0, 0.0, 0.5), (1.0, 0.0, 0.125)
    assert apex(None, start, end) == apex(None, end, start) == 0.5 + 0.0625
    # A sixteenth below the hip, but half of the clearance above its ends in any case.
    assert apex(None, start, end, hip=0.609375) == 0.546875
    assert apex(None, start, end, hip=0.25) == 0.5 + 0.03125
    # Half of what the body flies above its height over the higher end's ground, 0.25 + 0.46875 m.
    assert apex(None, start, end, flown=0.71875 + 0.25) == apex(None, end, start, flown=0.71875 + 0.25) == 0.6875
    assert apex(None, start, end, flown=0.71875 - 0.25) == 0.5625


def test_one_foot_twice_is_one_point():
    same = np.array([[0.25, 0.5], [0.25, 0.5], [0.25, 0.5 + 1e-10]])
    assert enclosing_circle(same, 3) == (0.25, 0.5, 0.0)


def test_hips_of_a_body_that_moves_are_where_it_is():
    state = np.zeros(12)
    state[:3], state[6:9] = (1.0, 2.0, 0.5), (3.0, -4.0, 5.0)
    assert hips_at(state, STANDS).tolist() == (STANDS + np.array([1.0, 2.0, 0.5])).tolist()
