"""BoosterBackend: a Booster K1 or T1 by its low-level messages."""

from __future__ import annotations

from typing import ClassVar, Literal

from andante.backends.backend import BackendError
from andante.backends.hardware.booster import COMMANDS, PERIOD, STATES, BoosterCodec
from andante.backends.hardware.booster_mode import BoosterLink, BoosterPort
from andante.backends.hardware.link import Codec, Link, Port
from andante.backends.hardware.zenoh_link import ZenohTransport
from andante.documents.quantities import Duration, Share
from andante.robots.robot import Robot
from andante.runs.backends.hardware import HardwareKind

_MOTORS = {22: "K1", 23: "T1"}
_ARM = (("shoulder", "pitch"), ("shoulder", "roll"), ("elbow", "pitch"), ("elbow", "yaw"))
_LEG = (("hip", "pitch"), ("hip", "roll"), ("hip", "yaw"), ("knee",), ("ankle", "pitch"), ("ankle", "roll"))
_SIDES = ("left", "right")


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
    weight: Share = 0.0
    """Weight of commands against the robot's own program: booster_deploy sends 0 in mode custom, where there is none;
    others send 1."""

    def codec(self, robot: Robot, *, fake: bool = False) -> BoosterCodec:
        """Messages for this robot, its joints in the order of its motors.

        Raises:
            BackendError: It has another number of joints, or joints of other names than a Booster.
        """
        if len(robot.joints) not in _MOTORS:
            raise BackendError(
                "is no Booster",
                place=f"robot {robot.name!r}",
                value=len(robot.joints),
                limit="22 joints (K1) or 23 (T1)",
            )
        return BoosterCodec(_ordered(robot), self.period, self.weight)

    def transport(self, codec: Codec, *, at_robot: bool = False) -> ZenohTransport:
        """Two keys of zenoh."""
        states, commands = {STATES: STATES}, {COMMANDS: COMMANDS}
        if at_robot:
            return ZenohTransport(self.address, commands, states, "booster", listens=True)
        return ZenohTransport(self.address, states, commands, "booster", watched=True)

    def our_link(self, robot: Robot) -> Link:
        """Our end of the protocol, which asks for the robot's mode."""
        codec = self.codec(robot)
        return BoosterLink(codec, self.transport(codec), self.address)

    def port_of(self, codec: Codec) -> Port:
        """The robot's end of the protocol, for a fake."""
        if not isinstance(codec, BoosterCodec):
            raise BackendError("these are no bytes of a Booster", value=codec.name)
        return BoosterPort(codec, self.transport(codec, at_robot=True))


def _ordered(robot: Robot) -> tuple[str, ...]:
    """The robot's joints in the order of a Booster's motors, which names tell; other names are in that order.

    Raises:
        BackendError: Some names are those of a Booster, and some are not.
    """
    waist = [("waist",)] if len(robot.joints) == max(_MOTORS) else []
    arms, legs = ([(side, *part) for side in _SIDES for part in parts] for parts in (_ARM, _LEG))
    wanted = [("head", "yaw"), ("head", "pitch"), *arms, *waist, *legs]
    found = {
        words: [name for name in robot.joint_names if all(word in name.lower() for word in words)] for words in wanted
    }
    unclear = [words for words, names in found.items() if len(names) != 1]
    if not unclear:
        return tuple(names[0] for names in found.values())
    if len(unclear) > len(wanted) // 2:
        return robot.joint_names
    raise BackendError(
        f"a {_MOTORS[len(robot.joints)]} has other joints",
        place=f"robot {robot.name!r}",
        value=", ".join(" ".join(words) for words in unclear[:4]),
        legal=robot.joint_names,
    )
