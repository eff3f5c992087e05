"""Whole-body inverse kinematics: what it reaches, what it keeps, and what it says of targets that nobody can reach."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from packaged_robots import packaged_robot

from andante.kinematics.forward import Kinematics, KinematicsError
from andante.kinematics.whole_body import WholeBodyIk
from andante.kinematics.whole_body_problem import (
    ComTask,
    Configuration,
    FixedFrame,
    IkAnswer,
    PoseTask,
    PositionTask,
    PostureTask,
    WholeBodyError,
    feet_fixed,
)
from andante.robots.parts import UnknownJointError
from andante.robots.robot import Robot
from andante.spatial.rotations import angle_between, exp, from_matrix, log, multiply, normalise

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


ROBOTS = ["nao", "t1", "go2"]


class Case:
    """A robot on its feet, the frame that is asked for, and an own look at answers."""

    def __init__(self, name: str) -> None:
        self.robot = Robot.load(name) if name == "nao" else packaged_robot(name)
        self.ik, self.kinematics = WholeBodyIk(self.robot), Kinematics(self.robot)
        self.start, self.feet = standing(self.robot), feet_fixed(self.robot)
        self.frame = {"nao": "left_hand", "t1": "right_hand_link", "go2": "base"}[name]
        self.places = {each.frame: self.place(self.start, each.frame) for each in self.feet}

    def place(self, at: Configuration | IkAnswer, frame: str) -> np.ndarray:
        self.kinematics.update(at.joints, at.base_position, at.base_orientation)
        return self.kinematics.pose(frame)[0]

    def check(self, answer: IkAnswer) -> None:
        """What every answer keeps."""
        assert (answer.joints >= self.robot.lower).all()
        assert (answer.joints <= self.robot.upper).all()
        for joint, index in zip(self.robot.joints, answer.joints, strict=True):
            if joint.follows:
                assert index == answer.joints[self.robot.index(joint.follows)]
        for frame, place_ in self.places.items():
            assert np.linalg.norm(self.place(answer, frame) - place_) < 1e-6

    def random_posture(self, rng: np.random.Generator) -> Configuration:
        """A posture within the limits whose feet stand where they do at the start, by steps of the pseudo-inverse."""
        robot, kinematics = self.robot, self.kinematics
        leaders = [robot.index(joint.follows) if joint.follows else n for n, joint in enumerate(robot.joints)]
        motors = [n for n, leader in enumerate(leaders) if n == leader]
        self.place(self.start, self.frame)
        soles = {each.frame: kinematics.pose(each.frame)[1] for each in self.feet}
        while True:
            joints = rng.uniform(robot.lower, robot.upper)[leaders]
            position = self.start.base_position * (1.0 + rng.normal(size=3) * 0.1)
            turn = exp(rng.normal(size=3) * 0.2)
            for _ in range(30):
                kinematics.update(joints, position, turn)
                errors, rows = [], []
                for each in self.feet:
                    at, rotation = kinematics.pose(each.frame)
                    errors.append(self.places[each.frame] - at)
                    rows.append(kinematics.jacobian(each.frame)[: 3 if each.turns else 6])
                    if not each.turns:
                        errors.append(log(from_matrix(soles[each.frame] @ rotation.T)))
                error = np.concatenate(errors)
                if np.abs(error).max() < 1e-10:
                    return Configuration(joints, position, turn)
                step = np.linalg.pinv(np.vstack(rows) @ kinematics.coupling, rcond=1e-6) @ error
                step *= min(1.0, 0.5 / np.abs(step).max())
                position, turn = position + step[:3], normalise(multiply(turn, exp(step[3:6])))
                joints[motors] += step[6:]
                joints = np.clip(joints, robot.lower, robot.upper)[leaders]


@pytest.fixture(scope="module", params=ROBOTS)
def case(request: pytest.FixtureRequest) -> Case:
    return Case(request.param)


@pytest.mark.slow
def test_targets_that_can_be_reached_are_reached(case):
    rng, reached, count = np.random.default_rng(21), 0, 30
    for _ in range(count):
        target = case.place(case.random_posture(rng), case.frame)
        answer = case.ik.solve(case.start, [PositionTask(case.frame, target)], fixed=case.feet)
        case.check(answer)
        assert answer.reached == (np.abs(case.place(answer, case.frame) - target).max() <= 1e-4 + 1e-9)
        reached += answer.reached
    assert reached >= 0.96 * count


@pytest.mark.slow
@given(shift=st.tuples(*[st.floats(-3.0, 3.0)] * 3), noise=st.integers(0, 10**6), beyond=st.floats(0.0, 3.0))
# What is asked is out of reach and pulled a T1's feet away, wherever the search began.
@example(shift=(0.0, 0.0, 3.0), noise=749, beyond=2.0)
@example(shift=(0.0, 0.0, 3.0), noise=24, beyond=3.0)
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_answers_keep_limits_and_feet_wherever_they_start_and_whatever_is_asked(case, shift, noise, beyond):
    rng = np.random.default_rng(noise)
    wild = Configuration(case.start.joints + beyond * rng.normal(size=len(case.robot.joints)), case.start.base_position)
    fixed = [
        FixedFrame(each.frame, case.places[each.frame], None if each.turns else [1.0, 0.0, 0.0, 0.0], turns=each.turns)
        for each in case.feet
    ]
    target = case.place(case.start, case.frame) + np.array(shift)
    answer = case.ik.solve(wild, [PositionTask(case.frame, target)], fixed=fixed)
    case.check(answer)
    told = answer.residuals[0]
    assert told.position == pytest.approx(float(np.linalg.norm(case.place(answer, case.frame) - target)), abs=1e-9)


@given(ways=st.lists(st.tuples(*[st.floats(-0.4, 0.4)] * 3), min_size=1, max_size=4))
@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_drags_creep_and_keep(case, ways):
    now, most = case.start, math.radians(15.0)
    target = case.place(now, case.frame)
    for way in ways:
        target = target + np.array(way)
        answer = case.ik.solve(now, [PositionTask(case.frame, target)], fixed=case.feet, most_motion=most)
        case.check(answer)
        assert np.abs(answer.joints - now.joints).max() <= most + 1e-12
        before = np.linalg.norm(case.place(now, case.frame) - target)
        assert np.linalg.norm(case.place(answer, case.frame) - target) <= before + 1e-9
        now = answer.configuration


def test_a_stretched_leg_can_be_bent():
    """At zero angles both knees are straight: to first order no joint moves the trunk down."""
    robot = NAO
    zero = np.zeros(len(robot.joints))
    KINEMATICS.update(np.clip(zero, robot.lower, robot.upper))
    start = Configuration(np.clip(zero, robot.lower, robot.upper), [0, 0, -KINEMATICS.pose(robot.feet[0].site)[0][2]])
    target = place(start, "Torso") - np.array([0.0, 0.0, 0.01])
    assert IK.solve(start, [PositionTask("Torso", target)], fixed=FEET).reached
    moved = IK.solve(start, [PositionTask("Torso", target)], fixed=FEET, most_motion=math.radians(15.0))
    assert place(moved, "Torso")[2] < place(start, "Torso")[2] - 1e-3


def test_feet_that_cannot_be_kept_are_told():
    away = FixedFrame("left_sole", place(START, "left_sole") + np.array([0.0, 3.0, 0.0]))
    answer = IK.solve(START, [PositionTask("left_hand", HAND)], fixed=[FixedFrame("right_sole"), away])
    assert not answer.reached
    assert any(not each.reached for each in answer.fixed)
    assert within(answer)


def test_a_robot_without_a_floating_base_is_solved_too():
    leg = Robot.load("bootcamp-leg")
    kinematics, ik = Kinematics(leg), WholeBodyIk(leg)
    angles = 0.5 * (leg.lower + leg.upper)
    frame = "toe"
    kinematics.update(angles)
    target = kinematics.pose(frame)[0]
    answer = ik.solve(Configuration(angles + 0.2), [PositionTask(frame, target)])
    kinematics.update(answer.joints)
    assert np.abs(kinematics.pose(frame)[0] - target).max() < 1e-4
