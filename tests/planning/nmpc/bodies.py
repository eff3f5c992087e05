"""A body like a Go2's, and problems for it."""

from __future__ import annotations

import numpy as np

from andante.planning.nmpc.problem import NmpcProblem, RigidBody
from andante.planning.nmpc.settings import NmpcSettings
from andante.spatial.arrays import Array, Flags

SETTINGS = NmpcSettings()
BODY = RigidBody(15.2, np.array([[0.12, 0.005, -0.01], [0.005, 0.4, 0.002], [-0.01, 0.002, 0.45]]))
SQUARE = RigidBody(12.0, np.diag([0.1, 0.3, 0.35]))
HIPS = np.array([[0.19, 0.14, 0.0], [0.19, -0.14, 0.0], [-0.19, 0.14, 0.0], [-0.19, -0.14, 0.0]])
HEIGHT = 0.29


def standing_contact(settings: NmpcSettings = SETTINGS) -> Flags:
    """All feet stand, (n, 4)."""
    return np.ones((settings.states - 1, 4), dtype=bool)


def trot_contact(settings: NmpcSettings = SETTINGS, begin: int = 0) -> Flags:
    """Diagonal pairs in turn for six intervals each, (n, 4)."""
    first = ((np.arange(settings.states - 1) + begin) // 6) % 2 == 0
    return np.stack([first, ~first, ~first, first], axis=1)


def resting(height: float = HEIGHT) -> Array:
    """A state at rest, (12,)."""
    return np.array([0.0, 0.0, height, *[0.0] * 9])


def problem_of(
    contact: Flags,
    start: Array | None = None,
    speed: float = 0.0,
    settings: NmpcSettings = SETTINGS,
    yaw: float = 0.0,
    first: float | None = None,
) -> NmpcProblem:
    """Go ahead at a speed with feet below the hips, turned by a yaw as a whole; the start is turned too."""
    count, step = settings.states - 1, settings.step
    durations = np.full(count, step)
    durations[0] = step if first is None else first
    time = np.concatenate([[0.0], np.cumsum(durations)])
    turn = np.array([[np.cos(yaw), -np.sin(yaw), 0.0], [np.sin(yaw), np.cos(yaw), 0.0], [0.0, 0.0, 1.0]])
    reference = np.zeros((count + 1, 12))
    reference[:, :3] = np.stack([speed * time, 0.0 * time, 0.0 * time + HEIGHT], axis=1) @ turn.T
    reference[:, 5] = yaw
    reference[:, 6:9] = turn @ (speed, 0.0, 0.0)
    feet = np.empty((count, 4, 3))
    for row in range(count):
        # Where the hip is in the middle of the stance, in steps of six intervals.
        ahead = np.array([speed * step * (6 * (row // 6) + 3), 0.0, 0.0])
        feet[row] = (HIPS + ahead) @ turn.T
    state = resting() if start is None else start.copy()
    state[:3], state[6:9] = turn @ state[:3], turn @ state[6:9]
    state[5] += yaw
    return NmpcProblem(state, reference, durations, contact, feet, np.zeros(count + 1))


def random_problem(rng: np.random.Generator, settings: NmpcSettings = SETTINGS, wild: float = 1.0) -> NmpcProblem:
    """A problem with random contacts, start and feet."""
    count = settings.states - 1
    contact = rng.random((count, 4)) < rng.uniform(0.3, 1.0)
    contact[:, 0] |= ~contact.any(axis=1)
    start = resting()
    start[3:6] += wild * rng.normal(0.0, 0.1, 3)
    start[6:9] += wild * rng.normal(0.0, 0.3, 3)
    start[9:] += wild * rng.normal(0.0, 0.5, 3)
    problem = problem_of(contact, start, float(rng.uniform(-0.5, 1.0)), settings, float(rng.uniform(-4.0, 4.0)))
    problem.feet[:] += rng.normal(0.0, 0.02, problem.feet.shape)
    problem.durations[0] = rng.uniform(0.2, 1.0) * settings.step
    return problem
