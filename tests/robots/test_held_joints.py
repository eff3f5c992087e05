"""Slides and balls at the ends of arms are held and told; in legs, and where they carry hinges, they are refused."""

from __future__ import annotations

import numpy as np
import pytest
from bare_files import load, refusal
from quadrupeds import LEGS, mjcf_quadruped, urdf_joint, urdf_link, urdf_quadruped

from andante.backends.mujoco_world import MujocoWorld
from andante.backends.world import WorldConfig

FINGERS = """<body name="one" pos="0.2 0.02 0"><joint name="open" type="slide" axis="0 1 0" range="0 0.03"/>
  <geom size="0.01" mass="0.03"/></body>
  <body name="two" pos="0.2 -0.02 0"><joint name="follow" type="slide" axis="0 -1 0" range="0 0.03"/>
  <geom size="0.01" mass="0.03"/></body>
  <body name="tassel" pos="0.1 0 0.03"><joint name="swivel" type="ball"/><geom size="0.01" mass="0.02"/></body>"""
ARM = f"""<body name="arm" pos="0.15 0 0.05"><joint name="yaw" axis="0 0 1" range="-45 45"/>
  <geom type="capsule" size="0.02" fromto="0 0 0 0.2 0 0" mass="0.3"/>{FINGERS}</body>"""
DRIVES = """<position name="grip" joint="open" kp="1"/><position name="both" tendon="pair" kp="1"/>
  <motor name="turn" joint="yaw" ctrlrange="-5 5"/>"""
TIES = """<equality><joint joint1="open" joint2="follow"/></equality>
  <tendon><fixed name="pair"><joint joint="open" coef="1"/><joint joint="follow" coef="1"/></fixed></tendon>"""


def with_arm(ties: str = TIES) -> str:
    text = mjcf_quadruped().replace('<inertial pos="0 0 0" mass="6"', f'{ARM}<inertial pos="0 0 0" mass="6"')
    text = text.replace("<actuator>", f"{ties}<actuator>{DRIVES}")
    return text.replace('qpos="0 0 0.4 1 0 0 0 ', 'qpos="0 0 0.4 1 0 0 0 0.3 0.01 0.02 1 0 0 0 ')


def test_a_gripper_is_held_and_all_else_stays_as_the_file_has_it(tmp_path):
    robot = load(tmp_path, with_arm())
    plain = load(tmp_path, mjcf_quadruped(), "plain.xml")
    assert robot.joint_names == ("yaw", *plain.joint_names)
    assert robot.sources["other joints"] == (
        "held where they are at zero, for hinges alone are moved: open (slide of one), follow (slide of two), swivel"
        " (ball of tassel)"
    )
    # Numbers of the joints that are held are gone from the file's posture, and those of the others are where they were.
    wanted = {"yaw": 0.3, **dict(zip(plain.joint_names, plain.posture("stand"), strict=True))}
    assert robot.posture("stand") == pytest.approx(list(wanted.values()), abs=1e-6)
    assert robot.model.body_mass.sum() == pytest.approx(plain.model.body_mass.sum() + 0.38)
    world = MujocoWorld(robot, WorldConfig())
    world.advance(0.05)
    assert np.isfinite(world.data.qpos).all()


def test_fingers_of_a_urdf_are_held_though_one_follows_the_other(tmp_path):
    limit = '<limit lower="0" upper="0.03" effort="5" velocity="1"/>'
    fingers = urdf_link("arm", 0.3) + urdf_link("one", 0.03) + urdf_link("two", 0.03)
    fingers += urdf_joint("yaw", "trunk", "arm", "0.15 0 0.05", "0 0 1", limit)
    fingers += urdf_joint("open", "arm", "one", "0.2 0.02 0", "0 1 0", limit, "prismatic")
    fingers += urdf_joint("follow", "arm", "two", "0.2 -0.02 0", "0 1 0", f'{limit}<mimic joint="open"/>', "prismatic")
    robot = load(tmp_path, urdf_quadruped().replace("</robot>", f"{fingers}</robot>"), "quad.urdf")
    assert len(robot.joints) == 13
    assert "open (slide of one), follow (slide of two)" in robot.sources["other joints"]
    assert "mimic joints" not in robot.sources


@pytest.mark.parametrize(
    "ties",
    [
        '<equality><connect body1="one" body2="trunk" anchor="0 0 0"/></equality>',
        '<equality><weld body1="two" body2="FL_calf"/></equality>',
    ],
)
def test_a_slide_that_closes_a_loop_is_refused(tmp_path, ties):
    # Held, it would hold the loop, too.
    tied = "open" if "one" in ties else "follow"
    drives = with_arm(ties).replace('<position name="both" tendon="pair" kp="1"/>', "")
    assert f"joint {tied!r}: only hinge joints are supported" in refusal(tmp_path, drives, "quad.xml")


def test_a_sprung_foot_and_a_leg_that_slides_are_refused(tmp_path):
    slide = '<joint name="FL_spring" type="slide" axis="0 0 1" range="-0.02 0.02" stiffness="900"/>'
    foot = '<geom type="sphere" size="0.02" pos="0 0 -0.2"/>'
    sprung = f'<body name="FL_foot" pos="0 0 -0.2">{slide}<geom type="sphere" size="0.02" mass="0.05"/></body>'
    assert "joint 'FL_spring': only hinge joints" in refusal(
        tmp_path, mjcf_quadruped().replace(foot, sprung, 1), "quad.xml"
    )
    knee = f'<joint name="{next(iter(LEGS))}_calf" axis="0 1 0" range="-150 0"'
    sliding = knee.replace('axis="0 1 0" range="-150 0"', 'type="slide" axis="0 0 1" range="-0.1 0"')
    text = mjcf_quadruped().replace(knee, sliding).split("<keyframe>")[0] + "</mujoco>"
    assert "joint 'FL_calf': only hinge joints" in refusal(tmp_path, text, "quad.xml")


def test_a_base_without_mass_is_named_with_what_to_do(tmp_path):
    mass = '<inertial pos="0 0 0" mass="6" diaginertia="0.05 0.1 0.1"/>'
    for text in (mjcf_quadruped(), mjcf_quadruped().replace("<freejoint/>", "")):
        told = refusal(tmp_path, text.replace(mass, "").replace('qpos="0 0 0.4 1 0 0 0 ', 'qpos="'), "quad.xml")
        assert "'trunk'" in told
        assert told.endswith("; give this body an <inertial> with mass and inertia, or shapes with a mass")
