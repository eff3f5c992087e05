"""A fake bus of Dynamixel servos on a pseudo-terminal, protocol 2.0, for tries without a robot."""

from __future__ import annotations

import contextlib
import os
import struct
from collections.abc import Sequence
from pathlib import Path

from andante.backends.backend import BackendError
from andante.backends.hardware.dynamixel import (
    ERRORS,
    FULL_PWM,
    GOAL,
    HEAT,
    HEAT_LIMIT,
    MODE,
    PRESENT,
    PRESENT_BYTES,
    PWM,
    PWM_LIMIT,
    TORQUE,
)
from andante.backends.hardware.link import Packet, Transport
from andante.backends.hardware.sockets import make_way, readable

_EVERYBODY = 0xFE
_HEADER = b"\xff\xff\xfd\x00"
_PING, _READ, _WRITE, _SYNC_READ, _SYNC_WRITE, _STATUS = 0x01, 0x02, 0x03, 0x82, 0x83, 0x55
_LONGEST = 4096
_TABLE_BYTES = 147


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


def _is_left_over(place: Path) -> bool:
    """Whether an earlier fake has left its terminal there, which is gone with it."""
    return place.is_symlink() and os.readlink(place).startswith("/dev/pts/") and not place.exists()


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
        self._present, self._heats = bytes(PRESENT_BYTES * count), bytes(count)
        self._errors = 0
        self._goals = [bytes(4)] * count
        self._pwm = [bytes(2)] * count
        self._enabled = [0] * count

    def open(self) -> None:
        """Make the terminal and a link to it at the path.

        Raises:
            BackendError: The link cannot be made, or the system has no pseudo-terminals.
        """
        try:
            import pty
            import tty
        except ImportError:
            raise BackendError("this system has no pseudo-terminals; use Linux or macOS", place=self._path) from None
        # First: a new terminal may get the name of the one that is gone.
        make_way(self._path, _is_left_over)
        self._file, self._slave = pty.openpty()
        tty.setraw(self._slave)
        os.set_blocking(self._file, False)
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
        """The newest registers, behind a count of 4 bytes, then temperatures and hardware errors."""
        end = -len(self._numbers) - 1
        self._present, self._heats, self._errors = packet[4:end], packet[end:-1], packet[-1]

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
                if each in self._numbers:
                    self._reply(each, bytes(self._table(self._numbers.index(each))[address : address + size]))
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

    def _table(self, slot: int) -> bytearray:
        """A servo's registers."""
        table = bytearray(_TABLE_BYTES)
        table[MODE], table[HEAT_LIMIT] = 4, 80
        table[PWM_LIMIT : PWM_LIMIT + 2] = FULL_PWM.to_bytes(2, "little")
        table[TORQUE] = 0 if self._errors else self._enabled[slot]
        table[ERRORS] = self._errors
        table[PRESENT : PRESENT + PRESENT_BYTES] = self._present[PRESENT_BYTES * slot : PRESENT_BYTES * (slot + 1)]
        table[HEAT : HEAT + 1] = self._heats[slot : slot + 1]
        return table

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

    def _alerts(self) -> bool:
        """Whether answers tell that a hardware error status is not 0."""
        return self._errors != 0

    def _reply(self, number: int, data: bytes) -> None:
        body = (bytes([0x80 if self._alerts() else 0]) + data).replace(b"\xff\xff\xfd", b"\xff\xff\xfd\xfd")
        packet = _HEADER + bytes([number]) + (len(body) + 3).to_bytes(2, "little") + bytes([_STATUS]) + body
        with contextlib.suppress(OSError):
            os.write(self._file, packet + crc16(packet).to_bytes(2, "little"))
