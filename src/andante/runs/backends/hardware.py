"""HardwareKind: what all backends of robots have in common: address, joint map, safety sequence, evidence and fake."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Sequence
from contextlib import AbstractContextManager, suppress
from functools import partial
from typing import Annotated, ClassVar, Literal

import numpy as np
from pydantic import Field

from andante.backends.backend import Backend
from andante.backends.hardware.backend import HardwareBackend, LinkSettings
from andante.backends.hardware.health import HealthLimits
from andante.backends.hardware.joint_map import JointMap
from andante.backends.hardware.link import Codec, Link, PacketLink, Port, Transport
from andante.backends.hardware.undisturbed import undisturbed
from andante.backends.world import WorldConfig
from andante.control.arming.armed import ArmedController
from andante.control.arming.measured import Vitals
from andante.control.arming.settings import SafetySettings
from andante.control.controller import Controller, Sparing
from andante.control.guard import Guard
from andante.control.guard_settings import GuardSettings
from andante.control.plausibility import SensorCheck
from andante.control.sensor_parts import NEEDED
from andante.documents.quantities import Angle, Positive
from andante.kernels.lazy import compile_all
from andante.robots.records import Sensors, Vector
from andante.robots.robot import Robot
from andante.runs.backends.kind import BackendKind
from andante.spatial.rotations import from_rpy

_REHEARSED = 12
"""Ticks of a rehearsal."""
_WATCHED = 1.3
"""Time for which readings are checked in it: some watches first look at half a second of them, and loading what they
compute with took 50 ms of a run [s]."""
_FOREIGN = 2
"""So many commands of somebody else end a run."""
_SLEPT = 0.1
"""Clocks that are so far apart are those of a computer that has slept [s]."""
_LEAST_STATES = 40
"""A rate is told by so many states at least."""


_Turned = Annotated[Angle, Field(ge=-math.tau, le=math.tau)]
"""More than once round is an angle in degrees [rad]."""


class HardwareKind(BackendKind):
    """A robot over its own protocol."""

    needs: ClassVar[tuple[str, str]] = ("", "")
    """Module without which it cannot be used, and the extra that brings it; empty: none."""
    robots: ClassVar[str] = "any"
    """Which robots speak the protocol, for people."""
    tells: ClassVar[frozenset[str]] = frozenset()
    """What its states tell beside sensors: ``commander``, who commands, and ``mode``, that it takes no commands."""
    hottest: ClassVar[float | None] = None
    """A run ends where a motor is hotter, by the vendor's published limit; None: none is known [deg C]."""
    address: str
    """Where the robot is."""
    evidence: Literal["fake of the protocol", "robot"] = "fake of the protocol"
    """What answers at the address; results name it. A fake that says so is never taken for a robot."""
    firmware: str = ""
    """Version of the robot's software with which it was tried, as `andante hardware check` tells it; another one is
    refused. Empty: any."""
    signs: dict[str, Literal[-1, 1]] = Field(default={})
    """Joints that count the other way than the protocol's table says: -1."""
    offsets: dict[str, Angle] = Field(default={})
    """Angle of a joint where its slot reads 0 [rad]."""
    scales: dict[str, Positive] = Field(default={})
    """Radians per unit of a joint's slot."""
    missing: dict[str, Angle] = Field(default={})
    """Joints of the model that the robot does not have, as of a head that was taken off, with their angle: they are
    commanded nowhere, and read as standing there until they are commanded to be elsewhere [rad]."""
    imu_turned: tuple[_Turned, _Turned, _Turned] = (0.0, 0.0, 0.0)
    """Roll, pitch and yaw by which the IMU is turned in the torso; what it measures is turned back [rad]."""
    without: tuple[Literal["velocity", "torque"], ...] = ()
    """Fields of commands that are left out where the robot does not take them; others are refused."""
    link: LinkSettings = LinkSettings()
    """How long is waited for the robot."""
    safety: SafetySettings = SafetySettings()
    """How the robot is armed and let go of."""
    processor: Annotated[int, Field(ge=0)] | None = None
    """Processor on which the run stays; None: any."""
    priority: Annotated[int, Field(ge=1, le=99)] | None = None
    """Priority of the run among real-time processes; None: none of them."""

    @property
    def source(self) -> str:
        """What results come from."""
        return self.evidence

    @property
    def linked(self) -> bool:
        """Whether there is a robot at the other end, or a fake."""
        return True

    @abstractmethod
    def codec(self, robot: Robot, *, fake: bool = False) -> Codec:
        """The protocol's bytes for a robot.

        Raises:
            BackendError: The protocol is not of this robot, or a package is missing.
        """

    @abstractmethod
    def transport(self, codec: Codec, *, at_robot: bool = False) -> Transport:
        """What moves the bytes: our end, or the robot's.

        Raises:
            BackendError: The address is none, or a package is missing.
        """

    ordered: ClassVar[bool] = False
    """Whether packets keep their order, as those of a stream do."""

    def joint_map(self, robot: Robot, codec: Codec, *, fake: bool = False) -> JointMap:
        """The joints on the wire; a fake's map is the protocol's, whatever is said about this robot.

        Raises:
            BackendError: A name is none of the robot's joints.
        """
        if fake:
            return JointMap.of(robot, codec.slots, missing=self.missing)
        signs, offsets, scales = self.signs, self.offsets, self.scales
        return JointMap.of(robot, codec.slots, signs=signs, offsets=offsets, scales=scales, missing=self.missing)

    def wired(self, robot: Robot) -> tuple[str, ...]:
        """Joints of a robot that are on a wire without an order of its own: without followers and missing ones."""
        names = robot.joint_names
        own = [name for index, name in enumerate(names) if int(robot.leaders[index]) == index]
        return tuple(name for name in own if name not in self.missing)

    def servo_gains(self, robot: Robot, names: Sequence[str], *, fake: bool = False) -> tuple[Vector, Vector]:
        """Full gains of the servos of some joints in units of the wire, where stiffness is a share of them.

        A gear of 2 to 1 makes a quarter of the joint's gain at its servo (`scales`). A fake knows of no corrections.
        """
        own = [robot.index(name) for name in names]
        scale = np.array([1.0 if fake else self.scales.get(name, 1.0) for name in names])
        return robot.servo_kp[own] * scale**2, robot.servo_kd[own] * scale**2

    def our_link(self, robot: Robot) -> Link:
        """Our end of the protocol."""
        codec = self.codec(robot)
        return PacketLink(codec, self.transport(codec), self.address)

    def intruder(self, robot: Robot) -> Link | None:
        """Somebody else who commands the robot, for a fake; None: its protocol lets nobody else in."""
        codec = self.codec(robot)
        return PacketLink(codec, self.transport(codec), self.address, "somebody else")

    def port_of(self, codec: Codec) -> Port:
        """The robot's end of the protocol, for a fake."""
        return Port(codec, self.transport(codec, at_robot=True))

    def backend(self, robot: Robot, world: WorldConfig) -> Backend:
        """The robot.

        Raises:
            BackendError: The protocol is not of this robot, the address is none, or a package is missing.
        """
        link = self.our_link(robot)
        backend = HardwareBackend(robot, link, self.joint_map(robot, link.codec), self.link)
        backend.claimed, backend.firmware, backend.without = self.evidence, self.firmware, frozenset(self.without)
        backend.health = self.health
        backend.mounted = from_rpy(np.array(self.imu_turned)) if any(self.imu_turned) else None
        return backend

    @property
    def health(self) -> HealthLimits:
        """From where on the robot is not moved any more."""
        safety = self.safety
        hot = self.hottest if safety.hot is None else safety.hot
        return HealthLimits(hot, safety.empty, safety.warned, noted=safety.hottest)

    def above(self, controller: Controller, backend: Backend, *, lies: bool = False) -> Controller:
        """The controller with the safety sequence around it."""
        absent: frozenset[str] = getattr(backend, "absent", frozenset())
        vitals = alarm = None
        if isinstance(backend, HardwareBackend):
            rehearse(controller, backend.robot, absent)
            vitals, alarm = partial(vitals_of, backend), partial(alarm_of, backend, self.safety.off_after)
        return ArmedController(controller, backend.robot, self.safety, vitals, absent, lies=lies, alarm=alarm)

    def guarded(self, guard: GuardSettings) -> GuardSettings:
        """Stale states are the safety sequence's to answer; the guard is the last who lets joints go."""
        off = self.safety.off_after
        return guard.changed(stale_hold=off, stale_limp=off)

    @property
    def overhead(self) -> float:
        """Time of arming and release [s]."""
        return self.safety.longest

    def prepared(self) -> AbstractContextManager[None]:
        """No collection of garbage; processor and priority as asked."""
        return undisturbed(self.processor, self.priority)


def rehearse(controller: Controller, robot: Robot, absent: frozenset[str]) -> None:
    """Let a controller decide a few times about a robot at rest, so that nothing is compiled or loaded while one waits.

    What it raises here it raises again while the robot is held, and is told there.

    Args:
        controller: It is reset afterwards.
        robot: The robot.
        absent: Fields of its sensors that it does not measure.
    """
    compile_all()
    found = "stand" if "stand" in robot.postures else next(iter(robot.postures), "")
    with suppress(Exception):
        needs = controller.needs if isinstance(controller, Sparing) else NEEDED
        guard, check = Guard(robot, controller.period), SensorCheck(robot, controller.period, None, needs, absent)
        controller.reset()
        rng, command = np.random.default_rng(0), None
        for tick in range(max(_REHEARSED, round(_WATCHED / controller.period))):
            sensors = Sensors(robot.sensors_layout)
            sensors.vector[0] = tick * controller.period
            sensors.position[:] = robot.posture(found) if found else np.clip(0.0, robot.lower, robot.upper)
            # Readings that repeat are doubted, and then looked at by fewer watches.
            sensors.position += 1e-3 * rng.standard_normal(len(sensors.position))
            sensors.orientation[0], sensors.accelerometer[2] = 1.0, 9.81 + 0.01 * rng.standard_normal()
            for name in absent:
                sensors[name][:] = math.nan
            if tick < _REHEARSED:
                command = guard.apply(controller.step(check.apply(sensors, None)), sensors)
            check.apply(sensors, command)
    with suppress(Exception):
        controller.reset()
        controller.take_events()


def vitals_of(backend: HardwareBackend) -> Vitals:
    """What a robot tells beside its sensors."""
    state, watch = backend.state, backend.watch
    hot = None if state.temperature is None else backend.joint_map.of_slots(state.temperature)
    traffic = backend.link.traffic
    known = watch.states >= _LEAST_STATES and not backend.link.paces_itself
    return Vitals(
        watch.rate if known else None,
        traffic.foreign,
        hot,
        state.battery,
        backend.joint_map.position(np.asarray(state.position)),
        state.mode,
        backend.absent,
        state.worn,
        state.note,
        traffic.broken / max(traffic.broken + traffic.read, 1),
        traffic.problem,
        bool(getattr(backend.link.codec, "bolted", False)),
        None if backend.link.codec.spacing is None else backend.link.codec.spacing / backend.link.codec.period,
        backend.leapt,
        backend.cause,
    )


def alarm_of(backend: HardwareBackend, longest: float = math.inf) -> str:
    """Why a robot must not be commanded any more; empty: it may.

    Args:
        backend: The robot.
        longest: A robot that got no command for so long has let its joints go, whatever its own clock says [s].
    """
    if idle := idle_of(backend, longest):
        return idle
    if backend.state.mode:
        return f"the robot takes no commands any more: {backend.state.mode}"
    foreign = backend.link.traffic.foreign
    return f"somebody else commands the robot ({foreign} commands)" if foreign >= _FOREIGN else ""


def idle_of(backend: HardwareBackend, longest: float) -> str:
    """That a robot got no command for too long, by this computer's clock; empty: it did.

    What queued meanwhile is old, and where a queue is full its newest state is, too: the robot's own time says less.

    Args:
        backend: The robot.
        longest: It lets its joints go after that [s].
    """
    idle = backend.idle
    if idle <= longest:
        return ""
    if backend.slept > _SLEPT:
        return f"nothing was commanded for {idle:.2f} s; this computer slept for {backend.slept:.2f} s of them"
    cause = backend.waited(idle)
    late = cause if "computer was late" in cause else "the run stood still"
    return f"nothing was commanded for {idle:.2f} s; {late}"
