"""Every condition variable from sensors worked out by hand."""

from __future__ import annotations

import math
import re
from pathlib import Path

import numpy as np
import pytest
from keyframe_run import Run, block, keyframe, library

from andante.control.controller import ControlError
from andante.control.keyframes.conditions import Situation, bind_check
from andante.control.keyframes.configuration import MotionRequest
from andante.control.keyframes.engine import KeyframeEngine
from andante.control.keyframes.features import Body, TorsoAngles
from andante.motions.conditions import Condition, Variable

V = Variable
TICK = 0.012


class Scene:
    """A NAO whose sensors a test sets; all joints at zero and upright to begin with."""

    def __init__(self, nao):
        self.nao, self.torso = nao, TorsoAngles()
        self.body = Body(nao, (0.07, -0.04, 0.04))
        self.situation = Situation(nao, self.body, self.torso, TICK)
        self.sensors = nao.sensors()
        self.situation.sensors = self.sensors
        self.look()

    def joint(self, name, angle):
        self.situation.measured[self.nao.index(name)] = angle

    def look(self, pitch=0.0, roll=0.0):
        a, b, c, d = math.cos(pitch / 2), math.sin(pitch / 2), math.cos(roll / 2), math.sin(roll / 2)
        self.sensors.orientation[:] = (a * c, a * d, b * c, -b * d)
        self.torso.update(self.sensors)
        self.body.update(self.situation.measured, self.torso.up)

    def __call__(self, variable):
        return self.situation.value(variable)


@pytest.fixture
def scene(nao):
    return Scene(nao)


def check(scene, variable, expected, tolerance=1e-9):
    assert scene(variable) == pytest.approx(expected, abs=tolerance)


def test_torso_variables(scene):
    scene.look(0.30)
    scene.look(0.34)
    scene.look(0.37)
    check(scene, V.TORSO_PITCH, 0.37)
    # changes 0.04 and 0.03: |0.03| + |0.03 - 0.04| = 0.04 rad per tick
    check(scene, V.TORSO_PITCH_FLUCTUATION, 0.04 / TICK)
    scene.look(0.0, -0.4)
    check(scene, V.TORSO_ROLL_MAGNITUDE, 0.4)
    check(scene, V.TORSO_ROLL, -0.4)


def test_joint_variables_are_measurements(scene):
    for variable, name, angle in (
        (V.LEFT_SHOULDER_PITCH, "LShoulderPitch", 0.3),
        (V.RIGHT_SHOULDER_PITCH, "RShoulderPitch", -0.4),
        (V.LEFT_SHOULDER_ROLL, "LShoulderRoll", 0.5),
        (V.RIGHT_SHOULDER_ROLL, "RShoulderRoll", -0.6),
    ):
        scene.joint(name, angle)
        check(scene, variable, angle)
    scene.joint("LKneePitch", 1.4)
    scene.joint("RKneePitch", 1.1)
    check(scene, V.KNEE_FLEXION, 1.1)
    scene.joint("LHipYawPitch", -0.2)
    scene.situation.requested = np.zeros(26)
    scene.situation.requested[scene.nao.index("LHipYawPitch")] = -0.5
    check(scene, V.HIP_YAW_PITCH_ERROR, 0.3)


def test_wrists_and_lying_on_the_arms(scene):
    # straight arm: shoulder 0.098, elbow 0.015 farther out
    check(scene, V.LEFT_WRIST_Y, 0.113)
    check(scene, V.RIGHT_WRIST_Y, -0.113)
    check(scene, V.LYING_ON_ARMS_FRONT, 0.0)
    # turned in by 18 deg: 0.098 + 0.015 cos 18 - (0.105 + 0.05595) sin 18 = 0.0625 < 0.09
    inward = math.radians(18.0)
    scene.joint("LShoulderRoll", -inward)
    scene.joint("LShoulderPitch", -0.5)
    scene.look()
    check(scene, V.LEFT_WRIST_Y, 0.098 + 0.015 * math.cos(inward) - 0.16095 * math.sin(inward))
    check(scene, V.LYING_ON_ARMS_FRONT, 0.0)  # the arm points up, not forward and down
    scene.joint("LShoulderPitch", 0.5)
    scene.look()
    check(scene, V.LYING_ON_ARMS_FRONT, 1.0)
    for name, angle in (("LShoulderRoll", 0.0), ("RShoulderRoll", inward), ("RShoulderPitch", 0.5)):
        scene.joint(name, angle)
    scene.look()
    check(scene, V.RIGHT_WRIST_Y, -(0.098 + 0.015 * math.cos(inward) - 0.16095 * math.sin(inward)))
    check(scene, V.LYING_ON_ARMS_FRONT, 1.0)


def test_centre_of_mass_variables(scene):
    # published zero posture: CoM (0.0212, 0.0002, -0.0328) in the torso, soles 0.33319 below it
    check(scene, V.COM_HEIGHT, 0.3332 - 0.0328, 3e-3)
    # support from the soles' back edge (-0.05) to +0.07; the CoM is 0.0488 behind the front end
    check(scene, V.COM_OUTSIDE_SUPPORT_X, 0.0212 - 0.07, 3e-3)
    # upside down the soles are above: the CoM is below the "lower" sole by the same length
    scene.look(math.pi)
    check(scene, V.COM_HEIGHT, -(0.3332 - 0.0328), 3e-3)


def test_capture_point_variables(scene):
    # Zero posture, upright: soles reach from about -0.05 to +0.1, the trunk turns forward and right with 1 rad/s.
    xs = [x for x, _ in scene.nao.feet[0].outline]
    ahead = 0.0212 - 0.5 * (min(xs) + max(xs))
    height = 0.3332 - 0.0328
    scene.sensors.gyro[:] = (1.0, 1.0, 0.0)
    scene.situation.capture.update(scene.sensors)
    speed = height * math.sqrt(height / 9.81)
    check(scene, V.CAPTURE_POINT_X, ahead + speed, 4e-3)
    check(scene, V.CAPTURE_POINT_Y, 0.0002 - speed, 4e-3)


def test_foot_support_is_the_difference_of_the_loads(scene):
    force = scene.sensors.force
    force[:4], force[4:] = 7.5, 2.5
    check(scene, V.FOOT_SUPPORT, 0.5)
    force[:4] = 0.0
    check(scene, V.FOOT_SUPPORT, -1.0)
    force[:] = 0.0
    check(scene, V.FOOT_SUPPORT, 0.0)
    force[0] = math.nan
    check(scene, V.FOOT_SUPPORT, 0.0)


@pytest.mark.parametrize(
    ("pitch", "rate", "left", "right", "expected"),
    [
        (69.0, 0.0, 90.0, 90.0, 1.0),  # far enough up, whatever the rest
        (71.0, 0.0, 0.0, 0.0, 0.0),
        (79.0, -101.0, 9.0, 9.0, 1.0),  # swings back, knees follow
        (79.0, -99.0, 9.0, 9.0, 0.0),
        (81.0, -150.0, 9.0, 9.0, 0.0),
        (79.0, -150.0, 11.0, 9.0, 0.0),  # one knee is behind
        (79.0, -150.0, 9.0, 11.0, 0.0),
        (79.0, -150.0, -60.0, -60.0, 1.0),  # ahead of the request is not behind
    ],
)
def test_the_push_from_the_front_is_enough(scene, nao, pitch, rate, left, right, expected):
    """Published with the 2025 release: both knees' request - measured < 10 deg, pitch < 80 deg, gyro y < -100 deg/s; or
    pitch < 70 deg."""
    scene.look(math.radians(pitch))
    scene.sensors.gyro[1] = math.radians(rate)
    scene.situation.requested = np.zeros(26)
    for name, behind in (("LKneePitch", left), ("RKneePitch", right)):
        scene.joint(name, 1.0)
        scene.situation.requested[nao.index(name)] = 1.0 + math.radians(behind)
    check(scene, V.ANOTHER_FRONT_HACK, expected)


def test_the_feet_carry_from_a_third_of_the_weight_on(scene, nao):
    weight = 9.81 * float(nao.model.body_mass.sum())
    for share, carried in ((0.2, False), (0.4, True), (math.nan, False)):
        scene.sensors.force[:] = share * weight / 8.0
        assert scene.situation.feet_carry() is carried


def test_variables_of_the_run(scene):
    for variable, field, value in (
        (V.WAIT_TIME, "wait_time", 0.36),
        (V.FRONT_HACK, "front_hack", 1.0),
        (V.BREAK_UP, "outside_window", True),
        (V.TRY_COUNT, "tries", 3),
    ):
        check(scene, variable, 0.0)
        setattr(scene.situation, field, value)
        check(scene, variable, float(value))


def test_no_variable_was_left_out():
    # Tests of a file run in several processes, so the file itself is asked.
    looked_at = re.findall(r"check\(scene, V\.([A-Z_]+)", Path(__file__).read_text())
    looked_at += re.findall(r"\(V\.([A-Z_]+), \"", Path(__file__).read_text())
    assert {variable.name for variable in Variable} == set(looked_at)


@pytest.mark.parametrize(
    ("variable", "mirrored", "turned"),
    [
        (V.LEFT_SHOULDER_PITCH, V.RIGHT_SHOULDER_PITCH, False),
        (V.RIGHT_SHOULDER_ROLL, V.LEFT_SHOULDER_ROLL, True),
        (V.LEFT_WRIST_Y, V.RIGHT_WRIST_Y, True),
        (V.FOOT_SUPPORT, V.FOOT_SUPPORT, True),
        (V.TORSO_ROLL, V.TORSO_ROLL, True),
        (V.CAPTURE_POINT_X, V.CAPTURE_POINT_X, False),
        (V.CAPTURE_POINT_Y, V.CAPTURE_POINT_Y, True),
        (V.TORSO_PITCH, V.TORSO_PITCH, False),
        (V.KNEE_FLEXION, V.KNEE_FLEXION, False),
    ],
)
def test_mirrored_conditions(nao, variable, mirrored, turned):
    condition = Condition(variable=variable, min=0.1, max=0.4)
    bound = bind_check(condition, nao, "here", mirror=True)
    assert bound.variable is mirrored
    assert (bound.low, bound.high) == ((-0.4, -0.1) if turned else (0.1, 0.4))


def test_front_hack_is_set_from_the_third_try_on(tiny):
    seen = [{"variable": "front_hack", "min": 1, "max": 1}]
    frames = {"r": block(keyframe(24)), "s": block(keyframe(24)), "h": block(keyframe(24))}
    motions = {
        "recoverGeneric": {"blocks": ["r"], "follow_ups": [{"motion": "hacked", "conditions": seen}]},
        "hacked": {"blocks": ["h"]},
        "stand": {"blocks": ["s"]},
    }
    run = Run(tiny, KeyframeEngine(tiny, library(frames, motions), MotionRequest(None)))
    run.tilt(1.3)
    run.step(400)
    assert run.motions()[:4] == ["recoverGeneric", "recoverGeneric", "recoverGeneric", "hacked"]


def test_conditions_on_what_the_robot_lacks_are_refused(tiny, nao):
    from dataclasses import replace

    numb = replace(nao, feet=tuple(replace(foot, cells=()) for foot in nao.feet))
    flying = replace(nao, feet=())
    for robot, variable, message in (
        (tiny, V.LEFT_WRIST_Y, "no joint for this condition's variable"),
        (numb, V.FOOT_SUPPORT, "feet without pressure cells"),
        (flying, V.FOOT_SUPPORT, "fewer than two feet"),
        (flying, V.CAPTURE_POINT_X, "fewer than two feet"),
        (flying, V.COM_OUTSIDE_SUPPORT_X, "fewer than two feet"),
        (flying, V.COM_HEIGHT, "has no foot"),
    ):
        with pytest.raises(ControlError, match=message) as caught:
            bind_check(Condition(variable=variable, min=0, max=1), robot, "blocks.a.keyframes[0].waits[0]", False)
        assert caught.value.place == "blocks.a.keyframes[0].waits[0].variable"
