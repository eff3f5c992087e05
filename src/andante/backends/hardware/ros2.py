"""ROS 2 over zenoh, as `rmw_zenoh` speaks it: JointState and Imu in, JointTrajectory out, without ROS on this computer.

Keys are ``domain/topic/type/hash``; hashes are those of the messages' descriptions (REP 2016). A trajectory has
angles and speeds only: gains stay the robot's own, and a joint that is off is not commanded at all.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from andante.backends.hardware.booster import bytes_of
from andante.backends.hardware.link import Codec, Packet
from andante.backends.hardware.packets import PartOfStateError, RobotState, WireCommand, WireError, floats
from andante.documents.recordings.message_reader import MessageReader
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
_LATE, _LONGEST = 5, 0.1
"""A part of a state may be older than the newest one by so many states, or by so long [s]."""
_SMOOTH = 0.02
"""Share by which spacing and phase of stamps follow the newest one."""


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
        self.numbers(kind, (value,))

    def numbers(self, kind: str, values: Sequence[float]) -> None:
        """Numbers of one kind, without their count; none of them leave no gap."""
        if values:
            self.data.extend(b"\0" * (-len(self.data) % struct.calcsize(kind)))
            self.data.extend(struct.pack(f"<{len(values)}{kind}", *values))

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
        self.numbers("d", values)

    def header(self, time: float) -> None:
        """A message's header with a time [s]."""
        nanoseconds = round(time * 1e9)
        self.number("i", nanoseconds // 1_000_000_000)
        self.number("I", nanoseconds % 1_000_000_000)
        self.text("")


def _reader(data: bytes) -> MessageReader:
    """A message as a packet has it; `WireError` where it is none."""
    return MessageReader(data, ros1=False, error=lambda what: WireError(f"is no message: {what}", place="ros2 packet"))


def _time(reader: MessageReader) -> float:
    """Time of a message's header [s]."""
    seconds, nanoseconds, _ = reader.header()
    return seconds + 1e-9 * nanoseconds


class Ros2Codec(Codec):
    """CDR of the messages; packets are pairs of ``state``, ``imu`` or ``trajectory`` and bytes.

    Several publishers may each tell of some joints: a state goes out when the one that has the first joint tells it,
    with what the others told last. Cycles are counted by that one's stamps.

    Args:
        slots: The robot's joints; messages name them, in any order.
        period: Time between two states [s].
        kp: Position gains that a fake's own controllers have, by slot, (ns,).
        kd: Velocity gains, (ns,).
        imu: Whether there is a topic of an IMU.
        measured: What else a JointState holds.
        names: How joints are called in messages, where that is another name.
        controllers: Joints of each of several controllers, by the name of its packets; empty: one has all.
        speeds: Whether trajectories have speeds.
        stamped: Whether states are stamped; otherwise arrivals are counted.
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
        names: Mapping[str, str] | None = None,
        controllers: Mapping[str, Sequence[str]] | None = None,
        speeds: bool = True,
        stamped: bool = True,
    ) -> None:
        self.slots, self.period, self._kp, self._kd = tuple(slots), period, kp, kd
        self._called = [(names or {}).get(name, name) for name in slots]
        every = {"trajectory": tuple(slots)}
        self._parts = {
            name: [self.slots.index(joint) for joint in joints] for name, joints in (controllers or every).items()
        }
        self._imu_there, self.partial, self.counted = imu, True, stamped
        self.honoured = frozenset({"position", "velocity"} if speeds else {"position"})
        of_imu = {"orientation", "gyro", "accelerometer"} if imu else set()
        self.measured = frozenset({"position", *measured, *of_imu})
        self.anew = "its clock was set back, or its program began again"
        self._imu: tuple[Vector | None, ...] | None = None
        self._imu_problem = ""
        count = len(self.slots)
        self._known = {name: np.full(count, math.nan) for name in ("position", "velocity", "effort")}
        self._told = np.zeros(count, dtype=np.int64)
        self._imu_told = self._states = self._first = 0
        self._begin = self._stamp = math.nan
        self._leading: set[int] = set()
        self._met = False
        self._longest = max(_LATE, round(_LONGEST / period))
        self._goals = WireCommand.off(count)

    def state(self, packet: Packet) -> RobotState:
        """A state of the joints with the newest reading of the IMU."""
        found: RobotState | None = None
        for name, data in packet if packet and isinstance(packet[0], tuple) else (packet,):
            if name == "imu":
                self._see_imu(data)
            else:
                found = self._read_state(_reader(data)) or found
        if found is None and self._met:
            raise PartOfStateError("no newer JointState was whole", place="ros2 packet")
        if found is None:
            raise PartOfStateError(
                "no JointState with the first joint has come", place="ros2 packet", value=self._called[0]
            )
        if self._imu_there and self._imu is None:
            raise PartOfStateError(
                "no reading of the IMU has come", place="ros2 packet", remedy="is backend.imu right?"
            )
        if self._imu_there and self._states - self._imu_told > self._longest:
            why = f"its IMU cannot be read: {self._imu_problem}" if self._imu_problem else "its IMU is silent"
            raise WireError(why, place="ros2 packet", limit=f"{self._longest} states")
        if self._imu is not None:
            values = [None if each is None else each.copy() for each in self._imu]
            found.orientation, found.gyro, found.accelerometer = values
        return found

    def pack_command(self, command: WireCommand) -> Packet:
        """A trajectory of one point for each controller, due in a period; None where all joints are off."""
        if not command.kp.any():
            return None
        return tuple((name, self._trajectory(command, slots)) for name, slots in self._parts.items())

    def _trajectory(self, command: WireCommand, slots: Sequence[int]) -> bytes:
        out = CdrWriter()
        out.header(0.0)
        out.texts([self._called[slot] for slot in slots])
        out.number("I", 1)
        out.doubles(command.position[slots].tolist())
        out.doubles(command.velocity[slots].tolist() if "velocity" in self.honoured else ())
        out.doubles(())
        out.doubles(())
        nanoseconds = round(self.period * 1e9)
        out.number("i", nanoseconds // 1_000_000_000)
        out.number("I", nanoseconds % 1_000_000_000)
        return _HEADER + bytes(out.data)

    def pack_state(self, state: RobotState) -> Packet:
        """Both messages, as a fake sends them."""
        time = state.tick * self.period
        out = CdrWriter()
        out.header(time)
        out.texts(self._called)
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
                imu.numbers("d", (*block, *(0.0,) * 9))
            packets.insert(0, ("imu", _HEADER + bytes(imu.data)))
        return tuple(packets)

    def command(self, packet: Packet) -> WireCommand:
        """What a robot reads of a trajectory: its first point, for the joints that it names."""
        reader = _reader(bytes_of(packet))
        reader.header()
        names = reader.texts()
        slots = [slot for slot, name in enumerate(self._called) if name in names]
        unknown = [name for name in names if name not in self._called]
        if unknown or not slots:
            raise WireError("names no joints of it", place="ros2 trajectory", value=unknown[:1], legal=self._called)
        if reader.size() < 1:
            raise WireError("has no point", place="ros2 trajectory")
        count, order = len(names), [names.index(self._called[slot]) for slot in slots]
        goals = self._goals
        goals.position[slots] = floats(reader.doubles(), count, "positions")[order]
        speeds = reader.doubles()
        goals.velocity[slots] = floats(speeds, count, "velocities")[order] if speeds else 0.0
        goals.kp[slots], goals.kd[slots] = self._kp[slots], self._kd[slots]
        now = goals.position.copy(), goals.velocity.copy(), goals.kp.copy(), goals.kd.copy()
        return WireCommand(*now, torque=np.zeros(len(self.slots)))

    def _read_state(self, reader: MessageReader) -> RobotState | None:
        """A state, where the message has the first joint; others are kept for it."""
        time = _time(reader)
        names = reader.texts()
        fields: Mapping[str, list[float]] = {name: reader.doubles() for name in self._known}
        slots = [slot for slot, name in enumerate(self._called) if name in names]
        order = [names.index(self._called[slot]) for slot in slots]
        if not slots:
            raise PartOfStateError(
                "tells of other joints", place="ros2 JointState", value=", ".join(names[:4]), legal=self._called
            )
        if len(fields["position"]) != len(names):
            raise WireError(
                "has no angles", place="ros2 JointState", value=len(fields["position"]), limit=str(len(names))
            )
        self._met = self._met or slots[0] == 0
        angles = np.array([fields["position"][at] for at in order])
        if not np.isfinite(angles).all():
            # As ros2_control tells of a joint whose hardware is not active.
            unknown = [self._called[slots[at]] for at in np.flatnonzero(~np.isfinite(angles))]
            raise WireError(
                "a joint has no angle", place="ros2 JointState", value=", ".join(unknown[:4]), limit="numbers"
            )
        self._known["position"][slots] = angles
        for name in ("velocity", "effort"):
            # What a driver does not measure is left out, or NaN.
            whole = len(fields[name]) == len(names)
            self._known[name][slots] = [fields[name][at] for at in order] if whole else math.nan
        first = slots[0] == 0
        self._states += first
        self._told[slots] = self._states
        if not first:
            return None
        lacks, self._leading = self._leading - set(slots), set(slots)
        if lacks:
            name = self._called[min(lacks)]
            raise WireError("a joint is missing", place="ros2 message", value=name, legal=names)
        return self._whole(time)

    def _whole(self, time: float) -> RobotState:
        """The state that is known now.

        Raises:
            WireError: Something of it is not known, or no more.
        """
        never = np.flatnonzero(~np.isfinite(self._known["position"]))
        if len(never):
            raise PartOfStateError(
                "joints are missing in its JointStates", place="ros2 packet", value=[self._called[n] for n in never][:4]
            )
        silent = np.flatnonzero(self._states - self._told > self._longest)
        if len(silent):
            raise WireError(
                "a joint is told of no more",
                place="ros2 JointState",
                value=self._called[int(silent[0])],
                limit=f"{self._longest} states",
            )
        found = RobotState(self._counted(time), self._known["position"].copy())
        for name in ("velocity", "effort"):
            values = self._known[name]
            if name in self.measured and np.isfinite(values).all():
                setattr(found, name, values.copy())
        return found

    def _counted(self, time: float) -> int:
        """Cycles by the stamp: those of a computer's clock are anywhere between two periods, and jitter."""
        if not self.counted:
            return 0
        if math.isnan(self._begin):
            self._begin = self._stamp = time
            self._first = round(time / self.period)
        if time == 0.0:
            raise WireError("its stamps are 0", place="ros2 JointState", remedy="backend.stamped=false counts arrivals")
        step, self._stamp = time - self._stamp, time
        if step > 0.0:
            self.spacing = step if self.spacing is None else self.spacing + _SMOOTH * (step - self.spacing)
        cycles = (time - self._begin) / self.period
        whole = round(cycles)
        self._begin += _SMOOTH * (cycles - whole) * self.period
        return self._first + whole

    def _see_imu(self, data: bytes) -> None:
        """Take a reading of the IMU, or what is wrong with it.

        Raises:
            WireError: It is none.
        """
        try:
            self._imu, self._imu_told, self._imu_problem = self._read_imu(_reader(data)), self._states, ""
        except WireError as error:
            self._imu_problem = str(error)
            raise

    def _read_imu(self, reader: MessageReader) -> tuple[Vector | None, ...]:
        """Orientation, turn and force; None where the first covariance is -1, by which ROS says that there is none."""
        reader.header()
        blocks: list[Vector | None] = []
        for size in (4, 3, 3):
            values, covariance = reader.array("f8", size), reader.array("f8", 9)
            blocks.append(None if covariance[0] == -1.0 else floats(values, size, "imu"))
        turn = blocks[0]
        return (None if turn is None else turn[[3, 0, 1, 2]]), blocks[1], blocks[2]
