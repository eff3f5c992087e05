"""ROS 2 over zenoh, as `rmw_zenoh` speaks it: JointState and Imu in, JointTrajectory out, without ROS on this computer.

Keys are ``domain/topic/type/hash``; hashes are those of the messages' descriptions (REP 2016). A trajectory has
angles and speeds only: gains stay the robot's own, and a joint that is off is not commanded at all.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from andante.backends.hardware.booster import bytes_of
from andante.backends.hardware.link import Codec, Packet
from andante.backends.hardware.packets import RobotState, WireCommand, WireError, floats
from andante.robots.records import Vector

STATE = (
    "sensor_msgs::msg::dds_::JointState_",
    "RIHS01_a13ee3a330e346c9d87b5aa18d24e11690752bd33a0350f11c5882bc9179260e",
)
IMU = ("sensor_msgs::msg::dds_::Imu_", "RIHS01_7d9a00ff131080897a5ec7e26e315954b8eae3353c3f995c55faf71574000b5b")
TRAJECTORY = (
    "trajectory_msgs::msg::dds_::JointTrajectory_",
    "RIHS01_179b33eba59d676f6d967ac71fe35e7ca2f64b2f3928f4a018cec115e213796e",
)
_HEADER = b"\x00\x01\x00\x00"
_MOST = 10_000


def key_of(domain: int, topic: str, kind: tuple[str, str]) -> str:
    """Key under which a topic of ROS 2 is on zenoh."""
    return f"{domain}/{topic.strip('/')}/{kind[0]}/{kind[1]}"


def attachment(count: int) -> bytes:
    """What `rmw_zenoh` wants beside each message: number, time, and an identity of 16 bytes."""
    import time

    return struct.pack("<qqB", count, time.time_ns(), 16) + b"andante-ros2-cdr"


@dataclass
class CdrWriter:
    """Writes little-endian CDR; numbers stand at multiples of their size from behind the header."""

    data: bytearray = field(default_factory=bytearray)

    def number(self, kind: str, value: float | int) -> None:
        """A number by its `struct` letter."""
        size = struct.calcsize(kind)
        self.data.extend(b"\0" * (-len(self.data) % size))
        self.data.extend(struct.pack(f"<{kind}", value))

    def text(self, text: str) -> None:
        """A string with its length and end."""
        encoded = text.encode() + b"\0"
        self.number("I", len(encoded))
        self.data.extend(encoded)

    def texts(self, texts: Sequence[str]) -> None:
        """A list of strings."""
        self.number("I", len(texts))
        for each in texts:
            self.text(each)

    def doubles(self, values: Sequence[float]) -> None:
        """A list of doubles."""
        self.number("I", len(values))
        for each in values:
            self.number("d", each)

    def header(self, time: float) -> None:
        """A message's header with a time [s]."""
        nanoseconds = round(time * 1e9)
        self.number("i", nanoseconds // 1_000_000_000)
        self.number("I", nanoseconds % 1_000_000_000)
        self.text("")


class CdrReader:
    """Reads what `CdrWriter` writes.

    Raises:
        WireError: The bytes end too early, or hold what cannot be.
    """

    def __init__(self, data: bytes) -> None:
        if data[:4] != _HEADER:
            raise WireError("is no little-endian CDR", place="ros2 packet", value=data[:4])
        self._data, self._at = data[4:], 0

    def number(self, kind: str) -> float:
        """A number by its `struct` letter."""
        size = struct.calcsize(kind)
        self._at += -self._at % size
        if self._at + size > len(self._data):
            raise WireError("ends too early", place="ros2 packet", value=len(self._data))
        value: float = struct.unpack_from(f"<{kind}", self._data, self._at)[0]
        self._at += size
        return value

    def count(self) -> int:
        """Length of a list or string."""
        count = int(self.number("I"))
        if count > _MOST:
            raise WireError("has an impossible length", place="ros2 packet", value=count, limit=str(_MOST))
        return count

    def text(self) -> str:
        """A string."""
        count = self.count()
        raw = self._data[self._at : self._at + count]
        self._at += count
        if len(raw) != count:
            raise WireError("ends too early", place="ros2 packet", value=len(self._data))
        return raw.rstrip(b"\0").decode(errors="replace")

    def texts(self) -> list[str]:
        """A list of strings."""
        return [self.text() for _ in range(self.count())]

    def doubles(self) -> list[float]:
        """A list of doubles."""
        return [self.number("d") for _ in range(self.count())]

    def header(self) -> float:
        """Time of a message's header [s]."""
        seconds, nanoseconds = self.number("i"), self.number("I")
        self.text()
        return seconds + 1e-9 * nanoseconds


class Ros2Codec(Codec):
    """CDR of the messages; packets are pairs of ``state``, ``imu`` or ``trajectory`` and bytes.

    Args:
        slots: The robot's joints; messages name them, in any order.
        period: Time between two states [s].
        kp: Position gains that a fake's own controllers have, by slot, (ns,).
        kd: Velocity gains, (ns,).
        imu: Whether there is a topic of an IMU.
        measured: What else a JointState holds.
    """

    name = "ros2"

    def __init__(
        self,
        slots: Sequence[str],
        period: float,
        kp: Vector,
        kd: Vector,
        *,
        imu: bool = True,
        measured: frozenset[str] = frozenset({"velocity", "effort"}),
    ) -> None:
        self.slots, self.period, self._kp, self._kd = tuple(slots), period, kp, kd
        self._imu_there = self.partial = imu
        self.honoured = frozenset({"position", "velocity"})
        of_imu = {"orientation", "gyro", "accelerometer"} if imu else set()
        self.measured = frozenset({"position", *measured, *of_imu})
        self._imu: tuple[Vector, Vector, Vector] | None = None

    def state(self, packet: Packet) -> RobotState:
        """A state of the joints with the newest reading of the IMU."""
        found: RobotState | None = None
        for name, data in packet if packet and isinstance(packet[0], tuple) else (packet,):
            if name == "imu":
                self._imu = self._read_imu(CdrReader(data))
            else:
                found = self._read_state(CdrReader(data))
        if found is None or (self._imu_there and self._imu is None):
            raise WireError("tells of the IMU alone, or nothing of it yet", place="ros2 packet")
        if self._imu is not None:
            found.orientation, found.gyro, found.accelerometer = (each.copy() for each in self._imu)
        return found

    def pack_command(self, command: WireCommand) -> Packet:
        """A trajectory of one point, which is due at once; None where all joints are off."""
        if not command.kp.any():
            return None
        out = CdrWriter()
        out.header(0.0)
        out.texts(self.slots)
        out.number("I", 1)
        out.doubles(command.position.tolist())
        out.doubles(command.velocity.tolist())
        out.doubles(())
        out.doubles(())
        nanoseconds = round(self.period * 1e9)
        out.number("i", nanoseconds // 1_000_000_000)
        out.number("I", nanoseconds % 1_000_000_000)
        return (("trajectory", _HEADER + bytes(out.data)),)

    def pack_state(self, state: RobotState) -> Packet:
        """Both messages, as a fake sends them."""
        time = state.tick * self.period
        out = CdrWriter()
        out.header(time)
        out.texts(self.slots)
        for name in ("position", "velocity", "effort"):
            values = getattr(state, name)
            out.doubles([] if values is None or name not in self.measured else values.tolist())
        packets = [("state", _HEADER + bytes(out.data))]
        if self._imu_there and state.orientation is not None and state.gyro is not None:
            force = np.zeros(3) if state.accelerometer is None else state.accelerometer
            imu = CdrWriter()
            imu.header(time)
            w, x, y, z = state.orientation.tolist()
            for block in ((x, y, z, w), state.gyro.tolist(), force.tolist()):
                for value in (*block, *(0.0,) * 9):
                    imu.number("d", value)
            packets.insert(0, ("imu", _HEADER + bytes(imu.data)))
        return tuple(packets)

    def command(self, packet: Packet) -> WireCommand:
        """What a robot reads of a trajectory: its first point."""
        reader = CdrReader(bytes_of(packet))
        reader.header()
        order = self._order(reader.texts())
        if reader.count() < 1:
            raise WireError("has no point", place="ros2 trajectory")
        count = len(self.slots)
        position = floats(reader.doubles(), count, "positions")[order]
        speeds = reader.doubles()
        velocity = floats(speeds, count, "velocities")[order] if speeds else np.zeros(count)
        return WireCommand(position, velocity, self._kp.copy(), self._kd.copy(), np.zeros(count))

    def _read_state(self, reader: CdrReader) -> RobotState:
        time = reader.header()
        names = reader.texts()
        order = self._order(names)
        count = len(names)
        fields: Mapping[str, list[float]] = {name: reader.doubles() for name in ("position", "velocity", "effort")}
        values = {name: floats(each, count, name)[order] for name, each in fields.items() if each}
        if "position" not in values:
            raise WireError("has no angles", place="ros2 JointState")
        position = values.pop("position")
        known = {name: each for name, each in values.items() if name in self.measured}
        speed, effort = known.get("velocity"), known.get("effort")
        return RobotState(round(time / self.period), position, speed, effort)

    def _read_imu(self, reader: CdrReader) -> tuple[Vector, Vector, Vector]:
        reader.header()
        blocks = []
        for size in (4, 3, 3):
            blocks.append(floats([reader.number("d") for _ in range(size)], size, "imu"))
            for _ in range(9):
                reader.number("d")
        return blocks[0][[3, 0, 1, 2]], blocks[1], blocks[2]

    def _order(self, names: Sequence[str]) -> list[int]:
        missing = [name for name in self.slots if name not in names]
        if missing:
            raise WireError("a joint is missing", place="ros2 message", value=missing[0], legal=names)
        return [list(names).index(name) for name in self.slots]
