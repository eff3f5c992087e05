"""Keyframes of an MJCF that give positions to servos and none to joints, and those of a model in a scene."""

from __future__ import annotations

import re

import pytest
from bare_files import load
from quadrupeds import LEGS, PARTS, mjcf_quadruped
from test_held_joints import ARM

CTRL = " ".join(["0 0.5 -1"] * 4)
ASKED = f'<keyframe><key name="home" ctrl="{CTRL}"/><key name="sit" time="1"/></keyframe>'


def with_key(drives: str, key: str = ASKED) -> str:
    """The quadruped with a keyframe of drives of another kind."""
    text = re.sub("<keyframe>.*</keyframe>", key, mjcf_quadruped())
    return re.sub("<actuator>.*</actuator>", f"<actuator>{drives}</actuator>", text)


def drives(kind: str) -> str:
    return "".join(kind.format(f"{leg}_{part}") for leg in LEGS for part in PARTS)


@pytest.mark.parametrize(
    ("kind", "turns"),
    [
        ('<position joint="{}" kp="30" kv="1" forcerange="-20 20"/>', 1.0),
        ('<position joint="{}" kp="30" gear="2" forcerange="-20 20"/>', 2.0),
        ('<general joint="{}" gainprm="30" biastype="affine" biasprm="0 -30 -1"/>', 1.0),
    ],
)
def test_what_position_servos_are_asked_for_is_a_posture(tmp_path, kind, turns):
    robot = load(tmp_path, with_key(drives(kind)))
    wanted = {f"{leg}_{part}": angle / turns for leg in LEGS for part, angle in zip(PARTS, (0, 0.5, -1), strict=True)}
    assert robot.postures["home"] == pytest.approx(wanted)
    assert robot.sources["keyframes"] == (
        "without positions of joints, taken by what position servos are asked for: home; left out, for they give no"
        " joint a position: sit"
    )
    assert robot.sources["stand"] == "keyframe 'home' of the file"


@pytest.mark.parametrize(
    "kind",
    [
        '<motor joint="{}" ctrlrange="-12 12"/>',
        '<velocity joint="{}" kv="30"/>',
        '<general joint="{}" gainprm="30" biastype="affine" biasprm="0 -20 -1"/>',
    ],
)
def test_what_other_drives_are_asked_for_is_no_posture_and_is_told(tmp_path, kind):
    robot = load(tmp_path, with_key(drives(kind)))
    assert set(robot.postures) == {"zero", "stand"}
    assert robot.sources["keyframes"] == "left out, for they give no joint a position: home, sit"


def test_servos_of_joints_that_are_held_do_not_shift_the_others(tmp_path):
    text = with_key('<position joint="open" kp="1"/>' + drives('<position joint="{}" kp="30"/>'))
    text = text.replace(f'ctrl="{CTRL}"', f'ctrl="0.02 {CTRL}"')
    robot = load(tmp_path, text.replace('<inertial pos="0 0 0" mass="6"', f'{ARM}<inertial pos="0 0 0" mass="6"'))
    assert robot.postures["home"]["FL_calf"] == -1.0
    assert robot.postures["home"]["yaw"] == 0.0


def test_a_model_attached_to_a_scene_brings_its_stand(tmp_path):
    (tmp_path / "robot.xml").write_text(mjcf_quadruped())
    scene = """<mujoco><asset><model name="dog" file="robot.xml"/></asset><worldbody><geom type="plane" size="1 1 1"/>
      <attach model="dog" body="trunk" prefix="a/"/></worldbody></mujoco>"""
    robot = load(tmp_path, scene, "scene.xml")
    assert robot.sources["stand"] == "keyframe 'stand' of the file"
    assert robot.postures["stand"]["a/FL_calf"] == -1.0
    assert "keyframes" not in robot.sources
