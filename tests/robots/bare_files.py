"""Robots from the text of one file, loaded or refused."""

from __future__ import annotations

import os

import pytest

from andante.robots.parts import RobotError
from andante.robots.robot import Robot

NO_LIMITS = "the joint has no position limits; give it a range in the file, or write a pack"
MESH = '<collision><geometry><mesh filename="{}"/></geometry></collision>'


def load(folder, text, name="quad.xml"):
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return Robot.load(path)


def refusal(folder, text, name="quad.urdf"):
    with pytest.raises(RobotError) as caught:
        load(folder, text, name)
    assert str(folder / name) in str(caught.value)
    return str(caught.value).replace(str(folder) + os.sep, "")


def with_visual(mjcf: str, *, collides: bool = False) -> str:
    """The quadruped with a mesh on its trunk whose file is missing."""
    touch = "" if collides else ' contype="0" conaffinity="0"'
    text = mjcf.replace("<worldbody>", '<asset><mesh name="shell" file="shell.stl"/></asset><worldbody>')
    return text.replace('<site name="imu"', f'<geom type="mesh" mesh="shell"{touch}/><site name="imu"')
