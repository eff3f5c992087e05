"""Ros2Backend: a robot behind ROS 2 controllers, over zenoh."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

import numpy as np
from pydantic import Field

from andante.backends.hardware.link import Codec, Transport
from andante.backends.hardware.ros2 import IMU, STATE, TRAJECTORY, Ros2Codec, attachment, key_of
from andante.backends.hardware.zenoh_link import ZenohTransport
from andante.documents.quantities import Duration
from andante.robots.robot import Robot
from andante.runs.backends.hardware import HardwareKind


class Ros2Backend(HardwareKind):
    """A robot behind ROS 2: JointState and Imu in, JointTrajectory out, over zenoh; gains stay the robot's own."""

    needs: ClassVar[tuple[str, str]] = ("zenoh", "ros2")
    robots: ClassVar[str] = "any with ros2_control"

    type: Literal["ros2"]
    """Kind of backend."""
    address: str = "tcp/127.0.0.1:7447"
    """Endpoint of the zenoh router of the ROS system."""
    domain: Annotated[int, Field(ge=0, le=232)] = 0
    """ROS domain."""
    states: str = "joint_states"
    """Topic of JointState."""
    imu: str = "imu"
    """Topic of Imu; empty: there is none."""
    trajectory: str = "joint_trajectory_controller/joint_trajectory"
    """Topic of JointTrajectory."""
    period: Duration | None = None
    """Time between two states; None: the robot's motion cycle [s]."""

    def codec(self, robot: Robot, *, fake: bool = False) -> Codec:
        """Messages for this robot, whose joints are called as in ROS."""
        own = [index for index in range(len(robot.joints)) if int(robot.leaders[index]) == index]
        names = [robot.joint_names[index] for index in own]
        kp, kd = np.array(robot.servo_kp[own]), np.array(robot.servo_kd[own])
        return Ros2Codec(names, self.period or robot.tick, kp, kd, imu=bool(self.imu))

    def transport(self, codec: Codec, *, at_robot: bool = False) -> Transport:
        """Keys of the topics."""
        states = {"state": key_of(self.domain, self.states, STATE)}
        if self.imu:
            states["imu"] = key_of(self.domain, self.imu, IMU)
        commands = {"trajectory": key_of(self.domain, self.trajectory, TRAJECTORY)}
        if at_robot:
            return ZenohTransport(self.address, commands, states, "ros2", listens=True, attached=attachment)
        return ZenohTransport(self.address, states, commands, "ros2", watched=True, attached=attachment)
