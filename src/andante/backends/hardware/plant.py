"""FakePlant: a simulated robot behind a wire, with errors that are planted into it; a `FakeRobot` runs it in time."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Annotated, ClassVar, Literal

import numpy as np
from pydantic import Field

from andante.backends.backend import Backend
from andante.backends.hardware.joint_map import JointMap
from andante.backends.hardware.link import Codec
from andante.backends.hardware.packets import Identity, RobotState, WireCommand
from andante.documents.quantities import Duration, Number, Seconds, Share
from andante.documents.settings import Settings
from andante.robots.records import Command, Vector

_DEGREES = math.degrees(1.0)
_HAND_SWING = 0.4
"""A hand turns a joint by so much [rad]."""
_HAND_TIME = 0.8
"""In so much time, and back again [s]."""


class FakeSettings(Settings):
    """What is wrong with a fake robot; by default nothing is. And what its process gets of this computer."""

    place: ClassVar[str] = "fake"

    clock: Annotated[Number, Field(gt=-0.5, lt=0.5)] = 0.0
    """By how much its clock is too fast, as a share."""
    loss: Share = 0.0
    """Share of packets that never arrive, both ways."""
    delay: Seconds = 0.0
    """Time that a packet takes, both ways [s]."""
    jitter: Seconds = 0.0
    """Largest time that a packet takes beyond that [s]."""
    watchdog: Duration = 0.5
    """Without a command for so long it lets its joints go, damped [s]."""
    hang_at: Seconds | None = None
    """When its program stands still, by its own time; its servos go on [s]."""
    hang_for: Duration = 1e9
    """For how long [s]."""
    hang_up_at: Seconds | None = None
    """When it hangs up for good [s]."""
    wrong_sign: tuple[str, ...] = ()
    """Joints that count the other way on the wire."""
    swapped: tuple[str, ...] = ()
    """Two joints that have changed their slots."""
    wrong_unit: bool = False
    """Angles in degrees."""
    only_commands: bool = False
    """Planted errors of joints are in its commands only, not in its states."""
    gravity: Literal["right", "sign", "unit", "axes"] = "right"
    """What is wrong with its accelerometer: all signs, g in place of m/s^2, or x and z changed."""
    refuses: bool = False
    """Refuses the mode in which it would take commands."""
    program: str = ""
    """Its own motion program, which is active until it is released, where its protocol has a word for that."""
    prepared: bool = False
    """Its own program holds the posture in which it is found, until a first command comes."""
    second_commander: bool = False
    """Somebody else sends it commands, too."""
    temperature: Number = 35.0
    """Temperature of its motors [deg C]."""
    battery: Share = 0.8
    """Charge of its battery."""
    warms: Number = 0.0
    """By so much its motors get hotter in each second that they are commanded [deg C/s]."""
    warm: tuple[str, ...] = ()
    """Joints whose motors do; empty: all."""
    drains: Annotated[Number, Field(ge=0.0, le=1.0)] = 0.0
    """Share of its charge that its battery loses in each such second [1/s]."""
    robot: str = ""
    """Kind that it claims to be; empty: what it is."""
    firmware: str = "fake 1"
    """Version that it claims to have."""
    seed: Annotated[int, Field(ge=0)] = 0
    """Decides loss and jitter."""
    processor: Annotated[int, Field(ge=0)] | None = None
    """Processor on which its process stays, in place of a computer of its own; None: any."""
    priority: Annotated[int, Field(ge=1, le=99)] | None = None
    """Priority of its process among real-time ones; None: none of them."""


class FakePlant:
    """A simulated robot by its slots: takes commands of the wire, gives states of the wire.

    Args:
        world: The simulated robot.
        codec: Says which joint is at which slot, and what is measured.
        joint_map: The right map.
        settings: What is wrong with it.
    """

    def __init__(self, world: Backend, codec: Codec, joint_map: JointMap, settings: FakeSettings) -> None:
        self.world, self.codec, self.settings = world, codec, settings
        self._map = joint_map
        names = joint_map.slots
        self._sign = np.array([-1.0 if name in settings.wrong_sign else 1.0 for name in names])
        order = list(range(len(names)))
        if len(settings.swapped) == 2:
            first, second = (names.index(name) for name in settings.swapped)
            order[first], order[second] = order[second], order[first]
        self._order = np.array(order)
        self._unit = _DEGREES if settings.wrong_unit else 1.0
        self._robot = world.robot
        self.tick = 0
        self._worked = 0.0
        self._silent = 0.0
        self._hand: tuple[int, float, float] | None = None
        self._held: tuple[list[int], Vector] | None = None
        self._found()
        self.refuses, self.second_commander = settings.refuses, settings.second_commander
        """What may also come while it runs."""
        self.by, self._senders = "", set[str]()
        self.commands = 0
        self.watchdog_fired = 0
        self.largest_step = 0.0
        """Largest step of a commanded angle of a joint that is on [rad]."""
        self.fastest = 0.0
        """Largest speed of a joint [rad/s]."""
        self.stiffness: list[tuple[float, float]] = []
        """Time and largest share of full position gain at each of the last cycles."""

    def _found(self) -> None:
        """It is as it was found: limp, or held by its own program."""
        self._command = self._robot.command()
        if self.settings.prepared:
            self._command.position[:] = self.world.read().position
            self._command.kp[:], self._command.kd[:] = self._robot.servo_kp, self._robot.servo_kd

    def again(self) -> None:
        """Somebody sets the robot up as it was found; its count of cycles goes on."""
        self.world.reset(self.settings.seed)
        self._found()
        self.by, self._silent, self.commands = "", 0.0, 0
        self._hand = self._held = None

    @property
    def time(self) -> float:
        """Time by its own count [s]."""
        return self.tick * self.codec.period

    @property
    def _heat(self) -> Vector:
        """By how much each motor is hotter than it was found, by slot [deg C]."""
        warm = self.settings.warm
        share = np.array([float(not warm or name in warm) for name in self._map.slots])
        return self.settings.warms * self._worked * share

    def take(self, command: WireCommand) -> None:
        """Take a command; the latest one holds."""
        if command.hello:
            return
        if self.refuses:
            # Its own program has taken over, and damps.
            self._command = self._robot.command()
            self._command.kd[:] = 0.2 * self._robot.servo_kd
            return
        self.commands += 1
        self._senders.add(command.by)
        self.by, self._silent = command.by, 0.0
        wire = WireCommand(
            self._wrong(command.position),
            self._wrong(command.velocity),
            command.kp[self._order],
            command.kd[self._order],
            self._wrong(command.torque, unit=1.0),
        )
        new = self._robot.command()
        self._map.from_wire(wire, new)
        on = (new.kp > 0.0) & (self._command.kp > 0.0)
        if on.any():
            self.largest_step = max(self.largest_step, float(np.abs(new.position - self._command.position)[on].max()))
        self._command = new

    def touch(self, joint: str, direction: float = 1.0, held: Sequence[str] = ()) -> None:
        """Let a hand turn a joint to and fro, by `_HAND_SWING`, and other hands hold some still."""
        index = self._robot.index(joint)
        self.hold(held)
        self._hand = (index, self.world.time, float(self.world.read().position[index]) + 0.0)
        self._direction = direction

    def hold(self, held: Sequence[str]) -> None:
        """Let hands hold joints still, until a hand turns one."""
        still = [self._robot.index(name) for name in held]
        self._hand, self._held = None, (still, self.world.read().position[still].copy())

    def advance(self) -> RobotState:
        """One cycle; gives the state at its end."""
        period = self.codec.period
        self._silent += period
        command = self._command
        self._worked += period if command.kp.any() else 0.0
        if self._silent > self.settings.watchdog and command.kp.any() and self.commands:
            self.watchdog_fired += 1
            command = self._command = self._robot.command()
            command.kd[:] = 0.2 * self._robot.servo_kd
        self.world.write(self._touched(command))
        self.world.advance(period)
        self.tick += 1
        self.stiffness.append((self.time, self._share(command)))
        del self.stiffness[:-2000]
        return self.state()

    def state(self) -> RobotState:
        """The state now, as it goes over the wire."""
        sensors, settings, measured = self.world.read(), self.settings, self.codec.measured
        self.fastest = max(self.fastest, float(np.abs(sensors.velocity).max()))
        position = self._map.wire_position(sensors.position)
        velocity, effort = self._map.wire_velocity(sensors.velocity), self._map.wire_effort(sensors.effort)
        if not settings.only_commands:
            position, velocity = self._wrong(position, back=True), self._wrong(velocity, back=True)
            effort = self._wrong(effort, unit=1.0, back=True)
        accelerometer = sensors.accelerometer.copy()
        if settings.gravity == "sign":
            accelerometer = -accelerometer
        elif settings.gravity == "unit":
            accelerometer = accelerometer / 9.81
        elif settings.gravity == "axes":
            accelerometer = accelerometer[[2, 1, 0]]
        given = {name: sensors[name].copy() for name in ("orientation", "gyro", "contact", "force", "buttons")}
        given |= {"velocity": velocity, "effort": effort, "accelerometer": accelerometer}
        return RobotState(
            self.tick,
            position,
            temperature=settings.temperature + self._heat,
            battery=max(settings.battery - settings.drains * self._worked, 0.0),
            mode="refused" if self.refuses else "",
            worn="",
            note="",
            by=self._by(),
            identity=Identity(settings.robot or self._robot.name, settings.firmware, fake=True),
            **{name: value for name, value in given.items() if name in measured},
        )

    def _by(self) -> str:
        """Who commands; of several in turn."""
        if self.second_commander:
            return "somebody else" if self.tick % 2 else self.by
        senders, self._senders = sorted(self._senders), set()
        return senders[self.tick % len(senders)] if len(senders) > 1 else self.by

    def _wrong(self, wire: Vector, unit: float | None = None, *, back: bool = False) -> Vector:
        """Values of the wire with the planted errors, either way."""
        factor = self._unit if unit is None else unit
        wrong: Vector = (self._sign * wire * factor)[self._order] if back else self._sign * wire[self._order] / factor
        return wrong

    def _touched(self, command: Command) -> Command:
        if self._hand is None and self._held is None:
            return command
        moved = command.copy()
        if self._hand is not None:
            joint, begin, start = self._hand
            passed = (self.world.time - begin) / _HAND_TIME
            if passed >= 2.0:
                self._hand = self._held = None
                return command
            swing = _HAND_SWING * self._direction * (1.0 - abs(1.0 - passed))
            for index in np.flatnonzero(self._robot.leaders == self._robot.leaders[joint]):
                moved.position[index] = start + swing
                moved.kp[index], moved.kd[index] = self._robot.servo_kp[index], self._robot.servo_kd[index]
        if self._held is not None:
            held, angles = self._held
            moved.position[held] = angles
            moved.kp[held], moved.kd[held] = self._robot.servo_kp[held], self._robot.servo_kd[held]
        return moved

    def _share(self, command: Command) -> float:
        full = self._robot.servo_kp
        known = full > 0.0
        return float((command.kp[known] / full[known]).max()) if known.any() else 0.0
