"""UdpBackend: a robot behind the UDP bridge."""

from __future__ import annotations

from typing import ClassVar, Literal

from andante.backends.hardware.link import Codec, Transport
from andante.backends.hardware.sockets import Datagrams, DatagramServer, host_and_port
from andante.backends.hardware.udp import UdpCodec
from andante.documents.quantities import Duration
from andante.robots.robot import Robot
from andante.runs.backends.hardware import HardwareKind

_ALL = ("position", "velocity", "effort", "orientation", "gyro", "accelerometer", "contact", "force", "buttons")


class UdpBackend(HardwareKind):
    """A robot that sends and takes JSON datagrams; docs/hardware.md has its side of the bridge."""

    tells: ClassVar[frozenset[str]] = frozenset({"commander", "mode"})

    type: Literal["udp"]
    """Kind of backend."""
    address: str = "127.0.0.1:9870"
    """Host and port of the robot."""
    period: Duration | None = None
    """Time between two states; None: the robot's motion cycle [s]."""
    joints: tuple[str, ...] = ()
    """Joints in the order of the robot's arrays, "" for one that is none of the model's, as of a gripper; empty: the
    robot's own order, without joints that follow others."""
    measures: tuple[Literal[_ALL], ...] = ("velocity", "effort", "orientation", "gyro", "accelerometer")  # type: ignore[valid-type]
    """What the robot measures beside its joints' angles."""

    def codec(self, robot: Robot, *, fake: bool = False) -> Codec:
        """JSON for this robot."""
        measured = frozenset({"position", *self.measures})
        return UdpCodec(self.joints or self.wired(robot), self.period or robot.tick, robot.name, measured, fake=fake)

    def transport(self, codec: Codec, *, at_robot: bool = False) -> Transport:
        """Datagrams."""
        address = host_and_port(self.address)
        return DatagramServer(address) if at_robot else Datagrams(address)
