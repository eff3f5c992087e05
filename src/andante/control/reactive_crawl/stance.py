"""The controllers of the stance legs: each gives a motion of the body over its feet, and these add up."""

from __future__ import annotations

import math

import numpy as np

from andante.control.reactive_crawl.settings import ReactiveCrawlSettings
from andante.spatial.arrays import Array, Flags


class MassShift:
    """Brings the centre of mass to a place as fast as its acceleration allows, and stops there."""

    def __init__(self, period: float) -> None:
        self._period = period
        self.velocity: Array = np.zeros(2)
        """Velocity of the centre of mass over the ground, (2,) [m/s]."""

    def step(self, error: Array, settings: ReactiveCrawlSettings) -> Array:
        """The velocity, (2,) [m/s], for the way that is left (2,) [m]."""
        acceleration = settings.shift_acceleration
        distance = math.hypot(error[0], error[1])
        # Half of the acceleration is kept for what changes the target on the way.
        speed = min(settings.shift_speed, math.sqrt(acceleration * distance), 12.0 * distance)
        wanted = error * (speed / distance) if distance > 1e-9 else np.zeros(2)
        change = wanted - self.velocity
        size, most = math.hypot(change[0], change[1]), acceleration * self._period
        self.velocity = self.velocity + (change if size <= most else change * (most / size))
        return self.velocity

    def slowed(self, share: float) -> None:
        """Take note that only a share of the last velocity was possible."""
        self.velocity = self.velocity * share


def attitude_motion(
    places: Array, standing: Flags, height: float, settings: ReactiveCrawlSettings
) -> tuple[float, Array]:
    """Slow motion that brings body height and attitude over the feet where they should be.

    The plane through the standing feet (three or more) in the base's frame should be level with the base and ``height``
    below the hips; what is left of uneven ground in single feet is not touched.

    Args:
        places: Places of the feet less their hips' height, (nl, 3) [m].
        standing: Feet on the ground, (nl,).
        height: Wanted distance [m].
        settings: Of this robot's size.

    Returns:
        Velocity of the body along its z axis [m/s] and angular velocity about its x and y axes, (2,) [rad/s].
    """
    feet = places[standing]
    middle = feet[:, :2].mean(axis=0)
    x, y, z = feet[:, 0] - middle[0], feet[:, 1] - middle[1], feet[:, 2]
    xx, xy, yy = float(x @ x), float(x @ y), float(y @ y)
    size = xx * yy - xy * xy
    rate = settings.height_rate
    mean = float(z.mean())
    if size < 1e-12:
        return rate * (height + mean), np.zeros(2)
    xz, yz = float(x @ z), float(y @ z)
    rise_x, rise_y = (xz * yy - yz * xy) / size, (yz * xx - xz * xy) / size
    # Height over the middle of the base, not over the middle of the feet.
    mean -= rise_x * middle[0] + rise_y * middle[1]
    # Seen from a body that turns by w, a foot at (x, y) moves up by w_y x - w_x y.
    return rate * (height + mean), rate * np.array([rise_y, -rise_x])
