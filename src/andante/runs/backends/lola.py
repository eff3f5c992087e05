"""LolaBackend: a NAO V6 over LoLA."""

from __future__ import annotations

from typing import ClassVar, Literal

from andante.backends.backend import BackendError
from andante.backends.hardware.link import Codec, Transport
from andante.backends.hardware.lola import SLOTS, LolaCodec
from andante.backends.hardware.sockets import Stream, StreamServer
from andante.documents.quantities import Positive
from andante.robots.robot import Robot
from andante.runs.backends.hardware import HardwareKind


class LolaBackend(HardwareKind):
    """A NAO V6 over LoLA: angles and stiffness every 12 ms; it runs on the robot's own computer."""

    needs: ClassVar[tuple[str, str]] = ("msgpack", "nao")
    robots: ClassVar[str] = "nao"
    hottest: ClassVar[float | None] = 75.0
    """From there on the robot itself weakens a motor."""
    ordered: ClassVar[bool] = True

    type: Literal["lola"]
    """Kind of backend."""
    address: str = "/tmp/robocup"
    """Path of the robot's socket."""
    newtons: Positive = 1.0
    """Newtons per unit of a pressure cell; 9.81 where the robot tells kilograms, which sources dispute."""

    def codec(self, robot: Robot, *, fake: bool = False) -> Codec:
        """LoLA's maps for this robot."""
        if any(name not in robot.joint_names for name in SLOTS):
            raise BackendError("LoLA is a NAO V6's", value=robot.name, limit="robot nao")
        kp, kd = self.servo_gains(robot, SLOTS, fake=fake)
        return LolaCodec(kp, kd, robot.buttons, self.newtons, fake=fake)

    def intruder(self, robot: Robot) -> None:
        """One socket has one client."""

    def transport(self, codec: Codec, *, at_robot: bool = False) -> Transport:
        """A unix stream socket."""
        if not isinstance(codec, LolaCodec):
            raise BackendError("this is another protocol", value=codec.name)
        return StreamServer(self.address, codec.split) if at_robot else Stream(self.address, codec.split)
