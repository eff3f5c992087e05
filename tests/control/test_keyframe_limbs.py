"""Cartesian limb targets: solved when the library is compiled, on both sides, or refused with their place."""

from __future__ import annotations

import numpy as np
import pytest
from keyframe_run import Run, block, keyframe, library

from andante.control.controller import ControlError
from andante.control.keyframes.engine import KeyframeEngine
from andante.control.keyframes.program import Program
from andante.kinematics.forward import Kinematics
from andante.spatial import rotations

PLACE = "blocks.a.keyframes[0].limbs"


def nao_library(*frames):
    lib = library({"a": block(*frames)}, {"m": {"blocks": ["a"]}})
    return lib.model_copy(update={"robot": "nao"})


def frames(nao, *written, mirror=False):
    return Program(nao_library(*written), nao, mirror).blocks["a"].keyframes


def reached(nao, target, end):
    kinematics = Kinematics(nao)
    kinematics.update(target)
    return kinematics.pose(end)


FEET = {
    "left_leg": {"position": (0.02, 0.06, -0.28), "rotation": (0.0, 0.0, 0.2)},
    "right_leg": {"position": (-0.03, -0.05, -0.29), "rotation": (0.1, -0.1, -0.2)},
}


def test_reference_posture_of_a_leg(nao):
    # reference nao.md 2.4: sole of (0, 0, -.5, 1, -.5, 0) at (-.00139, .05, -.308252), not turned
    pose = {"position": (-0.00139, 0.05, -0.308252), "rotation": (0.0, 0.0, 0.0)}
    target = frames(nao, keyframe(100, limbs={"left_leg": pose}))[0].target
    leg = [target[nao.index(f"L{name}")] for name in ("HipYawPitch", "HipRoll", "HipPitch", "KneePitch", "AnklePitch")]
    assert leg == pytest.approx([0.0, 0.0, -0.5, 1.0, -0.5], abs=1e-4)


def test_feet_and_hands_arrive_where_they_were_sent(nao):
    hands = {"left_arm": {"position": (0.15, 0.12, 0.05)}, "right_arm": {"position": (0.12, -0.2, 0.06)}}
    # a turn that one hip yaw pitch can give to both feet: opposite about z
    feet = {"left_leg": FEET["left_leg"], "right_leg": {"position": (-0.03, -0.05, -0.29), "rotation": (0, 0, -0.2)}}
    frame = frames(nao, keyframe(100, limbs=feet | hands))[0]
    for limb, end in (("left_leg", "left_sole"), ("right_leg", "right_sole")):
        position, rotation = reached(nao, frame.target, end)
        assert position == pytest.approx(feet[limb]["position"], abs=1e-6)
        wanted = rotations.to_matrix(rotations.exp(feet[limb]["rotation"]))
        assert np.abs(rotation - wanted).max() < 0.02  # the shared joint leaves a turn below 1 deg
    for limb, end in (("left_arm", "left_hand"), ("right_arm", "right_hand")):
        assert reached(nao, frame.target, end)[0] == pytest.approx(hands[limb]["position"], abs=2e-6)
    assert frame.target[nao.index("LHipYawPitch")] == frame.target[nao.index("RHipYawPitch")]
    assert (frame.target >= nao.lower - 1e-9).all()
    assert (frame.target <= nao.upper + 1e-9).all()
    # fingers are moved by no pose, the head is not named
    assert not frame.moves[[nao.index("LHand"), nao.index("HeadYaw")]].any()


def test_mirrored_poses_are_the_mirror_image(nao):
    limbs = {"left_leg": FEET["left_leg"], "left_arm": {"position": (0.15, 0.12, 0.05)}}
    plain, mirrored = (frames(nao, keyframe(100, limbs=limbs), mirror=mirror)[0] for mirror in (False, True))
    for left, right in (("left_sole", "right_sole"), ("left_hand", "right_hand")):
        a, turn_a = reached(nao, plain.target, left)
        b, turn_b = reached(nao, mirrored.target, right)
        assert b == pytest.approx(a * [1, -1, 1], abs=1e-9)
        flip = np.diag([1.0, -1.0, 1.0])
        if "sole" in left:
            assert turn_b == pytest.approx(flip @ turn_a @ flip, abs=1e-9)


def test_what_a_pose_leaves_out_is_kept_from_the_keyframe_before(nao):
    first = {"left_leg": {"position": (0.0, 0.05, -0.29), "rotation": (0.0, 0.1, 0.0)}}
    second = {"left_leg": {"position": (0.02, 0.05, -0.27)}}
    frame = frames(nao, keyframe(100, limbs=first), keyframe(100, limbs=second))[1]
    position, rotation = reached(nao, frame.target, "left_sole")
    assert position == pytest.approx((0.02, 0.05, -0.27), abs=1e-9)
    assert rotation == pytest.approx(rotations.to_matrix(rotations.exp((0.0, 0.1, 0.0))), abs=1e-9)


def test_a_pose_wins_over_angles_of_its_joints_but_not_over_off(nao):
    limbs = {"left_arm": {"position": (0.15, 0.12, 0.05)}}
    frame = frames(nao, keyframe(100, {"LShoulderPitch": -1.0, "LElbowRoll": "off", "HeadYaw": 0.3}, limbs=limbs))[0]
    assert frame.target[nao.index("LShoulderPitch")] != -1.0
    assert frame.off[nao.index("LElbowRoll")]
    assert not frame.moves[nao.index("LElbowRoll")]
    assert frame.target[nao.index("HeadYaw")] == 0.3


def test_the_engine_runs_them(nao):
    right = {"position": (0.02, -0.06, -0.28), "rotation": (0.0, 0.0, -0.2)}
    limbs = {"left_leg": FEET["left_leg"], "right_leg": right}
    engine = KeyframeEngine(nao, nao_library(keyframe(600, limbs=limbs)), "m")
    run = Run(nao, engine)
    run.step(120)
    assert engine.done
    assert reached(nao, run.command.position, "left_sole")[0] == pytest.approx((0.02, 0.06, -0.28), abs=1e-6)
    assert reached(nao, run.command.position, "right_sole")[0] == pytest.approx(right["position"], abs=1e-6)


@pytest.mark.parametrize(
    ("limbs", "message"),
    [
        (
            {"left_leg": {"position": (0.0, 0.05, -0.4), "rotation": (0, 0, 0)}},
            f"{PLACE}.left_leg: the pose is out of reach: the foot is too far from the hip: the ankle would be "
            "0.2698 m from the hip centre; got 'LKneePitch'; limit: 0.0999..0.2029 m by the range of LKneePitch",
        ),
        (
            {"left_leg": {"position": (0.0, 0.05, -0.27), "rotation": (0, 1.3, 0)}},
            f"{PLACE}.left_leg: the pose is out of reach: the foot pose is out of reach: LAnklePitch would need",
        ),
        (
            {"left_leg": {"position": (0.0, 0.05, -0.29)}},
            f"{PLACE}.left_leg: the pose has no rotation, and no keyframe before it",
        ),
        (
            {
                "left_leg": {"position": (0.0, 0.05, -0.29), "rotation": (0, 0, 0.3)},
                "right_leg": {"position": (0.0, -0.05, -0.29), "rotation": (0, 0, 0.3)},
            },
            f"{PLACE}.left_leg.rotation: LHipYawPitch moves both legs and cannot turn both feet as asked",
        ),
        ({"left_arm": {"position": (0.5, 0.1, 0.1)}}, f"{PLACE}.left_arm: the pose is out of reach, whatever"),
        ({"left_arm": {"position": (0.0, 0.06, 0.2)}}, f"{PLACE}.left_arm: the pose is out of reach: "),
        ({"tail": {"position": (0, 0, 0)}}, f"{PLACE}.tail: robot 'nao' has no such joint group; got 'tail'"),
    ],
)
def test_poses_out_of_reach_are_refused_with_limb_joint_and_limit(nao, limbs, message):
    with pytest.raises(ControlError) as caught:
        frames(nao, keyframe(100, limbs=limbs))
    assert str(caught.value).startswith(message)


def test_an_unreachable_place_names_the_joint_that_is_in_the_way(nao):
    # nearest of 200,000 random postures: 37 mm away; the elbow would have to turn beyond its range
    with pytest.raises(ControlError) as caught:
        frames(nao, keyframe(100, limbs={"right_arm": {"position": (0.05, -0.25, 0.08)}}))
    assert caught.value.value == "RElbowYaw"
    assert caught.value.limit == "-119.50..119.50 deg"
