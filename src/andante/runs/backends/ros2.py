"""Ros2Backend: a robot behind ROS 2 controllers, over zenoh."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from pydantic import Field

from andante.backends.backend import BackendError
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
    more_states: tuple[str, ...] = ()
    """Further such topics, where several publishers tell of some joints each."""
    imu: str = "imu"
    """Topic of Imu; empty: there is none."""
    trajectory: str = "joint_trajectory_controller/joint_trajectory"
    """Topic of JointTrajectory."""
    period: Duration | None = None
    """Time between two states; None: the robot's motion cycle [s]."""

    controllers: dict[str, tuple[str, ...]] = Field(default={})
    """Topic of each of several controllers, with its joints; together they have all. Empty: ``trajectory`` has all."""
    names: dict[str, str] = Field(default={})
    """How a joint is called in ROS, where that is another name than in the model."""
    stamped: bool = True
    """Whether states are stamped with their time; otherwise arrivals are counted."""

    def codec(self, robot: Robot, *, fake: bool = False) -> Codec:
        """Messages for this robot."""
        names = self.wired(robot)
        kp, kd = self.servo_gains(robot, names, fake=fake)
        for given in (self.names, *self.controllers.values()):
            for name in given:
                if name not in names:
                    raise BackendError("the robot has no such joint", place="backend", value=name, legal=names)
        called = [self.names.get(name, name) for name in names]
        alike = sorted({name for name in called if called.count(name) > 1})
        if alike:
            raise BackendError("two joints cannot have one name in ROS", place="backend.names", value=alike[0])
        listed = [name for joints in self.controllers.values() for name in joints]
        if self.controllers and sorted(listed) != sorted(names):
            wrong = sorted(set(names) - set(listed)) or sorted({name for name in listed if listed.count(name) > 1})
            raise BackendError(
                "a joint has no controller, or two", place="backend.controllers", value=", ".join(wrong[:4])
            )
        return Ros2Codec(
            names,
            self.period or robot.tick,
            kp,
            kd,
            imu=bool(self.imu),
            names=self.names,
            controllers=self.controllers,
            speeds="velocity" not in self.without,
            stamped=self.stamped,
        )

    def transport(self, codec: Codec, *, at_robot: bool = False) -> Transport:
        """Keys of the topics."""
        states = {"state": key_of(self.domain, self.states, STATE)}
        if self.imu:
            states["imu"] = key_of(self.domain, self.imu, IMU)
        if self.controllers:
            commands = {topic: key_of(self.domain, topic, TRAJECTORY) for topic in self.controllers}
        else:
            commands = {"trajectory": key_of(self.domain, self.trajectory, TRAJECTORY)}
        if at_robot:
            return ZenohTransport(self.address, commands, states, "ros2", listens=True, attached=attachment)
        more = {topic: key_of(self.domain, topic, STATE) for topic in self.more_states}
        return ZenohTransport(self.address, states | more, commands, "ros2", watched=True, attached=attachment)
