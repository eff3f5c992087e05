"""DynamixelBackend: servos on a Dynamixel bus."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, ClassVar, Literal

from pydantic import Field

from andante.backends.backend import BackendError
from andante.backends.hardware.dynamixel import DynamixelCodec, DynamixelLink
from andante.backends.hardware.dynamixel_bus import DynamixelBus
from andante.backends.hardware.link import Codec, Link, Transport
from andante.documents.quantities import Duration
from andante.robots.robot import Robot
from andante.runs.backends.hardware import HardwareKind


class DynamixelBackend(HardwareKind):
    """Dynamixel servos (X series) on a bus: angles, and PWM as stiffness; the computer paces the bus."""

    needs: ClassVar[tuple[str, str]] = ("dynamixel_sdk", "dynamixel")
    robots: ClassVar[str] = "any of such servos"
    hottest: ClassVar[float | None] = 70.0
    """A little below the 72 to 80 deg C at which most servos of the X series switch themselves off; where their own
    limit is lower, as the 70 of XL330 and XC330, a run ends a little below that."""

    type: Literal["dynamixel"]
    """Kind of backend."""
    address: str = "/dev/ttyUSB0"
    """Serial port."""
    baud: Annotated[int, Field(ge=9600, le=10_000_000)] = 1_000_000
    """Bits per second."""
    first: Annotated[int, Field(ge=0, le=252)] = 1
    """Number of the first servo; the others follow in the robot's order."""
    numbers: dict[str, Annotated[int, Field(ge=0, le=252)]] = Field(default={})
    """Number of each joint's servo, where they do not follow each other so; all joints, or none."""
    bolted: bool = False
    """The base is bolted down upright, so that an IMU would read nothing else: for controllers that need one."""
    period: Duration | None = None
    """Time between two readings; None: the robot's motion cycle [s]."""

    def codec(self, robot: Robot, *, fake: bool = False) -> DynamixelCodec:
        """Registers of the robot's servos."""
        names = self.wired(robot)
        self._numbers(names)
        kp, kd = self.servo_gains(robot, names, fake=fake)
        return DynamixelCodec(names, self.period or robot.tick, kp, kd, bolted=self.bolted)

    def _numbers(self, names: Sequence[str]) -> tuple[int, ...]:
        """Numbers of the servos in the order of the joints.

        Raises:
            BackendError: A joint has none, or two have the same.
        """
        if not self.numbers:
            if self.first + len(names) > 253:
                raise BackendError("a bus has no room for so many servos", value=len(names), limit="numbers up to 252")
            return tuple(range(self.first, self.first + len(names)))
        for name in (*self.numbers, *names):
            if name not in self.numbers or name not in names:
                what = "a joint has no servo" if name in names else "the robot has no such joint"
                raise BackendError(what, place="backend.numbers", value=name, legal=names)
        numbers = tuple(self.numbers[name] for name in names)
        twice = [name for name in names if numbers.count(self.numbers[name]) > 1]
        if twice:
            raise BackendError("two joints have the same servo", place="backend.numbers", value=", ".join(twice))
        return numbers

    def our_link(self, robot: Robot) -> Link:
        """The servos by their maker's SDK."""
        codec = self.codec(robot)
        return DynamixelLink(codec, self.address, self.baud, self._numbers(codec.slots))

    def intruder(self, robot: Robot) -> None:
        """A bus does not tell who commands."""

    def transport(self, codec: Codec, *, at_robot: bool = False) -> Transport:
        """A fake bus; our end is the SDK's."""
        if not at_robot:
            raise BackendError("our end of the bus is the maker's SDK", value=self.type)
        return DynamixelBus(self.address, self._numbers(codec.slots))
