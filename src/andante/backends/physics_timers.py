"""MuJoCo's timers: switched off while Andante steps a world.

MuJoCo's Python package lets every stage of every physics step ask for the time, to fill ``mjData.timer``, which nobody
reads here. That is a twentieth of a small robot's step. The switch is one pointer of the whole process (``mjcb_time``
of MuJoCo's C interface, no timers where it is NULL), so it is put back after each part of a tick: other code that
steps MuJoCo keeps its timers.
"""

from __future__ import annotations

import ctypes
import threading
from pathlib import Path

import mujoco


class PhysicsTimers:
    """The switch.

    Args:
        pointer: Where MuJoCo keeps the function that tells the time; one of nobody's, where that is not known.
    """

    def __init__(self, pointer: ctypes.c_void_p) -> None:
        self._pointer, self._lock = pointer, threading.Lock()
        self._users, self._kept = 0, pointer.value

    def off(self) -> None:
        """Switch the timers off until as many calls of `on`, in whatever thread."""
        with self._lock:
            if not self._users:
                self._kept = self._pointer.value
            self._users += 1
            self._pointer.value = None

    def on(self) -> None:
        """Switch them on again, as they were, after the last of those who switched them off."""
        with self._lock:
            self._users -= 1
            if not self._users:
                self._pointer.value = self._kept


def _pointer() -> ctypes.c_void_p:
    """MuJoCo's pointer to the function that tells the time; one of nobody's where its library is not found."""
    folder = Path(mujoco.__file__).parent
    for pattern in ("libmujoco.so*", "libmujoco*.dylib", "mujoco.dll"):
        for path in sorted(folder.glob(pattern)):
            try:
                return ctypes.c_void_p.in_dll(ctypes.CDLL(str(path)), "mjcb_time")
            except (OSError, ValueError):
                continue
    return ctypes.c_void_p()


TIMERS = PhysicsTimers(_pointer())
"""The switch of this process."""
