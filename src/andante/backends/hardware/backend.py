"""HardwareBackend: a robot over a link. The robot paces the run, and its own count of cycles is the sensors' time.

`advance` waits for the next state. What queued meanwhile is passed over and counted, so that a command always answers
the newest state. Where no state comes within half a period, the tick goes on with the old one: sensor time stands
still, which the guard and the safety sequence answer; after `LinkSettings.lost_after` the link is lost.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from andante.backends.backend import BackendError, LinkLostError, check_joints
from andante.backends.hardware.expected_robot import ExpectedRobot, NumberWatch
from andante.backends.hardware.health import HealthLimits, HealthWatch
from andante.backends.hardware.joint_map import JointMap
from andante.backends.hardware.link import Link
from andante.backends.hardware.pace import Pace, PaceWatch
from andante.backends.hardware.packets import Identity, RobotState
from andante.backends.hardware.strays import StrayWatch
from andante.control.controller import ControlEvent
from andante.control.events import EventKind
from andante.documents.quantities import Duration, Share
from andante.documents.settings import Settings
from andante.robots.records import Command, Layout, Record, Sensors, Vector, scalar
from andante.robots.robot import Robot
from andante.spatial.rotations import conjugate, multiply, to_matrix

_COUNTS = ("robot_tick", "lost", "passed_over", "silent", "foreign")
LINK_LAYOUT = Layout("link", (scalar("receive_time", "s"), *map(scalar, _COUNTS)))
"""What the log tells of a link at each tick: arrival of the state by the computer's clock, the robot's count, states
that never arrived, cycles that were passed over, ticks without a new state, and commands of others, all counted from
the start."""

_LEAP = 0.3
"""A count that goes on by so much more than this computer's clock has leapt [s]."""
_BEHIND = 3
"""So many states that are not newer are told as why none is; fewer come late or twice."""
_BEFORE_OFF = 2.0
"""A run ends so far below the temperature at which motors switch themselves off [deg C]."""
_DIRECTED = ("position", "velocity", "effort")
_WHOLE = ("orientation", "gyro", "accelerometer", "contact", "force", "buttons")


class LinkSettings(Settings):
    """How long is waited for a robot."""

    connect: Duration = 3.0
    """Time in which a first state must arrive [s]."""
    grace: Share = 0.5
    """Share of a period by which a state may be late before a tick goes on without it."""
    lost_after: Duration = 0.6
    """The link is lost where no state has come for so long; a little later than all joints are commanded off [s]."""


class HardwareBackend:
    """A robot over a link.

    Args:
        robot: The robot.
        link: Our end of its protocol.
        joint_map: Its joints on the wire.
        settings: How long is waited for it.

    Raises:
        BackendError: The map is not of this protocol.
    """

    paces = True
    """The robot paces the run."""

    def __init__(self, robot: Robot, link: Link, joint_map: JointMap, settings: LinkSettings | None = None) -> None:
        if len(joint_map.slots) != len(link.codec.slots):
            raise BackendError(
                "the joint map is of another protocol",
                place=f"{link.codec.name}",
                value=len(joint_map.slots),
                limit=f"{len(link.codec.slots)} slots",
            )
        self.robot, self.link, self.joint_map = robot, link, joint_map
        """The robot that is moved, the way to it, and what its joints are there."""
        self.settings = settings or LinkSettings()
        self.identity = Identity()
        """Who the robot says it is; known after `reset`."""
        self.claimed = ""
        """What the user says that it is: ``robot``, or a fake."""
        self.firmware = ""
        """The version that it must have; empty: any."""
        self.health = HealthLimits()
        """From where on it is not moved any more: hot motors, an empty battery."""
        self.mounted: Vector | None = None
        """How its IMU is turned in its torso, (4,) wxyz; None: as the torso."""
        self.without: frozenset[str] = frozenset()
        """Fields of commands that are left out where the robot does not take them, in place of a refusal."""
        self.absent = frozenset(
            field.name
            for field in robot.sensors_layout.fields
            if field.size and field.name not in link.codec.measured and field.name != "time"
        )
        """Fields of `Sensors` that the robot does not measure; they read NaN. After `reset` also those that its states
        leave out though its protocol has a place for them."""
        self._period = link.codec.period
        self._layout = robot.sensors_layout
        self._state: RobotState | None = None
        self._first = 0
        self._arrival = self._due = 0.0
        self._open = False
        self._left_out: frozenset[str] = frozenset()
        self._broken: BackendError | None = None
        self._lacking = np.flatnonzero(~np.isnan(joint_map.still))
        self.watch = self._watched()
        self._forget()

    def _watched(self) -> PaceWatch:
        return PaceWatch(self._period, self.settings.lost_after, counted=self.link.codec.counted)

    def _forget(self) -> None:
        self.watch.processor.close()
        self.watch = self._watched()
        self._events: list[ControlEvent] = []
        self._imagined = self.joint_map.still[self._lacking]
        self._told: set[str] = set()
        self._well = HealthWatch(self.robot.joint_names, self.health)
        self._passed_over = 0
        self._silence = 0.0
        self._commands, self._written, self._asleep = False, math.inf, 0.0
        self._older = self.link.traffic.older
        self._torn = self.link.traffic.broken
        # States since the newest whose count is not above its own, and by how much the last of them is behind.
        self._behind, self._numbers = (0, 0), NumberWatch(self._at)
        self._leap, self._strays = "", StrayWatch(self._period)
        self.leapt = ""
        """That the robot's count has leapt since the run began, in words; empty: it has not."""
        self._begun = False

    def _begin(self) -> None:
        """Let time 0 be now: what came while the run was put together is no gap in its readings."""
        self._begun = True
        now = self.link.now()
        try:
            while (state := self.link.receive(now)) is not None:
                self._take(state)
        except BackendError as error:
            self._broken = error
        self._first = self._target = self.state.tick
        self._due = self._arrival

    @property
    def _at(self) -> str:
        """Where it is, for messages."""
        return f"{self.link.codec.name} at {self.link.place}"

    @property
    def time(self) -> float:
        """Time of the newest state by the robot's count of cycles [s]."""
        return 0.0 if self._state is None else (self._state.tick - self._first) * self._period

    @property
    def state(self) -> RobotState:
        """The newest state as it came.

        Raises:
            BackendError: None has come; `reset` waits for the first.
        """
        if self._state is None:
            raise BackendError("no state has come yet", place=self._at)
        return self._state

    @property
    def idle(self) -> float:
        """How long ago the last command was sent, by this computer's clock; below 0: none was [s]."""
        return self.link.passed() - self._written

    @property
    def slept(self) -> float:
        """For how long this computer has slept since then: its clocks go apart while it does [s]."""
        return self.link.passed() - self.link.now() - self._asleep if math.isfinite(self._written) else 0.0

    @property
    def exhausted(self) -> str:
        """Why the robot must be let go of, as for a motor that is hot; empty: it need not."""
        return self._well.why

    @property
    def damped(self) -> str:
        """What becomes of joints that are to be damped, in words."""
        honoured = self.link.codec.honoured
        if "kd" in honoured:
            return "joints that are damped are braked by their speed"
        return f"joints that are damped {'go limp' if 'kp' in honoured else 'keep their last posture'}"

    @property
    def pace(self) -> Pace:
        """How the run keeps pace with the robot."""
        return self.watch.pace

    def reset(self, seed: int) -> None:
        """Open the link and wait for the first state; a robot has nothing random, ``seed`` is not used.

        Raises:
            LinkLostError: No robot answers.
            BackendError: It is a robot of another kind.
        """
        if not self._open:
            self._open = True
            self.identity, self._state = self.link.open(self.settings.connect)
            self._first = self._state.tick
            self._check_identity()
            if self.health.hot is not None:
                # Before they switch off by themselves, which drops the robot.
                self.health = replace(self.health, hot=min(self.health.hot, self.link.hottest - _BEFORE_OFF))
            self._left_out = self._leaves_out(self._state)
            self.absent |= self._left_out
        self._forget()
        self._first = self._target = self.state.tick
        self._arrival = self._due = self.link.now()
        if self._left_out:
            names = ", ".join(sorted(self._left_out))
            self._tell_once("absent", f"the robot's states have no {names}: nothing is measured there")

    def read(self) -> Sensors:
        """The newest state; NaN for what the robot does not measure."""
        if not self._begun and self._state is not None:
            self._begin()
        state = self.state
        vector = np.full(self._layout.size, math.nan)
        sensors = Sensors(self._layout, vector)
        vector[0] = self.time
        for name in _DIRECTED:
            values = getattr(state, name)
            if values is not None and name not in self.absent:
                sensors[name][:] = getattr(self.joint_map, name)(values)
        if self._lacking.size:
            sensors.position[self._lacking] = self._imagined
        for name in _WHOLE:
            values = None if name in self.absent else getattr(state, name)
            if values is not None and len(values) == self._layout.slices[name].stop - self._layout.slices[name].start:
                sensors[name][:] = values
        if self.mounted is not None:
            sensors.orientation[:] = multiply(sensors.orientation, conjugate(self.mounted))
            for name in ("gyro", "accelerometer"):
                sensors[name][:] = to_matrix(self.mounted) @ sensors[name]
        return sensors

    def write(self, command: Command) -> None:
        """Send a command; nothing is sent before the first one that moves anything, so that measuring disturbs nobody.

        Raises:
            BackendError: The command is for another robot, or asks for what this one does not act on: a speed or a
                torque.
        """
        check_joints(command, self.robot.command_layout)
        honoured = self.link.codec.honoured
        for name in ("velocity", "torque"):
            if name in honoured:
                continue
            extra = np.flatnonzero(command[name]).tolist()
            if extra and name in self.without:
                self._tell_once(name, f"the robot takes no {name}: it is left out, as `backend.without` asks")
            elif extra:
                raise BackendError(
                    f"this robot takes no {name}",
                    place=f"{self.link.codec.name}, {self.robot.joint_names[extra[0]]}",
                    value=float(command[name][extra[0]]),
                    limit=f"only {', '.join(sorted(honoured))}",
                    remedy=f"backend.without=[{name}] leaves it out",
                )
        for name in ("kp", "kd"):
            if name not in honoured and command[name].any():
                self._tell_once(name, f"the robot takes no {name}: its servos' own acts; {self.damped}")
        on = command.kp[self._lacking] > 0.0
        self._imagined = np.where(on, command.position[self._lacking], self._imagined)
        self._commands = self._commands or bool(command.kp.any() or command.kd.any() or command.torque.any())
        if not self._commands:
            return
        try:
            self.link.send(self.joint_map.to_wire(command))
        except LinkLostError as error:
            # Told where time goes on, so that what was decided at this tick is in the log.
            self._broken = error
            return
        self._written = self.link.passed()
        self._asleep = self._written - self.link.now()
        self.watch.ticks += 1

    def advance(self, duration: float) -> None:
        """Wait for the state that is ``duration`` seconds later by the robot's count.

        Raises:
            BackendError: The duration is no whole number of the robot's cycles.
            BackendError: It says who it is now, and is a robot of another kind.
            LinkLostError: The robot has hung up, or is silent for too long.
        """
        cycles = round(duration / self._period)
        if cycles < 1 or abs(cycles * self._period - duration) > 1e-9:
            raise BackendError(
                "a robot moves in whole cycles", value=duration, limit=f"multiples of {self._period:g} s"
            )
        if self._broken is not None:
            raise self._broken
        try:
            self._wait(cycles)
        finally:
            self.watch.processor.tick()

    def _wait(self, cycles: int) -> None:
        """Wait for the state that is so many cycles later."""
        span = cycles * self._period
        self._target += cycles
        self._due += span
        deadline = self._due + self.settings.grace * span
        # What has queued comes first, however late it is.
        until, before = self.link.now(), self.state.tick
        while self.state.tick < self._target:
            state = self.link.receive(until)
            if state is not None:
                self._take(state)
            elif until >= deadline:
                break
            until = deadline
        if self.state.tick == before:
            self.watch.silent += 1
            self._silence += span
            if self._silence >= self.settings.lost_after:
                cause = self.cause(self._silence)
                raise LinkLostError(
                    f"no state has come for {self._silence:.2f} s{f'; {cause}' if cause else ''}",
                    place=self._at,
                    limit=f"{self.settings.lost_after:g} s",
                    remedy="look after the robot, then its network and its program",
                )
            return
        self._silence = 0.0
        # A robot that fell behind by itself is behind for good: it counts from where it is.
        over = max(self.state.tick - self._target, 0)
        self._passed_over += over
        self.watch.missed += over
        self._target = self.state.tick
        self._due = self._arrival
        self.watch.arrived(self.state.tick, self._arrival)

    def looked_at(self, duration: float) -> list[Sensors]:
        """What the robot measures for a time; nothing is commanded [s].

        Raises:
            LinkLostError: The robot has hung up, or is silent for too long.
        """
        readings = []
        for _ in range(max(round(duration / self._period), 1)):
            readings.append(self.read())
            self.advance(self._period)
        return readings

    def truth(self) -> Record | None:
        """A robot has no ground truth."""
        return None

    def link_record(self) -> Record:
        """What happened on the link, for the log."""
        watch, traffic = self.watch, self.link.traffic
        tick = float(self.state.tick)
        values = (self._arrival, tick, watch.lost, self._passed_over, watch.silent, traffic.foreign)
        return Record(LINK_LAYOUT, np.array(values, dtype=np.float64))

    def take_events(self) -> list[ControlEvent]:
        """What a reader of the log should know since the last call."""
        events, self._events = self._events, []
        return events

    def close(self) -> None:
        """Close the link; a second call does nothing."""
        self.link.close()
        self.watch.processor.close()
        self._open = False

    def _tell_once(self, name: str, text: str) -> None:
        if name not in self._told:
            self._told.add(name)
            self._events.append(ControlEvent(self.time, EventKind.LINK, text, {"field": name}))

    def _take(self, state: RobotState) -> None:
        """Use a state that is newer than the last; others came by a detour."""
        last = self.state.tick
        if self._numbers.is_anothers(self.identity, state.identity):
            return
        if state.identity is not None and state.identity != self.identity:
            # A bridge may say who it is with any of its states, not only with the first that came.
            self.identity = state.identity
            self._check_identity()
        if state.tick <= last:
            self._behind = (self._behind[0] + 1, last - state.tick)
            if self._strays.counts_anew(state.tick, last):
                raise LinkLostError(
                    "the robot's count of cycles runs backwards",
                    place=self._at,
                    value=state.tick,
                    limit=f"above {last}",
                    remedy=f"{self.link.codec.anew}, or two robots answer here: leave one on, and arm it again",
                )
            return
        now, gone = self.link.now(), (state.tick - last) * self._period
        if self._strays.leaps(state.tick, last, now - self._arrival):
            return
        self._leap, beyond, passed = "", 0, now - self._arrival
        if self.link.codec.counted and (strides := self._strays.strides(state.tick, last, passed)):
            self.leapt = strides
            self._tell_once("count", strides)
        if gone > passed + _LEAP:
            # A clock that was set: no states were lost, none was passed over, and the rate says nothing across it.
            self._leap = f"the robot's count of cycles leapt by {gone:.2f} s within {passed:.2f} s"
            self.leapt, beyond = self._leap, round((gone - passed) / self._period)
            self._target += beyond
            self.watch.leapt()
        self.watch.lost += max(state.tick - last - 1 - beyond - self._drained(), 0)
        self._state, self._arrival = state, now
        self._torn, self._behind = self.link.traffic.broken, (0, 0)
        if self._commands:
            heat = None if state.temperature is None else self.joint_map.of_slots(state.temperature)
            for text in self._well.see(self.time, heat, state.battery, state.worn):
                self._events.append(ControlEvent(self.time, EventKind.LINK, text, {"field": "health"}))
        if state.note:
            self._tell_once(state.note, state.note)
        if not self.link.codec.counted:
            # A rate without a count is told by the arrivals of all states, also of those between two ticks.
            self.watch.seen(state.tick, self._arrival)

    def cause(self, silence: float) -> str:
        """Why no state came for so long: packets that could not be read, a count that went back or leapt, a network
        that is down, or who was late [s]; empty: not known."""
        told = self._torn_told() or self._behind_told() or self._strays.leaping() or self._leap
        if not told and self.link.trouble:
            told = f"this computer's system says: {self.link.trouble}"
        return told or self.waited(silence)

    def waited(self, silence: float) -> str:
        """Whether this computer was late over a silence [s]; empty: not known, or its clock does not count here."""
        return self.watch.processor.cause(silence) if self.link.in_time else ""

    def _torn_told(self) -> str:
        """That packets came which could not be read; empty where none did."""
        traffic = self.link.traffic
        torn = traffic.broken - self._torn
        told = f"{torn} packets came that are none of this protocol: {traffic.problem}"
        return told if torn and traffic.problem else ""

    def _behind_told(self) -> str:
        """That states came whose count went back or stood still; empty where none did."""
        count, by = self._behind
        if count < _BEHIND:
            return ""
        told = f"the last by {by}" if by else "it stands still"
        why = self.link.codec.anew if by else "an old state is sent again and again"
        return f"{count} states came whose count of cycles is not above the newest one ({told}): {why}?"

    def _drained(self) -> int:
        """States that arrived since the last one but were thrown away for a newer one: they were not lost."""
        older = self.link.traffic.older
        new, self._older = older - self._older, older
        return new

    def _leaves_out(self, state: RobotState) -> frozenset[str]:
        """Fields that the robot should measure and its first state has not.

        Raises:
            BackendError: It has another number of feet, cells or buttons.
        """
        for name in _WHOLE:
            values, size = getattr(state, name), self.robot.sensors_layout.slices[name]
            if values is not None and name not in self.absent and len(values) != size.stop - size.start:
                raise BackendError(
                    f"the robot measures another number of values of {name}",
                    place=self._at,
                    value=len(values),
                    limit=f"{size.stop - size.start} of robot {self.robot.name!r}",
                )
        there = {field.name for field in self._layout.fields if field.size} - self.absent
        return frozenset(name for name in (*_DIRECTED, *_WHOLE) if name in there and getattr(state, name) is None)

    def _check_identity(self) -> None:
        """Refuse a robot of another kind.

        Raises:
            BackendError: It is one.
        """
        expected = ExpectedRobot(self.robot.name, self.joint_map.slots, self._period, self.claimed, self.firmware)
        expected.check(self.identity, self._at)
