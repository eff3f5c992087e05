"""A robot by a protocol of its own: datagrams of doubles, a count first.

From the robot come angles, orientation (wxyz), gyro and accelerometer; to it go angles and position gains. Everything
is in SI units and in the order of the robot's joints. The fake, the safety sequence and the conformance suite need no
more than this:

    andante hardware fake plain=127.0.0.1:9900 --robot nao --start sit
    andante hardware conformance plain=127.0.0.1:9900 --robot nao --start sit --plants --most 2
"""

from typing import ClassVar, Literal

import numpy as np

from andante.extend import Codec, Datagrams, DatagramServer, HardwareKind, RobotState, WireCommand, WireError

GREETING = b"hello"


class PlainCodec(Codec):
    """Bytes of the protocol, both ways: our end reads states and packs commands, a fake does the other half."""

    name = "plain"
    honoured = frozenset({"position", "kp"})
    measured = frozenset({"position", "orientation", "gyro", "accelerometer"})

    def __init__(self, slots, period):
        self.slots, self.period = slots, period

    def hello(self):
        """Sent until a first state comes: so the robot learns where its states go."""
        return GREETING

    def state(self, packet):
        count, values = _numbers(packet, len(self.slots) + 10)
        position, orientation, gyro, accelerometer = np.split(values, np.cumsum([len(self.slots), 4, 3]))
        return RobotState(count, position, orientation=orientation, gyro=gyro, accelerometer=accelerometer)

    def pack_state(self, state):
        return np.hstack([state.tick, state.position, state.orientation, state.gyro, state.accelerometer]).tobytes()

    def pack_command(self, command):
        return np.hstack([command.tick, command.position, command.kp]).tobytes()

    def command(self, packet):
        asked = WireCommand.off(len(self.slots))
        asked.hello = packet == GREETING
        if not asked.hello:
            asked.tick, values = _numbers(packet, 2 * len(self.slots))
            asked.position, asked.kp = np.split(values, 2)
        return asked


class PlainBackend(HardwareKind):
    """A robot that sends and takes datagrams of doubles."""

    robots: ClassVar[str] = "any"

    type: Literal["plain"]
    """Kind of backend."""
    address: str = "127.0.0.1:9900"
    """Host and port of the robot."""

    def codec(self, robot, *, fake=False):
        return PlainCodec(self.wired(robot), robot.tick)

    def transport(self, codec, *, at_robot=False):
        host, port = self.address.rsplit(":", 1)
        return (DatagramServer if at_robot else Datagrams)((host, int(port)))


def _numbers(packet, count):
    """A packet's count and its numbers; what is none of this robot is refused, so that nobody acts on it."""
    if len(packet) != 8 * (1 + count):
        raise WireError("is no packet of this robot", value=f"{len(packet)} bytes", limit=f"{8 * (1 + count)}")
    values = np.frombuffer(packet, "<f8")
    if not np.isfinite(values).all():
        raise WireError("a number is not finite", place="plain packet")
    return int(values[0]), values[1:].copy()
