"""The break-up window: torso angles inside which a keyframe goes on."""

from __future__ import annotations

import math

from andante.control.keyframes.compiled import CompiledKeyframe, Window

_NEVER = math.radians(2000.0)
WIDE: Window = (-_NEVER, _NEVER, -_NEVER, _NEVER)
"""The window that nothing leaves."""


class BreakUpWindow:
    """The window in force, moving linearly from a keyframe's start window to its end window."""

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        """Open it wide."""
        self.now: Window = WIDE
        """Pitch min, pitch max, roll min, roll max in force [rad]."""
        self._start: Window = WIDE
        self._end: Window = WIDE

    def start(self, keyframe: CompiledKeyframe) -> None:
        """A keyframe begins: its start window or the one in force; bounds marked keep stay as they are."""
        if keyframe.window_start is not None:
            self.now = _kept(keyframe.window_start, self.now)
        self._start = self.now
        self._end = _kept(keyframe.window, self.now)

    def update(self, ratio: float) -> None:
        """Move to this share of the keyframe's duration."""
        a, b = self._start, self._end
        self.now = (
            a[0] + (b[0] - a[0]) * ratio,
            a[1] + (b[1] - a[1]) * ratio,
            a[2] + (b[2] - a[2]) * ratio,
            a[3] + (b[3] - a[3]) * ratio,
        )

    def outside(self, pitch: float, roll: float) -> bool:
        """Whether the torso angles [rad] have left the window."""
        low, high, left, right = self.now
        return not (low <= pitch <= high and left <= roll <= right)


def _kept(window: Window, now: Window) -> Window:
    a, b, c, d = (old if math.isnan(new) else new for new, old in zip(window, now, strict=True))
    return a, b, c, d
