"""Robots without a pack: soles on cleats, parts that overlap at rest, names of roles by axes."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest
from humanoids import mjcf_humanoid

from andante.robots.bare.aliases import leg_aliases
from andante.robots.bare.resting import resting_pairs, told_pairs
from andante.robots.bare.shapes import sole
from andante.robots.robot import Robot


def test_a_foot_stands_on_the_cleats_that_are_fixed_to_it():
    corners = [(x, y) for x in (-0.06, 0.08) for y in (-0.03, 0.03)]
    cleats = "".join(f'<body pos="{x} {y} -.02"><geom type="sphere" size=".005"/></body>' for x, y in corners)
    model = mujoco.MjModel.from_xml_string(
        f'<mujoco><worldbody><body name="foot" pos="0 0 .1"><freejoint/><geom type="box" size=".05 .02 .005"/>{cleats}'
        "</body></worldbody></mujoco>"
    )
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    height, outline = sole(model, data, int(model.body("foot").id))
    assert height == pytest.approx(0.1 - 0.025)
    assert sorted(map(tuple, np.round(outline, 6).tolist())) == sorted(corners)


def test_feet_with_cleats_of_their_own_stand(tmp_path):
    text = mjcf_humanoid()
    plain = '<geom type="box" size=".1 .05 .01" pos=".03 0 -.03"/>'
    assert text.count(plain) == 2
    for side in ("Left", "Right"):
        cleats = "".join(
            f'<body name="{side}_cleat{x}{y}" pos="{x} {y} -.035"><geom type="sphere" size=".005"/></body>'
            for x in (-0.07, 0.13)
            for y in (-0.05, 0.05)
        )
        text = text.replace(plain, cleats, 1)
    file = tmp_path / "cleats.xml"
    file.write_text(text)
    robot = Robot.load(file)
    assert [foot.body for foot in robot.feet] == ["Left_foot", "Right_foot"]
    assert not robot.doubts
    assert "stand" in robot.postures


def test_parts_inside_each_other_at_rest_do_not_collide(tmp_path):
    text = mjcf_humanoid().replace('size=".08 .12 .15" pos="0 0 .08"', 'size=".08 .12 .25" pos="0 0 0"', 1)
    file = tmp_path / "thick.xml"
    file.write_text(text)
    robot = Robot.load(file)
    told = robot.sources["collisions"]
    assert "Trunk" in told
    assert not resting_pairs(robot.model, robot.base_body, robot.postures["stand"])
    file.write_text(mjcf_humanoid())
    assert "collisions" not in Robot.load(file).sources


def test_of_many_pairs_six_are_told():
    told = told_pairs([(f"a{number}", "b") for number in range(8)])
    assert told.endswith("a5 and b and 2 more")


def test_legs_get_their_roles_by_their_axes_where_no_name_tells_them():
    bodies = "".join(
        f'<body name="{side}"><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>'
        + "".join(f'<joint name="{side}{number}" axis="{axis}"/>' for number, axis in enumerate(axes))
        + "</body>"
        for side, axes in (("l", ("0 0 1", "1 0 0", "0 1 0", "0 -1 0", "0 1 0", "1 0 0")), ("r", ("0 1 0",)))
    )
    model = mujoco.MjModel.from_xml_string(f"<mujoco><worldbody>{bodies}</worldbody></mujoco>")
    groups = {"left_leg": tuple(f"l{number}" for number in range(6)), "right_leg": ("r0",)}
    roles = leg_aliases(model, groups, ["LHipYaw"])
    assert roles == {
        "left_hip_pitch": "l2",
        "left_knee_pitch": "l3",
        "left_ankle_pitch": "l4",
        "left_hip_roll": "l1",
        "left_ankle_roll": "l5",
    }
