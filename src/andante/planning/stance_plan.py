"""StancePlan: where the body is as each foot leaves and as it lands."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from andante.planning.footstep import FootstepPlan

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class StancePlan:
    """A pose of the body for both ends of each swing; both keep the centre of mass over the other feet."""

    footsteps: FootstepPlan
    """The footsteps."""
    com: Array
    """Centre of mass at lift-off and at landing of each step, (n, 2, 3) [m]."""
    rpy: Array
    """Roll, pitch and yaw of the base there, (n, 2, 3) [rad]."""
    slack: Array
    """Smallest room left there [m]: reach, joint limits, shanks and belly over the ground; (n, 2)."""
    margin: Array
    """Distance of the centre of mass from the edge of the support polygon there [m]; (n, 2)."""
