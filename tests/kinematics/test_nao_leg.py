"""HumanoidLeg inverse kinematics: round trips through the model, both legs with one joint, and honest refusals."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest

from andante.kinematics.forward import Kinematics, KinematicsError
from andante.kinematics.leg import HumanoidLeg, biped_legs
from andante.kinematics.nao_leg import UnreachableError, solve_leg, solve_leg_at, solve_legs
from andante.robots.robot import Robot
from andante.spatial.rotations import rotation_x, rotation_y, rotation_z
from property_examples import configurations


class Feet:
    """Forward kinematics of the soles by the model."""

    def __init__(self, robot: Robot) -> None:
        self.robot = robot
        self.legs = biped_legs(robot)
        self.kinematics = Kinematics(robot)

    def __call__(self, left=None, right=None):
        joints = np.zeros(len(self.robot.joints))
        for leg, angles in zip(self.legs, (left, right), strict=True):
            if angles is not None:
                joints[list(leg.indices)] = angles
                # The shared joint's motor is whichever of the two leads.
                joints[self.legs[0].indices[0]] = joints[self.legs[1].indices[0]] = angles[0]
        self.kinematics.update(joints)
        return [self.kinematics.pose(foot.site) for foot in self.robot.feet]

    def one(self, index: int, angles):
        return self(angles if index == 0 else None, angles if index == 1 else None)[index]


@pytest.fixture(params=["small", "nao"])
def feet(request: pytest.FixtureRequest) -> Feet:
    return Feet(request.getfixturevalue(request.param))


@pytest.fixture
def left(small) -> HumanoidLeg:
    return biped_legs(small)[0]


def apart(a, b) -> float:
    return max(float(np.abs(x - y).max()) for x, y in zip(a, b, strict=True))


@pytest.mark.slow
@pytest.mark.parametrize("index", [0, 1])
def test_round_trip_of_10000_feasible_poses(feet, rng, index):
    leg = feet.legs[index]
    lower, upper = np.array(leg.lower), np.array(leg.upper)
    worst = returned = bent = beyond = 0.0
    for angles in rng.uniform(lower, upper, size=(configurations(10_000), 6)):
        pose = feet.one(index, angles)
        found = solve_leg(leg, *pose)
        beyond = max(beyond, float(np.max([lower - found, found - upper])))
        worst = max(worst, apart(feet.one(index, found), pose))
        if angles[3] >= 0.0:
            bent += 1
            returned += float(np.abs(found - angles).max()) < 1e-7
    print(leg.name, "largest pose error", worst)  # shown by `pytest -s`
    assert worst <= 1e-9
    assert beyond <= 1e-9
    # Every posture with a bent knee is the first choice for its own pose.
    assert returned == bent


@pytest.mark.parametrize("index", [0, 1])
def test_a_reference_picks_its_own_branch(feet, rng, index):
    leg = feet.legs[index]
    overstretched = 0
    for angles in rng.uniform(leg.lower, leg.upper, size=(1000, 6)):
        if abs(angles[3]) > 1e-3:
            overstretched += angles[3] < 0.0
            found = solve_leg(leg, *feet.one(index, angles), reference=angles)
            np.testing.assert_allclose(found, angles, atol=1e-9)
    assert overstretched > 10


@pytest.mark.parametrize("index", [0, 1])
def test_without_limits_every_branch_is_found(feet, rng, index):
    """Half turns of hip and ankle and the overstretched knee, which the NAO's limits mostly forbid."""
    leg = dataclasses.replace(feet.legs[index], lower=(-math.pi,) * 6, upper=(math.pi,) * 6)
    for angles in rng.uniform(-3.0, 3.0, size=(1000, 6)):
        pose = feet.one(index, angles)
        np.testing.assert_allclose(solve_leg(leg, *pose, reference=angles), angles, atol=1e-7)
        found, error = solve_leg_at(leg, angles[0], *pose, reference=angles)
        np.testing.assert_allclose(found, angles, atol=1e-7)
        assert abs(error) < 1e-9


@pytest.mark.parametrize("knee", [0.0, 1e-12, 1e-8, -1e-8, 1e-4])
def test_the_stretched_leg_keeps_its_digits(feet, knee):
    angles = np.array([-0.1, 0.05, -0.2, knee, 0.1, 0.03])
    pose = feet.one(0, angles)
    assert apart(feet.one(0, solve_leg(feet.legs[0], *pose)), pose) <= 1e-12


def test_stand_by_hand(left):
    # Foot straight below the hip, thigh and tibia making the height: the law of cosines by hand.
    distance = 0.18
    knee = math.pi - math.acos((0.1**2 + 0.1029**2 - distance**2) / (2 * 0.1 * 0.1029))
    ankle = -math.asin(0.1 * math.sin(knee) / distance)
    found = solve_leg(left, [0.0, 0.05, -0.085 - distance - 0.04519], np.eye(3))
    np.testing.assert_allclose(found, [0, 0, -(knee + ankle), knee, ankle, 0], atol=1e-12)


def test_inverse_of_the_reference_pose(left):
    position = (0.05489608, 0.09773971, -0.29046495)
    axis = np.array([0.0, 1.0, -1.0]) / math.sqrt(2.0)
    k = np.array([[0, -axis[2], axis[1]], [axis[2], 0, -axis[0]], [-axis[1], axis[0], 0]])
    yaw = np.eye(3) + math.sin(-0.4) * k + (1 - math.cos(-0.4)) * k @ k
    rotation = yaw @ rotation_x(0.2) @ rotation_y(-0.6 + 1.1 - 0.5) @ rotation_x(-0.1)
    np.testing.assert_allclose(solve_leg(left, position, rotation), [-0.4, 0.2, -0.6, 1.1, -0.5, -0.1], atol=1e-6)


def test_both_legs_that_agree_are_met_fully(feet, rng):
    for _ in range(300):
        lower, upper = (np.array([getattr(leg, side) for leg in feet.legs]) for side in ("lower", "upper"))
        lower[:, 3] = 0.05
        angles = rng.uniform(lower, upper)
        angles[1, 0] = angles[0, 0]
        poses = feet(*angles)
        solution = solve_legs(feet.legs, *poses, ratio=rng.uniform())
        np.testing.assert_allclose([solution.left, solution.right], angles, atol=1e-8)
        assert np.abs(solution.yaw_error).max() < 1e-9


@pytest.mark.parametrize("ratio", [0.0, 0.25, 0.5, 1.0])
def test_feet_that_disagree_share_the_yaw_error_by_ratio(feet, rng, ratio):
    for _ in range(100):
        base = np.array([-0.3, 0.0, -0.6, 1.1, -0.5, 0.0])
        angles = base + rng.uniform(-0.08, 0.08, size=(2, 6))
        poses = [feet.one(0, angles[0]), feet.one(1, angles[1])]
        solution = solve_legs(feet.legs, *poses, ratio=ratio)
        shared = (1 - ratio) * angles[0, 0] + ratio * angles[1, 0]
        assert solution.left[0] == solution.right[0] == pytest.approx(shared, abs=1e-9)
        reached = feet(solution.left, solution.right)
        for (position, rotation), pose, error in zip(reached, poses, solution.yaw_error, strict=True):
            np.testing.assert_allclose(position, pose[0], atol=1e-12)
            np.testing.assert_allclose(rotation, pose[1] @ rotation_z(error), atol=1e-12)
        if ratio in (0.0, 1.0):
            assert abs(solution.yaw_error[int(ratio)]) < 1e-9
            assert abs(solution.yaw_error[1 - int(ratio)]) > 1e-4 or abs(angles[0, 0] - angles[1, 0]) < 1e-3


def test_a_wish_beyond_the_motor_is_fine_when_the_blend_is_not(small):
    feet = Feet(small)
    wide = tuple(dataclasses.replace(leg, lower=(-2.0, *leg.lower[1:])) for leg in feet.legs)
    far = feet.one(0, [-1.3, 0.1, -0.5, 1.0, -0.5, 0.0])
    near = feet.one(1, [-0.2, -0.1, -0.5, 1.0, -0.5, 0.0])
    assert solve_leg(wide[0], *far)[0] == pytest.approx(-1.3)
    assert solve_legs(feet.legs, far, near, ratio=0.5).left[0] == pytest.approx(-0.75, abs=1e-9)
    with pytest.raises(UnreachableError) as caught:
        solve_legs(feet.legs, far, near, ratio=0.0)
    assert str(caught.value) == (
        "left leg: the foot pose is out of reach: LYaw would need -74.48 deg; limit: -65.62..42.44 deg"
    )


@pytest.mark.parametrize("index", [0, 1])
def test_five_joints_meet_place_and_normal_at_any_hip_yaw_pitch(feet, rng, index):
    leg, solved = feet.legs[index], 0
    for angles in rng.uniform(np.array(leg.lower) * 0.6, np.array(leg.upper) * 0.6, size=(500, 6)):
        pose = feet.one(index, angles)
        given = angles[0] + rng.uniform(-0.2, 0.2)
        try:
            found, error = solve_leg_at(leg, given, *pose, reference=angles)
        except UnreachableError:
            continue
        solved += 1
        position, rotation = feet.one(index, found)
        assert found[0] == given
        np.testing.assert_allclose(position, pose[0], atol=1e-12)
        np.testing.assert_allclose(rotation, pose[1] @ rotation_z(error), atol=1e-12)
    assert solved > 300


@pytest.mark.parametrize(
    ("position", "rotation", "message", "joint"),
    [
        (
            (0.0, 0.05, -0.34),
            np.eye(3),
            "left leg: the foot is too far from the hip: the ankle would be 0.2098 m from the hip centre; "
            "limit: 0.0999..0.2029 m by the range of LKnee",
            "LKnee",
        ),
        (
            (0.0, 0.05, -0.085 - 0.04519 - 0.002),
            np.eye(3),
            "left leg: the foot is too near to the hip: the ankle would be 0.0020 m from the hip centre; "
            "limit: 0.0999..0.2029 m by the range of LKnee",
            "LKnee",
        ),
        (
            (0.0, 0.05, -0.085 - 0.04519 - 0.09),
            np.eye(3),
            "left leg: the foot pose is out of reach: LKnee would need 127.36 deg; limit: -5.29..121.04 deg",
            "LKnee",
        ),
        (
            (0.0, 0.05, -0.3),
            # The ankle has to undo the foot's 0.9 rad and the lean of the leg over its edge,
            # atan2(sole sin 0.9, 0.215 - sole cos 0.9) = 0.187 rad.
            rotation_x(0.9),
            "left leg: the foot pose is out of reach: LTilt would need 62.29 deg; limit: -22.79..44.06 deg",
            "LTilt",
        ),
        (
            (0.0, 0.05, -0.3),
            rotation_y(-1.0),
            None,
            "LFlex",
        ),
    ],
)
def test_unreachable_poses_name_leg_joint_value_and_limit(left, position, rotation, message, joint):
    with pytest.raises(UnreachableError) as caught:
        solve_leg(left, position, rotation)
    error = caught.value
    assert (error.leg, error.joint) == ("left", joint)
    assert not error.lower <= error.needed <= error.upper
    if message is not None:
        assert str(error) == message


def test_nothing_unreachable_is_returned(feet, rng):
    """Whatever the pose, the answer is exact and within limits, or an error: never the nearest posture."""
    leg, reached, refused = feet.legs[0], 0, []
    for _ in range(3000):
        position = np.array([0.0, 0.05, -0.29]) + rng.uniform(-0.08, 0.08, size=3)
        roll, pitch, yaw = rng.uniform(-0.4, 0.4, size=3)
        rotation = rotation_z(yaw) @ rotation_y(pitch) @ rotation_x(roll)
        try:
            found = solve_leg(leg, position, rotation)
        except UnreachableError as error:
            refused.append(error)
            continue
        reached += 1
        assert apart(feet.one(0, found), (position, rotation)) <= 1e-9
    assert reached > 100
    assert len(refused) > 100
    assert not any(error.lower <= error.needed <= error.upper for error in refused)


def test_poses_that_are_none_are_refused(left, small):
    place = [0.0, 0.05, -0.3]
    for bad in (np.eye(3) * 1.01, np.diag([1.0, 1.0, -1.0]), np.full((3, 3), math.nan)):
        with pytest.raises(KinematicsError, match="left leg: the foot's rotation is no rotation matrix"):
            solve_leg(left, place, bad)
    with pytest.raises(KinematicsError, match=r"left leg: the foot's position must be finite; got .*nan"):
        solve_leg(left, [0, math.nan, 0], np.eye(3))
    with pytest.raises(KinematicsError, match=r"got \(\(2,\), \(3, 3\)\); limit: \(3,\) and \(3, 3\)"):
        solve_leg(left, [0, 0], np.eye(3))
    with pytest.raises(KinematicsError, match="reference joints of a leg are six finite angles"):
        solve_leg(left, place, np.eye(3), reference=[0, 0, 0])
    pose = (place, np.eye(3))
    for ratio in (-0.1, 1.1, math.nan):
        with pytest.raises(KinematicsError, match=r"blend ratio .* limit: 0\.\.1"):
            solve_legs(biped_legs(small), pose, pose, ratio=ratio)
