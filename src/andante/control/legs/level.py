"""The level frame: the base's, turned about its own axes until z is up; where gravity and the ground are simple."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from andante.robots.records import Sensors

Array = NDArray[np.float64]


def level_rotation(sensors: Sensors) -> tuple[Array, float]:
    """Rotation from the base's to the level frame, (3, 3), whose x axis is the base's seen from above; and the yaw
    [rad] that the IMU gives.

    An IMU that gives no orientation (all zeros) counts as upright.
    """
    w, x, y, z = sensors.orientation.tolist()
    size = w * w + x * x + y * y + z * z
    if not size > 1e-6:
        return np.eye(3), 0.0
    ux, uy, uz = 2.0 * (x * z - w * y) / size, 2.0 * (y * z + w * x) / size, (w * w - x * x - y * y + z * z) / size
    across = math.hypot(uy, uz)
    yaw = math.atan2(2.0 * (x * y + w * z), w * w + x * x - y * y - z * z)
    if across < 1e-6:
        return np.eye(3), yaw
    # Rows: forward, left and up as the base sees them.
    cr, sr = uz / across, uy / across
    return np.array([[across, -ux * sr, -ux * cr], [0.0, cr, -sr], [ux, uy, uz]]), yaw
