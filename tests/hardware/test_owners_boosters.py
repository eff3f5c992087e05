"""What owners write of their robots that a protocol of their own or of their maker does not fit."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from andante.errors import AndanteError
from andante.robots.robot import Robot
from andante.runs.hardware.fakes import hardware_kind


def named(names: tuple[str, ...]) -> Any:
    return SimpleNamespace(name="mine", joints=names, joint_names=names)


@pytest.mark.parametrize("robot", ["k1", "t1"])
def test_a_booster_s_joints_are_in_the_order_of_its_motors_whatever_the_model_s(robot: str) -> None:
    own, kind = Robot.load(robot).joint_names, hardware_kind({"type": "booster"})
    assert kind.codec(Robot.load(robot)).slots == own
    assert kind.codec(named(tuple(sorted(own)))).slots == own


def test_another_robot_with_as_many_joints_is_no_booster() -> None:
    own = Robot.load("t1").joint_names
    other = tuple(name.replace("Elbow_Yaw", "Wrist_Roll").replace("AAHead_yaw", "Waist_Roll") for name in own)
    with pytest.raises(
        AndanteError, match="a T1 has other joints; got 'head yaw, left elbow yaw, right elbow yaw, waist'"
    ):
        hardware_kind({"type": "booster"}).codec(named(other))


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ({"type": "ros2", "names": {"LHipRoll": "hip", "RHipRoll": "hip"}}, "two joints cannot have one name in ROS"),
        ({"type": "ros2", "names": {"LHipRoll": "RHipRoll"}}, "got 'RHipRoll'"),
        ({"type": "udp", "imu_turned": [180, 0, 0]}, r"imu_turned\[0\]"),
    ],
)
def test_mistakes_of_owners_are_refused_by_name(data: dict[str, Any], words: str) -> None:
    with pytest.raises(AndanteError, match=words):
        hardware_kind(data).codec(Robot.load("nao"))
