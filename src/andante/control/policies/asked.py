"""What a policy is asked: the steering within the trained ranges, no faster than it may change, and standing."""

from __future__ import annotations

import numpy as np

from andante.control.policies.contract import AxisCommand, PolicyCommands
from andante.control.steering import Heading
from andante.robots.records import Vector

_ROUNDING = 1e-9
_NONE = AxisCommand(range=(0.0, 0.0))


class AskedSpeeds:
    """The command that the network sees.

    Args:
        commands: Ranges of the contract; None: the policy takes no commands and is always asked zeros.
        period: Time between two calls [s].
    """

    def __init__(self, commands: PolicyCommands | None, period: float) -> None:
        self._stand_after, self._period = None if commands is None else commands.stand_after, period
        axes = (_NONE,) * 3 if commands is None else (commands.forward, commands.lateral, commands.turn)
        self._low, self._high = np.array([axis.range for axis in axes]).T
        self._most = np.array([np.inf if axis.acceleration is None else axis.acceleration for axis in axes]) * period
        self._slow = np.array([axis.slow for axis in axes])
        self.largest = Heading(*np.maximum(np.abs(self._low), np.abs(self._high)).tolist())
        """Largest speeds that may be asked, whichever way; many policies know only one, and the other is cut."""
        self.knows_standing = self._stand_after is not None
        """Whether the policy is told to stand."""
        self.reset()

    def reset(self) -> None:
        """Nothing is asked."""
        self.speeds: Vector = np.zeros(3)
        """What is asked now, within ranges and accelerations."""
        self.standing = self.knows_standing
        """Whether the policy is told to stand."""
        self._slow_for = 0.0

    def update(self, heading: Heading) -> None:
        """Go on by a call towards what the steering asks."""
        wanted = np.clip([heading.forward, heading.lateral, heading.turn], self._low, self._high)
        self.speeds = self.speeds + np.clip(wanted - self.speeds, -self._most, self._most)
        if self._stand_after is None:
            return
        calm = heading.still and bool((np.abs(self.speeds) <= self._slow + _ROUNDING).all())
        self._slow_for = self._slow_for + self._period if calm else 0.0
        self.standing = heading.still and (self.standing or self._slow_for >= self._stand_after - _ROUNDING)

    @property
    def told(self) -> Vector:
        """What the network sees, (3,); zeros while it is told to stand."""
        return np.zeros(3) if self.standing else self.speeds
