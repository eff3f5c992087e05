"""Centre of mass over fixed feet and its inverse, against MuJoCo, Pinocchio and finite differences."""

from __future__ import annotations

import math

import numpy as np
import pytest
from packaged_robots import packaged_robot
from pinocchio_oracle import Oracle

from andante.kinematics.com_ik import com_ik, com_ik_free, rpy_matrix, stance_com
from andante.kinematics.forward import Kinematics
from andante.kinematics.leg_kernels import directions, leg_moment, turns
from andante.kinematics.leg_table import LeggedBody, StanceError
from andante.kinematics.three_joint_leg import LegReachError
from andante.spatial.compiled import entry
from andante.spatial.rotations import from_matrix, from_rpy, to_matrix
from stances import BODY, HOME, random_stance

# Inner kernels, compiled for calls from Python.
rpy_matrix = entry(rpy_matrix.py_func)
directions = entry(directions.py_func)
leg_moment = entry(leg_moment.py_func)
turns = entry(turns.py_func)


def solved(seed: int, count: int, tolerance: float = 1e-6):
    """Reachable stances: feet, wanted centre of mass, orientation and the pose that was found."""
    rng = np.random.default_rng(seed)
    while count:
        feet, com, orientation = random_stance(rng)
        try:
            yield feet, com, orientation, com_ik(BODY, com, feet, to_matrix(orientation), tolerance=tolerance)
            count -= 1
        except (StanceError, LegReachError):
            continue


def test_feet_and_centre_of_mass_are_where_they_should_be():
    kinematics = Kinematics(BODY.robot)
    for feet, com, orientation, pose in solved(1, 200):
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
    coarse = [pose.evaluations for *_, pose in solved(3, 500, tolerance=5e-4)]
    fine = [pose.evaluations for *_, pose in solved(3, 500)]
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
