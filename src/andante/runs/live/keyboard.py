"""Keyboard: steering by the keys of the terminal that the command runs in.

A terminal tells that a key went down, and never that it came up again. So keys change what is asked by steps, which
stays until the next key, or until it ends for its age (`andante.control.steering.LiveSteering`).
"""

from __future__ import annotations

import os
import re
import select
import signal
import sys
import threading
from collections.abc import Sequence
from dataclasses import replace
from types import FrameType
from typing import Any, Self

from andante.control.steering import HOLDS
from andante.runs.live.source import SourceError, SourceLostError, SteeringWish

STEP = 0.1
"""What one key press adds, as a share of the largest speed."""
_MOVES = {
    b"w": ("forward", STEP),
    b"s": ("forward", -STEP),
    b"a": ("lateral", STEP),
    b"d": ("lateral", -STEP),
    b"\x1b[A": ("forward", STEP),
    b"\x1b[B": ("forward", -STEP),
    b"\x1b[D": ("turn", STEP),
    b"\x1b[C": ("turn", -STEP),
}
_STOP, _QUIT = b" ", (b"q", b"\x04")
_KEY = re.compile(
    rb"\x1b\[[0-?]*[ -/]*(?:[@-~]|(?=[^ -~]))|\x1bO(?:[@-~]|(?=[^@-~]))|\x1b(?=[^\[O])|[^\x1b]", re.DOTALL
)
"""One key: a control sequence of ECMA-48, a function key of VT100, an escape that begins neither, or a byte."""
_LONGEST = 32
"""A sequence that is longer is none."""


class Keyboard:
    """The terminal on standard input, read key by key without an echo.

    Args:
        file: File descriptor of the terminal.
    """

    name = "the keyboard"

    def __init__(self, file: int = 0) -> None:
        self._file = file
        self._wish = SteeringWish()
        self._gaits: tuple[str, ...] = ()
        self._rest = b""
        self._before: list[Any] | None = None
        self._hangup: Any = None
        self._gone = False

    @property
    def guide(self) -> Sequence[str]:
        """How to use it."""
        lines = [
            "W S or up, down: ahead, back; A D: to the left, right; left, right: turn; space: stand; Q: end",
            f"any other key: go on as asked, which ends {HOLDS:g} s after the last key where the scenario says nothing",
        ]
        if self._gaits:
            lines.append(", ".join(f"{number}: {gait}" for number, gait in enumerate(self._gaits, 1)))
        return lines

    def __enter__(self) -> Self:
        """Take the terminal.

        Raises:
            SourceError: Standard input is no terminal, or this process may not read from it.
        """
        if sys.platform == "win32":
            raise SourceError("the keyboard steers on Linux and macOS only; a gamepad on Linux")
        import termios
        import tty

        if not os.isatty(self._file):
            raise SourceError("standard input is no terminal, so no keys can be read from it", remedy="run it in one")
        try:
            if os.tcgetpgrp(self._file) != os.getpgrp():
                raise SourceError("this process runs in the background, where no keys can be read")
        except OSError:
            # A terminal that does not control this process can be read nevertheless.
            pass
        self._before = termios.tcgetattr(self._file)
        tty.setcbreak(self._file, termios.TCSANOW)
        mode = termios.tcgetattr(self._file)
        # A robot that walks on while the process sleeps cannot be steered; Ctrl-C still ends the run.
        mode[6][termios.VSUSP] = b"\x00"
        termios.tcsetattr(self._file, termios.TCSANOW, mode)
        if threading.current_thread() is threading.main_thread():
            self._hangup = signal.signal(signal.SIGHUP, self._hang_up)
        return self

    def __exit__(self, *_: object) -> None:
        """Give the terminal back as it was."""
        import termios

        if self._hangup is not None:
            signal.signal(signal.SIGHUP, self._hangup)
            self._hangup = None
        before, self._before = self._before, None
        if before is not None:
            try:
                termios.tcsetattr(self._file, termios.TCSANOW, before)
            except termios.error:
                self._gone = True

    def begin(self, gaits: Sequence[str]) -> None:
        """Gaits are chosen by their number."""
        self._gaits = tuple(gaits[:9])

    def poll(self) -> SteeringWish:
        """What all keys pressed so far want.

        Raises:
            SourceLostError: The terminal was closed.
        """
        while not self._gone and select.select([self._file], [], [], 0.0)[0]:
            try:
                read = os.read(self._file, 1024)
            except OSError:
                read = b""
            self._gone = not read
            self._take(read)
        if self._gone:
            raise SourceLostError("the terminal was closed")
        return self._wish

    def _hang_up(self, number: int, frame: FrameType | None) -> None:
        self._gone = True

    def _take(self, read: bytes) -> None:
        read, position = self._rest + read, 0
        while found := _KEY.match(read, position):
            position = found.end()
            self._press(found[0])
        self._rest = read[position:]
        if len(self._rest) > _LONGEST:
            self._rest = b""

    def _press(self, key: bytes) -> None:
        if len(key) > 1:
            # Arrows with a modifier, and those of a terminal in application mode, are arrows.
            key = b"\x1b[" + key[-1:]
        key = key.lower() if len(key) == 1 else key
        # Also a key that changes nothing asks again: what was asked ends without one.
        self._wish = replace(self._wish, number=self._wish.number + 1)
        if key in _MOVES:
            name, step = _MOVES[key]
            value = round(min(max(getattr(self._wish, name) + step, -1.0), 1.0), 6)
            self._wish = replace(self._wish, **{name: value + 0.0})
        elif key == _STOP:
            self._wish = replace(self._wish, forward=0.0, lateral=0.0, turn=0.0)
        elif key in _QUIT:
            self._wish = replace(self._wish, forward=0.0, lateral=0.0, turn=0.0, over=True)
        elif key.isdigit() and 1 <= int(key) <= len(self._gaits):
            self._wish = replace(self._wish, gait=self._gaits[int(key) - 1])
