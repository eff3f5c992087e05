"""Full states of a body plan: yaw along the way, pitch along the ground, angular velocity, forces.

Source: Quad-SDK's `addFullStates`. Apart from it: heights are not smoothed, since nothing in them jumps, and the yaw is
smoothed only so far that the plan stays valid.
"""

from __future__ import annotations

import numpy as np

from andante.planning.quadruped.body_plan import BodyPlan, Primitive
from andante.planning.quadruped.global_plan.path import GlobalPath
from andante.planning.quadruped.global_plan.settings import GlobalSettings
from andante.planning.quadruped.global_plan.tables import GroundLayers, Rules
from andante.planning.quadruped.global_plan.validity import first_fault, pitches
from andante.spatial.arrays import Array
from andante.spatial.gravity import GRAVITY

_STILL = 0.05
"""Slower than this [m/s], the heading is that of the last moment that was faster."""
_GENTLER = 0.6
"""What is left of the window and memory of the yaw where smoothing makes a plan invalid."""
_ATTEMPTS = 12


def headings(velocities: Array) -> Array:
    """Heading of each of velocities (n, 2) [m/s], without jumps, (n,) [rad]; standing keeps the last moving one.

    Before anything moves it is the first moving one; where nothing moves it is 0.
    """
    moving = np.hypot(*velocities.T) >= _STILL
    if not moving.any():
        return np.zeros(len(velocities))
    latest = np.maximum.accumulate(np.where(moving, np.arange(len(velocities)), -1))
    latest[latest < 0] = int(np.argmax(moving))
    return np.unwrap(np.arctan2(velocities[latest, 1], velocities[latest, 0]))


def smoothed_yaw(heading: Array, yaw: float, window: int, memory: float) -> Array:
    """Yaw (n,) [rad] that begins at the robot's own and comes to a smoothed heading.

    Args:
        heading: Heading without jumps, (n,) [rad].
        yaw: Yaw of the robot at the start [rad].
        window: States over which the heading is meaned; the first and the last heading go on beyond the ends.
        memory: Share of the difference that is left after a step.
    """
    half = window // 2
    padded = np.pad(heading, half, mode="edge")
    mean = np.convolve(padded, np.full(2 * half + 1, 1.0 / (2 * half + 1)), mode="valid")
    away = (yaw - mean[0] + np.pi) % (2.0 * np.pi) - np.pi
    # The robot's own number of turns is kept: the plan begins at its yaw, not at one that looks the same.
    return np.asarray(mean + (yaw - away - mean[0]) + away * memory ** np.arange(len(mean)))


def angular_velocities(attitudes: Array, step: float) -> Array:
    """Angular velocity in body axes (n, 3) [rad/s] of roll, pitch, yaw (n, 3) [rad] at equal steps [s]."""
    roll, pitch, _ = attitudes.T
    rates = np.gradient(attitudes, step, axis=0) if len(attitudes) > 1 else np.zeros_like(attitudes)
    d_roll, d_pitch, d_yaw = rates.T
    return np.stack(
        [
            d_roll - d_yaw * np.sin(pitch),
            d_pitch * np.cos(roll) + d_yaw * np.cos(pitch) * np.sin(roll),
            -d_pitch * np.sin(roll) + d_yaw * np.cos(pitch) * np.cos(roll),
        ],
        axis=-1,
    )


def body_plan(
    path: GlobalPath, ground: GroundLayers, rules: Rules, mass: float, settings: GlobalSettings, yaw: float
) -> BodyPlan | None:
    """A way as plan of a body of a mass [kg], from the robot's yaw [rad] to rest; None: the turns have no room."""
    states, forces, kinds, feet = path.sampled(ground, rules)
    states[-1, 3:] = 0.0
    heading = headings(states[:, 3:5])
    window, memory = settings.yaw_window, settings.yaw_memory
    for attempt in range(_ATTEMPTS):
        last = attempt == _ATTEMPTS - 1
        turned = smoothed_yaw(heading, yaw, 1 if last else window, 0.0 if last else memory)
        pitch = np.asarray(pitches(ground, states, turned))
        if first_fault(ground, rules, states, turned, kinds, feet) < 0:
            break
        if last:
            return None
        window, memory = max(int(window * _GENTLER), 1), memory * _GENTLER
    attitude = np.stack([np.zeros_like(pitch), pitch, turned], axis=-1)
    spin = angular_velocities(attitude, settings.step)
    spin[-1] = 0.0
    if len(states) > 1:
        walking = kinds == int(Primitive.CONNECT)
        upward = np.gradient(states[:, 5], settings.step) / GRAVITY
        forces[walking, 2] += upward[walking]
    full = np.concatenate([states[:, :3], attitude, states[:, 3:], spin], axis=1)
    return BodyPlan(settings.step, full, forces * mass * GRAVITY, kinds)
