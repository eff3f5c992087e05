"""Where feet come down: circles, nominal footholds, searches and swings worked out by hand."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from andante.kernels import entry
from andante.planning.quadruped.footholds import (
    FREE,
    Horizon,
    LegsNow,
    PlannedFeet,
    StepRules,
    enclosing_circle,
    hips_at,
    nominal_foothold,
    plan_feet,
)
from andante.planning.quadruped.ground import Ground, level_ground
from andante.planning.quadruped.swing import swing_state
from andante.planning.quadruped.swing_timing import time_swing

timed = entry(time_swing.py_func)
RULES = StepRules(
    height=0.2943,  # h / g = 0.03, sqrt(h / g) = 0.17320508
    capture=1.0,
    catch=0.2,
    clearance=0.05,
    search=0.25,
    threshold=0.6,
    constancy=0.5,
    reach=0.3,
    apart=0.12,
    beside=0.04,
    hip_room=0.1,
    tuck=0.4,
    landing=0.06,
)
HIP = np.array([0.2, 0.15, 0.0])


def smallest_circle(points: np.ndarray) -> float:
    """Radius of the smallest circle around points, by trying all pairs and triples."""
    best = math.inf
    circles = [(0.5 * (a + b), 0.5 * math.dist(a, b)) for a, b in itertools.combinations(points, 2)]
    for a, b, c in itertools.combinations(points, 3):
        matrix = 2.0 * np.array([b - a, c - a])
        if abs(np.linalg.det(matrix)) > 1e-9:
            centre = a + np.linalg.solve(matrix, [(b - a) @ (b - a), (c - a) @ (c - a)])
            circles.append((centre, math.dist(centre, a)))
    for centre, radius in circles:
        if all(math.dist(centre, each) <= radius + 1e-7 for each in points):
            best = min(best, radius)
    return best


@settings(deadline=None)
@given(arrays(np.float64, st.tuples(st.integers(2, 7), st.just(2)), elements=st.floats(-1.0, 1.0, width=16)))
def test_the_enclosing_circle_is_the_smallest(points):
    x, y, radius = enclosing_circle(np.ascontiguousarray(points), len(points))
    assert all(math.dist((x, y), each) <= radius + 1e-6 for each in points)
    if len(np.unique(points, axis=0)) > 1:
        assert radius == pytest.approx(smallest_circle(np.unique(points, axis=0)), abs=1e-6)


def straight(speed: float, count: int = 26, turn: float = 0.0) -> tuple[np.ndarray, np.ndarray]:
    times = 0.03 * np.arange(count)
    rows = np.zeros((count, 12))
    rows[:, 0], rows[:, 2], rows[:, 6], rows[:, 11] = speed * times, 0.2943, speed, turn
    return times, rows


def test_the_nominal_foothold_is_the_hip_at_mid_stance():
    times, rows = straight(1.0)
    # Down at 0.12 s, up at 0.30 s: the hip's way is from 0.12 + 0.2 to 0.30 + 0.2, its middle 0.41.
    x, y = nominal_foothold(RULES, times, rows, np.zeros(2), np.zeros(2), HIP, 4, 0.30)
    assert (x, y) == pytest.approx((0.41, 0.15))


def test_beyond_the_horizon_the_body_goes_on():
    times, rows = straight(1.0, count=6)
    # Down at 0.12 s, up at 0.30 s, which is 0.15 s after the last row.
    x, y = nominal_foothold(RULES, times, rows, np.zeros(2), np.zeros(2), HIP, 4, 0.30)
    assert (x, y) == pytest.approx((0.41, 0.15))


def test_an_error_of_the_velocity_moves_the_foothold_by_sqrt_h_over_g():
    times, rows = straight(1.0)
    x, y = nominal_foothold(RULES, times, rows, np.array([0.01, 0.0]), np.array([0.2, -0.1]), HIP, 4, 0.30)
    assert x == pytest.approx(0.41 + 0.01 + 0.17320508 * 0.2)
    assert y == pytest.approx(0.15 - 0.17320508 * 0.1)


def test_a_turn_moves_the_foothold_by_the_centrifugal_term():
    times, rows = straight(1.0, turn=2.0)
    # (h / g) v x w with v = (1, 0, 0), w = (0, 0, 2): 0.03 (0, -2, 0).
    x, y = nominal_foothold(RULES, times, rows, np.zeros(2), np.zeros(2), HIP, 4, 0.30)
    assert (x, y) == pytest.approx((0.41, 0.15 - 0.06))


def planned(
    contact: np.ndarray,
    ground: Ground,
    rules: StepRules = RULES,
    speed: float = 1.0,
    lifted: float = -0.06,
    flown: np.ndarray | None = None,
    error: tuple[float, float] = (0.0, 0.0),
    before: tuple[float, float] | None = None,
):
    flown = np.full(len(contact), -np.inf) if flown is None else flown
    times, rows = straight(speed, count=len(contact) + 1)
    standing = np.array([[0.2, 0.15, 0.02], [0.2, -0.15, 0.02], [-0.2, 0.15, 0.02], [-0.2, -0.15, 0.02]])
    hips = np.array([[0.2, 0.15, 0.0], [0.2, -0.15, 0.0], [-0.2, 0.15, 0.0], [-0.2, -0.15, 0.0]])
    chosen = np.full((4, 3), np.nan)
    if before is not None:
        chosen[1] = (*before, 0.0)
    asked = Horizon(times, contact.astype(np.float64), flown, rows, np.zeros(2), np.array(error))
    legs = LegsNow(hips, np.full(4, 0.02), np.full(4, 0.18), standing, np.full(4, lifted), chosen)
    result = PlannedFeet.empty(len(contact))
    plan_feet(ground, rules, asked, legs, FREE, result)
    return result.feet, result.swings, result.counts, result.unsafe


def trot(count: int = 25, phase: int = 0) -> np.ndarray:
    first = (np.arange(count) + phase) % 12 < 6
    return np.stack([first, ~first, ~first, first], axis=1)


def test_a_swing_goes_from_where_the_foot_stood_to_where_the_next_stance_is_best():
    feet, swings, counts, unsafe = planned(trot(), level_ground())
    # FR swings already, since 0.06 s ago, and comes down after 6 intervals, at 0.18 s, for 0.18 s.
    assert swings[1, 0] == pytest.approx([-0.06, 0.18, 0.2, -0.15, 0.02, 0.2 + 0.27, -0.15, 0.02, 0.07, 0.5, 0.0, 1.0])
    # FL stands for 6 intervals, then swings from there to 0.36 s.
    assert swings[0, 0] == pytest.approx([0.18, 0.36, 0.2, 0.15, 0.02, 0.2 + 0.45, 0.15, 0.02, 0.07, 0.5, 0.0, 1.0])
    assert counts.tolist() == [2, 3, 3, 2]
    assert not unsafe.any()
    # Forces act at the ground: the ball's centre is a radius above.
    assert feet[0, 0] == pytest.approx([0.2, 0.15, 0.0])
    assert feet[7, 1] == pytest.approx([0.47, -0.15, 0.0])


def test_a_foot_that_ends_a_flight_stands_for_the_first_part_of_its_stance():
    contact = trot()
    contact[:6] = False
    flown = np.where(np.arange(25) < 6, 0.4, -np.inf)
    _, swings, _, _ = planned(contact, level_ground(), flown=flown)
    # Down at 0.18 s, when the hip is at 0.2 + 0.18 m; the next 0.06 s count, not all of the stance.
    assert swings[1, 0, [1, 5]] == pytest.approx([0.18, 0.2 + 0.18 + 0.03])
    # Where nobody flies all of it does.
    _, swings, _, _ = planned(contact, level_ground())
    assert swings[1, 0, [1, 5]] == pytest.approx([0.18, 0.2 + 0.18 + 0.09])


@pytest.mark.parametrize("late", [0, 1])
def test_a_hind_foot_stays_behind_the_front_foot_that_stands_all_the_while(late):
    contact = np.ones((25, 4), dtype=np.bool_)
    # HL swings for 0.18 s; FL stands at 0.2 m until then, or leaves an interval earlier.
    contact[:6, 2] = False
    contact[6 - late :, 0] = False
    _, swings, _, _ = planned(contact, level_ground(), speed=2.5)
    free = -0.2 + 2.5 * (0.18 + 0.5 * (0.75 - 0.18))
    assert free > 0.2
    reach = -0.2 + 2.5 * 0.18 + RULES.reach
    assert swings[2, 0, 5] == pytest.approx(min(free, reach) if late else 0.2 - RULES.beside)


def test_a_foot_that_stands_all_the_time_stays():
    feet, _, counts, _ = planned(np.ones((25, 4), dtype=np.bool_), level_ground())
    assert not counts.any()
    np.testing.assert_allclose(feet, np.broadcast_to(feet[0], feet.shape))


def holed(x: float, half: float) -> Ground:
    """Level ground in which nobody can stand nearer to x than ``half``."""
    grid = np.zeros((201, 101))
    nodes = -1.0 + 0.02 * np.arange(201)
    share = np.broadcast_to((np.abs(nodes - x) > half).astype(np.float64)[:, None], grid.shape).copy()
    return Ground(-1.0, -1.0, 0.02, grid, grid.copy(), grid.copy(), grid.copy(), share)


def test_a_foothold_over_a_hole_moves_to_the_nearest_ground():
    _, swings, _, unsafe = planned(trot(), holed(0.47, 0.1))
    assert abs(swings[1, 0, 5] - 0.47) == pytest.approx(0.11, abs=0.0101)
    assert swings[1, 0, 6] == pytest.approx(-0.15, abs=0.02)
    assert not unsafe[1]


def test_a_foothold_beyond_a_hole_is_taken_only_where_the_leg_reaches_it():
    # The hip is at 0.38 m at the touch-down; the far side, at 0.59 m, is the nearer one to the nominal place.
    hole = holed(0.455, 0.13)
    _, swings, _, _ = planned(trot(), hole)
    assert swings[1, 0, 5] > 0.58
    _, swings, _, unsafe = planned(trot(), hole, RULES._replace(reach=0.2))
    assert swings[1, 0, 5] < 0.33
    assert not unsafe[1]


def test_where_there_is_no_ground_within_reach_the_leg_is_told_to_be_unsafe():
    _, swings, _, unsafe = planned(trot(), holed(0.47, 0.4))
    assert unsafe.tolist() == [False, True, False, False] or unsafe[1]
    assert swings[1, 0, 5] == pytest.approx(0.47)


def test_a_push_puts_no_hind_foot_into_the_front_leg():
    # HL comes down at 0.07 m by itself. 1 m/s too fast it would come down 0.2 (1 - exp(-0.18 / 0.2)) + 0.1732 m farther
    # ahead, at 0.36 m; but FL stands at 0.2 m. 5 cm are always allowed, which leaves 8 cm between them.
    _, swings, _, _ = planned(trot(), level_ground(), error=(1.0, 0.0))
    assert swings[2, 0, 5] == pytest.approx(0.12)
    # FR has no foot before it.
    assert swings[1, 0, 5] == pytest.approx(0.47 + 0.1187 + 0.1732, abs=1e-4)
    # Where the foot before it does not stand, it goes as far.
    pronk = trot()
    pronk[:, 0] = pronk[:, 2]
    _, swings, _, _ = planned(pronk, level_ground(), error=(1.0, 0.0))
    assert swings[2, 0, 5] == pytest.approx(0.07 + 0.1187 + 0.1732, abs=1e-4)


def test_a_push_puts_no_right_foot_beyond_the_left_one_that_stands():
    # 1 m/s to the left: FR would come down at -0.15 + 0.2919 = 0.142 m, beside FL at 0.15 m; 4 cm stay between them.
    _, swings, _, _ = planned(trot(), level_ground(), error=(0.0, 1.0))
    assert swings[1, 0, 6] == pytest.approx(0.11)
    # To the right there is nothing.
    _, swings, _, _ = planned(trot(), level_ground(), error=(0.0, -0.5))
    assert swings[1, 0, 6] == pytest.approx(-0.15 - 0.5 * 0.2919, abs=1e-4)


def test_a_swing_clears_what_lies_between_its_ends():
    ground = level_ground()._asdict()
    height = np.zeros((201, 101))
    height[((x := -1.0 + 0.02 * np.arange(201)) >= 0.3) & (x <= 0.36)] = 0.1
    rough = Ground(-1.0, -1.0, 0.02, height, height * 0.0, height * 0.0, height * 0.0, np.ones_like(height))
    _, swings, _, _ = planned(trot(), rough)
    # 10 cm of ground, the ball's radius and the clearance; hips are at 0.2943 m and leave 0.1 m less.
    assert swings[1, 0, 8] == pytest.approx(0.2943 - 0.1, abs=1e-9) or swings[1, 0, 8] == pytest.approx(0.17, abs=1e-9)
    assert swings[1, 0, 8] >= 0.17 - 1e-9
    assert ground["x"] == 0.0


def test_below_a_low_hip_a_swing_keeps_half_of_its_clearance():
    height = np.zeros((201, 101))
    height[-1.0 + 0.02 * np.arange(201) >= 0.3] = 0.18
    rough = Ground(-1.0, -1.0, 0.02, height, height * 0.0, height * 0.0, height * 0.0, np.ones_like(height))
    _, swings, _, _ = planned(trot(), rough)
    # The foot comes down at 0.18 m and the ball's radius; 0.1 m below the hip are 0.1943 m, less than that.
    assert swings[1, 0, 7] == pytest.approx(0.2)
    assert swings[1, 0, 8] == pytest.approx(0.2 + 0.5 * 0.05)


def ground_of(height: np.ndarray, slope: float = 0.0) -> Ground:
    level = np.zeros_like(height)
    return Ground(-1.0, -1.0, 0.02, height, level, level + slope, level, np.ones_like(height))


@pytest.mark.parametrize(
    ("rise", "lifted", "before", "end"),
    [
        # FR comes down at 0.18 s; of a swing that began 0.2 s ago more than 0.3 have passed: it stays below the step.
        (0.1, -0.2, 0.40, 0.40),
        # So it does on it, where its best place is below.
        (-0.1, -0.2, 0.40, 0.40),
        # One that began 0.06 s ago, a quarter, goes where it is best.
        (0.1, -0.06, 0.40, 0.47),
        # So does one that would not change the step, ...
        (0.0, -0.2, 0.40, 0.47),
        (0.1, -0.2, 0.46, 0.47),
        # ... and one whose place before is out of the hip's reach by now.
        (0.1, -0.2, 0.05, 0.47),
    ],
)
def test_a_foot_comes_down_on_the_step_that_its_swing_was_going_to(rise, lifted, before, end):
    height = np.zeros((201, 101))
    height[-1.0 + 0.02 * np.arange(201) >= 0.43] = rise
    _, swings, _, _ = planned(trot(), ground_of(height), lifted=lifted, before=(before, -0.15))
    assert swings[1, 0, 5] == pytest.approx(end)
    assert swings[1, 0, 7] == pytest.approx(0.02 + (rise if end > 0.43 else 0.0))


def test_on_a_slope_a_swinging_foot_goes_where_it_is_best():
    height = np.repeat(0.4 * (-1.0 + 0.02 * np.arange(201))[:, None], 101, axis=1)
    _, swings, _, _ = planned(trot(), ground_of(height, slope=0.4), lifted=-0.2, before=(0.25, -0.15))
    assert swings[1, 0, 5] == pytest.approx(0.47)


def test_in_a_flight_feet_rise_with_the_body():
    contact, flown = np.ones((25, 4), dtype=np.bool_), np.full(25, -np.inf)
    contact[5:14] = False
    contact[3:14, 1] = False
    flown[5:14] = 0.4943
    _, swings, counts, _ = planned(contact, level_ground(), flown=flown)
    assert counts.tolist() == [1, 1, 1, 1]
    # The body comes 0.2 m over its standing height of 0.2943 m; 0.4 of that is added to 0.07 m, for the foot that
    # leaves early too.
    assert swings[:, 0, 8] == pytest.approx([0.15] * 4)
    # What is left of the flight is as high as all of it.
    _, swings, _, _ = planned(contact[9:], level_ground(), flown=flown[9:])
    assert swings[:, 0, 8] == pytest.approx([0.15] * 4)
    # A body that flies lower than it stands asks for no more than the clearance.
    _, swings, _, _ = planned(contact, level_ground(), flown=np.where(flown > 0.0, 0.25, flown))
    assert swings[:, 0, 8] == pytest.approx([0.07] * 4)


def test_a_swing_is_at_its_ends_at_rest_and_at_its_apex_in_the_middle():
    swing = np.array([1.0, 1.2, 0.0, 0.1, 0.02, 0.3, -0.1, 0.12, 0.17, 0.5, 0.0, 1.0])
    place, velocity, acceleration = np.empty(3), np.empty(3), np.empty(3)
    for time, wanted in ((1.0, (0.0, 0.1, 0.02)), (1.2, (0.3, -0.1, 0.12))):
        swing_state(swing, time, place, velocity, acceleration)
        assert place == pytest.approx(wanted)
        assert velocity == pytest.approx((0.0, 0.0, 0.0), abs=1e-9)
    swing_state(swing, 1.1, place, velocity, acceleration)
    # Half way: 1.5 way / duration, and the top.
    assert place == pytest.approx((0.15, 0.0, 0.17))
    assert velocity == pytest.approx((1.5 * 0.3 / 0.2, -1.5 * 0.2 / 0.2, 0.0), abs=1e-9)
    swing_state(swing, 1.0 + 1e-12, place, velocity, acceleration)
    # 6 way / duration^2 at the begin; up in half the time.
    assert acceleration == pytest.approx((6 * 0.3 / 0.04, -6 * 0.2 / 0.04, 6 * 0.15 / 0.01), rel=1e-6)


@settings(deadline=None)
@given(st.floats(0.01, 0.99), st.floats(0.25, 0.75), st.floats(0.0, 0.3), st.floats(0.7, 1.0))
def test_velocities_and_accelerations_of_swings_are_derivatives(share, peak, first, last):
    swing = np.array([0.0, 0.18, 0.0, 0.1, 0.02, 0.3, -0.1, 0.12, 0.17, peak, first, last])
    if min(abs(share - edge) for edge in (peak, first, last)) < 1e-3:
        return
    rows = []
    for time in (0.18 * share - 1e-6, 0.18 * share, 0.18 * share + 1e-6):
        place, velocity, acceleration = np.empty(3), np.empty(3), np.empty(3)
        swing_state(swing, time, place, velocity, acceleration)
        rows.append((place.copy(), velocity.copy(), acceleration.copy()))
    np.testing.assert_allclose((rows[2][0] - rows[0][0]) / 2e-6, rows[1][1], atol=1e-4)
    np.testing.assert_allclose((rows[2][1] - rows[0][1]) / 2e-6, rows[1][2], atol=1e-2)


def test_hips_follow_the_body():
    state = np.zeros(12)
    state[:3], state[5] = (1.0, 2.0, 0.3), math.pi / 2
    np.testing.assert_allclose(hips_at(state, HIP.reshape(1, 3)), [[1.0 - 0.15, 2.0 + 0.2, 0.3]], atol=1e-12)
    state[4], state[5] = math.pi / 6, 0.0  # nose down: what is ahead is lower
    np.testing.assert_allclose(hips_at(state, HIP.reshape(1, 3))[0], [1.0 + 0.2 * math.cos(math.pi / 6), 2.15, 0.2])


@pytest.mark.slow
def test_over_an_edge_a_swing_is_timed_to_pass_at_four_tenths_of_its_clearance():
    height = np.zeros((201, 101))
    height[-1.0 + 0.02 * np.arange(201) >= 0.25] = 0.1
    ground = ground_of(height)
    _, swings, _, _ = planned(trot(), ground)
    found = swings[1, 0]
    assert found[8] == pytest.approx(0.02 + 0.1 + 0.05)
    for share, same in ((0.4, True), (1.0, False)):
        swing = np.array([*found[:9], 0.0, 0.0, 0.0])
        timed(ground, 0.02, share * RULES.clearance, swing)
        assert np.allclose(swing, found) == same


def test_ground_of_just_the_least_traversability_is_none():
    ground = level_ground()
    for share, safe in ((0.6, False), (0.61, True)):
        _, _, _, unsafe = planned(trot(), ground._replace(traversability=np.full((2, 2), share)))
        assert (not unsafe.any()) == safe


def test_a_swing_to_the_side_clears_the_ridge_between_its_ends_and_only_that():
    sideways = (0.0, -0.4)
    _, swings, _, _ = planned(trot(), level_ground(), error=sideways)
    begin, end = swings[1, 0, 3], swings[1, 0, 6]
    assert end < begin - 0.05
    for middle, apex in ((0.5 * (begin + end), 0.04 + 0.02 + 0.05), (begin + 0.08, 0.02 + 0.05)):
        y = -1.0 + 0.02 * np.arange(101)
        height = np.tile(np.where(np.abs(y - middle) < 0.012, 0.04, 0.0), (101, 1))
        _, swings, _, _ = planned(trot(), ground_of(height), error=sideways)
        assert swings[1, 0, 5:7] == pytest.approx([swings[1, 0, 5], end])
        assert swings[1, 0, 8] == pytest.approx(apex, abs=0.006)


def test_three_feet_in_a_line_turn_the_robot_about_the_middle_of_the_outer_two():
    line = np.array([[0.1, 0.2], [0.4, 0.8], [0.2, 0.4]])
    assert enclosing_circle(line, 3) == pytest.approx((0.25, 0.5, 0.5 * math.hypot(0.3, 0.6)))


@pytest.mark.parametrize("way", [(12, 0), (-12, 0), (0, 12), (0, -12), (8, -9), (-9, 8)])
def test_a_foothold_is_looked_for_on_all_sides_to_the_end_of_the_radius(way):
    # The one place where a foot can stand is 24 cm from where FR comes down, (0.47, -0.15) m.
    share = np.zeros((201, 101))
    # It lies between nodes: four of them belong to it.
    i, j = math.floor((0.47 + 0.02 * way[0] + 1.0) / 0.02), math.floor((-0.15 + 0.02 * way[1] + 1.0) / 0.02)
    share[i : i + 2, j : j + 2] = 1.0
    level = np.zeros_like(share)
    ground = Ground(-1.0, -1.0, 0.02, level, level, level, level, share)
    _, swings, _, unsafe = planned(trot(), ground, RULES._replace(reach=9.0))
    assert not unsafe[1]
    assert swings[1, 0, 5:7] == pytest.approx([0.47 + 0.02 * way[0], -0.15 + 0.02 * way[1]], abs=0.021)
    _, _, _, unsafe = planned(trot(), ground, RULES._replace(reach=9.0, search=0.2))
    assert unsafe[1]
