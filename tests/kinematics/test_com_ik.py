"""Centre of mass over fixed feet and its inverse, against MuJoCo, Pinocchio and finite differences."""

from __future__ import annotations

import math

import numpy as np
import pytest
from packaged_robots import packaged_robot
from pinocchio_oracle import Oracle

from andante.kernels import entry
from andante.kinematics.com_ik import (
    _newton_step,
    com_ik,
    com_ik_free,
    evaluate,
    rpy_matrix,
    search_orientation,
    solve_com,
    stance_com,
)
from andante.kinematics.forward import Kinematics
from andante.kinematics.leg_kernels import directions, leg_moment, turns
from andante.kinematics.leg_table import LeggedBody, StanceError
from andante.kinematics.three_joint_leg import LegReachError
from andante.spatial.rotations import from_matrix, from_rpy, to_matrix
from stances import BODY, HOME, random_stance

# Inner kernels, compiled for calls from Python.
newton_step = entry(_newton_step.py_func)
rpy_matrix = entry(rpy_matrix.py_func)
directions = entry(directions.py_func)
leg_moment = entry(leg_moment.py_func)
turns = entry(turns.py_func)


def solved(seed: int, count: int, tolerance: float = 1e-6):
    """Reachable stances: feet, wanted centre of mass, orientation and the pose that was found."""
    rng = np.random.default_rng(seed)
    for _ in range(5 * count):
        feet, com, orientation = random_stance(rng)
        try:
            yield feet, com, orientation, com_ik(BODY, com, feet, to_matrix(orientation), tolerance=tolerance)
        except (StanceError, LegReachError):
            continue
        count -= 1
        if count == 0:
            return
    raise AssertionError("most stances should be reachable")


def test_feet_and_centre_of_mass_are_where_they_should_be():
    kinematics = Kinematics(BODY.robot)
    for feet, com, orientation, pose in solved(1, 100):
        kinematics.update(BODY.joints(pose.angles), pose.position, orientation)
        for foot, place in zip(BODY.robot.feet, feet, strict=True):
            assert np.abs(kinematics.pose(foot.site)[0] - place).max() < 1e-9
        assert np.linalg.norm(kinematics.com() - com) < 1.000001e-6
        assert (BODY.joints(pose.angles) >= BODY.robot.lower - 1e-9).all()
        assert (BODY.joints(pose.angles) <= BODY.robot.upper + 1e-9).all()
        assert pose.slack >= 0.0


def test_pinocchio_finds_the_same_centre_of_mass():
    oracle = Oracle(BODY.robot)
    for _, _, orientation, pose in solved(2, 50):
        oracle.place(BODY.joints(pose.angles), pose.position, orientation)
        oracle.kinematics()
        np.testing.assert_allclose(oracle.com(), pose.com, atol=1e-12)


def test_two_evaluations_give_half_a_millimetre_and_three_a_micrometre():
    coarse = [pose.evaluations for *_, pose in solved(3, 200, tolerance=5e-4)]
    fine = [pose.evaluations for *_, pose in solved(3, 200)]
    assert np.mean(np.array(coarse) <= 2) >= 0.97
    assert np.mean(np.array(fine) <= 3) >= 0.97


@pytest.mark.parametrize("reach", [0.05, 0.4])
def test_directions_are_cosines_and_sines_of_the_turns_also_out_of_reach(reach):
    rng, table = np.random.default_rng(11), BODY.table
    for _ in range(300):
        leg = int(rng.integers(4))
        place = table.hip[leg] + rng.uniform(-reach, reach, 3)
        c1, s1, c2, s2, c3, s3, bent, sideways, missing = directions(table, leg, *place)
        roll, pitch, bend, short = turns(table, leg, *place)
        lower = pitch + table.stretched[leg] + table.bend[leg] * bend
        expected = [f(turn) for turn in (roll, pitch, lower, bend) for f in (math.cos, math.sin)]
        np.testing.assert_allclose([c1, s1, c2, s2, c3, s3, bent, sideways], expected, atol=1e-9)
        assert missing == short


@pytest.mark.slow
def test_the_newton_step_uses_the_exact_derivative():
    rng, step = np.random.default_rng(4), 1e-6
    table = BODY.table
    for _ in range(50):
        leg = int(rng.integers(4))
        foot = BODY.legs[leg].place(
            [
                rng.uniform(-0.5, 0.5),
                BODY.legs[leg].bend * -rng.uniform(0.3, 1.4),
                BODY.legs[leg].bend * rng.uniform(0.5, 2),
            ]
        )

        def moment(place, leg=leg):
            total, change = np.zeros(3), np.zeros((3, 3))
            leg_moment(table, leg, *directions(table, leg, *place)[:6], total, change, True)
            return total, change

        _, change = moment(foot)
        for axis in range(3):
            shift = np.eye(3)[axis] * step
            expected = (moment(foot + shift)[0] - moment(foot - shift)[0]) / (2 * step)
            np.testing.assert_allclose(change[:, axis], expected, atol=2e-6)


def test_a_stance_from_the_body_gives_the_centre_of_mass_it_inverts():
    for feet, _, orientation, pose in solved(5, 30):
        again = stance_com(BODY, pose.position, feet, to_matrix(orientation))
        np.testing.assert_allclose(again.angles, pose.angles, atol=1e-12)
        np.testing.assert_allclose(again.com, pose.com, atol=1e-12)


def test_free_orientation_leaves_more_room_than_a_level_body():
    feet = HOME + np.array([[0.03, 0, 0.07], [0.03, 0, 0.07], [0, 0, 0], [0, 0, 0]])
    com = np.array([0.0, 0.0, 0.15])
    level, free = com_ik(BODY, com, feet), com_ik_free(BODY, com, feet)
    assert free.slack > level.slack + 0.03
    np.testing.assert_allclose(free.com, com, atol=1e-6)
    # The front feet stand higher, so the nose goes up: pitch is negative.
    assert -free.rotation[2, 0] < -0.05


def test_held_axes_stay():
    feet = HOME + np.array([[0.03, 0, 0.07], [0.03, 0, 0.07], [0, 0, 0], [0, 0, 0]])
    pose = com_ik_free(BODY, [0.0, 0.0, 0.15], feet, (0.0, -0.2, 0.1), most=(0.0, 0.5, 0.0))
    w, x, y, z = from_matrix(pose.rotation)
    assert math.atan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z)) == pytest.approx(0.1)
    assert pose.rotation[2, 1] == pytest.approx(0.0, abs=1e-12)


def test_the_kernel_has_the_rotations_of_the_library():
    for rpy in np.random.default_rng(6).uniform(-1.5, 1.5, (20, 3)):
        np.testing.assert_allclose(rpy_matrix(rpy), to_matrix(from_rpy(rpy)), atol=1e-14)


@pytest.mark.parametrize(
    ("com", "message"),
    [
        ([0.0, 0.0, 0.25], "FL: FL_knee: the foot's place is out of the leg's reach"),
        ([0.0, 0.1, 0.12], "FL: FL_roll: the foot's place"),
    ],
)
def test_a_centre_of_mass_out_of_reach_names_leg_and_joint(com, message):
    with pytest.raises((LegReachError, StanceError)) as caught:
        com_ik(BODY, com, HOME)
    assert message in str(caught.value) or "no body position" in str(caught.value)


def test_bad_stances_are_refused():
    with pytest.raises(StanceError, match="one finite place per foot"):
        com_ik(BODY, [0, 0, 0.1], HOME[:3])
    with pytest.raises(StanceError, match="one finite place per foot"):
        com_ik(BODY, [0, 0, 0.1], HOME * np.nan)
    with pytest.raises(StanceError, match="must be a rotation matrix"):
        com_ik(BODY, [0, 0, 0.1], HOME, np.ones((3, 3)))
    with pytest.raises(StanceError, match="three finite numbers"):
        com_ik(BODY, [0, np.inf, 0.1], HOME)
    with pytest.raises(StanceError, match="has no such foot; got 'LF'"):
        BODY.index("LF")


@pytest.mark.parametrize("name", ["solo12", "go2"])
def test_masses_of_other_quadrupeds_are_complete(name):
    body = LeggedBody.of(packaged_robot(name))
    kinematics = Kinematics(body.robot)
    assert body.table.total_mass == pytest.approx(kinematics.mass())
    rng, tried = np.random.default_rng(7), 0
    scale = body.leg_length / 0.187
    while tried < 20:
        turn = from_rpy(rng.uniform(-0.1, 0.1, 3))
        feet = np.array([leg.hip for leg in body.legs]) * [1, 1, 0]
        feet[:, 1] += [leg.lateral for leg in body.legs]
        feet += rng.uniform(-0.03, 0.03, (4, 3)) * scale
        pose = com_ik(body, [0.0, 0.0, 0.1 * scale], feet, to_matrix(turn))
        kinematics.update(body.joints(pose.angles), pose.position, turn)
        np.testing.assert_allclose(kinematics.com(), pose.com, atol=1e-9)
        tried += 1


# The search, once more in plain numpy ---------------------------------------------------------------------------------


def centre(position, feet, turn):
    """Centre of mass of a body pose."""
    com = np.empty(3)
    evaluate(BODY.table, np.array(position, dtype=float), feet, turn, np.empty((4, 3)), com)
    return com


def newton(com, feet, turn, start, tolerance=1e-6, most=40):
    """Newton's method with differences in place of the derivative; steps are at most half of an upper link long.

    Returns the position and how often the centre of mass was looked at.
    """
    position = np.array(start, dtype=float)
    for count in range(1, most + 1):
        error = com - centre(position, feet, turn)
        if np.linalg.norm(error) <= tolerance:
            return position, count
        shifts = 1e-6 * np.eye(3)
        slope = [
            (centre(position + shift, feet, turn) - centre(position - shift, feet, turn)) / 2e-6 for shift in shifts
        ]
        step = np.linalg.solve(np.transpose(slope), error)
        position += step * min(1.0, 0.5 * BODY.table.lengths[0, 0] / np.linalg.norm(step))
    return position, most + 1


def test_each_pass_is_a_newton_step():
    rng, counts = np.random.default_rng(12), set()
    for feet, com, orientation, pose in solved(12, 25):
        turn = to_matrix(orientation)
        start = pose.position + rng.uniform(-1.0, 1.0, 3) * rng.choice([0.001, 0.01])
        for tolerance in (1e-3, 1e-6):
            expected, _ = newton(com, feet, turn, start, tolerance)
            # An error that is close to the tolerance may fall on either side of it.
            fewest, most = (newton(com, feet, turn, start, share * tolerance)[1] for share in (2.0, 0.5))
            position = start.copy()
            count, *_ = solve_com(BODY.table, com, feet, turn, tolerance, position, np.empty((4, 3)), np.empty(3))
            assert fewest <= count <= most
            np.testing.assert_allclose(position, expected, atol=3 * tolerance)
            counts.add(count)
    assert counts >= {1, 2, 3}


def test_the_search_is_given_up_after_twelve_passes():
    com, counts = np.array([0.005, 0.003, 0.125]), []
    for away in np.arange(0.30, 0.56, 0.02):
        start = com + np.array([0.0, away, 0.0])
        expected, count = newton(com, HOME, np.eye(3), start)
        counts.append(count)
        if count <= 12:
            pose = com_ik(BODY, com, HOME, start=start)
            assert pose.evaluations == count
            np.testing.assert_allclose(pose.position, expected, atol=1e-5)
            np.testing.assert_allclose(pose.com, com, atol=1e-6)
        else:
            with pytest.raises(
                StanceError, match=r"no body position brings the centre of mass there; got \[0.005, 0.003"
            ):
                com_ik(BODY, com, HOME, start=start)
    assert {12, 13} <= set(counts)
    with pytest.raises(StanceError, match=r"limit: 1e-06 m within 12 passes, last 2\.\d+ m"):
        com_ik(BODY, com, HOME, start=[3.0, 0.0, 0.12])


def test_long_steps_are_as_long_in_every_direction():
    com, rng, compared = np.array([0.005, 0.003, 0.125]), np.random.default_rng(3), 0
    for _ in range(40):
        way = rng.normal(size=3)
        start = com + rng.uniform(0.1, 0.35) * way / np.linalg.norm(way)
        expected, count = newton(com, HOME, np.eye(3), start)
        # Near the tolerance either side counts.
        if count > 12 or len({newton(com, HOME, np.eye(3), start, share * 1e-6)[1] for share in (0.5, 2.0)}) > 1:
            continue
        pose, compared = com_ik(BODY, com, HOME, start=start), compared + 1
        # Differences in place of the derivative may cost one step more or less.
        assert abs(pose.evaluations - count) <= 1
        np.testing.assert_allclose(pose.position, expected, atol=1e-5)
    assert compared > 15


def test_a_step_solves_its_equations():
    """Also where the derivative is far from that of light legs."""
    rng = np.random.default_rng(5)
    for _ in range(200):
        turn, change, error = from_rpy(rng.uniform(-3, 3, 3)), rng.uniform(-2.0, 2.0, (3, 3)), rng.normal(size=3)
        rotation, mass = to_matrix(turn), rng.uniform(0.5, 3.0)
        inner = np.eye(3) - change / mass
        if abs(np.linalg.det(inner)) < 0.05:
            continue
        step = error.copy()
        newton_step(rotation, change, mass, step)
        np.testing.assert_allclose(step, np.linalg.solve(rotation @ inner @ rotation.T, error), atol=1e-9)
    # Without a derivative worth the name the error itself is the step.
    step = np.array([0.1, -0.2, 0.3])
    newton_step(np.eye(3), np.eye(3), 1.0, step)
    np.testing.assert_allclose(step, [0.1, -0.2, 0.3])


def test_without_a_start_it_begins_where_the_centre_of_mass_shall_be():
    for seed in range(5):
        feet, com, orientation = random_stance(np.random.default_rng(seed + 100))
        pose = com_ik(BODY, com, feet, to_matrix(orientation))
        same = com_ik(BODY, com, feet, to_matrix(orientation), start=com)
        assert pose.evaluations == same.evaluations
        np.testing.assert_array_equal(pose.position, same.position)
    given = np.array([0.01, 0.0, 0.13])
    com_ik(BODY, [0.0, 0.0, 0.12], HOME, start=given)
    np.testing.assert_array_equal(given, [0.01, 0.0, 0.13])


def test_the_slack_is_the_least_angle_left_to_a_limit():
    names = [joint for leg in BODY.legs for joint in leg.joints]
    index = [BODY.robot.index(name) for name in names]
    lower, upper = BODY.robot.lower[index], BODY.robot.upper[index]
    told = set()
    for *_, pose in solved(13, 60):
        angles = np.array([BODY.joints(pose.angles)[each] for each in index])
        left = np.minimum(upper - angles, angles - lower)
        foot, joint = pose.limiting
        leg = BODY.index(foot)
        assert joint in BODY.legs[leg].joints
        assert pose.slack <= left.min() + 1e-12
        # A stretched or folded knee is a limit of its own.
        if joint != BODY.legs[leg].joints[2]:
            assert pose.slack == pytest.approx(left[names.index(joint)], abs=1e-12)
            assert names.index(joint) == int(np.argmin(left))
        told.add(pose.limiting)
    assert len(told) >= 4


def test_what_is_missing_is_that_of_the_shortest_leg():
    angles, com = np.empty((4, 3)), np.empty(3)

    def missing(*low):
        feet = HOME.copy()
        for leg, depth in low:
            feet[leg, 2] -= depth
        return evaluate(BODY.table, np.array([0.0, 0.0, 0.13]), feet, np.eye(3), angles, com)[0]

    assert missing() <= 0.0
    for leg in range(4):
        alone = missing((leg, 0.08))
        assert alone > 0.0
        assert missing((leg, 0.09)) == pytest.approx(alone + 0.01, abs=2e-3)
        assert missing((leg, 0.08), ((leg + 1) % 4, 0.06)) == alone
        assert missing((leg, 0.08), ((leg + 3) % 4, 0.06)) == alone


def test_a_body_a_hair_too_high_is_refused():
    low, high = 0.12, 0.30
    while high - low > 1e-8:
        middle = 0.5 * (low + high)
        try:
            pose = stance_com(BODY, [0.0, 0.0, middle], HOME)
            low = middle
        except (LegReachError, StanceError):
            high = middle
    assert pose.slack >= -1e-9
    assert pose.evaluations == 1
    for above in (1e-6, 1e-3, 0.1):
        with pytest.raises((LegReachError, StanceError), match=r"[FH][LR]: [FH][LR]_"):
            stance_com(BODY, [0.0, 0.0, high + above], HOME)


@pytest.mark.parametrize("bad", [[0.0, 0.1], [0.0, 0.0, 0.1, 0.0], [[0.0, 0.0, 0.1]], [0.0, math.nan, 0.1]])
def test_three_finite_numbers_are_needed_everywhere(bad):
    for call in (
        lambda: stance_com(BODY, bad, HOME),
        lambda: com_ik(BODY, bad, HOME),
        lambda: com_ik(BODY, [0, 0, 0.12], HOME, start=bad),
        lambda: com_ik_free(BODY, bad, HOME),
        lambda: com_ik_free(BODY, [0, 0, 0.12], HOME, bad),
        lambda: com_ik_free(BODY, [0, 0, 0.12], HOME, most=bad),
    ):
        with pytest.raises(StanceError, match="three finite numbers are needed"):
            call()


# Free orientation -----------------------------------------------------------------------------------------------------

SLOPED = HOME + np.array([[0.03, 0, 0.07], [0.03, 0, 0.06], [0, 0.01, 0], [0, 0, 0]])


def room(com, feet, rpy):
    """Room of a body that is turned so; far below zero where a leg is short, the farther the more it is."""
    position, angles, found = np.array(com, dtype=float), np.empty((4, 3)), np.empty(3)
    turn = to_matrix(from_rpy(rpy))
    passes, missing, least, _ = solve_com(BODY.table, position.copy(), feet, turn, 1e-6, position, angles, found)
    return -100.0 if passes == 0 else -10.0 - missing if missing > 1e-9 else least


def pattern(com, feet, middle, span):
    """Steps along each axis, halved where none is better, down to 2 mrad."""
    best, most = np.array(middle), room(com, feet, middle)
    step = np.array(span)
    while step.max() > 2e-3:
        before = most
        for axis in range(3):
            for way in (-1.0, 1.0):
                trial = best.copy()
                trial[axis] += way * step[axis]
                if span[axis] > 0.0 and abs(trial[axis] - middle[axis]) <= span[axis] + 1e-12:
                    found = room(com, feet, trial)
                    if found > most:
                        best, most = trial, found
        if most == before:
            step = 0.5 * step
    return best, most


@pytest.mark.parametrize(
    ("com", "middle", "span"),
    [
        ([0.0, 0.0, 0.15], (0.0, 0.0, 0.0), (0.35, 0.9, 0.35)),
        ([0.01, -0.01, 0.14], (0.1, -0.2, 0.05), (0.1, 0.2, 0.0)),
        ([0.0, 0.0, 0.15], (0.0, 0.3, 0.0), (0.0, 0.1, 0.3)),
        # Level, a leg is too short.
        ([0.0, 0.0, 0.19], (0.0, 0.4, 0.0), (0.2, 0.9, 0.1)),
    ],
)
def test_free_orientation_is_a_pattern_search_for_the_most_room(com, middle, span):
    expected, most = pattern(com, SLOPED, middle, span)
    best, middle, span = np.zeros(3), np.array(middle), np.array(span)
    found = search_orientation(BODY.table, np.array(com), SLOPED, 1e-6, middle, span, best)
    np.testing.assert_allclose(best, expected, atol=1e-12)
    assert found == pytest.approx(most, abs=1e-12)
    assert (np.abs(best - middle) <= span + 1e-9).all()
    if most >= 0.0:
        pose = com_ik_free(BODY, com, SLOPED, middle, most=-span)
        np.testing.assert_allclose(pose.rotation, to_matrix(from_rpy(expected)), atol=1e-12)
        assert pose.slack == pytest.approx(most, abs=1e-9)
    else:
        with pytest.raises(StanceError, match="no orientation of the body has all feet in reach"):
            com_ik_free(BODY, com, SLOPED, middle, most=span)


def test_without_bounds_the_body_turns_around_level_by_a_third_or_pitches_by_nine_tenths():
    com = [0.0, 0.0, 0.15]
    free = com_ik_free(BODY, com, SLOPED)
    named = com_ik_free(BODY, com, SLOPED, (0.0, 0.0, 0.0), most=(0.35, 0.9, 0.35))
    np.testing.assert_array_equal(free.rotation, named.rotation)


def test_a_stance_without_any_orientation_is_refused_with_the_bounds():
    with pytest.raises(StanceError) as caught:
        com_ik_free(BODY, [0.0, 0.0, 0.4], HOME, (0.0, 0.1, 0.0), most=(0.1, 0.2, 0.0))
    assert "no orientation of the body has all feet in reach with the centre of mass there" in str(caught.value)
    assert "limit: roll, pitch, yaw within [0.1, 0.2, 0.0] rad of [0.0, 0.1, 0.0]" in str(caught.value)
