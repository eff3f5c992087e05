"""What a robot's own sensors tell where there is no ground truth: its tilt by the IMU, its joints by their encoders."""

from __future__ import annotations

from typing import Any

import numpy as np

from andante.control.events import EventKind
from andante.robots.records import Vector
from andante.runs.evaluation.falls import spans_of
from andante.runs.logs.log import ChannelRows, Log
from andante.runs.scenario import FallRule

_LETTING_GO = ("release", "fade", "damp", "off")


def motion_time(log: Log) -> float:
    """When the robot began to be let go of: what happens later is not the motion's; infinity where it was not [s]."""
    begins = [e.time for e in log.events if e.kind is EventKind.ARM and e.data.get("step") in _LETTING_GO]
    return min(begins, default=float("inf"))


def tilt_by_imu(sensors: ChannelRows) -> Vector:
    """Angle between the torso's up axis and the vertical, (n,) [rad]; NaN where the robot does not measure it."""
    w, x, y, z = np.moveaxis(sensors["orientation"], 1, 0)
    norm = w * w + x * x + y * y + z * z
    with np.errstate(invalid="ignore", divide="ignore"):
        up = np.where(norm > 0.25, (w * w - x * x - y * y + z * z) / norm, np.nan)
    tilt: Vector = np.arccos(np.clip(up, -1.0, 1.0))
    return tilt


def measures_no_orientation(log: Log) -> bool:
    """Whether the robot measured its orientation at no time, so that nobody saw whether it fell."""
    sensors = log.channels.get("sensors")
    return sensors is not None and len(sensors.rows) > 0 and not np.isfinite(tilt_by_imu(sensors)).any()


def observed(sensors: ChannelRows, log: Log, rule: FallRule) -> dict[str, Any]:
    """Falls and tilts as the IMU saw them; nothing where the robot does not measure its orientation.

    Args:
        sensors: What was believed of the sensors.
        log: Its log.
        rule: What counts as a fall; only its tilt can be seen so.
    """
    motion = sensors.times <= motion_time(log)
    tilt, times = tilt_by_imu(sensors)[motion], sensors.times[motion]
    known = np.isfinite(tilt)
    # Controllers get a constant for what is not measured, which tells nothing.
    if not known.any() or not np.isfinite(tilt_by_imu(log.rows("sensors"))).any():
        return {}
    tilt, times = tilt[known], times[known]
    values: dict[str, Any] = {"observed": True, "max_tilt": float(tilt.max()), "final_tilt": float(tilt[-1])}
    if rule.tilt is None:
        return values
    long = [begin for begin, end in spans_of(times, tilt > rule.tilt) if end - begin >= rule.persistence]
    reason = f"tilted {np.degrees(tilt.max()):.0f} deg by its own IMU"
    return values | {
        "fell": bool(long),
        "fall_time": long[0] if long else None,
        "fall_reason": reason if long else None,
    }
