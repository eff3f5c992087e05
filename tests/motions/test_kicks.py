"""Kick documents: what they may say, which solution a pose takes, and one clear message for each mistake."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest

from andante.documents.problems import DocumentError
from andante.kinematics.planar_chain import PlanarChain, planar_chain
from andante.motions.kicks.document import Kick, KickError, load_kick, load_named, save_kick, shipped_kicks
from andante.motions.kicks.postures import pose_keyframes
from andante.robots.robot import Robot

CHAIN = planar_chain(Robot.load("bootcamp-leg"))
HEAD = "format: andante.kick\nversion: 1\nunits: {angle: deg, time: ms}\n"
GOOD = "{duration: 500, joints: {hip_angle: 0, knee_angle: 0, ankle_angle: 0}}"


def kick(*keyframes: str, more: str = "") -> Kick:
    return load_kick(HEAD + more + "keyframes:\n" + "".join(f"  - {line}\n" for line in keyframes))


def refusal(*keyframes: str, more: str = "") -> str:
    with pytest.raises((DocumentError, KickError)) as caught:
        pose_keyframes(kick(*keyframes, more=more), CHAIN, "my.yaml")
    return str(caught.value)


def test_angles_and_poses_mix_and_units_are_the_documents():
    posed = pose_keyframes(kick(GOOD, "{duration: 300, pose: {position: [0.65, 0.15], rotation: 0}}", GOOD), CHAIN)
    assert [keyframe.duration for keyframe in posed] == pytest.approx([0.5, 0.3, 0.5])
    np.testing.assert_allclose(np.degrees(posed[1].angles), (-45.0, 90.0, -21.61), atol=1e-9)
    assert [len(keyframe.solutions) for keyframe in posed] == [0, 1, 0]


def test_every_solution_is_listed_with_the_reason_why_it_is_not_used():
    (posed,) = pose_keyframes(kick("{duration: 300, pose: {position: [0.73, 0.19760913], rotation: -22.9183}}"), CHAIN)
    assert [solution.problem for solution in posed.solutions] == [
        "knee_angle 169.2967 deg is outside -45 to 90 deg",
        "",
    ]
    assert posed.angles is posed.solutions[1].angles


@pytest.mark.parametrize(
    ("choose", "before", "bent"),
    [("first", 0, 1), ("nearest", 80, 1), ("nearest", -80, -1), ("middle", 0, 1), ("middle", -80, 1)],
)
def test_the_choice_among_feasible_solutions(choose, before, bent):
    """A free chain has both knees: the criterion decides."""
    free = PlanarChain((0.0, 0.0), (0.2, 0.2, 0.1), (0.0, 0.0, 0.0), (-3.1, -2.0, -3.1), (3.1, 3.0, 3.1))
    asked = kick(
        f"{{duration: 300, joints: {{hip_angle: 0, knee_angle: {before}, ankle_angle: 0}}}}",
        "{duration: 300, pose: {position: [0.4, 0.0], rotation: 0}}",
        more=f"choose: {choose}\n",
    )
    assert math.copysign(1.0, pose_keyframes(asked, free)[1].angles[1]) == bent


def test_limits_may_be_left_to_the_stops():
    (posed,) = pose_keyframes(
        kick(
            "{duration: 500, joints: {hip_angle: 0, knee_angle: 112.5, ankle_angle: 0}}", more="beyond_limits: stops\n"
        ),
        CHAIN,
    )
    assert posed.notes == ("keyframe 0: knee_angle 112.5000 deg is outside -45 to 90 deg; its stop holds it",)


@pytest.mark.parametrize(
    ("keyframes", "message"),
    [
        (
            (GOOD, "{duration: 500, joints: {hip_angle: 0, knee_angle: 112.5, ankle_angle: 0}}", GOOD),
            "my.yaml: keyframes[1].joints: knee_angle is outside its range; got '112.5 deg'; limit: -45 to 90 deg; "
            "'beyond_limits: stops' would let the joint run against its stop",
        ),
        (
            (GOOD, "{duration: 500, joints: {hip_angle: 0, ankle_angle: 0}}"),
            "my.yaml: keyframes[1].joints: knee_angle is missing; limit: all of hip_angle, knee_angle, ankle_angle",
        ),
        (
            ("{duration: 500, joints: {hip_angle: 0, knee_angle: 0, ankle_angle: 0, ankel_angle: 0}}",),
            "my.yaml: keyframes[0].joints: there is no such joint; got 'ankel_angle'; did you mean 'ankle_angle'?; "
            "legal: hip_angle, knee_angle, ankle_angle",
        ),
        (
            (GOOD, "{duration: 300, pose: {position: [1.2, 0.55], rotation: 0}}"),
            "my.yaml: keyframes[1].pose: the pose has no feasible solution: too far: the ankle would be 0.55 m from "
            "the hip; limit: 0.4 m; got [1.2, 0.55, '0 deg']",
        ),
        (
            ("{duration: 300, pose: {position: [0.6, 0.4], rotation: 60}}",),
            "my.yaml: keyframes[0].pose: the pose has no feasible solution: solution 1 has knee_angle 180.7369 deg is "
            "outside -45 to 90 deg and solution 2 has ankle_angle 78.6545 deg is outside -135 to 0 deg; "
            "got [0.6, 0.4, '60 deg']",
        ),
    ],
)
def test_one_bad_keyframe_is_named_with_joint_value_and_range(keyframes, message):
    assert refusal(*keyframes) == message


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (
            "{duration: 0, joints: {hip_angle: 0, knee_angle: 0, ankle_angle: 0}}",
            "<text>:5:16: keyframes[0].duration is not legal; got 0; limit: above 0",
        ),
        (
            "{duration: -100, joints: {hip_angle: 0, knee_angle: 0, ankle_angle: 0}}",
            "<text>:5:16: keyframes[0].duration is not legal; got -100; limit: above 0",
        ),
        (
            "{duration: .nan, joints: {hip_angle: 0, knee_angle: 0, ankle_angle: 0}}",
            "<text>:5:16: keyframes[0].duration must be a finite number; got nan",
        ),
        ("{duration: 100}", "<text>:5:5: keyframes[0]: a keyframe needs either joints or pose; got {'duration': 100}"),
        (
            "{joints: {hip_angle: 0, knee_angle: 0, ankle_angle: 0}}",
            "<text>:5:5: keyframes[0].duration is missing; limit: this field must be given",
        ),
        (
            "{duration: 61000, joints: {hip_angle: 0, knee_angle: 0, ankle_angle: 0}}",
            "the document: all durations together must be at most 60 s, they are 61 s",
        ),
    ],
)
def test_durations_and_fields_that_are_refused(line, message):
    assert message in refusal(line)


def test_a_kick_survives_its_document(tmp_path):
    original = load_named("poses")
    save_kick(original, tmp_path / "kick.yaml")
    again = load_kick(tmp_path / "kick.yaml")
    assert "units: {angle: deg, time: ms" in (tmp_path / "kick.yaml").read_text()
    for one, other in zip(original.keyframes, again.keyframes, strict=True):
        assert one.pose is not None
        assert other.pose is not None
        assert other.pose.rotation == pytest.approx(one.pose.rotation, abs=1e-12)
        assert other.pose.position == pytest.approx(one.pose.position, abs=1e-12)


def test_shipped_kicks_load_and_unknown_names_are_told():
    assert set(shipped_kicks()) >= {"plain", "poses", "still"}
    for name in shipped_kicks():
        pose_keyframes(load_named(name), CHAIN, name)
    with pytest.raises(KickError, match="no such kick, neither shipped nor a file; got 'plane'; did you mean 'plain'"):
        load_named("plane")


def test_chains_with_other_joint_names_use_theirs():
    named = dataclasses.replace(CHAIN, joints=("a", "b", "c"))
    posed = pose_keyframes(kick("{duration: 100, joints: {c: -1, a: 1, b: 2}}"), named)
    np.testing.assert_allclose(np.degrees(posed[0].angles), (1.0, 2.0, -1.0))
