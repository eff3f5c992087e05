"""Gamepad: steering by the sticks of a gamepad, through the joystick interface of Linux.

A device ``/dev/input/js0`` gives records of eight bytes: time [ms], value, type, number. Source: Linux,
Documentation/input/joydev/joystick-api.rst.
"""

from __future__ import annotations

import os
import stat
import struct
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Self

from andante.runs.errors import refused
from andante.runs.live.source import SourceError, SourceLostError, SteeringWish

RECORD = struct.Struct("=IhBB")
"""Time [ms], value, type, number."""
BUTTON, AXIS, INITIAL = 0x01, 0x02, 0x80
"""Types of records; the first of each button and axis have the bit of `INITIAL` too."""
FULL = 32767
"""Value of an axis at its end."""
DEAD = 0.1
"""Share of a stick's way about its middle that counts as its middle: worn sticks do not come back to it."""
DEVICES = Path("/dev/input")
_READ = 2 << 30
_ABS_X, _ABS_Y, _ABS_Z, _ABS_RX = 0, 1, 2, 3
_BTN_TL, _BTN_TR, _BTN_START = 0x136, 0x137, 0x13B
_AXES, _BUTTONS = 64, 512
"""Sizes of the kernel's tables of axes and buttons."""
Control = Callable[[int, int, bytearray], object]


@dataclass(frozen=True)
class ButtonLayout:
    """Which axis and button does what; the usual numbers where the device does not tell."""

    forward: int = 1
    lateral: int = 0
    turn: int = 3
    before: int = 4
    """Chooses the gait before."""
    after: int = 5
    """Chooses the next gait."""
    end: int = 7
    """Ends the run."""


class Gamepad:
    """A gamepad; its left stick moves the robot, the right one turns it.

    Args:
        path: Its device; None: the first one there is.
        control: What stands in for ``fcntl.ioctl``; None: that.
    """

    def __init__(self, path: Path | None = None, control: Control | None = None) -> None:
        self._path, self._control = path, control
        self._file: int | None = None
        self._layout = ButtonLayout()
        self._axes: dict[int, float] = {}
        self._gaits: tuple[str, ...] = ()
        self._chosen = 0
        self._wish = SteeringWish()
        self._rest = b""
        self._waits = self._asks = False
        self.name = "the gamepad"
        """What it is, with the device and what that calls itself."""

    @property
    def guide(self) -> Sequence[str]:
        """How to use it."""
        gaits = "; shoulder buttons: the gait before, the next one" if self._gaits else ""
        return [f"left stick: ahead, back, to the sides; right stick: turn{gaits}; start: end"]

    def __enter__(self) -> Self:
        """Open the device.

        Raises:
            SourceError: There is none, or it is no joystick.
        """
        if sys.platform != "linux":
            raise SourceError("gamepads are read through the joystick interface of Linux only")
        path = self._path or next(iter(sorted(DEVICES.glob("js*"))), None)
        if path is None:
            raise SourceError("there is no gamepad", place=str(DEVICES / "js*"), remedy="plug one in, or name its file")
        with refused(SourceError, "the gamepad cannot be opened", path):
            # A FIFO that nobody writes into yet must not be waited for.
            self._file = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
            kind = os.fstat(self._file).st_mode
        self.name, self._waits = f"the gamepad {path}", stat.S_ISFIFO(kind)
        if stat.S_ISCHR(kind):
            self._ask_device(path)
        elif not (stat.S_ISFIFO(kind) or stat.S_ISREG(kind)):
            self._close()
            raise SourceError("is no joystick", place=str(path))
        return self

    def __exit__(self, *_: object) -> None:
        """Close the device."""
        self._close()

    def begin(self, gaits: Sequence[str]) -> None:
        """The shoulder buttons go through these."""
        self._gaits = tuple(gaits)

    def poll(self) -> SteeringWish:
        """What sticks and buttons want.

        Raises:
            SourceLostError: The device is gone.
        """
        while self._file is not None:
            try:
                read = os.read(self._file, 64 * RECORD.size)
            except BlockingIOError:
                break
            except OSError as error:
                raise self._lost(error.strerror or str(error)) from None
            if not read:
                if self._waits:
                    # Nobody has written into this FIFO yet.
                    break
                raise self._lost("its end was reached")
            self._waits = False
            self._take(read)
        if self._answers():
            # A stick that is held still sends nothing; the device that still answers says that it is held.
            self._wish = replace(self._wish, number=self._wish.number + 1)
        return self._wish

    def _answers(self) -> bool:
        """Whether this is a joystick, and it is still there; what stands in for one asks by its records alone."""
        if not self._asks:
            return False
        try:
            self._query(0x01, bytearray(4))
        except OSError:
            return False
        return True

    def _lost(self, why: str) -> SourceLostError:
        return SourceLostError(f"{self.name} is gone: {why}")

    def _close(self) -> None:
        if self._file is not None:
            os.close(self._file)
            self._file = None

    def _ask_device(self, path: Path) -> None:
        """Learn name and layout from the driver."""
        name, axes, buttons = bytearray(80), bytearray(_AXES), bytearray(2 * _BUTTONS)
        try:
            self._query(0x01, bytearray(4))
        except OSError:
            self._close()
            raise SourceError(
                "is no joystick", place=str(path), remedy=f"joysticks are {DEVICES}/js0 and so on"
            ) from None
        self._asks = True
        try:
            self._query(0x13, name)
            self._query(0x32, axes)
            self._query(0x34, buttons)
        except OSError:
            # An old driver: the usual numbers have to do.
            return
        self.name = f"{name.split(bytes(1))[0].decode(errors='replace') or 'the gamepad'} ({path})"
        self._layout = _layout_of(bytes(axes), struct.unpack(f"={_BUTTONS}H", buttons))

    def _query(self, number: int, buffer: bytearray) -> None:
        """The ioctl ``_IOR('j', number, buffer)``."""
        if self._file is None:
            return
        control = self._control
        if control is None:
            import fcntl

            control = fcntl.ioctl
        control(self._file, _READ | len(buffer) << 16 | ord("j") << 8 | number, buffer)

    def _take(self, read: bytes) -> None:
        read = self._rest + read
        whole = len(read) - len(read) % RECORD.size
        for _, value, kind, number in RECORD.iter_unpack(read[:whole]):
            if kind & ~INITIAL == AXIS:
                self._axes[number] = _share(value)
            elif kind == BUTTON and value:
                self._press(number)
        self._rest = read[whole:]
        where = self._layout
        # Sticks tell downward and to the right as positive.
        axes = (where.forward, where.lateral, where.turn)
        forward, lateral, turn = (0.0 - self._axes.get(axis, 0.0) for axis in axes)
        if self._wish.over:
            forward = lateral = turn = 0.0
        number = self._wish.number + 1
        self._wish = replace(self._wish, forward=forward, lateral=lateral, turn=turn, number=number)

    def _press(self, number: int) -> None:
        step = {self._layout.before: -1, self._layout.after: 1}.get(number)
        if number == self._layout.end:
            self._wish = replace(self._wish, over=True)
        elif step is not None and self._gaits:
            self._chosen = (self._chosen + step) % len(self._gaits)
            self._wish = replace(self._wish, gait=self._gaits[self._chosen])


def _share(value: int) -> float:
    """A stick's way as a share, nothing about its middle."""
    share = min(max(value / FULL, -1.0), 1.0)
    if abs(share) <= DEAD:
        return 0.0
    moved = (abs(share) - DEAD) / (1.0 - DEAD)
    return round(moved if share > 0.0 else -moved, 3)


def _layout_of(axes: bytes, buttons: Sequence[int]) -> ButtonLayout:
    """The layout by the kernel's codes of axes and buttons; the right stick's x is Z on pads that have no RX."""
    usual = ButtonLayout()

    def axis(*codes: int, default: int) -> int:
        return next((axes.index(code) for code in codes if code in axes), default)

    def button(code: int, default: int) -> int:
        return buttons.index(code) if code in buttons else default

    return ButtonLayout(
        axis(_ABS_Y, default=usual.forward),
        axis(_ABS_X, default=usual.lateral),
        axis(_ABS_RX, _ABS_Z, default=usual.turn),
        button(_BTN_TL, usual.before),
        button(_BTN_TR, usual.after),
        button(_BTN_START, usual.end),
    )
