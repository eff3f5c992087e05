"""Link: one end of a robot's protocol; made of a codec, which knows the bytes, and a transport, which moves them.

The same codec and the other end of the same transport make a `Port`, by which a fake robot speaks.
"""

from __future__ import annotations

import math
import secrets
import time
from abc import ABC, abstractmethod
from collections.abc import Sequence
from contextlib import suppress
from typing import Any, ClassVar

from andante.backends.backend import LinkLostError
from andante.backends.hardware.packets import Identity, PartOfStateError, RobotState, Traffic, WireCommand, WireError

Packet = Any
"""What a transport moves: bytes, or a sample of a type of the transport's own."""

_OURS = "andante"
"""How names begin under which Andante commands."""
_MOST_TORN = 16
"""So many of the newest packets are read however late it is; of a flood that cannot be read the rest is counted."""
_ASK_AGAIN = 0.05
"""Time between two requests for a first state [s]."""
_STAY = 0.3
"""While nothing is commanded a robot that must be asked is asked again after so long: it may turn to somebody else who
greets it once it has heard nothing for a while [s]."""
_TWICE = 0.5
"""A packet like the one before, that comes within such a share of a period, is the same one."""


class Codec(ABC):
    """Bytes of one protocol for one kind of robot."""

    name: ClassVar[str]
    """Name of the protocol."""
    slots: tuple[str, ...]
    """The robot's joint at each slot of the wire, as Andante calls it; empty: none."""
    period: float
    """Time between two states of the robot [s]."""
    honoured: frozenset[str]
    """Fields of `Command` that the robot acts on."""
    measured: frozenset[str]
    """Fields of `Sensors` that the robot measures."""
    counted: bool = True
    """Whether states carry a count of the robot's cycles; otherwise arrivals are counted."""
    wraps: int = 0
    """Where that count begins at 0 again; 0: never."""
    anew: str = "its program began again"
    """Why a count goes back, where one robot answers."""
    spacing: float | None = None
    """Time between the last states by the robot's own stamps, where they have any [s]."""
    partial: bool = False
    """Whether some packets are parts of a state, as those of an IMU: then all of them are read."""

    @abstractmethod
    def state(self, packet: Packet) -> RobotState:
        """What a robot's packet says.

        Raises:
            WireError: It is none of this protocol.
        """

    @abstractmethod
    def pack_command(self, command: WireCommand) -> Packet:
        """A command as packet."""

    @abstractmethod
    def pack_state(self, state: RobotState) -> Packet:
        """A state as packet; a fake sends it."""

    @abstractmethod
    def command(self, packet: Packet) -> WireCommand:
        """What a command's packet says; a fake reads it.

        Raises:
            WireError: It is none of this protocol, or holds what is no finite number.
        """

    def tells_who(self, packet: Packet) -> bool:
        """Whether a packet may say who the robot is, where only some do: it is read though a newer one has come."""
        return False

    def hello(self) -> Packet | None:
        """What is sent until a first state arrives; None: the robot sends without being asked."""
        return None


class Transport(ABC):
    """Moves packets between two ends; one end is the robot's."""

    trouble: str = ""
    """What the system said last against the way to the other end, as that it has no route; empty: nothing, or packets
    have come since."""

    @abstractmethod
    def open(self) -> None:
        """Begin.

        Raises:
            LinkLostError: The other end, or the way to it, is not there.
            BackendError: A package is missing.
        """

    @abstractmethod
    def receive(self, until: float) -> list[Packet]:
        """All packets that have arrived, oldest first; waits for the first one until a moment of the monotonic clock.

        Raises:
            LinkLostError: The other end has hung up.
        """

    @abstractmethod
    def send(self, packet: Packet) -> None:
        """Send a packet; one that cannot be taken at once is lost.

        Raises:
            LinkLostError: The other end has hung up.
        """

    @abstractmethod
    def close(self) -> None:
        """Let go of everything; a second call does nothing."""

    def foreign(self) -> int:
        """Commands of others that were seen since the transport was opened, where it can see them."""
        return 0


class Link(ABC):
    """Our end of a robot's protocol."""

    codec: Codec
    traffic: Traffic
    place: str
    """Where the robot is, for messages."""
    paces_itself: ClassVar[bool] = False
    """Whether the computer asks for each state: the rate of states then says nothing of the robot."""
    in_time: ClassVar[bool] = True
    """Whether it goes by this computer's clock, so that a late computer can be why no state comes."""
    hottest: float = math.inf
    """A motor that is hotter switches itself off, as the robot tells when it is met [deg C]."""

    @property
    def trouble(self) -> str:
        """What the system says against the way to the robot, as that it has no route; empty: nothing."""
        return ""

    @abstractmethod
    def open(self, timeout: float) -> tuple[Identity, RobotState]:
        """Wait for the first state.

        Args:
            timeout: Time to wait [s].

        Raises:
            LinkLostError: No robot answers.
        """

    def join(self) -> None:
        """Come to where commands are sent, without waiting for a state.

        Raises:
            LinkLostError: There is no way to it.
        """
        raise LinkLostError("nobody else can join this link", place=self.place)

    @abstractmethod
    def receive(self, until: float) -> RobotState | None:
        """The newest state that has not been given yet; waits until a moment of the monotonic clock [s].

        Raises:
            LinkLostError: The robot has hung up.
        """

    @abstractmethod
    def send(self, command: WireCommand) -> None:
        """Send a command.

        Raises:
            LinkLostError: The robot has hung up.
        """

    @abstractmethod
    def close(self) -> None:
        """Let go of everything; a second call does nothing."""

    def now(self) -> float:
        """The clock that `receive` waits by [s]."""
        return time.monotonic()

    def passed(self) -> float:
        """A clock that goes on while the computer sleeps, where the system has one [s]."""
        return time.clock_gettime(getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC))


class PacketLink(Link):
    """A link by packets.

    Args:
        codec: Knows the bytes.
        transport: Moves them.
        place: Where the robot is, for messages.
        by: Name under which commands are sent, where the protocol tells robots who commands; empty: one of our own,
            so that two of us on one robot see each other.
    """

    def __init__(self, codec: Codec, transport: Transport, place: str, by: str = "") -> None:
        self.codec, self.place, self._transport = codec, place, transport
        self._by, self._heard = by or f"{_OURS} {secrets.token_hex(2)}", False
        self.traffic = Traffic()
        self._sent = self._arrivals = self._last = 0
        self._known = False
        self._said = 0.0
        self._before: dict[str, tuple[Packet, float]] = {}

    @property
    def trouble(self) -> str:
        """What the system says against the way to the robot, as that it has no route; empty: nothing."""
        return self._transport.trouble

    def open(self, timeout: float) -> tuple[Identity, RobotState]:
        """Ask for a first state until one arrives."""
        self._transport.open()
        end, identity = self.now() + timeout, Identity()
        while self.now() < end:
            self._greet()
            state = self.receive(min(self.now() + _ASK_AGAIN, end))
            if state is not None:
                self._known = True
                return state.identity or identity, state
        broken, part = self.traffic.broken, self.traffic.part
        raise LinkLostError(
            "no state arrives"
            + (f"; {broken} packets are none of this protocol: {self.traffic.problem}" if broken else "")
            + (f"; {part}" if part else "")
            + (f"; this computer's system says: {self.trouble}" if self.trouble else ""),
            place=f"{self.codec.name} at {self.place}",
            limit=f"{timeout:g} s",
            remedy="is the robot on, is the address right, does its program run, does somebody else use it already?",
        )

    def join(self) -> None:
        """Come to where commands are sent, without waiting for a state."""
        self._transport.open()

    def receive(self, until: float) -> RobotState | None:
        """The newest state; older ones that came with it are counted.

        What cannot be read is read no longer than ``until``: a flood of it would never end.
        """
        if self._known and self.now() - self._said >= _STAY:
            self._greet()
        newest: RobotState | None = None
        while newest is None:
            packets = self._transport.receive(until)
            # Where states are whole and counted by themselves, older ones need not be read.
            skips = self.codec.counted and self._known and not self.codec.partial
            for number, packet in enumerate(reversed(packets) if skips else packets):
                if number and newest is not None and skips:
                    older = packets[: len(packets) - number]
                    self.traffic.older += len(older)
                    self._introduced(newest, older)
                    break
                if number >= _MOST_TORN and newest is None and skips and self.now() >= until:
                    self.traffic.broken += len(packets) - number
                    break
                newest = self._read(packet, newest)
            if not packets or self.now() >= until:
                break
        self.traffic.foreign = max(self.traffic.foreign, self._transport.foreign())
        return newest

    def _greet(self) -> None:
        """Ask the robot for its states, where it sends none without."""
        self._said = self.now()
        hello = self.codec.hello()
        if hello is not None:
            self._transport.send(hello)

    def _twice(self, packet: Packet) -> bool:
        """Whether a packet is the one before, which a network or a bridge has given twice."""
        now, name = self.now(), packet[0] if isinstance(packet, tuple) and packet else ""
        name = name if isinstance(name, str) else ""
        before, self._before[name] = self._before.get(name), (packet, now)
        return before is not None and now - before[1] < _TWICE * self.codec.period and bool(before[0] == packet)

    def _introduced(self, newest: RobotState, older: Sequence[Packet]) -> None:
        """Note who the robot is where an older packet says it."""
        for packet in older:
            if newest.identity is None and self.codec.tells_who(packet):
                with suppress(WireError):
                    newest.identity = self.codec.state(packet).identity

    def _read(self, packet: Packet, before: RobotState | None) -> RobotState | None:
        try:
            state = self.codec.state(packet)
        except PartOfStateError as error:
            self.traffic.part = str(error)
            return before
        except WireError as error:
            self.traffic.broken += 1
            self.traffic.problem = str(error)
            return before
        self.traffic.read += 1
        if not self.codec.counted:
            if self._twice(packet):
                # A count tells that by itself; where arrivals are counted, time would go too fast.
                return before
            self._arrivals += 1
            state.tick = self._arrivals
        elif self.codec.wraps:
            state.tick = self._unwrapped(state.tick)
        self._heard = self._heard or state.by == self._by
        # The last command of an earlier run of ours stays in force until the first of this one.
        earlier = state.by.startswith(_OURS) and not self._heard
        if state.by and state.by != self._by and not earlier:
            self.traffic.foreign += 1
        if before is not None:
            self.traffic.older += 1
            state.identity = state.identity or before.identity
        return state

    def _unwrapped(self, tick: int) -> int:
        """A count that goes on where the robot's begins at 0 again."""
        wraps, last = self.codec.wraps, self._last
        tick += last - last % wraps
        if last - tick > wraps // 2:
            tick += wraps
        elif tick - last > wraps // 2 and tick >= wraps:
            # An old packet from before the count began at 0 again.
            tick -= wraps
        self._last = max(self._last, tick)
        return tick

    def send(self, command: WireCommand) -> None:
        """Send a command."""
        self._sent += 1
        self._said = self.now()
        command.tick, command.by = self._sent, self._by
        self._transport.send(self.codec.pack_command(command))

    def close(self) -> None:
        """Let go of the transport."""
        self._transport.close()


class Port:
    """A robot's end of a protocol, as fakes speak it.

    Args:
        codec: Knows the bytes.
        transport: The robot's end of what moves them.
    """

    def __init__(self, codec: Codec, transport: Transport) -> None:
        self.codec, self._transport = codec, transport
        self.refused = 0
        """Packets that were no command."""
        self.problem = ""
        """What was wrong with the first of them."""
        self.program = ""
        """The robot's own motion program that is active, where its protocol has a word for that."""

    def open(self) -> None:
        """Begin to listen."""
        self._transport.open()

    def commands(self, until: float) -> list[WireCommand]:
        """What has arrived, oldest first; waits until a moment of the monotonic clock for the first one."""
        found = []
        for packet in self._transport.receive(until):
            try:
                found.append(self.codec.command(packet))
            except WireError as error:
                self.refused += 1
                self.problem = self.problem or str(error)
        return found

    def send(self, packet: Packet) -> None:
        """Send a state that `Codec.pack_state` has packed."""
        self._transport.send(packet)

    def close(self) -> None:
        """Stop to listen."""
        self._transport.close()
