"""URDF with prefixes that nothing declares: parts for other programs, which are passed over as declared ones are."""

from __future__ import annotations

import pytest

from andante import Robot
from andante.robots.parts import RobotError

LINK = (
    '<link name="{0}"><inertial><mass value="{1}"/><inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/>'
    '</inertial><collision><geometry><box size="0.1 0.1 0.1"/></geometry></collision></link>'
)
LEG = (
    '<joint name="hip" type="revolute"><parent link="trunk"/><child link="leg"/><origin xyz="0 0 -0.2"/>'
    '<axis xyz="0 1 0"/><limit lower="-1" upper="1" effort="10" velocity="10"/></joint>'
)


def text(extra: str, attribute: str = "") -> str:
    return f'<robot name="one"{attribute}>{LINK.format("trunk", 5)}{LINK.format("leg", 1)}{LEG}{extra}</robot>'


@pytest.mark.parametrize("attribute", ["", ' xmlns:a="a" xmlns:known="b"'])
@pytest.mark.parametrize(
    "extra",
    [
        "",
        '<gazebo><controller:gazebo_ros_control name="a"/></gazebo>',
        '<gazebo reference="leg"><a:b c:d="e"><f:g/></a:b></gazebo>',
        '<gazebo xmlns:known="some:where"><known:x/><other:y/></gazebo>',
        "<sensor:camera/>",
        # Declared where it is not used.
        '<gazebo xmlns:known="some:where"/><known:x/>',
    ],
)
def test_what_has_a_prefix_changes_nothing(tmp_path, extra, attribute):
    path = tmp_path / "one.urdf"
    path.write_text(f'<!-- was <robot name="two"> once -->{text(extra, attribute)}')
    robot = Robot.load(path)
    assert robot.joint_names == ("hip",)
    assert robot.lower.tolist() == [-1.0]


def test_macros_without_a_declaration_are_told_as_macros(tmp_path):
    path = tmp_path / "one.urdf"
    path.write_text(text('<xacro:arm parent="trunk"/>'))
    with pytest.raises(RobotError, match="this is no URDF yet; got 'xacro:arm'"):
        Robot.load(path)


def test_namespaces_that_contradict_each_other_are_told(tmp_path):
    path = tmp_path / "one.urdf"
    path.write_text(text("", ' xmlns:xmlns="a"'))
    with pytest.raises(RobotError, match=r"one\.urdf: the namespaces of the file cannot be read"):
        Robot.load(path)
