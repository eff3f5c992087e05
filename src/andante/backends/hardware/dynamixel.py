"""Dynamixel servos on a bus, protocol 2.0 with the X series' control table.

Each cycle reads speed, current and angle of all servos at once (126, 10 bytes) and writes their goals (116, 4
bytes). How stiff a servo is, its goal PWM says (100, 2 bytes), a limit of what its motor gets. Facts: ROBOTIS'
published control table. A bus does not pace a run: the computer reads it at its own absolute deadlines.
"""

from __future__ import annotations

import contextlib
import math
import os
import pty
import struct
import time
import tty
from collections.abc import Sequence
from typing import Any

import numpy as np

from andante.backends.backend import BackendError, LinkLostError
from andante.backends.hardware.extras import package
from andante.backends.hardware.link import Codec, Link, Packet, Transport
from andante.backends.hardware.packets import Identity, RobotState, Traffic, WireCommand, WireError
from andante.backends.hardware.sockets import make_way, readable
from andante.robots.records import Vector

MODE, TORQUE, ERRORS, PWM, GOAL, PRESENT = 11, 64, 70, 100, 116, 126
"""Addresses of the control table: operating mode, torque enable, hardware error status, goal PWM, goal angle, present
current."""
STATUS_BYTES = ERRORS - TORQUE + 1
"""What is read at once from torque enable to hardware error status."""
_MODES = {0: "current", 1: "speed", 3: "angle", 4: "extended angle", 5: "angle with current", 16: "PWM"}
_OF_ANGLES = (3, 4, 5)
"""Operating modes in which a goal angle is followed."""
_OTHER_TABLE = (350, 2000)
"""XL-320, and from here on the P and PRO series: their control tables are others."""
_EVERYBODY = 0xFE
_ERRORS = {0x01: "input voltage", 0x04: "overheating", 0x08: "encoder", 0x10: "electrical shock", 0x20: "overload"}
"""Bits of the hardware error status; a servo with one of them has switched its torque off."""
PRESENT_BYTES = 10
FULL_PWM = 885
"""Goal PWM of a servo at its full strength."""
_STEPS, _ZERO = 4096, 2048
_RPM = 0.229 * math.tau / 60.0
_PRESENT = struct.Struct("<hii")
_HEADER = b"\xff\xff\xfd\x00"
_PING, _READ, _WRITE, _SYNC_READ, _SYNC_WRITE, _STATUS = 0x01, 0x02, 0x03, 0x82, 0x83, 0x55
_LONGEST = 4096
_READ_WAIT = 0.001
"""Time for which the port waits for bytes at once [s]."""
_LOOK_EVERY = 4
"""In one of so many cycles one servo is asked for its hardware errors."""
_PWM_AGAIN = 10
"""Goal PWM and torque enable that have not changed are written again after so many commands."""
_GONE = 0.1
"""A servo that has not answered for so long is unplugged [s]."""


def _crc_table() -> tuple[int, ...]:
    table = []
    for byte in range(256):
        value = byte << 8
        for _ in range(8):
            value = ((value << 1) ^ 0x8005 if value & 0x8000 else value << 1) & 0xFFFF
        table.append(value)
    return tuple(table)


_TABLE = _crc_table()


def crc16(data: bytes) -> int:
    """CRC of protocol 2.0: polynomial 8005, most significant bit first, from 0."""
    value = 0
    for byte in data:
        value = ((value << 8) & 0xFFFF) ^ _TABLE[((value >> 8) ^ byte) & 0xFF]
    return value


class DynamixelCodec(Codec):
    """Registers of servos; a packet is the present registers of all, or goals and PWM of all.

    Args:
        slots: The robot's joints in the order of the servos' numbers.
        period: Time between two readings [s].
        kp: Position gains of the servos at full strength, by slot, (ns,).
        kd: Velocity gains, (ns,).
        bolted: The base is bolted down upright: the IMU that there is none of reads so.
    """

    name = "dynamixel"

    def __init__(self, slots: Sequence[str], period: float, kp: Vector, kd: Vector, *, bolted: bool = False) -> None:
        self.slots, self.period, self._kp, self._kd = tuple(slots), period, kp, kd
        self.bolted = bolted
        """Whether the IMU is made up."""
        self.honoured = frozenset({"position", "kp"})
        of_imu = {"orientation", "gyro", "accelerometer"} if bolted else set()
        self.measured = frozenset({"position", "velocity", *of_imu})

    def state(self, packet: Packet) -> RobotState:
        """Angles and speeds of present registers, behind a count of 4 bytes."""
        data, count = bytes(packet), len(self.slots)
        if len(data) not in (4 + PRESENT_BYTES * count, 5 + PRESENT_BYTES * count):
            raise WireError("is no state of these servos", place="dynamixel packet", value=len(data))
        rows = [_PRESENT.unpack_from(data, 4 + PRESENT_BYTES * slot) for slot in range(count)]
        registers = np.array(rows, dtype=np.float64)
        state = RobotState(
            int.from_bytes(data[:4], "little"),
            (registers[:, 2] - _ZERO) * (math.tau / _STEPS),
            velocity=registers[:, 1] * _RPM,
        )
        if self.bolted:
            state.orientation, state.gyro = np.array([1.0, 0.0, 0.0, 0.0]), np.zeros(3)
            state.accelerometer = np.array([0.0, 0.0, 9.81])
        return state

    def pack_command(self, command: WireCommand) -> Packet:
        """Goal angle and PWM of each servo."""
        with np.errstate(divide="ignore", invalid="ignore"):
            share = np.where(self._kp > 0.0, np.clip(command.kp / self._kp, 0.0, 1.0), command.kp > 0.0)
        goals = np.clip(np.rint(command.position * (_STEPS / math.tau)) + _ZERO, -(2**31), 2**31 - 1)
        return b"".join(
            struct.pack("<iH", int(goal), round(FULL_PWM * float(each)))
            for goal, each in zip(goals.tolist(), share.tolist(), strict=True)
        )

    def pack_state(self, state: RobotState) -> Packet:
        """Present registers, as a fake has them."""
        speed = np.zeros(len(self.slots)) if state.velocity is None else state.velocity
        angles = np.rint(state.position * (_STEPS / math.tau)) + _ZERO
        rows = zip(np.rint(speed / _RPM).astype(int).tolist(), angles.astype(int).tolist(), strict=True)
        registers = b"".join(_PRESENT.pack(0, *row) for row in rows)
        return state.tick.to_bytes(4, "little") + registers + bytes([0x20 if state.mode else 0])

    def command(self, packet: Packet) -> WireCommand:
        """What goals and PWM ask of the servos."""
        data, count = bytes(packet), len(self.slots)
        if len(data) != 6 * count:
            raise WireError("is no command for these servos", place="dynamixel packet", value=len(data))
        rows = np.array([struct.unpack_from("<iH", data, 6 * slot) for slot in range(count)], dtype=np.float64)
        share = rows[:, 1] / FULL_PWM
        zeros = np.zeros(count)
        angles = (rows[:, 0] - _ZERO) * (math.tau / _STEPS)
        return WireCommand(angles, zeros, share * self._kp, share * self._kd, zeros.copy())


class DynamixelLink(Link):
    """Servos by ROBOTIS' own SDK.

    Args:
        codec: Knows the registers.
        port: Serial port.
        baud: Bits per second.
        numbers: Numbers of the servos.

    Raises:
        BackendError: dynamixel-sdk is not installed.
    """

    paces_itself = True

    def __init__(self, codec: DynamixelCodec, port: str, baud: int, numbers: Sequence[int]) -> None:
        self._sdk = package("dynamixel_sdk", "dynamixel", "the Dynamixel bus")
        self.codec, self.place, self._baud = codec, port, baud
        self.traffic = Traffic()
        self._numbers = tuple(numbers)
        self._missed = dict.fromkeys(self._numbers, 0)
        self._most_missed = max(round(_GONE / codec.period), 5)
        self._port: Any = None
        self._tick = 0
        self._enabled = False
        self._pwm, self._age = b"", 0
        self._mode, self._looks = "", 0
        self._writers: dict[int, Any] = {}
        self._registers = bytearray(PRESENT_BYTES * len(codec.slots))

    def open(self, timeout: float) -> tuple[Identity, RobotState]:
        """Open the port and read all servos."""
        sdk = self._sdk
        self._port = sdk.PortHandler(self.place)
        try:
            good = self._port.openPort() and self._port.setBaudRate(self._baud)
            # Two programs on one bus would read each other's answers.
            self._port.ser.exclusive = True
        except Exception as error:  # noqa: BLE001 - the SDK passes on whatever its serial library raises
            raise LinkLostError(
                f"the port cannot be opened: {error}",
                place=self.place,
                remedy="is the adapter plugged in, may you use the port, does another program use it?",
            ) from None
        if not good:
            raise LinkLostError("the port takes no such rate", place=self.place, value=self._baud)
        # The SDK asks the port again and again for bytes; a port that waits a little spares most of the processor.
        self._port.ser.timeout = _READ_WAIT
        self._packets = sdk.PacketHandler(2.0)
        self._reader = sdk.GroupSyncRead(self._port, self._packets, PRESENT, PRESENT_BYTES)
        for number in self._numbers:
            self._reader.addParam(number)
        self._writers, self._pwm = {}, b""
        self._next = self.now()
        end = self.now() + timeout
        while self.now() < end:
            missing = self._read()
            if not missing:
                self._check_servos()
                self._next = self.now()
                return Identity(), self._state()
        raise LinkLostError(
            f"servos {', '.join(map(str, missing))} do not answer{self._who_answers()}",
            place=f"dynamixel at {self.place}, {self._baud} baud",
            limit=f"{timeout:g} s",
            remedy="look at power, plugs, baud rate and backend.numbers of the servos",
        )

    def _check_servos(self) -> None:
        """Refuse servos that would not follow a goal angle.

        Raises:
            BackendError: One has another control table, or is in another mode.
        """
        for number in self._numbers:
            model, result, _ = self._asked(self._packets.ping, number)
            if result == 0 and (model == _OTHER_TABLE[0] or model >= _OTHER_TABLE[1]):
                raise BackendError(
                    f"servo {number} has another control table than the X series",
                    place=f"dynamixel at {self.place}",
                    value=f"model {model}",
                )
            mode, result, _ = self._asked(self._packets.read1ByteTxRx, number, MODE)
            if result == 0 and mode not in _OF_ANGLES:
                raise BackendError(
                    f"servo {number} does not follow goal angles",
                    place=f"dynamixel at {self.place}",
                    value=f"operating mode {mode}, {_MODES.get(mode, 'unknown')}",
                    limit=", ".join(f"{each} ({_MODES[each]})" for each in _OF_ANGLES),
                    remedy="set its operating mode by the maker's tool",
                )

    def _who_answers(self) -> str:
        """Which servos there are, for a message."""
        with contextlib.suppress(Exception):
            found, _ = self._packets.broadcastPing(self._port)
            if found:
                return f"; there are {', '.join(map(str, sorted(found)))}"
            model, result, _ = self._sdk.PacketHandler(1.0).ping(self._port, self._numbers[0])
            if result == 0:
                return f"; servo {self._numbers[0]} (model {model}) speaks protocol 1.0, and 2.0 is needed"
        return "; nobody answers at this rate"

    def _asked(self, ask: Any, *what: int) -> Any:
        """What the SDK answers.

        Raises:
            LinkLostError: The port is gone.
        """
        try:
            return ask(self._port, *what)
        except Exception as error:  # noqa: BLE001 - the SDK passes on whatever its serial library raises
            raise LinkLostError(f"the port is gone: {error}", place=self.place) from None

    def receive(self, until: float) -> RobotState | None:
        """All servos at the next deadline; one that does not answer keeps its last registers."""
        if self._port is None:
            raise LinkLostError("the link is closed", place=self.place)
        if self._next > until:
            time.sleep(max(until - self.now(), 0.0))
            return None
        time.sleep(max(self._next - self.now(), 0.0))
        late = self.now() - self._next
        over = int(late / self.codec.period)
        self._next += (over + 1) * self.codec.period
        self._tick += over + 1
        missing = self._read()
        self.traffic.broken += len(missing)
        for number in self._numbers:
            self._missed[number] = self._missed[number] + 1 if number in missing else 0
        gone = [number for number, count in self._missed.items() if count >= self._most_missed]
        if gone and len(missing) < len(self._numbers):
            self._mode = f"servo {', '.join(map(str, gone))} does not answer any more: its plug, or its power"
        self._look_at_one()
        return None if len(missing) == len(self._numbers) else self._state()

    def send(self, command: WireCommand) -> None:
        """Write PWM and goals; torque goes on with the first command of a stiff servo, and off with a last one."""
        if self._port is None:
            raise LinkLostError("the link is closed", place=self.place)
        data = self.codec.pack_command(command)
        rows = [data[6 * slot : 6 * slot + 6] for slot in range(len(self._numbers))]
        pwm = b"".join(row[4:] for row in rows)
        self._age += 1
        # A write is not answered: one that was lost is made good by the next.
        stiff = bool(command.kp.any())
        again = pwm != self._pwm or self._age >= _PWM_AGAIN or not stiff
        if again:
            self._pwm, self._age = pwm, 0
            self._sync_write(PWM, [row[4:] for row in rows])
        if stiff:
            # A goal that an earlier program has left must not be followed.
            self._sync_write(GOAL, [row[:4] for row in rows])
        # Torque is never switched on again by itself: a servo that began anew is told of in place of that.
        if stiff != self._enabled or (again and not stiff):
            self._enabled = stiff
            self._sync_write(TORQUE, [bytes([int(stiff)])] * len(rows))
            if stiff:
                # Some servos take their present angle for the goal when torque goes on.
                self._sync_write(GOAL, [row[:4] for row in rows])

    def close(self) -> None:
        """Close the port."""
        if self._port is not None:
            with contextlib.suppress(Exception):
                self._port.closePort()
            self._port = None

    def _sync_write(self, address: int, values: Sequence[bytes]) -> None:
        writer = self._writers.get(address)
        if writer is None:
            writer = self._writers[address] = self._sdk.GroupSyncWrite(
                self._port, self._packets, address, len(values[0])
            )
            for number, value in zip(self._numbers, values, strict=True):
                writer.addParam(number, list(value))
        for number, value in zip(self._numbers, values, strict=True):
            writer.changeParam(number, list(value))
        try:
            writer.txPacket()
        except Exception as error:  # noqa: BLE001 - the SDK passes on whatever its serial library raises
            raise LinkLostError(f"the port is gone: {error}", place=self.place) from None

    def _read(self) -> list[int]:
        """Read all servos; gives the numbers of those that did not answer."""
        missing = list(self._numbers)
        try:
            self._reader.txPacket()
            # The SDK's own reading gives up at the first servo that is silent; those behind it answer all the same.
            while missing:
                packet, result = self._packets.rxPacket(self._port, False)
                if result == self._sdk.COMM_RX_TIMEOUT or (result and self._port.isPacketTimeout()):
                    break
                if result == 0 and packet[4] in missing and len(packet) == PRESENT_BYTES + 11:
                    slot = self._numbers.index(packet[4])
                    raw = bytes(packet[9 : 9 + PRESENT_BYTES])
                    self._registers[PRESENT_BYTES * slot : PRESENT_BYTES * (slot + 1)] = raw
                    missing.remove(packet[4])
        except Exception as error:  # noqa: BLE001 - the SDK passes on whatever its serial library raises
            raise LinkLostError(f"the port is gone: {error}", place=self.place) from None
        return missing

    def _look_at_one(self) -> None:
        """Look at the hardware error status of one servo after the other, one in some cycles."""
        self._looks += 1
        if self._looks % _LOOK_EVERY:
            return
        number = self._numbers[(self._looks // _LOOK_EVERY) % len(self._numbers)]
        answer, result, _ = self._asked(self._packets.readTxRx, number, TORQUE, STATUS_BYTES)
        if result != 0 or len(answer) != STATUS_BYTES:
            return
        on, status = answer[0], answer[-1]
        if status:
            found = [text for bit, text in _ERRORS.items() if status & bit] or [f"status {status:#04x}"]
            self._mode = f"servo {number} has switched off: {', '.join(found)}"
        elif self._enabled and not on:
            self._mode = f"servo {number} has no torque any more: it began anew, or somebody switched it off"

    def _state(self) -> RobotState:
        self.traffic.received += 1
        state = self.codec.state(self._tick.to_bytes(4, "little") + bytes(self._registers))
        state.mode = self._mode
        return state


class DynamixelBus(Transport):
    """A fake bus on a pseudo-terminal: servos that answer what they are asked, with the newest state.

    Args:
        path: Where the terminal shall be found.
        numbers: Numbers of the servos.
    """

    def __init__(self, path: str, numbers: Sequence[int]) -> None:
        self._path, self._numbers, count = path, tuple(numbers), len(numbers)
        self._file = -1
        self._buffer = b""
        self._present = bytes(PRESENT_BYTES * count)
        self._errors = 0
        self._goals = [bytes(4)] * count
        self._pwm = [bytes(2)] * count
        self._enabled = [0] * count

    def open(self) -> None:
        """Make the terminal and a link to it at the path."""
        self._file, self._slave = pty.openpty()
        tty.setraw(self._slave)
        os.set_blocking(self._file, False)
        make_way(self._path, lambda place: place.is_symlink() and os.readlink(place).startswith("/dev/pts/"))
        try:
            os.symlink(os.ttyname(self._slave), self._path)
        except OSError as error:
            raise BackendError(f"cannot be made: {error.strerror}", place=self._path) from None

    def receive(self, until: float) -> list[Packet]:
        """Answer what is asked; gives goals that were written."""
        found: list[Packet] = []
        while not found and readable(self._file, until):
            try:
                self._buffer += os.read(self._file, _LONGEST)
            except OSError:
                break
            found = self._answer()
        return found

    def send(self, packet: Packet) -> None:
        """The newest registers, behind a count of 4 bytes."""
        self._present, self._errors = packet[4:-1], packet[-1]

    def close(self) -> None:
        """Remove the terminal."""
        if self._file >= 0:
            os.close(self._file)
            os.close(self._slave)
            self._file = -1
            with contextlib.suppress(OSError):
                os.unlink(self._path)

    def _answer(self) -> list[Packet]:
        written: list[Packet] = []
        while True:
            begin = self._buffer.find(_HEADER)
            if begin < 0:
                self._buffer = self._buffer[-3:]
                return written
            self._buffer = self._buffer[begin:]
            if len(self._buffer) < 7:
                return written
            length = 7 + int.from_bytes(self._buffer[5:7], "little")
            if len(self._buffer) < length:
                return written
            packet, self._buffer = self._buffer[:length], self._buffer[length:]
            if length < 10 or crc16(packet[:-2]) != int.from_bytes(packet[-2:], "little"):
                continue
            body = packet[8:-2].replace(b"\xff\xff\xfd\xfd", b"\xff\xff\xfd")
            if self._do(packet[4], packet[7], body):
                written.append(self._asked())

    def _do(self, number: int, instruction: int, body: bytes) -> bool:
        """Do an instruction; whether goals were written."""
        if instruction == _PING:
            for each in self._numbers if number == _EVERYBODY else (number,):
                if each in self._numbers:
                    self._reply(each, b"\x06\x04\x2d")
        elif instruction in (_SYNC_READ, _READ):
            address, size = struct.unpack_from("<HH", body)
            for each in body[4:] if instruction == _SYNC_READ else (number,):
                if each in self._numbers and address == PRESENT and size == PRESENT_BYTES:
                    slot = self._numbers.index(each)
                    self._reply(each, self._present[PRESENT_BYTES * slot : PRESENT_BYTES * (slot + 1)])
                elif each in self._numbers and (address, size) == (TORQUE, STATUS_BYTES):
                    on = 0 if self._errors else self._enabled[self._numbers.index(each)]
                    self._reply(each, bytes([on, 0, 0, 0, 2, 0, self._errors]))
                elif each in self._numbers and (address, size) == (MODE, 1):
                    self._reply(each, b"\x03")
        elif instruction == _SYNC_WRITE:
            address, size = struct.unpack_from("<HH", body)
            for at in range(4, len(body), size + 1):
                if body[at] in self._numbers:
                    self._set(self._numbers.index(body[at]), address, body[at + 1 : at + 1 + size])
            return address in (GOAL, TORQUE)
        elif instruction == _WRITE and number in self._numbers:
            self._set(self._numbers.index(number), struct.unpack_from("<H", body)[0], body[2:])
            self._reply(number, b"")
        return False

    def _set(self, slot: int, address: int, value: bytes) -> None:
        if address == GOAL:
            self._goals[slot] = value
        elif address == PWM:
            self._pwm[slot] = value
        elif address == TORQUE:
            self._enabled[slot] = value[0]

    def _asked(self) -> bytes:
        rows = zip(self._goals, self._pwm, self._enabled, strict=True)
        return b"".join(goal + (pwm if on else bytes(2)) for goal, pwm, on in rows)

    def _reply(self, number: int, data: bytes) -> None:
        body = (b"\0" + data).replace(b"\xff\xff\xfd", b"\xff\xff\xfd\xfd")
        packet = _HEADER + bytes([number]) + (len(body) + 3).to_bytes(2, "little") + bytes([_STATUS]) + body
        with contextlib.suppress(OSError):
            os.write(self._file, packet + crc16(packet).to_bytes(2, "little"))
