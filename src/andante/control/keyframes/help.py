"""Giving up: when another try is of no use, and the call for help of a robot that lies."""

from __future__ import annotations

from collections.abc import Callable

from andante.control.keyframes.parts import EngineParts

_AT_ONCE = 2.5
"""So many times the time that tells that a joint is blocked end a try in the middle."""
_AGAIN = 5_000_000
"""Time after which a robot that lies calls again (reference section 2.10) [us]."""


class HelpCall:
    """Knows why a get-up is hopeless and calls for help.

    Args:
        parts: The engine's parts.
        told: Called with the reason at each call.
    """

    def __init__(self, parts: EngineParts, told: Callable[[str], None]) -> None:
        self._parts, self._told = parts, told
        self._why, self._called = "", 0

    def hopeless(self, get_up: bool, broken_motor: bool) -> str:
        """Why another try is of no use; empty where it may be."""
        tries = self._parts.situation.tries
        if broken_motor:
            return "a leg motor is broken"
        if get_up and self._blocked(1.0):
            return self._parts.blocked.why()
        return f"{tries} tries are used up" if tries >= self._parts.library.settings.max_tries else ""

    def blocked_for_long(self) -> str:
        """Why a try should not even be brought to its end; empty where it should."""
        return self._parts.blocked.why() if self._blocked(_AT_ONCE) else ""

    def call(self, now: int, why: str) -> None:
        """Call for help at a time [us]."""
        self._why, self._called = why, now
        self._told(why)

    def repeat(self, now: int) -> None:
        """Call again where the last call is long ago."""
        if now - self._called >= _AGAIN:
            self.call(now, self._why)

    def _blocked(self, factor: float) -> bool:
        """Whether a leg joint stood still for so many times the time that tells it is blocked."""
        config = self._parts.config
        return config.give_up_blocked and self._parts.blocked.longest >= factor * config.blocked_time
