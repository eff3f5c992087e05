"""A bus of Dynamixel servos, read by its maker's SDK: each answer is held against the question that was asked.

The SDK takes an answer by the number of its servo alone. One that comes late, as over a slow adapter, then passes for
the answer to the next question, whatever that was. Here its length must be that of what was asked for.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

ALERT = 0x80
"""Bit of an answer's error by which a servo says that its hardware error status is not 0."""
_PING, _PING_BYTES = 1, 3
_NONE_ELSE = 11
"""Bytes of an answer beside what was asked for."""
_FLOOD = 4096
"""After so many bytes to one question nothing more is read once its time is over."""


@dataclass(frozen=True)
class ServoAnswer:
    """What a servo answered."""

    number: int
    """Its number."""
    error: int
    """Its error, of which `ALERT` is no error of the question."""
    data: bytes
    """What was asked for; empty where it tells an error."""

    @property
    def good(self) -> bool:
        """Whether it did what it was asked."""
        return not self.error & ~ALERT


class ServoPort:
    """The bus.

    Args:
        sdk: ROBOTIS' module.
        path: Serial port.
        baud: Bits per second.
        wait: Time for which the port waits for bytes at once [s].
    """

    def __init__(self, sdk: Any, path: str, baud: int, wait: float) -> None:
        self._sdk, self._baud, self._wait = sdk, baud, wait
        self.handler = _handler(sdk, path)
        """The SDK's port."""
        self.packets = sdk.PacketHandler(2.0)
        """The SDK's packets of protocol 2.0."""
        self.torn = 0
        """Answers of which something came that could not be read."""

    def open(self) -> bool:
        """Open it; whether it takes that rate. Raises whatever the SDK's serial library does."""
        good = self.handler.openPort() and self.handler.setBaudRate(self._baud)
        # Two programs on one bus would read each other's answers.
        self.handler.ser.exclusive = True
        # The SDK asks the port again and again for bytes; a port that waits a little spares most of the processor.
        self.handler.ser.timeout = self._wait
        return bool(good)

    def close(self) -> None:
        """Close it."""
        self.handler.closePort()

    def read(self, number: int, address: int, size: int) -> ServoAnswer | None:
        """Registers of one servo; None where it does not answer."""
        self.packets.readTx(self.handler, number, address, size)
        return self._answer_of(number, size)

    def ping(self, number: int) -> ServoAnswer | None:
        """Model, two bytes, and version of a servo; None where it does not answer."""
        packet = [0] * 10
        packet[4], packet[5], packet[7] = number, 3, _PING
        self.packets.txPacket(self.handler, packet)
        self.handler.setPacketTimeout(_NONE_ELSE + _PING_BYTES)
        return self._answer_of(number, _PING_BYTES)

    def _answer_of(self, number: int, size: int) -> ServoAnswer | None:
        while True:
            found = self.next(size)
            if found is None or found.number == number:
                return found

    def next(self, size: int) -> ServoAnswer | None:
        """The next answer of so many bytes, or of an error, of any servo; None: none comes in time."""
        while True:
            packet, result = self.packets.rxPacket(self.handler, False)
            if result == self._sdk.COMM_SUCCESS and len(packet) > _NONE_ELSE - 1:
                # Where bytes were stuffed the SDK leaves them at the packet's end: its length says how many are true.
                told = packet[5] + 256 * packet[6] - 4
                if told == size:
                    return ServoAnswer(packet[4], packet[8], bytes(packet[9 : 9 + size]))
                if told == 0 and packet[8] & ~ALERT:
                    return ServoAnswer(packet[4], packet[8], b"")
            elif packet:
                self.torn += 1
            if result == self._sdk.COMM_RX_TIMEOUT or (result and self.handler.isPacketTimeout()):
                return None


def _handler(sdk: Any, path: str) -> Any:
    """The SDK's port with a clock that nobody sets, and an end to a flood of bytes: its own reads that for ever."""
    made, got = sdk.PortHandler(path), 0
    clear, read = made.clearPort, made.readPort

    def cleared() -> None:
        nonlocal got
        got = 0
        clear()

    def bytes_of(length: int) -> Any:
        nonlocal got
        if got >= _FLOOD and made.isPacketTimeout():
            return b""
        found = read(length)
        got += len(found)
        return found

    made.clearPort, made.readPort = cleared, bytes_of
    made.getCurrentTime = lambda: 1000.0 * time.monotonic()
    return made
