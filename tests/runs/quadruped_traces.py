"""Traces of a quadruped made by hand."""

from __future__ import annotations

import numpy as np

from andante.control.quadruped.drive_mode import DriveMode
from andante.runs.tasks.quadruped.trace import QuadrupedTrace

TICK = 0.002


def gliding(seconds=2.0, speed=1.0, heading=0.0, turn=0.0, **changes) -> QuadrupedTrace:
    """A body that glides at a speed along its heading, which turns; all feet carry 50 N."""
    times = TICK * np.arange(round(seconds / TICK))
    n = len(times)
    yaw = heading + turn * times
    velocity = speed * np.stack([np.cos(yaw), np.sin(yaw), np.zeros(n)], axis=1)
    com = np.concatenate([np.zeros((1, 3)), np.cumsum(0.5 * (velocity[1:] + velocity[:-1]) * TICK, axis=0)])
    rpy = np.stack([np.zeros(n), np.zeros(n), yaw], axis=1)
    force = np.zeros((n, 4, 3))
    force[:, :, 2] = 50.0
    estimate = np.concatenate([com, rpy, velocity, np.zeros((n, 3))], axis=1)
    parts = {
        "times": times,
        "com": com,
        "rpy": rpy,
        "joint_speed": np.zeros((n, 12)),
        "torque": np.zeros((n, 12)),
        "foot_force": force,
        "drive": np.full(n, DriveMode.READY),
        "mode": np.ones(n, dtype=np.int64),
        "estimate": estimate,
        "asked": np.tile([speed, 0.0, turn], (n, 1)),
        "planned_contact": np.ones((n, 4), dtype=bool),
        "planned_force": force.copy(),
        "foothold": np.zeros((n, 4, 2)),
        "reference": np.concatenate([com, rpy], axis=1),
        "iterations": np.zeros(n),
        "fallback": np.zeros(n, dtype=bool),
    }
    return QuadrupedTrace(**(parts | changes))
