"""Where the body should be over its feet: still, or swaying, to compare compliant and stiff legs."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Sway:
    """A body over its feet that goes round sideways and up and down."""

    along: float = 0.0
    """Amplitude along x [m]."""
    side: float = 0.0
    """Amplitude along y [m]."""
    height: float = 0.0
    """Amplitude of the height [m]."""
    period: float = 2.0
    """Time of one round [s]."""
    duration: float = 8.0
    """Time after which it is over [s]."""

    def place(self, time: float) -> Array:
        """Where the body should be, from where it stands still, (3,) [m]; it begins softly."""
        angle = math.tau * time / self.period
        soft = min(1.0, time / self.period)
        up = 0.5 - 0.5 * math.cos(angle)
        return soft * np.array([self.along * math.cos(angle), self.side * math.sin(angle), -self.height * up])
