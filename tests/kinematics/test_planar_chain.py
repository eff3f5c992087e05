"""The planar leg: hand-worked values, the model as oracle, round trips, and every case of the inverse."""

from __future__ import annotations

import math

import mujoco
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from andante.kinematics.planar_chain import PlanarChain, PlanarChainError, planar_chain
from andante.robots.robot import Robot

LEG = Robot.load("bootcamp-leg")
CHAIN = planar_chain(LEG)
UNEQUAL = PlanarChain((0.0, 0.0), (0.3, 0.1, 0.1), (0.0, 0.0, 0.0), (-3.2, -3.2, -3.2), (3.2, 3.2, 3.2))


def nearest(solutions, angles):
    """Largest angle error of the nearest solution per pose, and which one it is."""
    errors = np.abs(solutions.angles - angles[:, None]).max(axis=-1)
    return np.nanmin(errors, axis=1), np.nanargmin(errors, axis=1)


def test_the_chain_is_read_from_the_model():
    assert CHAIN.base == pytest.approx((0.5, 0.55))
    assert CHAIN.lengths == pytest.approx((0.2, 0.2, 0.15))
    assert np.degrees(CHAIN.zero) == pytest.approx((-45.0, -90.0, 111.61))
    assert np.degrees(CHAIN.lower) == pytest.approx((-90.0, -45.0, -135.0))
    assert np.degrees(CHAIN.upper) == pytest.approx((45.0, 90.0, 0.0))


@pytest.mark.parametrize(
    ("angles", "points", "rotation"),
    [
        ((0, 0, 0), ((0.641421, 0.408579), (0.5, 0.267157), (0.637674, 0.207609)), -23.39),
        ((30, 60, -80), ((0.693185, 0.498236), (0.834607, 0.356815), (0.980529, 0.322078)), -13.39),
        ((-90, 0, -90), ((0.358579, 0.408579), (0.217157, 0.55), (0.079484, 0.609548)), -203.39),
    ],
)
def test_forward_gives_the_exercises_numbers(angles, points, rotation):
    found, turn = CHAIN.forward(np.radians(angles))
    np.testing.assert_allclose(found[0], (0.5, 0.55), atol=1e-12)
    np.testing.assert_allclose(found[1:], points, atol=5e-7)
    assert math.degrees(turn) == pytest.approx(rotation, abs=1e-9)


def test_forward_agrees_with_the_model(rng):
    data = mujoco.MjData(LEG.model)
    for angles in rng.uniform(CHAIN.lower, CHAIN.upper, (200, 3)):
        data.qpos[:] = angles
        mujoco.mj_kinematics(LEG.model, data)
        points, _ = CHAIN.forward(angles)
        places = [*(data.joint(name).xanchor for name in LEG.joint_names), data.site("toe").xpos]
        np.testing.assert_allclose(points, np.array(places)[:, [0, 2]], atol=1e-14)


def test_round_trip_of_100000_postures(rng):
    angles = rng.uniform(CHAIN.lower, CHAIN.upper, (100_000, 3))
    points, rotation = CHAIN.forward(angles)
    # Where the ankle is seen from the hip decides which formula fails: all four sides must be there.
    seen = points[:, 2] - CHAIN.base
    assert min((seen[:, 0] < 0).sum(), (seen[:, 0] > 0).sum(), (seen[:, 1] < 0).sum(), (seen[:, 1] > 0).sum()) > 1000
    solutions = CHAIN.inverse(points[:, 3], rotation)
    error, which = nearest(solutions, angles)
    again, turned = CHAIN.forward(solutions.angles[np.arange(len(angles)), which])
    pose = max(np.abs(again[:, 3] - points[:, 3]).max(), np.abs(turned - rotation).max())
    print(f"angles {error.max():.2e} rad, poses {pose:.2e}")
    assert error.max() <= 1e-6
    assert pose <= 1e-9
    # Under these limits at most one of the two is ever feasible, and the original always is.
    np.testing.assert_array_equal(solutions.feasible.sum(axis=1), 1)


@pytest.mark.parametrize("turns", [-2, -1, 1])
def test_a_rotation_by_whole_turns_is_the_same_pose(turns, rng):
    angles = rng.uniform(CHAIN.lower, CHAIN.upper, (1000, 3))
    points, rotation = CHAIN.forward(angles)
    solutions = CHAIN.inverse(points[:, 3], rotation + 2.0 * math.pi * turns)
    assert nearest(solutions, angles)[0].max() < 1e-6
    assert solutions.feasible.any(axis=1).all()


@pytest.mark.parametrize("direction", [(0.0, -1.0), (0.0, 1.0), (-1.0, 0.0), (-0.8, -0.6), (1.0, 0.0)])
def test_ankle_on_every_side_of_the_hip(direction):
    ankle = np.array(CHAIN.base) + 0.3 * np.array(direction)
    solutions = CHAIN.inverse([ankle + np.array([0.15, 0.0])], [0.0])
    assert solutions.exists.all()
    points, _ = CHAIN.forward(solutions.angles[0])
    np.testing.assert_allclose(points[:, 2], [ankle, ankle], atol=1e-12)


def test_two_solutions_with_the_exercises_numbers():
    solutions = CHAIN.inverse([(0.73, 0.19760913)], [-0.4])
    np.testing.assert_allclose(
        np.degrees(solutions.angles[0]), [(-67.2992, 169.2967, -101.5258), (11.9975, 10.7033, -22.2291)], atol=5e-5
    )
    assert solutions.feasible.tolist() == [[False, True]]
    assert [len(solutions.listed(feasible_only=only)) for only in (False, True)] == [2, 1]
    assert CHAIN.violations(solutions.angles[0, 0]) == ["knee_angle 169.2967 deg is outside -45 to 90 deg"]


def test_exactly_stretched_is_one_solution_at_the_knees_limit():
    solutions = CHAIN.inverse([(0.65, 0.15)], [0.0])
    (angles,) = solutions.listed()
    np.testing.assert_allclose(np.degrees(angles), (-45.0, 90.0, -21.61), atol=1e-9)
    assert solutions.feasible.tolist() == [[True, False]]


@pytest.mark.parametrize("short", [1e-16, 1e-14, 1e-12, 1e-10, 1e-8])
def test_nearly_stretched_never_leaves_the_domain(short):
    length = 0.4 - short
    ankle = np.array(CHAIN.base) + length * np.array([math.cos(-1.0), math.sin(-1.0)])
    solutions = CHAIN.inverse([ankle + np.array([0.15, 0.0])], [0.0])
    assert solutions.feasible.any()
    for angles in solutions.listed(feasible_only=True):
        points, _ = CHAIN.forward(angles)
        np.testing.assert_allclose(points[2], ankle, atol=1e-9)


@pytest.mark.parametrize(
    ("chain", "ankle", "reason"),
    [
        (CHAIN, (1.05, 0.55), "too far: the ankle would be 0.55 m from the hip; limit: 0.4 m"),
        (CHAIN, (0.5, 0.55), "the ankle would lie on the hip, where no direction of the leg is told from another"),
        (UNEQUAL, (0.1, 0.0), "too near: the ankle would be 0.1 m from the hip; limit: 0.2 m"),
        (UNEQUAL, (0.0, 0.0), "too near: the ankle would be 0 m from the hip; limit: 0.2 m"),
    ],
)
def test_no_solution_says_why(chain, ankle, reason):
    solutions = chain.inverse([np.add(ankle, (chain.lengths[2], 0.0))], [0.0])
    assert not solutions.exists.any()
    assert solutions.listed() == []
    assert solutions.reason() == reason


def test_wholly_folded_is_one_solution():
    solutions = UNEQUAL.inverse([(0.2 + 0.1, 0.0)], [0.0])
    (angles,) = solutions.listed()
    points, _ = UNEQUAL.forward(angles)
    np.testing.assert_allclose(points[1:3], [(0.3, 0.0), (0.2, 0.0)], atol=1e-12)


sizes = st.floats(0.05, 0.5)
turns = st.floats(-3.0, 3.0)


@given(st.tuples(sizes, sizes, sizes), st.tuples(turns, turns, turns), st.tuples(turns, turns, turns))
def test_any_lengths_any_zero_the_original_is_found(lengths, zero, angles):
    chain = PlanarChain((0.1, -0.2), lengths, zero, (-3.1, -3.1, -3.1), (3.1, 3.1, 3.1))
    points, rotation = chain.forward(angles)
    if np.hypot(*(points[2] - chain.base)) < 1e-6:
        return
    solutions = chain.inverse([points[3]], [rotation])
    again, turned = chain.forward(np.array(solutions.listed()))
    assert np.abs(again[:, 3] - points[3]).max() < 1e-8
    np.testing.assert_allclose(np.cos(turned - rotation), 1.0, atol=1e-12)
    assert np.linalg.norm(again[:, 1] - points[1], axis=-1).min() < 1e-4


@pytest.mark.parametrize(
    ("toe", "rotation", "message"),
    [
        ([(math.nan, 0.0)], [0.0], "a pose must be finite; got ([[nan, 0.0]], [0.0])"),
        ([(0.0, 0.0)], [math.inf], "a pose must be finite; got ([[0.0, 0.0]], [inf])"),
        ([(0.0, 0.0)], [0.0, 1.0], "poses need (n, 2) places and (n,) angles; got ((1, 2), (2,))"),
    ],
)
def test_poses_that_are_refused(toe, rotation, message):
    with pytest.raises(PlanarChainError) as caught:
        CHAIN.inverse(toe, rotation)
    assert str(caught.value) == message


def test_other_robots_are_refused():
    with pytest.raises(PlanarChainError, match="robot 'nao' is no planar leg"):
        planar_chain(Robot.load("nao"))
    with pytest.raises(PlanarChainError, match="lengths: a segment needs a length"):
        PlanarChain((0.0, 0.0), (0.0, 1.0, 1.0), (0, 0, 0), (0, 0, 0), (1, 1, 1))
    with pytest.raises(PlanarChainError, match="knee_angle: limits must rise"):
        PlanarChain((0.0, 0.0), (1.0, 1.0, 1.0), (0, 0, 0), (0, 2, 0), (1, 1, 1))
