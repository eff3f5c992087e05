"""Go2Backend: a Unitree Go2 over its low-level DDS messages."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field, field_validator

from andante.backends.backend import BackendError
from andante.backends.hardware.dds import DdsTransport, check_interface
from andante.backends.hardware.link import Codec, Link, Port
from andante.backends.hardware.unitree import PERIOD, TICK, UnitreeCodec
from andante.backends.hardware.unitree_switch import SwitchingLink, SwitchingPort
from andante.backends.hardware.unitree_types import messages
from andante.control.arming.settings import SafetySettings
from andante.documents.quantities import Duration
from andante.robots.robot import Robot
from andante.runs.backends.hardware import HardwareKind

_LEGS = ("FR", "FL", "RR", "RL")
_PARTS = (("hip", "hip_joint", "abduction"), ("thigh", "thigh_joint"), ("calf", "calf_joint", "knee"))
_LYING = 0.12
"""A lying Go2 reads its calves at -2.79 to -2.82 rad in published states, up to 0.10 beyond its model's stops [rad]."""
STATES, COMMANDS = "rt/lowstate", "rt/lowcmd"
"""Topics of the robot."""


class Go2Backend(HardwareKind):
    """A Unitree Go2 by its low-level messages at 500 Hz; while its own motion program is active it is not armed."""

    needs: ClassVar[tuple[str, str]] = ("cyclonedds", "go2")
    robots: ClassVar[str] = "Unitree Go2"
    hottest: ClassVar[float | None] = 85.0
    """A little below the 90 deg C of the motors' own protection, by Unitree's actuator SDK (GO-M8010-6)."""

    type: Literal["go2"]
    """Kind of backend."""
    address: str = "lo"
    """Network interface that leads to the robot; ``lo``: this computer."""
    domain: Annotated[int, Field(ge=0, le=232)] = 0
    """DDS domain; the robot's is 0."""
    period: Duration = PERIOD
    """Time between two states; the robot's is 2 ms [s]."""
    tick: Annotated[float, Field(ge=0.0, le=1.0)] = TICK
    """Time by which a state's tick counts: 1 ms by Unitree's notes; ``period`` where a simulator counts states. 0: it
    stands still, as in some simulators, and arrivals are counted [s]."""
    releases: bool = False
    """Whether its own motion program is asked to let go, where one is active: the robot must lie or hang then."""
    state_crc: bool = True
    """Whether states whose CRC is wrong are thrown away; a CRC of 0 is none."""
    safety: SafetySettings = SafetySettings(beyond_stops=_LYING)
    """How the robot is armed and let go of."""
    foot_force: Annotated[float, Field(gt=0.0, le=10000.0)] | None = None
    """Reading of a foot's force from which it touches the ground. The maker publishes no unit, and feet read something
    in the air: look at your robot's. None: feet are not read."""

    @field_validator("safety", mode="before")
    @classmethod
    def _as_it_lies(cls, given: object) -> object:
        """Settings that say nothing of stops have those of a Go2."""
        return {"beyond_stops": _LYING, **given} if isinstance(given, Mapping) else given

    def codec(self, robot: Robot, *, fake: bool = False) -> Codec:
        """Unitree's messages for this robot."""
        joints = [_joint(robot, leg, part) for leg in _LEGS for part in _PARTS]
        told: dict[str, Any] = {"fake": fake, "checked": self.state_crc, "tick": self.tick}
        if self.foot_force is not None:
            told |= {"feet": _feet(robot), "loaded": self.foot_force}
        return UnitreeCodec(joints, robot.name, self.period, **told)

    def transport(self, codec: Codec, *, at_robot: bool = False) -> DdsTransport:
        """Two DDS topics."""
        types = messages()
        states, commands = (STATES, types.LowState), (COMMANDS, types.LowCmd)
        interface = check_interface(self.address)
        if at_robot:
            return DdsTransport(interface, self.domain, commands, states)
        return DdsTransport(interface, self.domain, states, commands, watched=True)

    def our_link(self, robot: Robot) -> Link:
        """Our end of the protocol, which asks for the robot's own motion program first."""
        codec = self.codec(robot)
        return SwitchingLink(codec, self.transport(codec), self.address, releases=self.releases)

    def port_of(self, codec: Codec) -> Port:
        """The robot's end of the protocol, for a fake."""
        return SwitchingPort(codec, self.transport(codec, at_robot=True))


def _feet(robot: Robot) -> list[int]:
    """Index of the robot's foot for each of `_LEGS`.

    Raises:
        BackendError: It has no four feet of these names.
    """
    names = [foot.name for foot in robot.feet]
    wanted = [leg.replace("R", "H", 1) if leg.startswith("R") else leg for leg in _LEGS]
    if not set(wanted) <= set(names):
        raise BackendError("its feet are not known", place=f"robot {robot.name!r}", value=names, legal=wanted)
    return [names.index(name) for name in wanted]


def _joint(robot: Robot, leg: str, part: tuple[str, ...]) -> str:
    for end in part:
        name = f"{leg}_{end}"
        if name in robot.joint_names:
            return name
    raise BackendError(
        "a Go2 has other joints",
        place=f"robot {robot.name!r}",
        value=f"{leg}_{part[0]}",
        legal=robot.joint_names,
        remedy="load Unitree's own model: --robot path/to/go2.xml",
    )
