"""Where a robot without a pack has its IMU: at a site called so, at its gyro, or nobody knows."""

from __future__ import annotations

import numpy as np
import pytest
from humanoids import mjcf_humanoid

from andante.robots.robot import Robot

HERE, ELSEWHERE = '<site name="chip" pos=".01 .02 .05"{turn}/>', "<gyro site={name!r}/><accelerometer site={name!r}/>"


def loaded(folder, site="", sensors="", inside=""):
    """A humanoid with a site in its trunk in place of the IMU's, one in a leg, and sensors."""
    text = mjcf_humanoid().replace('<site name="imu"/>', site)
    assert "<actuator>" in text
    text = text.replace("<actuator>", f"<sensor>{sensors}</sensor><actuator>", 1)
    text = text.replace('_hip2">', f'_hip2">{inside}', 1)
    path = folder / "robot.xml"
    path.write_text(text)
    return Robot.load(str(path))


@pytest.mark.parametrize("turn", ["", ' euler="0 0 3.1"'])
def test_it_is_where_the_gyro_is_and_has_the_axes_of_the_base(tmp_path, turn):
    robot = loaded(tmp_path, HERE.format(turn=turn), ELSEWHERE.format(name="chip"))
    site = robot.model.site("imu")
    np.testing.assert_allclose(site.pos, [0.01, 0.02, 0.05], atol=1e-9)
    np.testing.assert_allclose(np.abs(site.quat), [1.0, 0.0, 0.0, 0.0], atol=1e-9)
    told = "at 'chip', where the file has its gyro" + (", with the base's axes" if turn else "")
    assert robot.sources["imu"] == told


def test_a_gyro_in_another_body_is_told(tmp_path):
    robot = loaded(tmp_path, "", ELSEWHERE.format(name="chip"), inside='<site name="chip" pos="0 0 .1"/>')
    assert robot.sources["imu"].startswith(
        "assumption: at the origin of the base body; the file's gyro is at 'chip' of "
    )


def test_without_a_gyro_it_is_assumed_at_the_base(tmp_path):
    assert loaded(tmp_path, HERE.format(turn="")).sources["imu"] == "assumption: at the origin of the base body"
