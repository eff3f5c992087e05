"""A bus of servos that lives in a thread of its own, and our end of it."""

from __future__ import annotations

import os
import struct
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import numpy as np
import pytest

from andante.backends.hardware.dynamixel import MODE, DynamixelCodec, DynamixelLink
from andante.backends.hardware.dynamixel_bus import DynamixelBus, crc16
from andante.backends.hardware.packets import RobotState

NUMBERS = (11, 3, 7)
"""Of its servos."""


class Bus(DynamixelBus):
    """A bus of servos of which one can be unplugged, or be of another kind, on a wire that may have faults."""

    where = (0.1, 0.2, 0.3)
    speed = 0.0
    damages: frozenset[int] = frozenset()
    """Servos whose answers come with a wrong checksum."""
    noisy = False
    """Bytes come all the time that nobody has asked for, and drown all answers."""

    def __init__(self, path: str) -> None:
        super().__init__(path, NUMBERS)
        self.unplugged: set[int] = set()
        self.written: list[int] = []
        self.mode = 3
        self.heat = 41.0
        self.registers: dict[int, bytes] = {}
        """What stands at some addresses in place of the fake's own."""
        self.alert = False
        self.lost = 0
        """So many answers to questions for the operating mode are lost."""
        self.before: dict[int, bytes] = {}
        self.late: frozenset[int] = frozenset()
        """Servos of which each question is answered by what the question before asked for, as over a slow adapter."""

    def _reply(self, number: int, data: bytes) -> None:
        if number in self.unplugged or self.noisy:
            return
        if number not in self.damages | self.late:
            super()._reply(number, data)
            return
        packet = _packet(number, data)
        if number in self.damages:
            packet = packet[:-1] + bytes([packet[-1] ^ 1])
        if number in self.late:
            packet, self.before[number] = self.before.get(number, b""), packet
        os.write(self._file, packet)

    def hum(self) -> None:
        """Make noise for as long as it is noisy."""
        while self.noisy:
            with suppress(BlockingIOError):
                os.write(self._file, b"\x55\xff\x13" * 700)

    def _alerts(self) -> bool:
        return self.alert

    def _table(self, slot: int) -> bytearray:
        table = super()._table(slot)
        table[MODE], table[48:56] = self.mode, struct.pack("<ii", 4095, 0)
        for address, value in self.registers.items():
            table[address : address + len(value)] = value
        return table

    def _do(self, number: int, instruction: int, body: bytes) -> bool:
        if instruction == 0x02 and body[:2] == bytes([MODE, 0]) and self.lost > 0:
            self.lost -= 1
            return False
        return super()._do(number, instruction, body)

    def _set(self, slot: int, address: int, value: bytes) -> None:
        self.written.append(address)
        super()._set(slot, address, value)


def _packet(number: int, data: bytes) -> bytes:
    body = (b"\0" + data).replace(b"\xff\xff\xfd", b"\xff\xff\xfd\xfd")
    packet = b"\xff\xff\xfd\x00" + bytes([number]) + (len(body) + 3).to_bytes(2, "little") + b"\x55" + body
    return packet + crc16(packet).to_bytes(2, "little")


@contextmanager
def living(path: str) -> Iterator[Bus]:
    """A bus that answers, at a path, until the block ends."""
    made, going = Bus(path), True
    made.open()
    codec = _codec()

    def live() -> None:
        tick = 0
        while going:
            tick += 1
            heat, speeds = np.array([30.0, 35.0, made.heat]), np.full(3, made.speed)
            made.send(codec.pack_state(RobotState(tick, np.array(made.where), speeds, temperature=heat)))
            made.receive(time.monotonic() + 0.001)

    thread = threading.Thread(target=live)
    thread.start()
    try:
        yield made
    finally:
        going = False
        thread.join()
        made.close()


def servos(bus: Bus, numbers: tuple[int, ...] = NUMBERS) -> DynamixelLink:
    """Our end of a bus."""
    pytest.importorskip("dynamixel_sdk")
    return DynamixelLink(_codec(), bus._path, 1_000_000, numbers)


def _codec() -> DynamixelCodec:
    return DynamixelCodec(["a", "b", "c"], 0.01, np.ones(3), np.ones(3))
