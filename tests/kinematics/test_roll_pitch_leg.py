"""Three-joint legs read from models, and their closed-form inverse kinematics against forward kinematics."""

from __future__ import annotations

import math
from dataclasses import replace

import mujoco
import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from packaged_robots import FILES, packaged_robot

from andante.kinematics.forward import Kinematics
from andante.kinematics.leg_model import LegGeometryError
from andante.kinematics.pitch_roll_leg import pitch_roll_legs
from andante.kinematics.roll_pitch_leg import RollPitchLeg, asymmetries, knee_bends, roll_pitch_legs
from andante.kinematics.three_joint_leg import LegReachError, ThreeJointLeg
from andante.robots.robot import Robot

DOG = Robot.load("littledog")
LEGS = roll_pitch_legs(DOG)
SHIPPED = {"littledog": LEGS, "spirit40": roll_pitch_legs(Robot.load("spirit40"))}
AIBO = pitch_roll_legs(Robot.load("ers7"))
SHARES = st.tuples(*[st.floats(0.0, 1.0)] * 3)


def angles_at(leg: ThreeJointLeg, shares) -> np.ndarray:
    return np.array(leg.lower) + np.array(shares) * (np.array(leg.upper) - leg.lower)


def on_branch(leg: RollPitchLeg, angles: np.ndarray) -> bool:
    """Whether angles lie on the leg's branch: knee bent the usual way, foot below the roll axis in the rolled frame."""
    bend = leg.bend * (leg.signs[2] * angles[2] - leg.stretched)
    unrolled = leg.place(np.array([0.0, angles[1], angles[2]])) - leg.hip
    return (bend + math.pi) % (2 * math.pi) - math.pi >= 0.0 and unrolled[2] < 0.0


@pytest.mark.slow
@given(st.integers(0, 3), SHARES)
@settings(max_examples=300, deadline=None)
def test_places_agree_with_the_model_and_are_solved(row, shares):
    leg = LEGS[row]
    angles = angles_at(leg, shares)
    posture = np.zeros(12)
    posture[list(leg.indices)] = angles
    kinematics = Kinematics(DOG)
    kinematics.update(posture)
    foot = kinematics.pose(DOG.feet[row].site)[0]
    assert np.abs(leg.place(angles) - foot).max() < 1e-12
    if on_branch(leg, angles):
        found = leg.solve(foot)
        assert (found >= leg.lower).all()
        assert (found <= leg.upper).all()
        assert np.abs(leg.place(found) - foot).max() < 1e-9
        # Away from the stretched and the hanging-sideways leg the angles themselves come back.
        if abs(math.sin(leg.stretched + leg.bend * 0.0 - leg.signs[2] * angles[2])) > 0.1:
            turns = np.remainder(found - angles + math.pi, 2 * math.pi) - math.pi
            assert np.abs(turns).max() < 1e-6


def test_angles_come_back_in_the_turn_in_which_the_limits_are():
    # A front hip pitches to -198 deg (thigh up, shank folded down), where a plain arctangent gives +162.
    leg = LEGS[0]
    angles = np.array([0.1, -3.45, -2.8])
    assert on_branch(leg, angles)
    assert leg.solve(leg.place(angles)) == pytest.approx(angles)


@pytest.mark.parametrize(
    ("shift", "message"),
    [
        (
            (0.0, 0.0, -0.2),
            "FL: FL_knee: the foot's place is out of the leg's reach; got '256.7 mm from the pitch axis'",
        ),
        ((0.0, -0.15, 0.02), r"FL: FL_roll: the foot's place needs a joint beyond its limit"),
        ((0.0, -0.04, 0.135), "FL: FL_roll: the foot's place is too near to the roll axis"),
    ],
)
def test_places_out_of_reach_name_the_joint_in_the_way(shift, message):
    leg = LEGS[0]
    home = leg.place([0.1, 1.0, -1.55])
    with pytest.raises(LegReachError) as caught:
        leg.solve(home + shift)
    assert str(caught.value).startswith(message.split("; got")[0])


def test_a_place_must_be_finite():
    with pytest.raises(LegReachError, match="FL: a foot's place is three finite coordinates"):
        LEGS[0].solve([0.1, float("nan"), 0.0])


@pytest.mark.parametrize(
    ("turns", "bend", "expected"),
    [
        ((-3.1, 1.0), -1.0, (0.0, 3.1)),
        ((-3.1, 1.0), 1.0, (0.0, 1.0)),
        ((-10.0, 10.0), 1.0, (0.0, math.pi)),
        ((-2.7, -0.8), -1.0, (0.8, 2.7)),
        ((-2.7, -0.8), 1.0, (0.0, 0.0)),
        # The same joint counted from a turn further on.
        ((-2.7 + 2 * math.pi, -0.8 + 2 * math.pi), -1.0, (0.8, 2.7)),
    ],
)
def test_bends_of_the_knee_on_one_side(turns, bend, expected):
    assert knee_bends(np.array(turns), 0.0, bend) == pytest.approx(expected)


def test_an_asymmetric_leg_is_found_and_named():
    slip = replace(LEGS[3], offset=(0.0, -0.0207, 0.0))
    short = replace(LEGS[1], lower=(-0.6, -3.4, -3.1))
    assert asymmetries((LEGS[0], short, LEGS[2], slip)) == (
        "limits of FL_pitch and FR_pitch are no mirror image: [-3.5, 2.4] rad against [-3.4, 2.4] rad",
        "offset of HL and HR is no mirror image along y: 0.0236 m against 0.0207 m",
    )


def test_legs_of_another_kind_are_refused():
    with pytest.raises(LegGeometryError, match=r"ers7.FL: the leg's closed form needs axes along x, y and y"):
        roll_pitch_legs(Robot.load("ers7"))
    with pytest.raises(LegGeometryError, match=r"nao.left: the leg must have three joints"):
        roll_pitch_legs(Robot.load("nao"))
    with pytest.raises(LegGeometryError, match="has no feet"):
        roll_pitch_legs(replace(DOG, feet=()))


def test_legs_with_joints_that_do_not_turn_by_themselves_are_refused():
    spec = DOG.spec()
    tie = spec.add_equality(
        type=mujoco.mjtEq.mjEQ_JOINT, name1="HL_knee", name2="HL_pitch", data=[0.0, -1.0] + [0.0] * 10
    )
    spec.compile()
    message = r"littledog.HL: each joint of the leg must turn by itself; got 'HL_knee tied to HL_pitch, HL_pitch tied"
    with pytest.raises(LegGeometryError, match=message):
        roll_pitch_legs(replace(DOG, mjcf=spec.to_xml()))
    tie.active = False
    spec.compile()
    assert len(roll_pitch_legs(replace(DOG, mjcf=spec.to_xml()))) == 4
    spec.add_equality(
        type=mujoco.mjtEq.mjEQ_CONNECT, objtype=mujoco.mjtObj.mjOBJ_BODY, name1=DOG.feet[2].body, name2=DOG.base_body
    )
    spec.compile()
    with pytest.raises(LegGeometryError, match=rf"littledog.HL: .* got '{DOG.feet[2].body} tied to {DOG.base_body}'"):
        roll_pitch_legs(replace(DOG, mjcf=spec.to_xml()))
    joints = [replace(joint, follows="HL_pitch" if joint.name == "HL_knee" else None) for joint in DOG.joints]
    with pytest.raises(LegGeometryError, match=r"littledog.HL: .* got 'HL_knee tied to HL_pitch'"):
        roll_pitch_legs(replace(DOG, joints=tuple(joints)))


def check_every_place_of_forward_kinematics_is_answered(leg: ThreeJointLeg, shares) -> None:
    angles = angles_at(leg, shares)
    foot = leg.place(angles)
    for near in (None, angles):
        found = leg.solve(foot, near)
        assert (found >= leg.lower).all()
        assert (found <= leg.upper).all()
        assert np.abs(leg.place(found) - foot).max() < 1e-8


@pytest.mark.slow
@given(st.sampled_from(["littledog", "spirit40"]), st.integers(0, 3), SHARES)
@example("spirit40", 0, (0.0, 0.0, 1.192092896e-07))  # folded onto the pitch axis, but for rounding
@settings(max_examples=600, deadline=None)
def test_every_place_of_forward_kinematics_is_answered(name, row, shares):
    check_every_place_of_forward_kinematics_is_answered(SHIPPED[name][row], shares)


@given(st.integers(0, 3), SHARES)
@settings(max_examples=300, deadline=None)
def test_every_place_of_forward_kinematics_is_answered_by_legs_that_pitch_first(row, shares):
    check_every_place_of_forward_kinematics_is_answered(AIBO[row], shares)


@pytest.mark.parametrize("name", sorted(FILES))
def test_other_quadrupeds_reach_every_place_of_forward_kinematics(name):
    legs, rng = roll_pitch_legs(packaged_robot(name)), np.random.default_rng(17)
    for count in range(2000):
        leg, shares = legs[count % 4], rng.uniform(size=3)
        # Some of the angles lie on a limit.
        shares = np.where(rng.uniform(size=3) < 0.1, np.round(shares), shares)
        if np.ptp([leg.lower, leg.upper]) > 20.0:
            shares = 0.5 + (shares - 0.5) * 0.1
        check_every_place_of_forward_kinematics_is_answered(leg, shares)


def test_a_foot_above_the_hip_is_reached_but_not_by_a_leg_that_walks():
    leg = LEGS[0]
    angles = np.array([0.2, 2.3, 0.4])
    assert not on_branch(leg, angles)
    assert leg.solve(leg.place(angles), angles) == pytest.approx(angles)
    with pytest.raises(LegReachError):
        leg.solve_on_branch(leg.place(angles))


def test_the_own_branch_comes_first_and_near_angles_before_it():
    leg = LEGS[0]
    angles = np.array([0.1, 1.0, -1.5])
    foot = leg.place(angles)
    assert leg.solve(foot) == pytest.approx(angles)
    # The other knee: the same foot with the shank bent to the other side.
    other = leg.solve(foot, [0.1, -0.5, 1.0])
    assert other[2] > 0.0
    assert leg.place(other) == pytest.approx(foot)


@pytest.mark.parametrize("name", sorted(FILES))
def test_legs_of_other_quadrupeds_are_read_and_solved(name):
    robot = packaged_robot(name)
    legs, kinematics = roll_pitch_legs(robot), Kinematics(robot)
    rng, solved = np.random.default_rng(3), 0
    for _ in range(100):
        posture = rng.uniform(np.maximum(robot.lower, -3.0), np.minimum(robot.upper, 3.0))
        kinematics.update(posture)
        for leg, foot in zip(legs, robot.feet, strict=True):
            place = kinematics.pose(foot.site)[0]
            angles = posture[list(leg.indices)]
            assert np.abs(leg.place(angles) - place).max() < 1e-9
            if on_branch(leg, angles):
                assert np.abs(leg.place(leg.solve(place)) - place).max() < 1e-9
                solved += 1
    assert solved > 50
