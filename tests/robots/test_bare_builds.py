"""Bare humanoids of other builds: axes of the base, toes, parallel joints in a shoulder, thighs in the pelvis."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest
from humanoids import mjcf_humanoid

from andante.robots.bare.facing import turn_base
from andante.robots.bare.groups import guess_mirror
from andante.robots.robot import Robot
from andante.search.studies.get_up import start_library
from andante.search.studies.sagittal import Sagittal

FOOT = '<geom type="box" size=".1 .05 .01" pos=".03 0 -.03"/>'
AXES = {
    "front along y": [[0.0, 1.0, 0.0], [-1.0, 0.0, 0.0], [0.0, 0.0, 1.0]],
    "front along -y": [[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]],
    "front along z, up y": [[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]],
    "up x": [[0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0]],
}
"""Front, left and up as rows, in the base's frame."""


def load(folder, text: str) -> Robot:
    path = folder / "robot.xml"
    path.write_text(text)
    return Robot.load(path)


@pytest.fixture(scope="module")
def plain(tmp_path_factory) -> Robot:
    return load(tmp_path_factory.mktemp("plain"), mjcf_humanoid())


@pytest.mark.parametrize("axes", AXES.values(), ids=AXES)
def test_a_base_with_other_axes_is_the_same_robot(plain, tmp_path, axes):
    spec = mujoco.MjSpec.from_string(mjcf_humanoid().replace('<site name="imu"/>', ""))
    spec.compile()
    # In the file the base's own axes are others: those that the loader is to find are the inverse turn.
    turn_base(spec.body("Trunk"), np.array(axes))
    spec.body("Trunk").quat = (0.5, 0.5, 0.5, 0.5)
    spec.compile()
    robot = load(tmp_path, spec.to_xml())
    assert robot.sources["base"].startswith("turned: ")
    assert robot.doubts == {}
    assert robot.mirror == plain.mirror
    assert robot.aliases == plain.aliases
    for one, two in zip(robot.feet, plain.feet, strict=True):
        np.testing.assert_allclose(sorted(one.outline), sorted(two.outline), atol=1e-6)
    # An IMU that the file does not have is along the base's new axes.
    np.testing.assert_allclose(np.abs(robot.model.site("imu").quat), [1.0, 0.0, 0.0, 0.0], atol=1e-9)


def test_toes_are_no_foot(plain, tmp_path):
    text = mjcf_humanoid()
    for side in ("Left", "Right"):
        toes = (
            '<geom type="box" size=".08 .05 .01" pos=".01 0 -.03"/>'
            f'<body name="{side}_toes" pos=".09 0 -.03"><joint name="{side}_Toes" axis="0 1 0" range="-.7 .1"/>'
            '<inertial pos=".02 0 0" mass=".1" diaginertia="1e-4 1e-4 1e-4"/>'
            '<geom type="box" size=".02 .05 .01" pos=".02 0 0"/></body>'
        )
        text = text.replace(FOOT, toes, 1)
    robot = load(tmp_path, text)
    assert [foot.body for foot in robot.feet] == [foot.body for foot in plain.feet]
    assert robot.groups["left_leg"] == (*plain.groups["left_leg"], "Left_Toes")
    assert robot.doubts == {}


def test_parallel_joints_in_one_place_are_pairs_by_their_rank():
    arms = "".join(
        f"""<body pos="0 {sign * 0.2} 0"><joint name="{side}1" axis="0 1 0"/><geom size=".01"/><body>
        <joint name="{side}2" axis="1 0 0"/><geom size=".01"/><body><joint name="{side}3" axis="0 {sign} 0"/>
        <geom size=".01"/></body></body></body>"""
        for side, sign in (("ka", 1.0), ("mu", -1.0))
    )
    model = mujoco.MjModel.from_xml_string(
        f'<mujoco><worldbody><body><freejoint/><geom size=".1"/>{arms}</body></worldbody></mujoco>'
    )
    mirror = guess_mirror([f"{side}{number}" for side in ("ka", "mu") for number in (1, 2, 3)], model)
    assert set(mirror.pairs) == {("ka1", "mu1"), ("ka2", "mu2"), ("ka3", "mu3")}
    assert mirror.negate == {"ka2", "mu2", "ka3", "mu3"}


@pytest.mark.parametrize(("top", "blocks"), [("-.08", False), ("-.058", True)])
def test_a_thigh_that_grazes_the_pelvis_does_not_block_the_hip(tmp_path, top, blocks):
    text = mjcf_humanoid(waist=False).replace('fromto="0 0 -.08 0 0 -.22"', f'fromto="0 0 {top} 0 0 -.22"')
    robot = load(tmp_path, text)
    assert ("Trunk and Left_thigh" in robot.sources.get("collisions", "")) == blocks


def test_feet_without_shapes_are_told(tmp_path):
    text = mjcf_humanoid().replace(FOOT, "")
    for size, top in ((".04", "-.08"), (".03", "-.05")):
        text = text.replace(f'<geom type="capsule" size="{size}" fromto="0 0 {top} 0 0 -.22"/>', "")
    robot = load(tmp_path, text)
    assert "nothing of it collides" in robot.doubts["feet"]


@pytest.mark.slow
def test_legs_without_ankle_roll_get_up_without_it(tmp_path):
    text = mjcf_humanoid()
    for side in ("Left", "Right"):
        text = text.replace(f'<joint name="{side}_Ankle_Roll" axis="1 0 0" range="-.4 .4"/>', "")
        text = text.replace(f'<motor joint="{side}_Ankle_Roll" ctrlrange="-15 15"/>', "")
    robot = load(tmp_path, text)
    balance = start_library(robot, Sagittal(robot, "a get-up")).blocks["front_rise"].capture_point
    assert balance.ankle_roll == 0.0 < balance.ankle_pitch


def test_a_root_on_the_ground_is_brought_between_the_hips(tmp_path):
    spec = mujoco.MjSpec.from_string(mjcf_humanoid(waist=False))
    spec.compile()
    turn_base(spec.body("Trunk"), np.eye(3), np.array([0.0, 0.0, -0.7]))
    spec.compile()
    robot = load(tmp_path, spec.to_xml())
    assert robot.sources["base"] == "its origin was between the feet, and is between the hips"
    assert robot.doubts == {}
    legs = [robot.model.body(f"{side}_hip").pos for side in ("Left", "Right")]
    np.testing.assert_allclose(np.mean(legs, axis=0), np.zeros(3), atol=1e-9)
    assert "stand" in robot.postures


def test_six_joints_of_the_root_are_a_free_one(plain, tmp_path):
    ways = {"x": "1 0 0", "y": "0 1 0", "z": "0 0 1"}
    slides = "".join(f'<joint name="{name}" type="slide" axis="{axis}"/>' for name, axis in ways.items())
    text = mjcf_humanoid().replace("<freejoint/>", slides + '<joint name="turn" type="ball"/>')
    robot = load(tmp_path, text)
    assert robot.joint_names == plain.joint_names
    assert robot.model.nq == plain.model.nq
    assert "leave it free" in robot.sources["base"]


def test_a_neck_and_a_waist_without_limits_are_no_wheels(tmp_path):
    text = mjcf_humanoid()
    for joint in ('name="Waist" axis="0 0 1"', 'name="Head_yaw" axis="0 0 1"'):
        assert f'{joint} range="-1 1"' in text
        text = text.replace(f'{joint} range="-1 1"', joint)
    robot = load(tmp_path, text)
    assert robot.sources["position limits"].endswith(": Head_yaw, Waist")
    assert robot.upper[robot.index("Waist")] == pytest.approx(np.pi)


def test_soles_that_are_tilted_at_zero_are_made_level_by_the_ankles(plain, tmp_path):
    tilted = FOOT.replace("/>", ' euler="0 .4 0"/>')
    robot = load(tmp_path, mjcf_humanoid().replace(FOOT, tilted))
    assert robot.doubts == {}
    stand, other = robot.postures["stand"], plain.postures["stand"]
    for side in ("Left", "Right"):
        assert stand[f"{side}_Ankle_Pitch"] - other[f"{side}_Ankle_Pitch"] == pytest.approx(-0.4, abs=0.1)


def test_joints_that_no_actuator_moves_are_told(plain):
    # The file has motors in the legs alone.
    told = plain.sources["drives"]
    assert told.startswith("the file's actuators do not move Head_yaw, Head_pitch, Left_Shoulder_Pitch")
    assert "Left_Knee" not in told
