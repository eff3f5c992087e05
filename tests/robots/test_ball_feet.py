"""Feet of bare models become balls where the feet are, whatever else belongs to the same body."""

from __future__ import annotations

from pathlib import Path

import pytest
from quadrupeds import mjcf_quadruped

from andante.robots.ball_feet import all_balls, on_balls
from andante.robots.robot import Robot


@pytest.mark.parametrize("shape", ['type="box" size="0.02 0.015 0.01"', 'type="cylinder" size="0.02 0.01"'])
def test_a_shank_with_a_foot_at_its_end_stands_on_the_foot(tmp_path: Path, shape: str):
    shank = '<geom type="capsule" fromto="0 0 0 0 0 -0.19" size="0.01"/>'
    text = mjcf_quadruped().replace('<geom type="sphere" size="0.02" pos', f"{shank}<geom {shape} pos")
    (tmp_path / "box.xml").write_text(text)
    robot = on_balls(Robot.load(tmp_path / "box.xml"))
    assert all_balls(robot)
    for foot in robot.feet:
        assert robot.model.site(foot.site).pos == pytest.approx([0.0, 0.0, -0.2], abs=0.002)
        assert foot.radius == pytest.approx(0.01, abs=0.002)
