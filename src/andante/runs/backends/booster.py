"""BoosterBackend: a Booster K1 or T1 by its low-level messages."""

from __future__ import annotations

from typing import ClassVar, Literal

from andante.backends.backend import BackendError
from andante.backends.hardware.booster import COMMANDS, PERIOD, STATES, BoosterCodec
from andante.backends.hardware.link import Codec, Transport
from andante.backends.hardware.zenoh_link import ZenohTransport
from andante.documents.quantities import Duration
from andante.robots.robot import Robot
from andante.runs.backends.hardware import HardwareKind

_MOTORS = {22: "K1", 23: "T1"}


class BoosterBackend(HardwareKind):
    """A Booster K1 or T1 by its low-level CDR messages at 500 Hz over zenoh: a fake, or a bridge on the robot."""

    needs: ClassVar[tuple[str, str]] = ("zenoh", "booster")
    robots: ClassVar[str] = "k1, t1"

    type: Literal["booster"]
    """Kind of backend."""
    address: str = "tcp/127.0.0.1:7450"
    """Endpoint of zenoh where the robot's end listens."""
    period: Duration = PERIOD
    """Time between two states; the robot's is 2 ms [s]."""

    def codec(self, robot: Robot, *, fake: bool = False) -> Codec:
        """Messages for this robot; its joints are in the order of its motors."""
        if len(robot.joints) not in _MOTORS:
            raise BackendError(
                "is no Booster",
                place=f"robot {robot.name!r}",
                value=len(robot.joints),
                limit="22 joints (K1) or 23 (T1)",
            )
        return BoosterCodec(robot.joint_names, self.period)

    def transport(self, codec: Codec, *, at_robot: bool = False) -> Transport:
        """Two keys of zenoh."""
        states, commands = {STATES: STATES}, {COMMANDS: COMMANDS}
        if at_robot:
            return ZenohTransport(self.address, commands, states, "booster", listens=True)
        return ZenohTransport(self.address, states, commands, "booster", watched=True)
