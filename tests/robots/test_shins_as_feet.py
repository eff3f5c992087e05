"""Legs that end in their shins: six and eight of them, and two on points."""

from __future__ import annotations

import numpy as np
import pytest
from bare_files import load
from hexapods import SHINS, TIBIA, hexapod


@pytest.mark.parametrize("count", [6, 8])
@pytest.mark.parametrize("hanging", [True, False])
@pytest.mark.parametrize("shin", SHINS)
def test_a_shin_ends_where_it_is_farthest_from_its_joint(tmp_path, shin, hanging, count):
    robot = load(tmp_path, hexapod(shin, count, hanging=hanging), "hexapod.urdf")
    assert len(robot.feet) == count
    assert "turned" not in robot.sources["base"]
    end = TIBIA - 0.01
    for foot in robot.feet:
        assert foot.radius == pytest.approx(0.01)
        assert robot.model.site(foot.site).pos == pytest.approx(
            [0.0, 0.0, -end] if hanging else [end, 0.0, 0.0], abs=1e-6
        )


def test_corners_of_six_legs_tell_the_front(tmp_path):
    def turned(row: int, side: int) -> str:
        return f"{'r' if side > 0 else 'l'}{'rmf'[row]}"

    robot = load(tmp_path, hexapod(names=turned), "hexapod.urdf")
    assert "by the names of its legs its front was along -x" in robot.sources["base"]
    front = robot.model.body("lf_coxa").pos
    assert np.all(front[:2] > 0.0)


def test_two_legs_on_points_have_no_ankle(tmp_path):
    def leg(name: str, y: float) -> str:
        joints = (
            ("yaw", "0 0 1", "0 0 0"),
            ("roll", "1 0 0", "0 0 0"),
            ("pitch", "0 1 0", "0 0 0"),
            ("knee", "0 1 0", "0 0 -.3"),
        )
        text = ""
        for kind, axis, at in joints:
            place = f"0 {y} 0" if kind == "yaw" else at
            text += f"""<body name="{name}_{kind}" pos="{place}">
              <joint name="{name}_{kind}" axis="{axis}" range="-90 90"/>
              <inertial pos="0 0 0" mass=".5" diaginertia="1e-2 1e-2 1e-2"/>"""
        return text + '<geom type="sphere" size=".02" pos="0 0 -.3"/>' + "</body>" * len(joints)

    robot = load(
        tmp_path,
        f"""<mujoco><worldbody><body name="trunk" pos="0 0 .7"><freejoint/><geom size=".1 .1 .1" type="box"/>
        {leg("left", 0.1)}{leg("right", -0.1)}</body></worldbody></mujoco>""",
    )
    assert [(foot.name, foot.radius) for foot in robot.feet] == [("left", 0.02), ("right", 0.02)]
    assert set(robot.doubts) == {"stand"}
    assert "points on one line" in robot.doubts["stand"]
