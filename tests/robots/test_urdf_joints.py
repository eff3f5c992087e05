"""Joints of a URDF that its writer left unfinished, or wrong: limits at one end, links that are none, planar bases."""

from __future__ import annotations

import math

import pytest
from bare_files import load, refusal
from quadrupeds import urdf_quadruped

LIMIT = '<limit lower="-1.5" upper="1.25" effort="20" velocity="30"/>'
PLANAR = """<link name="odom"/><joint name="drive" type="planar"><parent link="odom"/><child link="trunk"/>
  {}</joint></robot>"""


@pytest.mark.parametrize(
    ("ends", "lower", "upper", "missing"),
    [('lower="-1.5"', -1.5, 0.0, "FL_HAA upper"), ('upper="1.25"', 0.0, 1.25, "FL_HAA lower")],
)
def test_a_limit_at_one_end_has_0_at_the_other(tmp_path, ends, lower, upper, missing):
    text = urdf_quadruped().replace(LIMIT, f'<limit {ends} effort="20" velocity="30"/>', 1)
    robot = load(tmp_path, text, "quad.urdf")
    joint = robot.joints[robot.index("FL_HAA")]
    assert (joint.lower, joint.upper) == pytest.approx((lower, upper))
    assert robot.sources["limits at one end"] == f"the other is 0, as URDF has it: {missing}"
    assert "position limits" not in robot.sources


def test_a_joint_without_position_limits_turns_half_a_turn_each_way_as_before(tmp_path):
    text = urdf_quadruped().replace(LIMIT, '<limit effort="20" velocity="30"/>', 1)
    robot = load(tmp_path, text, "quad.urdf")
    assert robot.joints[robot.index("FL_HAA")].upper == pytest.approx(math.pi)
    assert "limits at one end" not in robot.sources


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('link name="FR_hip"', 'link name="FL_hip"', "two links have one name; got 'FL_hip'"),
        (
            'parent link="FL_thigh"',
            'parent link="FL_thig"',
            "joint 'FL_KFE': its parent is no link of the file; got 'FL_thig'; did you mean 'FL_thigh'?; legal: trunk",
        ),
        ('<parent link="FL_thigh"/>', "", "joint 'FL_KFE': it names no parent link"),
        (
            "</robot>",
            '<joint name="rod" type="fixed"><parent link="FL_hip"/><child link="FL_calf"/></joint></robot>',
            "joint 'rod': its child hangs on another joint already, and a URDF is a tree; got 'FL_calf'; limit: one"
            " joint, 'FL_KFE'; leave out the joint that closes the loop",
        ),
    ],
)
def test_joints_that_make_no_tree_are_named(tmp_path, old, new, message):
    assert refusal(tmp_path, urdf_quadruped().replace(old, new, 1)).startswith(f"quad.urdf: {message}")


@pytest.mark.parametrize("axis", ["", '<axis xyz="0 0 1"/>'])
def test_a_base_that_a_planar_joint_lets_drive_on_the_floor_is_free(tmp_path, axis):
    robot = load(tmp_path, urdf_quadruped().replace("</robot>", PLANAR.format(axis)), "quad.urdf")
    assert robot.joint_names == load(tmp_path, urdf_quadruped(), "plain.urdf").joint_names
    assert robot.base_body == "trunk"
    assert robot.sources["base"] == (
        "assumption: 'trunk', which joint 'drive' lets move on the floor only, is free here"
    )


def test_a_base_in_an_upright_plane_is_refused(tmp_path):
    text = urdf_quadruped().replace("</robot>", PLANAR.format('<axis xyz="0 1 0"/>'))
    assert "only hinge joints are supported" in refusal(tmp_path, text)
