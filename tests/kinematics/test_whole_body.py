"""Whole-body inverse kinematics: what it reaches, what it keeps, and what it says of targets that nobody can reach."""

from __future__ import annotations

import math

import numpy as np
import pytest

from andante.kinematics.forward import Kinematics, KinematicsError
from andante.kinematics.whole_body import IkAnswer, WholeBodyIk
from andante.kinematics.whole_body_problem import (
    ComTask,
    Configuration,
    FixedFrame,
    PoseTask,
    PositionTask,
    PostureTask,
    WholeBodyError,
    feet_fixed,
)
from andante.robots.robot import Robot, UnknownJointError
from andante.spatial.rotations import angle_between, exp, from_matrix, multiply

NAO = Robot.load("nao")
IK = WholeBodyIk(NAO)
FEET = feet_fixed(NAO)
KINEMATICS = Kinematics(NAO)


def standing(robot: Robot) -> Configuration:
    """The robot's stand with its soles on the ground."""
    joints = robot.posture("stand")
    kinematics = Kinematics(robot)
    kinematics.update(joints)
    return Configuration(joints, [0.0, 0.0, -min(kinematics.pose(foot.site)[0][2] for foot in robot.feet)])


def place(configuration: Configuration | IkAnswer, frame: str) -> np.ndarray:
    KINEMATICS.update(configuration.joints, configuration.base_position, configuration.base_orientation)
    return KINEMATICS.pose(frame)[0]


def drift(answer: IkAnswer, start: Configuration) -> float:
    return max(float(np.linalg.norm(place(answer, foot.site) - place(start, foot.site))) for foot in NAO.feet)


def within(answer: IkAnswer) -> bool:
    return bool((answer.joints >= NAO.lower).all() and (answer.joints <= NAO.upper).all())


START = standing(NAO)
HAND = place(START, "left_hand")


def test_a_hand_goes_where_it_is_dragged_and_the_feet_stay():
    answer = IK.solve(START, [PositionTask("left_hand", HAND + np.array([0.02, 0.03, 0.05]))], fixed=FEET)
    assert answer.reached
    assert np.abs(place(answer, "left_hand") - HAND - [0.02, 0.03, 0.05]).max() < 1e-4
    assert drift(answer, START) < 1e-7
    assert within(answer)


def test_a_target_out_of_reach_is_approached_and_told():
    answer = IK.solve(START, [PositionTask("left_hand", HAND + np.array([0.0, 0.0, 3.0]))], fixed=FEET)
    assert not answer.reached
    assert not answer.residuals[0].reached
    # The arm points up over a body that stands as tall as it can.
    assert answer.residuals[0].position < np.linalg.norm([0.0, 0.0, 3.0]) - 0.15
    assert drift(answer, START) < 1e-7
    assert within(answer)


def test_a_start_beyond_the_limits_gives_an_answer_within_them():
    wild = Configuration(START.joints + 2.0, START.base_position)
    answer = IK.solve(wild, [PositionTask("left_hand", HAND)], fixed=[FixedFrame("Torso")])
    assert within(answer)
    assert answer.fixed[0].position < 1e-6


def test_a_drag_moves_no_joint_by_more_than_its_cap():
    most = math.radians(15.0)
    answer = IK.solve(
        START, [PositionTask("left_hand", HAND + np.array([0.5, 0.2, 0.9]))], fixed=FEET, most_motion=most
    )
    assert np.abs(answer.joints - START.joints).max() <= most + 1e-12
    assert any(limit.capped for limit in answer.active)
    assert drift(answer, START) < 1e-7


def test_locked_joints_keep_their_angles():
    answer = IK.solve(
        START,
        [PositionTask("left_hand", HAND + np.array([0.03, 0.0, 0.03]))],
        fixed=FEET,
        locked=["LElbowRoll", "LElbowYaw"],
    )
    assert answer.reached
    for name in ("LElbowRoll", "LElbowYaw"):
        assert answer.joints[NAO.index(name)] == START.joints[NAO.index(name)]


def test_pose_and_centre_of_mass_and_posture():
    KINEMATICS.update(START.joints, START.base_position)
    place_, turn = KINEMATICS.pose("Torso")
    wanted = multiply(from_matrix(turn), exp([0.0, 0.1, 0.0]))
    tasks = [
        PoseTask("Torso", place_ - [0.0, 0.0, 0.02], wanted),
        PostureTask(START.joints),
    ]
    answer = IK.solve(START, tasks, fixed=FEET)
    assert answer.reached
    assert angle_between(answer.base_orientation, wanted) < 1e-3
    com = KINEMATICS.com()
    answer = IK.solve(START, [ComTask(com + np.array([0.0, 0.03, 9.0]), axes=(True, True, False))], fixed=FEET)
    assert answer.reached
    KINEMATICS.update(answer.joints, answer.base_position, answer.base_orientation)
    assert KINEMATICS.com()[1] == pytest.approx(com[1] + 0.03, abs=1e-4)


def test_the_same_question_has_the_same_answer_whatever_was_asked_before():
    tasks = [PositionTask("right_hand", HAND * [1.0, -1.0, 1.0] + [0.05, 0.0, 0.1])]
    first = IK.solve(START, tasks, fixed=FEET)
    IK.solve(START, [PositionTask("left_hand", [9.0, 0.0, 0.0])], fixed=FEET)
    again = IK.solve(START, tasks, fixed=FEET)
    assert first.joints.tobytes() == again.joints.tobytes()
    assert first.base_position.tobytes() == again.base_position.tobytes()


@pytest.mark.parametrize(
    ("ask", "error", "message"),
    [
        (lambda: PositionTask("left_hand", [0.0, 0.0]), WholeBodyError, "the target of 'left_hand' does not fit"),
        (lambda: PositionTask("left_hand", [0.0, 0.0, math.nan]), WholeBodyError, "limit: 3 finite numbers"),
        (lambda: PoseTask("Torso", [0, 0, 0], [1, 1, 0, 0]), WholeBodyError, "must be a unit quaternion wxyz"),
        (lambda: ComTask([0, 0, 0], weight=-1.0), WholeBodyError, "a weight must be finite and not below 0"),
        (lambda: feet_fixed(NAO, ["FL"]), WholeBodyError, "has no such foot; got 'FL'; legal: left, right"),
        (lambda: IK.solve(START, [PositionTask("hand", HAND)]), KinematicsError, "no such site or body; got 'hand'"),
        (lambda: IK.solve(START, [], locked=["LElbow"]), UnknownJointError, "did you mean 'LElbowYaw'"),
        (lambda: IK.solve(START, [], most_motion=0.0), WholeBodyError, "the largest motion must be above 0"),
        (lambda: IK.solve(Configuration(np.zeros(3)), []), WholeBodyError, r"limit: \(26,\)"),
        (lambda: IK.solve(START, [PostureTask(np.zeros(3))]), WholeBodyError, "a posture task does not fit"),
        (lambda: IK.solve(START, [PostureTask(START.joints)] * 2), WholeBodyError, "more than one posture task"),
    ],
)
def test_questions_that_make_no_sense_are_refused(ask, error, message):
    with pytest.raises(error, match=message):
        ask()
