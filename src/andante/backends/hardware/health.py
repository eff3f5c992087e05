"""HealthWatch: motors that get hot and a battery that gets low while a robot is moved."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from andante.robots.records import Vector


@dataclass(frozen=True)
class HealthLimits:
    """From where on a robot is not moved any more."""

    hot: float | None = None
    """A motor that is hotter ends a run; None: none does [deg C]."""
    empty: float = 0.0
    """A battery with less charge ends it, as a share."""
    warned: float = 5.0
    """So far below the limit of its motors, and at twice the charge, it is told that the end is near [deg C]."""
    persists: float = 0.5
    """One wrong reading ends nothing: it must hold for so long [s]."""
    noted: float | None = None
    """Where none does, it is told once that a motor is hotter than this; None: it is not [deg C]."""


class HealthWatch:
    """Looks at temperatures and charge in each state.

    Args:
        joints: Names of the joints, nj of them.
        limits: What is allowed.
    """

    def __init__(self, joints: Sequence[str], limits: HealthLimits) -> None:
        self._joints, self.limits = tuple(joints), limits
        self.why = ""
        """Why the robot must be let go of; empty: it need not."""
        self._since: dict[str, float] = {}
        self._told: set[str] = set()

    def see(self, time: float, temperature: Vector | None, battery: float | None, worn: str = "") -> list[str]:
        """Take a state of a time [s]; what is to be told of it, once each.

        Args:
            time: Time by the robot's count [s].
            temperature: Of its motors, (nj,) [deg C]; NaN where one is not measured.
            battery: Charge as a share.
            worn: Why it should not be moved on, by its own word; empty: nothing.
        """
        limits, found, told = self.limits, dict[str, tuple[bool, bool, str]](), list[str]()
        if temperature is not None and np.isfinite(temperature).any():
            hottest = int(np.nanargmax(temperature))
            value = float(temperature[hottest])
            text = f"{self._joints[hottest]} has {value:.0f} deg C"
            if limits.hot is not None:
                text += f" (limit {limits.hot:g})"
                found["hot"] = (value > limits.hot, value > limits.hot - limits.warned, text)
            elif limits.noted is not None and self._first("noted", value > limits.noted, time):
                told.append(f"{text}: none ends this run, as no limit of this robot is known; safety.hot sets one")
        if battery is not None:
            text = f"battery at {100 * battery:.0f} % (limit {100 * limits.empty:.0f} %)"
            found["battery"] = (battery < limits.empty, battery < 2.0 * limits.empty, text)
        found["worn"] = (bool(worn), False, worn)
        for name, (over, near, text) in found.items():
            if self._first(f"near {name}", near, time):
                told.append(f"{text}: beyond it the robot is let go of")
            if self._holds(f"over {name}", over, time) and not self.why:
                self.why = text
                told.append(f"the robot is let go of: {text}")
        return told

    def _first(self, name: str, now: bool, time: float) -> bool:
        """Whether something has held for long enough for the first time."""
        if not self._holds(name, now, time) or name in self._told:
            return False
        self._told.add(name)
        return True

    def _holds(self, name: str, now: bool, time: float) -> bool:
        """Whether something has held for long enough."""
        if not now:
            self._since.pop(name, None)
            return False
        return time - self._since.setdefault(name, time) >= self.limits.persists - 1e-9
