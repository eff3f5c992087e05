"""ROS robots as their owners have them: states in parts, silent publishers, stamps between periods, controllers."""

from __future__ import annotations

import math
from contextlib import suppress
from typing import Any

import numpy as np
import pytest

from andante.backends.backend import BackendError, LinkLostError
from andante.backends.hardware.packets import PartOfStateError, WireCommand, WireError
from andante.backends.hardware.ros2 import CdrWriter, Ros2Codec
from andante.backends.hardware.zenoh_link import ZenohTransport
from andante.documents.recordings.message_reader import MessageReader
from andante.robots.robot import Robot
from andante.runs.backends.ros2 import Ros2Backend


def joint_state(stamp: float, **joints: tuple[float, float]) -> tuple[str, bytes]:
    """A JointState as a driver sends it, angle and speed of some joints, no torques."""
    out = CdrWriter()
    out.header(stamp)
    out.texts(list(joints))
    out.doubles([angle for angle, _ in joints.values()])
    out.doubles([speed for _, speed in joints.values()])
    out.doubles(())
    return "state", b"\x00\x01\x00\x00" + bytes(out.data)


def imu(orientation: float = 0.0) -> tuple[str, bytes]:
    """An Imu; its orientation's first covariance is given: -1 says that there is none."""
    out = CdrWriter()
    out.header(0.0)
    for values, first in (((0.0, 0.0, 0.0, 1.0), orientation), ((0.1, 0.2, 0.3), 0.0), ((0.0, 0.0, 9.81), 0.0)):
        for value in (*values, first, *(0.0,) * 8):
            out.number("d", value)
    return "imu", b"\x00\x01\x00\x00" + bytes(out.data)


def ros(**more: Any) -> Ros2Codec:
    return Ros2Codec(["hip", "knee"], 0.01, np.ones(2), np.ones(2), imu=False, **more)


def test_publishers_that_tell_of_some_joints_each_make_one_state_of_their_newest() -> None:
    codec = ros(names={"knee": "robot1/knee"})
    with pytest.raises(PartOfStateError, match="robot1/knee"):
        codec.state(joint_state(1.0, hip=(0.1, 0.0)))
    with pytest.raises(PartOfStateError):
        codec.state(joint_state(1.0, **{"gripper": (9.0, math.nan), "robot1/knee": (0.2, 1.0)}))
    state = codec.state(joint_state(1.01, gripper=(math.nan, math.nan), hip=(0.3, 2.0)))
    assert (state.position.tolist(), state.effort) == ([0.3, 0.2], None)
    assert state.velocity is not None
    assert state.velocity.tolist() == [2.0, 1.0]
    # A speed that the driver does not measure is NaN there.
    codec.state(joint_state(1.02, hip=(0.3, math.nan)))
    assert codec.state(joint_state(1.03, hip=(0.3, math.nan))).velocity is None


def test_a_joint_whose_hardware_is_not_active_is_named() -> None:
    codec = ros()
    with pytest.raises(WireError, match="a joint has no angle; got 'knee'"):
        codec.state(joint_state(1.0, gripper=(math.nan, 0.0), hip=(0.1, 0.0), knee=(math.nan, 0.0)))
    with pytest.raises(PartOfStateError, match="no newer JointState was whole"):
        codec.state(imu())
    with pytest.raises(PartOfStateError, match="no JointState with the first joint has come"):
        ros().state(imu())
    assert codec.state(joint_state(1.01, hip=(0.1, 0.0), knee=(0.2, 0.0))).position.tolist() == [0.1, 0.2]


def test_a_publisher_that_has_gone_leaves_no_old_angles_behind() -> None:
    codec = ros()
    with pytest.raises(PartOfStateError):
        codec.state(joint_state(1.0, knee=(0.0, 0.0)))
    for tick in range(1, 11):
        codec.state(joint_state(1.0 + 0.01 * tick, hip=(0.0, 0.0)))
    with pytest.raises(WireError, match="a joint is told of no more; got 'knee'"):
        codec.state(joint_state(1.11, hip=(0.0, 0.0)))


def test_a_message_that_lacks_a_joint_it_had_before_is_refused() -> None:
    codec = ros()
    codec.state(joint_state(1.0, hip=(0.0, 0.0), knee=(0.0, 0.0)))
    with pytest.raises(WireError, match="a joint is missing; got 'knee'"):
        codec.state(joint_state(1.01, hip=(0.0, 0.0)))


def test_stamps_between_two_periods_are_counted_one_by_one() -> None:
    codec, rng = ros(), np.random.default_rng(0)
    stamps = 1.7e9 + 0.005 + 0.01 * np.arange(300) * 1.001 + rng.uniform(-0.002, 0.002, 300)
    ticks = [codec.state(joint_state(stamp, hip=(0.0, 0.0), knee=(0.0, 0.0))).tick for stamp in stamps.tolist()]
    assert set(np.diff(ticks).tolist()) == {1}
    with pytest.raises(WireError, match=r"stamps are 0.*backend.stamped=false"):
        codec.state(joint_state(0.0, hip=(0.0, 0.0), knee=(0.0, 0.0)))
    assert ros(stamped=False).counted is False


def test_an_imu_without_an_orientation_says_so_and_one_that_falls_silent_is_missed() -> None:
    codec = Ros2Codec(["hip"], 0.01, np.ones(1), np.ones(1))
    state = codec.state((imu(orientation=-1.0), joint_state(1.0, hip=(0.0, 0.0))))
    assert state.orientation is None
    assert state.gyro is not None
    for tick in range(1, 10):
        codec.state(joint_state(1.0 + 0.01 * tick, hip=(0.0, 0.0)))
    with pytest.raises(WireError, match="its IMU is silent"):
        codec.state(joint_state(1.1, hip=(0.0, 0.0)))


def test_each_controller_of_a_ros_robot_gets_its_joints_and_speeds_only_where_it_takes_them() -> None:
    robot = Robot.load("ers7")
    names = robot.joint_names
    kind = Ros2Backend(type="ros2", imu="", controllers={"head": names[:3], "legs": names[3:]}, without=("velocity",))
    codec = kind.codec(robot)
    command = WireCommand.off(len(names))
    command.position[:], command.kp[:] = np.arange(len(names)), 1.0
    packets = dict(codec.pack_command(command))
    assert set(packets) == {"head", "legs"}
    reader = MessageReader(packets["head"], ros1=False)
    reader.header()
    assert reader.texts() == list(names[:3])
    assert reader.size() == 1
    assert (reader.doubles(), reader.doubles()) == ([0.0, 1.0, 2.0], [])
    theirs = kind.codec(robot, fake=True)
    assert theirs.command(("head", packets["head"])).kp.any()
    assert theirs.command(("legs", packets["legs"])).position.tolist() == command.position.tolist()
    wrong = Ros2Backend(type="ros2", controllers={"head": names[:3]})
    with pytest.raises(BackendError, match="a joint has no controller, or two; got 'LFJ1, LFJ2"):
        wrong.codec(robot)


def test_an_endpoint_that_is_none_is_refused() -> None:
    pytest.importorskip("zenoh")
    with pytest.raises(LinkLostError, match="cannot be reached by zenoh"):
        ZenohTransport("garbage", {}, {}, "ros2").open()


def test_an_imu_whose_numbers_are_none_is_not_told_as_silent() -> None:
    codec = Ros2Codec(["hip", "knee"], 0.01, np.ones(2), np.ones(2))
    name, good = imu()
    bad = good.replace(np.float64(0.2).tobytes(), np.float64(math.nan).tobytes())

    def told(tick: int, *readings: bytes) -> str:
        for data in readings:
            with suppress(WireError):
                codec.state((name, data))
        try:
            codec.state(joint_state(1.0 + 0.01 * tick, hip=(0.1, 0.0), knee=(0.2, 0.0)))
        except WireError as error:
            return str(error)
        return ""

    assert [told(tick, good) for tick in range(3)] == [""] * 3
    last = [told(tick, bad) for tick in range(3, 20)][-1]
    assert "its IMU cannot be read: imu[1]: a number is not finite; got nan" in last
    assert told(20, bad, good) == ""
    assert "its IMU is silent" in [told(tick) for tick in range(21, 40)][-1]
