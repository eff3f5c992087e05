"""CONNECT, LEAP_STANCE, FLIGHT, LAND_STANCE: closed forms against values by hand and against integration."""

from __future__ import annotations

import numpy as np
import pytest
from global_worlds import GO2_LIKE
from hypothesis import given, settings
from hypothesis import strategies as st

from andante.kernels import entry
from andante.planning.quadruped.global_plan.connect import (
    connect_acceleration,
    connect_axis,
    connect_steps,
    grips,
    nominal_duration,
)
from andante.planning.quadruped.global_plan.layers import body_layers
from andante.planning.quadruped.global_plan.leap import leap_strains, peak_push, stance_axis, take_off_speed
from andante.planning.quadruped.global_plan.path import GlobalPath
from andante.planning.quadruped.global_plan.settings import LEG, GlobalSettings
from andante.planning.quadruped.global_plan.tables import GroundLayers, Rules
from andante.terrain.elevation_map import ElevationMap

G = 9.81
RULES = Rules.of(GO2_LIKE, GlobalSettings())
STEPS, GRIPS, STRAINS = (entry(each.py_func) for each in (connect_steps, grips, leap_strains))
NUMBERS = st.floats(-3.0, 3.0)
TIMES = st.floats(0.06, 3.0)


def flat_ground():
    return GroundLayers.of(body_layers(ElevationMap(np.zeros((120, 60)), (-2.0, -1.5), 0.05), LEG))


def state(x=0.0, y=0.0, z=0.278, vx=0.0, vy=0.0, vz=0.0):
    return np.array([x, y, z, vx, vy, vz])


def test_connect_from_rest_to_rest_by_hand():
    # T = 6 * 3 / (0 + 4 * 0.75) = 6 s; a0 = -2 (0 - 9) / 36 = 0.5, af = 2 (-9) / 36 = -0.5.
    duration = nominal_duration(state(), state(x=3.0), 0.75)
    assert duration == pytest.approx(6.0)
    assert connect_acceleration(0.0, 0.0, 3.0, 0.0, 6.0) == pytest.approx((0.5, -0.5))
    # x(3) = 0.5 * 0.5 * 9 - 1 * 27 / (6 * 6) = 1.5, v(3) = 0.5 * 3 - 1 * 9 / (2 * 6) = 0.75: the nominal speed.
    assert connect_axis(0.0, 0.0, 3.0, 0.0, 6.0, 3.0) == pytest.approx((1.5, 0.75, 0.0))


def test_connect_at_constant_speed_by_hand():
    # T = 6 * 2 / (|1 + 1| + 4 * 0.75) = 2.4 s; over 2 m in 2 s at 1 m/s nothing accelerates.
    assert nominal_duration(state(vx=1.0), state(x=2.0, vx=1.0), 0.75) == pytest.approx(2.4)
    assert connect_acceleration(0.0, 1.0, 2.0, 1.0, 2.0) == pytest.approx((0.0, 0.0), abs=1e-12)


@pytest.mark.parametrize(("far", "steps"), [(0.104, 0), (0.3, 31), (1.0, 67)])
def test_a_walk_takes_more_than_seven_steps_of_30_ms_and_as_many_as_friction_asks_for(far, steps):
    # T = 6 far / 3: 0.208 s is 7 steps, which is a trap. 2 s are 67. 0.6 s are 20, with 6 * 0.3 / 0.36 = 5 m/s2 at the
    # ends; a quarter longer 3.2, another quarter, 31.25 steps, 2.08, which is below 0.25 g.
    assert STEPS(RULES, state(), state(x=far)) == steps


@pytest.mark.parametrize(("friction", "steps"), [(0.25, 78), (0.26, 40)])
def test_a_walk_keeps_within_the_friction_at_both_ends(friction, steps):
    # From rest to 2 m/s within 1 m: T = 6 / (2 + 3) = 1.2 s, af = 2 (-3 + 2 * 2 * 1.2) / 1.44 = 2.5 m/s2;
    # 0.25 g = 2.4525, 0.26 g = 2.5506. In 1.25^3 the time, 78 steps, it is 2 (-3 + 9.36) / 5.4756 = 2.32.
    rules = RULES._replace(friction=friction)
    assert STEPS(rules, state(), state(x=1.0, vx=2.0)) == steps
    # The same where the end is seen as the start.
    assert STEPS(rules, state(vx=-2.0), state(x=-1.0)) == steps
    assert GRIPS(rules, state(), state(x=1.0, vx=2.0), 40) == (friction > 0.25)


@given(NUMBERS, NUMBERS, NUMBERS, NUMBERS, TIMES)
@settings(max_examples=50, deadline=None)
def test_connect_meets_both_ends_with_an_acceleration_linear_in_time(p0, v0, p1, v1, duration):
    assert connect_axis(p0, v0, p1, v1, duration, 0.0)[:2] == pytest.approx((p0, v0), abs=1e-9)
    assert connect_axis(p0, v0, p1, v1, duration, duration)[:2] == pytest.approx((p1, v1), abs=1e-7)
    first, last = connect_acceleration(p0, v0, p1, v1, duration)
    middle = connect_axis(p0, v0, p1, v1, duration, 0.5 * duration)[2]
    assert middle == pytest.approx(0.5 * (first + last), rel=1e-6, abs=1e-6)


def test_a_push_off_by_hand():
    # F = 3 times the weight for 0.12 s: dv = 2/3 g F T - g T = 2.3544 - 1.1772; dp = g F T^2 / 3 - g T^2 / 2.
    given_ = 2.0 / 3.0 * G * 3.0 * 0.12
    assert peak_push(given_, 0.12) == pytest.approx(3.0)
    position, velocity = stance_axis(0.278, 0.0, given_, G, 0.12, 0.12)
    assert velocity == pytest.approx(1.1772)
    assert position - 0.278 == pytest.approx(0.141264 - 0.070632)
    # At t = T / 2: p = -(gF t^4 / 3 - 2/3 gF t^3 T) / T^2 - g t^2 / 2 with t = 0.06.
    by_hand = -(G * 3 * 0.06**4 / 3 - 2 / 3 * G * 3 * 0.06**3 * 0.12) / 0.12**2 - 0.5 * G * 0.06**2
    assert stance_axis(0.0, 0.0, given_, G, 0.12, 0.06)[0] == pytest.approx(by_hand)
    by_hand = -2 / 3 * G * 3 * 0.06**2 * (2 * 0.06 - 3 * 0.12) / 0.12**2 - G * 0.06
    assert stance_axis(0.0, 0.0, given_, G, 0.12, 0.06)[1] == pytest.approx(by_hand)


def test_the_take_off_speed_of_a_level_leap_by_hand():
    # Stances of 0.12 s, flight of 0.3 s: (g 0.09 / 2 + g 0.3 * 0.12 / 2) / 0.42 = 1.4715: half of g times the flight.
    assert take_off_speed(0.3, 0.0, 0.3, 0.0, 0.12, 0.3, 0.12) == pytest.approx(1.4715)
    # 10 cm up: 0.1 / 0.42 more.
    assert take_off_speed(0.3, 0.0, 0.4, 0.0, 0.12, 0.3, 0.12) == pytest.approx(1.4715 + 0.1 / 0.42)


def integrated(first, last, motion, step):
    """A leap by forces alone, in steps of 10 microseconds: its state at every step of the plan."""
    push, flight, land = motion[1] * step, motion[2] * step, motion[3] * step
    speed = take_off_speed(first[2], first[5], last[2], last[5], push, flight, land)
    down = speed - G * flight
    jumps = [
        np.array([motion[4] - first[3], motion[5] - first[4], speed - first[5] + G * push]),
        np.array([last[3] - motion[4], last[4] - motion[5], last[5] - down + G * land]),
    ]
    rows, here, dt = [first.copy()], first.copy(), 1e-5
    per = round(step / dt)
    for n in range(int(motion[1:4].sum()) * per):
        time = (n + 0.5) * dt
        acceleration = np.array([0.0, 0.0, -G])
        for begin, duration, change in ((0.0, push, jumps[0]), (push + flight, land, jumps[1])):
            if begin < time < begin + duration:
                u = (time - begin) / duration
                # 4 F t (T - t) / T^2 with F = 3/2 of the mean force.
                acceleration += change / duration * 1.5 * 4.0 * u * (1.0 - u)
        here[:3] += here[3:] * dt + 0.5 * acceleration * dt * dt
        here[3:] += acceleration * dt
        if (n + 1) % per == 0:
            rows.append(here.copy())
    return np.array(rows)


def leap(first, last_velocity, counts, flight_velocity, height):
    """A leap from a state: its other end follows from the horizontal velocities, its height is given."""
    push, flight, land = (RULES.step * each for each in counts)
    over = np.array(flight_velocity)
    moved = 0.5 * (first[3:5] + over) * push + over * flight + 0.5 * (over + last_velocity[:2]) * land
    last = np.concatenate([first[:2] + moved, [height], last_velocity])
    return np.array([first, last]), np.array([[0.0, *counts, *flight_velocity]])


@pytest.mark.parametrize(
    ("first", "last", "counts", "flight", "height"),
    [
        (state(vx=1.5), (1.5, 0.0, 0.0), (4, 10, 4), (1.5, 0.0), 0.278),
        (state(vx=1.2, vy=-0.3, vz=0.2), (1.0, 0.4, -0.3), (5, 7, 6), (1.4, 0.1), 0.4),
        (state(y=0.3, vx=-1.0), (-0.7, 0.0, 0.1), (6, 5, 4), (-1.2, 0.2), 0.2),
    ],
)
def test_a_leap_is_what_its_forces_integrate_to(first, last, counts, flight, height):
    states, motions = leap(first, np.array(last), counts, flight, height)
    path = GlobalPath(states, motions)
    rows, forces, kinds, feet = path.sampled(flat_ground(), RULES)
    np.testing.assert_allclose(rows, integrated(*states, motions[0], RULES.step), atol=2e-5)
    np.testing.assert_allclose(rows[-1], states[1], atol=1e-9)
    push, flying, land = counts
    assert kinds.tolist() == [1] * push + [2] * flying + [3] * (land + 1)
    # A push that has a middle is hardest there: 3/2 of the mean.
    if push % 2 == 0:
        velocity = rows[push, 5] - rows[0, 5] + G * push * RULES.step
        assert forces[push // 2, 2] == pytest.approx(peak_push(velocity, push * RULES.step))
        # The feet of an even push-off stand below the state of its middle.
        np.testing.assert_allclose(feet[:push], np.tile(rows[push // 2, :2], (push, 1)), atol=1e-12)
    if land % 2 == 0:
        np.testing.assert_allclose(feet[push + flying], rows[push + flying + land // 2, :2], atol=1e-12)
    assert (forces[push : push + flying] == 0.0).all()


def test_a_leap_may_not_push_harder_than_allowed_nor_slide_nor_pull():
    states, motions = leap(state(vx=1.5), np.array([1.5, 0.0, 0.0]), (4, 10, 4), (1.5, 0.0), 0.278)
    # 1.4715 m/s within 0.12 s: F = 1.5 (1.4715 + g 0.12) / (g 0.12) = 3.375.
    assert STRAINS(RULES, *states, motions[0]) == pytest.approx(3.375)
    assert STRAINS(RULES._replace(largest_push=3.3), *states, motions[0]) == -1.0
    # The push-off gives 2.6487 m/s upward, so a quarter of it, 0.662, sideways.
    for speed, allowed in ((1.5 + 0.66, True), (1.5 + 0.665, False)):
        states, motions = leap(state(vx=1.5), np.array([speed, 0.0, 0.0]), (4, 10, 4), (speed, 0.0), 0.278)
        assert (STRAINS(RULES, *states, motions[0]) > 0.0) == allowed
    # Landing with 3 m/s upward would take a ground that pulls.
    states, motions = leap(state(vx=1.5, vz=3.0), np.array([1.5, 0.0, 0.0]), (4, 2, 4), (1.5, 0.0), 0.278)
    assert STRAINS(RULES, *states, motions[0]) == -1.0


@given(
    st.tuples(*[st.floats(-1.0, 1.0)] * 5),
    st.tuples(st.integers(3, 8), st.integers(3, 12), st.integers(3, 8)),
    st.floats(0.1, 0.6),
)
@settings(max_examples=30, deadline=None)
def test_every_leap_meets_its_ends_without_a_jump(numbers, counts, height):
    vx, vy, vz, fx, fy = numbers
    states, motions = leap(state(vx=vx, vy=vy, vz=vz), np.array([vy, vx, -vz]), counts, (fx, fy), height)
    rows, forces, _, _ = GlobalPath(states, motions).sampled(flat_ground(), RULES)
    np.testing.assert_allclose(rows[0], states[0], atol=1e-12)
    np.testing.assert_allclose(rows[-1], states[1], atol=1e-9)
    assert np.isfinite(forces).all()
    jumps = np.abs(np.diff(rows[:, 3:], axis=0)).max()
    hardest = np.abs(forces).max() + 1.0
    assert jumps <= hardest * 1.3 * G * RULES.step


def test_walking_over_a_slope_goes_up_with_it():
    x = np.linspace(-2.0, 4.0, 121)
    ramp = ElevationMap(np.repeat(0.2 * x[:, None], 61, axis=1), (-2.0, -1.5), 0.05)
    ground = GroundLayers.of(body_layers(ramp, LEG))
    first, last = state(x=0.5, z=0.1 + 0.278, vx=0.5, vz=0.1), state(x=1.5, z=0.3 + 0.298, vx=0.5, vz=0.1)
    rows, _, _, _ = GlobalPath(np.array([first, last]), np.array([[60.0, 0, 0, 0, 0, 0]])).sampled(ground, RULES)
    # The clearance goes linearly from 0.278 to 0.298 m, whatever the speed along the way.
    np.testing.assert_allclose(rows[:, 2] - 0.2 * rows[:, 0], np.linspace(0.278, 0.298, 61), atol=1e-9)
    np.testing.assert_allclose(rows[:, 5], 0.2 * rows[:, 3] + 0.02 / 1.8, atol=1e-9)
