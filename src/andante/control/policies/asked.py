"""What a policy is asked: the steering within the trained ranges, no faster than it may change, and standing."""

from __future__ import annotations

import numpy as np

from andante.control.policies.contract import PolicyCommands
from andante.control.steering import Heading
from andante.robots.records import Vector

_ROUNDING = 1e-9


class AskedSpeeds:
    """The command that the network sees.

    Args:
        commands: Ranges of the contract; None: the policy takes no commands and is always asked zeros.
        period: Time between two calls [s].
    """

    def __init__(self, commands: PolicyCommands | None, period: float) -> None:
        self._commands, self._period = commands, period
        axes = () if commands is None else (commands.forward, commands.lateral, commands.turn)
        self._low = np.array([axis.range[0] for axis in axes]) if axes else np.zeros(3)
        self._high = np.array([axis.range[1] for axis in axes]) if axes else np.zeros(3)
        rates = [np.inf if axis.acceleration is None else axis.acceleration for axis in axes] or [np.inf] * 3
        self._most = np.array(rates) * period
        self._slow = np.array([axis.slow for axis in axes]) if axes else np.zeros(3)
        self.reset()

    @property
    def largest(self) -> Heading:
        """Largest speeds that may be asked."""
        return Heading(*np.minimum(-self._low, self._high).clip(0.0).tolist())

    @property
    def knows_standing(self) -> bool:
        """Whether the policy is told to stand."""
        return self._commands is not None and self._commands.stand_after is not None

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
        if not self.knows_standing:
            return
        commands = self._commands
        calm = heading.still and bool((np.abs(self.speeds) <= self._slow + _ROUNDING).all())
        self._slow_for = self._slow_for + self._period if calm else 0.0
        if not heading.still:
            self.standing = False
        elif commands is not None and self._slow_for >= (commands.stand_after or 0.0) - _ROUNDING:
            self.standing = True

    @property
    def told(self) -> Vector:
        """What the network sees, (3,); zeros while it is told to stand."""
        return np.zeros(3) if self.standing else self.speeds
